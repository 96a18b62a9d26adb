-- Replaces a value by another one, and wakes those who watch it. Answers 1 if it did, the value
-- that is there if that is not the expected one, nil if there is none.
--
-- KEYS: value, index, timers
-- ARGV: expected value, value, time to live in ms, due in ms or nothing, signs of Black
--       and White (ms, 0 to remove, or nothing), 1 to take it out of the index or 0, created in
--       ms, id, its member in the index, channel

local value_key, index, timers = KEYS[1], KEYS[2], KEYS[3]
local expected, value, time_to_live, due, black, white, is_unlisted, created, id, member, channel =
  unpack(ARGV)

local there = redis.call('GET', value_key)
if there ~= expected then
  return there
end
if is_unlisted == '1' then
  unlist(index, created, member)
else
  renew(index, created, time_to_live)
end
redis.call('SET', value_key, value, 'PX', time_to_live)
if due == '' then
  redis.call('ZREM', timers, id)
else
  redis.call('ZADD', timers, due, id)
  keep(timers, time_to_live)
end
for timer, time in pairs({ [id .. 'b'] = black, [id .. 'w'] = white }) do
  if time == '0' then
    redis.call('ZREM', timers, timer)
  elseif time ~= '' then
    redis.call('ZADD', timers, time, timer)
    keep(timers, time_to_live)
  end
end
redis.call('PUBLISH', channel, '')
return 1
