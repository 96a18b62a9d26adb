#!lua
-- Keeps a value under a new id and lists it. Answers 1, or the value that is there already.
--
-- KEYS: value, index, timers
-- ARGV: value, time to live in ms, due in ms or nothing, created in ms, id, what the shard's value
--       keys start with

local value_key, index, timers = KEYS[1], KEYS[2], KEYS[3]
local value, time_to_live, due, created, id, prefix = unpack(ARGV)

local there = redis.call('GET', value_key)
if there then
  return there
end
redis.call('SET', value_key, value, 'PX', time_to_live)
redis.call('ZADD', index, created, id)
-- The index outlives every value, but not by much, so that a database nobody uses any more
-- becomes empty. Twice the time, so that few writes have to renew it. The same for timers.
if redis.call('PTTL', index) < tonumber(time_to_live) then
  redis.call('PEXPIRE', index, 2 * time_to_live)
end
if due ~= '' then
  redis.call('ZADD', timers, due, id)
  if redis.call('PTTL', timers) < tonumber(time_to_live) then
    redis.call('PEXPIRE', timers, 2 * time_to_live)
  end
end
-- Values expire by themselves, their places in the index do not: each insertion looks at four,
-- drawn at random, and takes out the dead. So at most about a fourth of the places are dead
-- while games come and go.
for _, listed in ipairs(redis.call('ZRANDMEMBER', index, 4)) do
  if redis.call('EXISTS', prefix .. listed) == 0 then
    redis.call('ZREM', index, listed)
  end
end
return 1
