-- Removes the token if it is this one. The fence stays, so that no older one comes in its place.
-- KEYS: token. ARGV: token.
if fields(KEYS[1], 'token')[1] == ARGV[1] then
  return redis.call('DEL', KEYS[1])
end
return 0
