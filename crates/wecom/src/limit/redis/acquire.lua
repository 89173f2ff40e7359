-- Asks for room for one call: takes it from both windows and the calls in flight, or from none.
--
-- KEYS: state (hash), ring (hash: slot -> calls), leases (sorted set: lease -> its end); one hash tag, so one node.
-- Times are whole microseconds; numbers stay below 2^53, which Lua holds exactly.
-- Returns {0, wait, cost}: not before so long; {1, moment, cost}: granted; {2, wait, cost}: too many in flight;
-- {3, hour, 0}: others count in an hour of that length.
local state, ring, leases = KEYS[1], KEYS[2], KEYS[3]
local lease, who = ARGV[2], ARGV[3]
local function arg(i) return tonumber(ARGV[i]) end
local lasts, concurrency, credit, span, calls, step = arg(4), arg(5), arg(6), arg(7), arg(8), arg(9)
local minute, hour_calls, hour, long, grid = arg(10), arg(11), arg(12), arg(13), arg(14)
local memory, rank, waited, poll = arg(15), arg(16), arg(17), arg(18)

local names = {'last', 'ahead', 'hour', 'grid', 'slot', 'sum', 'paid_at', 'blocked_until', 'base', 'from', 'cap',
  'keep', 'turn_who', 'turn_rank', 'turn_since', 'turn_until'}
local s = {}
for i, value in ipairs(redis.call('HMGET', state, unpack(names))) do s[names[i]] = value or nil end

local last = whole(s.last) or 0
local now, ahead, told = clock(arg(1), last, whole(s.ahead) or 0)
local asked = told and now or arg(1)

local function expire(key)
  local keep = moment(s.keep, now) or now
  redis.call('PEXPIRE', key, text(math.ceil(math.max(memory, keep - now) / 1000)))
end
local function note(...)
  redis.call('HSET', state, ...)
  expire(state)
end
if ahead ~= (whole(s.ahead) or 0) then note('ahead', text(ahead)) end

-- An hour of another length is another limit. Whoever is in the middle of it has it; it changes when they have nothing in
-- flight any more, and the slots of the old length become those of the new one: later ones, so that nothing is
-- forgotten too early.
local theirs, their_grid = whole(s.hour), whole(s.grid)
local slot, sum = whole(s.slot) or 0, whole(s.sum) or 0
if theirs and theirs ~= hour and their_grid and their_grid > 0 then
  if now - last < lasts then return {3, theirs, 0} end
  local current, moved = math.floor(now / grid), {}
  sum = 0
  local counted = redis.call('HGETALL', ring)
  for i = 1, #counted, 2 do
    local count = whole(counted[i + 1]) or 0
    local late = math.min(current, math.floor(((whole(counted[i]) or 0) + 1) * their_grid / grid))
    moved[late] = (moved[late] or 0) + count
    sum = sum + count
  end
  redis.call('DEL', ring)
  for i, count in pairs(moved) do redis.call('HSET', ring, text(i), text(count)) end
  if sum > 0 then expire(ring) end
  slot = 0
  note('hour', text(hour), 'grid', text(grid), 'slot', '0', 'sum', text(sum))
elseif theirs == hour and their_grid and their_grid >= hour / 240 and their_grid <= hour / 30 then
  -- That of another skew, perhaps: its slots are counted, one more or less of them.
  grid = their_grid
end
local slots = math.ceil(long / grid) + 1
local current = math.floor(now / grid)

-- Forgets the slots that are no longer counted, and counts the others, once for each slot that begins.
if sum > 0 and current > slot then
  local counted, old = redis.call('HGETALL', ring), {}
  sum = 0
  for i = 1, #counted, 2 do
    local at = whole(counted[i])
    if at and at > current - slots and at <= current then
      sum = sum + (whole(counted[i + 1]) or 0)
    else
      old[#old + 1] = counted[i]
    end
  end
  for i = 1, #old, 1000 do redis.call('HDEL', ring, unpack(old, i, math.min(i + 999, #old))) end
  note('slot', text(current), 'sum', text(sum))
end

local ceiling = calls
local base, from = whole(s.base), moment(s.from, now)
if base and from then
  local risen = math.floor(math.max(0, now - from) / minute)
  ceiling = math.max(2, math.min(calls, base + risen * step))
end
local cost = math.ceil(span / (ceiling - 1))
local paid_at = math.max(moment(s.paid_at, now) or 0, now)

-- When the oldest slots will have left enough room in the long window.
local hour_at = 0
if sum >= hour_calls then
  local all = {}
  for i = current - slots + 1, current do all[#all + 1] = text(i) end
  local left = sum
  for i, count in ipairs(redis.call('HMGET', ring, unpack(all))) do
    left = left - (whole(count) or 0)
    if left < hour_calls then
      hour_at = (current + i) * grid
      break
    end
  end
end

local at = math.max(moment(s.blocked_until, now) or 0, paid_at - credit, hour_at)
if at > now then return {0, at - asked, cost} end

-- A lease whose process died ends by itself, and one that ends later than any can is none. Of the last room in flight, the
-- process has the turn whose caller is the most important, or has waited longest: otherwise it would go to who has
-- just given it back.
redis.call('ZREMRANGEBYSCORE', leases, '-inf', text(now))
local cap = math.max(1, math.min(whole(s.cap) or concurrency, concurrency))
local free = cap - redis.call('ZCARD', leases)
if free <= 0 then free = free + redis.call('ZREMRANGEBYSCORE', leases, '(' .. text(now + LONGEST), '+inf') end
local since = now - waited
local mine = s.turn_who == who
local turn_until, turn_rank = whole(s.turn_until) or 0, whole(s.turn_rank) or rank
local other = s.turn_who and not mine and turn_until > now and turn_until <= now + 4 * poll
  and (turn_rank < rank or turn_rank == rank and (whole(s.turn_since) or 0) <= since)
if free <= 0 or (free == 1 and other) then
  if other then return {2, 4 * poll, cost} end
  note('turn_who', who, 'turn_rank', text(rank), 'turn_since', text(since), 'turn_until', text(now + 4 * poll))
  return {2, poll, cost}
end

local counted = redis.pcall('HINCRBY', ring, text(current), 1)
if type(counted) == 'table' then redis.call('HSET', ring, text(current), '1') end
expire(ring)
redis.call('ZADD', leases, text(now + lasts), lease)
redis.call('PEXPIRE', leases, text(math.ceil(lasts / 1000) + 1000))
if mine then redis.call('HDEL', state, 'turn_who', 'turn_rank', 'turn_since', 'turn_until') end
note('last', text(now), 'hour', text(hour), 'grid', text(grid), 'slot', text(current), 'sum', text(sum + 1),
  'paid_at', text(paid_at + cost))
return {1, now, cost}
