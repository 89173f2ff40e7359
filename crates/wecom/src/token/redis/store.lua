-- Stores a token unless a later one has been stored; returns what is there then, as load does.
-- KEYS: token, fence. ARGV: token, generation, whole life in ms, what is left of it in ms, life of the fence in ms.
local generation = tonumber(ARGV[2])
local last = number(fields(KEYS[2], 'stored')[1]) or 0
local there = number(fields(KEYS[1], 'generation')[1]) or 0
if generation >= last and generation >= there then
  put(KEYS[1], 'token', ARGV[1], 'generation', ARGV[2], 'whole_ms', ARGV[3])
  redis.call('PEXPIRE', KEYS[1], ARGV[4])
  put(KEYS[2], 'stored', ARGV[2])
  if redis.call('PTTL', KEYS[2]) < tonumber(ARGV[5]) then
    redis.call('PEXPIRE', KEYS[2], ARGV[5])
  end
end
return token(KEYS[1])
