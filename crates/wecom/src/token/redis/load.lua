-- Returns the token, its generation, its whole life and what is left of it, in milliseconds; nothing if there is none.
-- KEYS: token. What has no end was not put there by this client, and is no token.
local found = redis.call('HMGET', KEYS[1], 'token', 'generation', 'whole_ms')
local left = redis.call('PTTL', KEYS[1])
if not found[1] or left <= 0 then
  return false
end
return { found[1], found[2], found[3], left }
