#!lua
-- Replaces a value that has the expected head, and wakes those who watch it. Answers 1 if it
-- did, the value that is there if that has another head, nil if there is none.
--
-- KEYS: value, index, timers
-- ARGV: expected head, value, time to live in ms, due in ms or nothing, 1 to take it out of the
--       index or 0, id, channel

local value_key, index, timers = KEYS[1], KEYS[2], KEYS[3]
local head, value, time_to_live, due, unlist, id, channel = unpack(ARGV)

if redis.call('GETRANGE', value_key, 0, #head - 1) ~= head then
  return redis.call('GET', value_key)
end
redis.call('SET', value_key, value, 'PX', time_to_live)
if unlist == '1' then
  redis.call('ZREM', index, id)
elseif redis.call('PTTL', index) < tonumber(time_to_live) then
  -- See insert.lua.
  redis.call('PEXPIRE', index, 2 * time_to_live)
end
if due == '' then
  redis.call('ZREM', timers, id)
else
  redis.call('ZADD', timers, due, id)
  if redis.call('PTTL', timers) < tonumber(time_to_live) then
    redis.call('PEXPIRE', timers, 2 * time_to_live)
  end
end
redis.call('PUBLISH', channel, '')
return 1
