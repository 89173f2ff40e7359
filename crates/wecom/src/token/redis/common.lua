-- Comes before each of the other scripts. What stands under this client's names and is nothing that it writes, left by
-- an operator, another version or a dump, counts as not there: believed, it could stop a tenant for good.

-- A generation is below this: 2^53, which Lua's numbers hold exactly, less room for those that are yet to come. As
-- microseconds of a calendar it is the year 2255.
local MOST = 9000000000000000
-- In ms: the longest life of a token, 30 days, and of a lease, 5 minutes.
local LONGEST_LIFE, LONGEST_LEASE = 2592000000, 300000
-- How far the server's clock may be set back, in ms, before what is left of a key's life is not believed any more.
local SLACK = 60000

-- Returns a number as this client writes it; nothing of any other text, such as 'inf', '1e300' or '-7'.
local function number(text)
  if type(text) ~= 'string' or #text > 16 or not text:find('^%d+$') then
    return nil
  end
  local value = tonumber(text)
  return value < MOST and value or nil
end

-- Runs a command; returns false if the key is of another type.
local function attempt(...)
  local answer = redis.pcall(...)
  if type(answer) ~= 'table' or not answer.err then
    return answer
  end
  if answer.err:find('WRONGTYPE', 1, true) then
    return false
  end
  -- Fails again, and with it the script.
  return redis.call(...)
end

local function fields(key, ...)
  return attempt('HMGET', key, ...) or {}
end

-- Puts fields into a hash, in place of what is no hash.
local function put(key, ...)
  if not attempt('HSET', key, ...) then
    redis.call('DEL', key)
    redis.call('HSET', key, ...)
  end
end

-- Returns the token, its generation, its whole life and what is left of it, in ms; false if there is none.
-- One without an end, or with more of its life left than it ever had, is none.
local function token(key)
  local found = fields(key, 'token', 'generation', 'whole_ms')
  local whole, left = number(found[3]), redis.call('PTTL', key)
  if not found[1] or not number(found[2]) or not whole or whole > LONGEST_LIFE then
    return false
  end
  if left <= 0 or left > whole + SLACK then
    return false
  end
  return { found[1], found[2], found[3], math.min(left, whole) }
end

