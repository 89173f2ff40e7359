-- What both scripts begin with: numbers that can be relied on, and the time.

-- Longer than any time that settings allow, in microseconds.
local LONGEST = 15 * 86400 * 1000000

local function text(number) return string.format('%.0f', number) end

-- Returns a kept text as a whole number from 0 on, or nothing. Only a stranger's hand leaves others: 'nan' would be a
-- number to Lua, and every wait that is reckoned with it.
local function whole(kept)
  local number = tonumber(kept or nil)
  if number and number >= 0 and number < 2 ^ 53 then return math.floor(number) end
end

-- Returns a kept moment, or nothing if it is further ahead than anything can be.
local function moment(kept, now)
  local at = whole(kept)
  if at and at <= now + LONGEST then return at end
end

-- Returns the time, how far it is ahead of the server's, and whether the server told it. It never goes back.
--
-- When the server's clock is set back, time goes on from where it was: to wait for the clock would be to stop for as
-- long as it was wrong. The callers' clocks differ, and each one behind the last waits for it; to go on from there would be
-- to gain the difference each time that two of them take turns.
local function clock(callers, last, ahead)
  local time = redis.pcall('TIME')
  if time.err then
    if last > callers + LONGEST then last = 0 end
    return math.max(callers, last), 0, false
  end
  local server = tonumber(time[1]) * 1000000 + tonumber(time[2])
  ahead = math.max(ahead, last - server)
  return server + ahead, ahead, true
end
