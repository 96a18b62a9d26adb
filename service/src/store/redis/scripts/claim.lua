#!lua
-- Takes games that are due and moves their timers ahead by a lease. Answers the time in ms, when
-- the next game is due or false, and the ids.
--
-- KEYS: timers
-- ARGV: lease in ms, most games to take, what the shard's value keys start with

local timers = KEYS[1]
local lease, limit, prefix = unpack(ARGV)

local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local claimed = {}
for _, id in ipairs(redis.call('ZRANGE', timers, '-inf', now, 'BYSCORE', 'LIMIT', 0, limit)) do
  if redis.call('EXISTS', prefix .. id) == 1 then
    redis.call('ZADD', timers, now + lease, id)
    claimed[#claimed + 1] = id
  else
    redis.call('ZREM', timers, id)
  end
end
local first = redis.call('ZRANGE', timers, 0, 0, 'WITHSCORES')
return { now, first[2] or false, claimed }
