-- Takes a lease back, and what came of its call.
--
-- KEYS: state, ring, leases, as in acquire.lua. ARGV: the caller's time, the lease, when it was granted (0: not known),
-- how it ended, then names and numbers that this end needs. Times are whole microseconds.
local state, ring, leases = KEYS[1], KEYS[2], KEYS[3]
local lease, granted, ending = ARGV[2], tonumber(ARGV[3]), ARGV[4]
local p = {}
for i = 5, #ARGV, 2 do p[ARGV[i]] = tonumber(ARGV[i + 1]) end

if granted == 0 then
  -- The reply was lost, and with it the moment; the lease tells it.
  granted = tonumber(redis.call('ZSCORE', leases, lease) or 0) - (p.lease or 0)
end
local removed = redis.call('ZREM', leases, lease)
if ending == 'lost' then return removed end

if ending == 'served' then
  local s = redis.call('HMGET', state, 'cap', 'cut', 'streak', 'cap_relapses')
  local cap = whole(s[1])
  if not cap or granted <= (whole(s[2]) or 0) then return removed end
  local streak = (whole(s[3]) or 0) + 1
  if streak >= p.successes * 2 ^ math.min(whole(s[4]) or 0, p.most_cap_relapses) then
    cap, streak = cap + 1, 0
  end
  if cap >= p.concurrency then
    redis.call('HDEL', state, 'cap', 'cut', 'streak', 'cap_relapses')
  else
    redis.call('HSET', state, 'cap', text(cap), 'streak', text(streak))
  end
  return removed
end

if ending == 'unused' then
  if removed == 0 then return removed end
  local s = redis.call('HMGET', state, 'paid_at', 'slot', 'sum', 'grid')
  local paid_at, last_slot, sum, grid = whole(s[1]), whole(s[2]), whole(s[3]), whole(s[4])
  if not (paid_at and last_slot and sum and grid and grid > 0) then return removed end
  redis.call('HSET', state, 'paid_at', text(math.max(0, paid_at - p.cost)))
  local slot = math.floor(granted / grid)
  local counted = whole(redis.call('HGET', ring, text(slot))) or 0
  if slot > last_slot - math.ceil(p.long / grid) - 1 and counted > 0 and sum > 0 then
    redis.call('HSET', ring, text(slot), text(counted - 1))
    redis.call('HSET', state, 'sum', text(sum - 1))
  end
  return removed
end

-- A refusal. One of a call that was granted before the last took effect is an echo of the same excess.
local names = {'last', 'ahead', 'grid', 'blocked_until', 'tripped', 'ended', 'base', 'from', 'relapses',
  'abnormal_block', 'abnormal_ended', 'cap', 'cut', 'cap_relapses', 'keep'}
local s = {}
for i, value in ipairs(redis.call('HMGET', state, unpack(names))) do s[names[i]] = whole(value) end
local now
now, s.ahead = clock(tonumber(ARGV[1]), s.last or 0, s.ahead or 0)
s.last = now
for _, name in ipairs({'blocked_until', 'tripped', 'ended', 'from', 'abnormal_ended', 'cut'}) do
  s[name] = moment(s[name], now)
end
if not s.from then s.base = nil end
local grid = s.grid and s.grid > 0 and s.grid or p.grid
local blocked = s.blocked_until or 0
local echo = s.tripped and granted <= s.tripped

if ending == 'frequency' and not echo then
  local repeated = s.ended and now <= s.ended + p.within
  if not repeated then
    local ceiling = p.calls
    if s.base then
      local risen = math.floor(math.max(0, now - s.from) / p.minute)
      ceiling = math.min(p.calls, s.base + risen * p.step)
    end
    s.relapses = ceiling < p.calls and math.min((s.relapses or 0) + 1, p.most_relapses) or 0
    -- What was used in the minute before: of the slot in which it began, the part that lies within.
    local start = math.max(0, now - p.minute)
    local first, current = math.floor(start / grid), math.floor(now / grid)
    local used, counted = 0, redis.call('HGETALL', ring)
    for i = 1, #counted, 2 do
      local at, count = whole(counted[i]) or 0, whole(counted[i + 1]) or 0
      if at == first and first < current then
        used = used + math.floor(count * ((first + 1) * grid - start) / grid)
      elseif at >= first and at <= current then
        used = used + count
      end
    end
    s.base = math.max(p.floor, math.floor(math.min(used, ceiling) * p.keep_percent / 100))
  end
  local block = repeated and p.repeated_block or p.block
  local hold = math.min(p.hold * 2 ^ s.relapses, p.longest_hold)
  s.tripped, s.ended, s.from = now, now + block, now + block + hold
  blocked = math.max(blocked, s.ended)
elseif ending == 'abnormal' and not echo then
  local block = p.abnormal_block
  if s.abnormal_ended and now <= s.abnormal_ended + p.longest_abnormal_block then
    block = math.min(2 * (s.abnormal_block or block), p.longest_abnormal_block)
  end
  s.tripped, s.abnormal_block, s.abnormal_ended = now, block, now + block
  blocked = math.max(blocked, now + block)
elseif ending == 'concurrency' and not (s.cut and granted <= s.cut) then
  s.cap_relapses = s.cap and math.min((s.cap_relapses or 0) + 1, p.most_cap_relapses) or 0
  s.cap = math.max(1, math.floor(math.min(s.cap or p.concurrency, p.concurrency) / 2))
  s.cut = now
  redis.call('HSET', state, 'streak', '0')
  blocked = math.max(blocked, now + p.pause)
end
s.blocked_until = blocked

-- Until when something is remembered that is not so from the start.
s.keep = math.max(blocked, (s.ended or 0) + p.within, (s.abnormal_ended or 0) + p.longest_abnormal_block)
if s.base then
  s.keep = math.max(s.keep, s.from + math.ceil((p.calls - s.base) / p.step) * p.minute)
end
local changed = {}
for _, name in ipairs(names) do
  if s[name] then
    changed[#changed + 1] = name
    changed[#changed + 1] = text(s[name])
  end
end
redis.call('HSET', state, unpack(changed))
redis.call('PEXPIRE', state, text(math.ceil(math.max(p.memory, s.keep - now) / 1000)))
return removed
