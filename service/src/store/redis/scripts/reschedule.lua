#!lua
-- Changes when a game is due, if its value has the expected head.
--
-- KEYS: value, timers
-- ARGV: expected head, due in ms or nothing, id

local value_key, timers = KEYS[1], KEYS[2]
local head, due, id = unpack(ARGV)

if redis.call('GETRANGE', value_key, 0, #head - 1) ~= head then
  return 0
end
if due == '' then
  redis.call('ZREM', timers, id)
else
  redis.call('ZADD', timers, due, id)
  redis.call('PEXPIRE', timers, 2 * redis.call('PTTL', value_key), 'GT')
end
return 1
