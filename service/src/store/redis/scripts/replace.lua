-- Replaces a value by another one, and wakes those who watch it. Answers 1 if it did, the value
-- that is there if that is not the expected one, nil if there is none.
--
-- KEYS: value, index, timers, when it was last asked what is due, outbox, log of changes
-- ARGV: expected value, value, time to live in ms, timers of the game, of Black and of White (see
--       timers.lua), 1 to take it out of the index or 0, created in ms, id, its member in the
--       index, channel, notice or nothing

local value_key, index, timers, asked, outbox, log = unpack(KEYS)
local expected, value, time_to_live, due, black, white, is_unlisted, created, id, member, channel,
  notice = unpack(ARGV)

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
set_timers(timers, asked, id, due, black, white, time_to_live)
tell(outbox, notice, time_to_live)
log_change(log, is_unlisted == '1' and 'd' or 'r', member, value, notice)
redis.call('PUBLISH', channel, '')
return 1
