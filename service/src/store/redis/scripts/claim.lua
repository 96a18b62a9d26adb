#!lua
-- Takes games that are due and moves their timers ahead by a lease. Answers the time in ms, when
-- the next is due or false, the ids (with `b` or `w` for a player of it), and the beginnings and ends of outages.
--
-- KEYS: timers, when this was last asked, outages
-- ARGV: lease in ms, most games to take, the least of an outage in ms, what the shard's value keys
--       start with

local timers, asked, outages = KEYS[1], KEYS[2], KEYS[3]
local lease, limit, least, prefix = unpack(ARGV)

local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)

local time_to_live = redis.call('PTTL', timers)
if time_to_live < 0 then
  -- Nothing is to become due, so it does not matter whether anybody asks.
  redis.call('DEL', asked)
else
  local last = tonumber(redis.call('GET', asked) or now)
  local gap = now - last
  if gap >= tonumber(least) then
    redis.call('RPUSH', outages, last, now)
    redis.call('LTRIM', outages, -16, -1)
    redis.call('PEXPIRE', outages, time_to_live + gap)
    local later = redis.call('ZRANGE', timers, '(' .. last, '+inf', 'BYSCORE', 'WITHSCORES')
    for place = 1, #later, 2 do
      redis.call('ZADD', timers, later[place + 1] + gap, later[place])
    end
  end
  redis.call('SET', asked, string.format('%.0f', now), 'PX', math.max(time_to_live, 1))
end

local claimed = {}
for _, member in ipairs(redis.call('ZRANGE', timers, '-inf', now, 'BYSCORE', 'LIMIT', 0, limit)) do
  -- An id has 20 characters; one more names a player.
  if redis.call('EXISTS', prefix .. member:sub(1, 20)) == 1 then
    redis.call('ZADD', timers, now + lease, member)
    claimed[#claimed + 1] = member
  else
    redis.call('ZREM', timers, member)
  end
end
local first = redis.call('ZRANGE', timers, 0, 0, 'WITHSCORES')
return { now, first[2] or false, claimed, redis.call('LRANGE', outages, 0, -1) }
