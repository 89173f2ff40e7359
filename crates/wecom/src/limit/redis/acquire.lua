-- Asks for room for one call: takes it from both windows and the calls in flight, or from none.
--
-- KEYS: state (hash), ring (hash: slot -> calls), leases (sorted set: lease -> its end); one hash tag, so one node.
-- Times are whole microseconds; numbers stay below 2^53, which Lua holds exactly.
-- Returns {0, wait, cost}: not before so long; {1, moment, cost}: granted; {2, wait, cost}: too many in flight.
local state, ring, leases = KEYS[1], KEYS[2], KEYS[3]
local lease, who = ARGV[2], ARGV[3]
local function arg(i) return tonumber(ARGV[i]) end
local lasts, concurrency, credit, span, calls, step = arg(4), arg(5), arg(6), arg(7), arg(8), arg(9)
local minute, hour_calls, slot_length, slots = arg(10), arg(11), arg(12), arg(13)
local memory, rank, waited, poll = arg(14), arg(15), arg(16), arg(17)
local function text(number) return string.format('%.0f', number) end

local s = redis.call('HMGET', state, 'last', 'paid_at', 'slot', 'sum', 'blocked_until', 'base', 'from',
  'cap', 'keep', 'turn_who', 'turn_rank', 'turn_since', 'turn_until')
local function field(i) return tonumber(s[i] or 0) end

-- The server's time; the caller's where scripts may not have it. It never goes back.
local time = redis.pcall('TIME')
local now = time.err and arg(1) or tonumber(time[1]) * 1000000 + tonumber(time[2])
now = math.max(now, field(1))

local function expire(key)
  redis.call('PEXPIRE', key, text(math.ceil(math.max(memory, field(9) - now) / 1000)))
end

-- Forgets the slots that are no longer counted: each is taken off once.
local slot, sum = field(3), field(4)
local current = math.floor(now / slot_length)
if sum > 0 and current > slot then
  if current - slot >= slots then
    redis.call('DEL', ring)
    sum = 0
  else
    local old = {}
    for i = slot - slots + 1, current - slots do old[#old + 1] = text(i) end
    for _, count in ipairs(redis.call('HMGET', ring, unpack(old))) do sum = sum - tonumber(count or 0) end
    redis.call('HDEL', ring, unpack(old))
  end
  redis.call('HSET', state, 'slot', text(current), 'sum', text(sum))
  expire(state)
end

local ceiling = calls
if s[6] then
  local risen = math.floor(math.max(0, now - field(7)) / minute)
  ceiling = math.min(calls, field(6) + risen * step)
end
local cost = math.ceil(span / (ceiling - 1))
local paid_at = math.max(field(2), now)

-- When the oldest slots will have left enough room in the long window.
local hour_at = 0
if sum >= hour_calls then
  local all = {}
  for i = current - slots + 1, current do all[#all + 1] = text(i) end
  local left = sum
  for i, count in ipairs(redis.call('HMGET', ring, unpack(all))) do
    left = left - tonumber(count or 0)
    if left < hour_calls then
      hour_at = (current + i) * slot_length
      break
    end
  end
end

local at = math.max(field(5), paid_at - credit, hour_at)
if at > now then return {0, at - now, cost} end

-- A lease whose process died ends by itself. Of the last room in flight, the process has the turn whose caller is
-- the most important, or has waited longest: otherwise it would go to who has just given it back.
redis.call('ZREMRANGEBYSCORE', leases, '-inf', text(now))
local free = (s[8] and field(8) or concurrency) - redis.call('ZCARD', leases)
local since = now - waited
local mine = s[10] == who
local other = s[10] and not mine and field(13) > now
  and (field(11) < rank or field(11) == rank and field(12) <= since)
if free <= 0 or (free == 1 and other) then
  if other then return {2, 4 * poll, cost} end
  redis.call('HSET', state, 'turn_who', who, 'turn_rank', text(rank), 'turn_since', text(since),
    'turn_until', text(now + 4 * poll))
  expire(state)
  return {2, poll, cost}
end

redis.call('ZADD', leases, text(now + lasts), lease)
redis.call('PEXPIRE', leases, text(math.ceil(lasts / 1000) + 1000))
redis.call('HINCRBY', ring, text(current), 1)
redis.call('HSET', state, 'last', text(now), 'paid_at', text(paid_at + cost), 'slot', text(current),
  'sum', text(sum + 1))
if mine then redis.call('HDEL', state, 'turn_who', 'turn_rank', 'turn_since', 'turn_until') end
expire(ring)
expire(state)
return {1, now, cost}
