-- Removes the token if it is this one. The fence stays, so that no older one comes in its place.
-- KEYS: token. ARGV: token.
if redis.call('HGET', KEYS[1], 'token') == ARGV[1] then
  return redis.call('DEL', KEYS[1])
end
return 0
