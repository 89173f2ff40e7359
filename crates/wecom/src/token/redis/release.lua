-- Gives the lease back if it is still the holder's; another's is left alone.
-- KEYS: lease. ARGV: owner.
if attempt('GET', KEYS[1]) == ARGV[1] then
  return redis.call('DEL', KEYS[1])
end
return 0
