-- Stores a token unless a later one has been stored; returns what is there then, as load does.
-- KEYS: token, fence. ARGV: token, generation, whole life in ms, what is left of it in ms, life of the fence in ms.
local generation = tonumber(ARGV[2])
local last = tonumber(redis.call('HGET', KEYS[2], 'stored') or 0) or 0
local there = tonumber(redis.call('HGET', KEYS[1], 'generation') or 0) or 0
if generation >= last and generation >= there then
  redis.call('HSET', KEYS[1], 'token', ARGV[1], 'generation', ARGV[2], 'whole_ms', ARGV[3])
  redis.call('PEXPIRE', KEYS[1], ARGV[4])
  redis.call('HSET', KEYS[2], 'stored', ARGV[2])
  if redis.call('PTTL', KEYS[2]) < tonumber(ARGV[5]) then
    redis.call('PEXPIRE', KEYS[2], ARGV[5])
  end
end
local found = redis.call('HMGET', KEYS[1], 'token', 'generation', 'whole_ms')
local left = redis.call('PTTL', KEYS[1])
if not found[1] or left <= 0 then
  return false
end
return { found[1], found[2], found[3], left }
