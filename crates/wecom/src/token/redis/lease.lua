-- Takes the lease unless it is held; returns its generation as text.
-- KEYS: token, fence, lease. ARGV: owner, its life in ms, life of the fence in ms, caller's time in us.
--
-- The generation is the server's time in microseconds, or one more than the last if that is not later. So it grows
-- although no key lives for ever, and also when the fence is lost. Below 2^53, which Lua's numbers hold exactly,
-- until the year 2255.
local time = redis.pcall('TIME')
local now = tonumber(ARGV[4])
if not time.err then
  now = tonumber(time[1]) * 1000000 + tonumber(time[2])
end
local fence = redis.call('HMGET', KEYS[2], 'leased', 'stored')
local stored = redis.call('HGET', KEYS[1], 'generation')
local function after(text)
  return (tonumber(text or 0) or 0) + 1
end
local generation = math.max(now, after(fence[1]), after(fence[2]), after(stored))
-- Redis must not forget whose lease it is between two commands: taken and bounded in one.
if not redis.call('SET', KEYS[3], ARGV[1], 'NX', 'PX', ARGV[2]) then
  return false
end
local text = string.format('%.0f', generation)
redis.call('HSET', KEYS[2], 'leased', text)
if redis.call('PTTL', KEYS[2]) < tonumber(ARGV[3]) then
  redis.call('PEXPIRE', KEYS[2], ARGV[3])
end
return text
