-- Takes the lease unless it is held; returns its generation as text.
-- KEYS: token, fence, lease. ARGV: owner, its life in ms, life of the fence in ms, caller's time in us.
--
-- The generation is the server's time in microseconds, or one more than the last if that is not later. So it grows
-- although no key lives for ever, and also when the fence is lost.
local held, left = attempt('GET', KEYS[3]), redis.call('PTTL', KEYS[3])
-- A lease without an end, or with one that none of ours has, would be held by nobody for good.
if held and left >= 0 and left <= LONGEST_LEASE + SLACK then
  return false
end
local time = redis.pcall('TIME')
local now = tonumber(ARGV[4])
if not time.err then
  now = tonumber(time[1]) * 1000000 + tonumber(time[2])
end
local fence = fields(KEYS[2], 'leased', 'stored')
local stored = fields(KEYS[1], 'generation')
local last = math.max(number(fence[1]) or 0, number(fence[2]) or 0, number(stored[1]) or 0)
local generation = math.max(now, last + 1)
if generation >= MOST then
  -- No number is left above what is there, so that goes.
  redis.call('DEL', KEYS[1], KEYS[2])
  generation = math.min(now, MOST - 1)
end
-- Redis must not forget whose lease it is between two commands: taken and bounded in one.
redis.call('SET', KEYS[3], ARGV[1], 'PX', ARGV[2])
local text = string.format('%.0f', generation)
put(KEYS[2], 'leased', text)
if redis.call('PTTL', KEYS[2]) < tonumber(ARGV[3]) then
  redis.call('PEXPIRE', KEYS[2], ARGV[3])
end
return text
