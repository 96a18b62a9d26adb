-- Keeps a value under a new id and lists it. Answers 1, or the value that is there already.
--
-- KEYS: value, index, timers, when it was last asked what is due, outbox, log of changes
-- ARGV: value, time to live in ms, timers of the game, of Black and of White (see timers.lua),
--       created in ms, id, its member in the index, what the shard's value keys start with,
--       notice or nothing

local value_key, index, timers, asked, outbox, log = unpack(KEYS)
local value, time_to_live, due, black, white, created, id, member, prefix, notice =
  unpack(ARGV)

local there = redis.call('GET', value_key)
if there then
  return there
end
list(index, created, member, time_to_live)
redis.call('SET', value_key, value, 'PX', time_to_live)
set_timers(timers, asked, id, due, black, white, time_to_live)
tell(outbox, notice, time_to_live)
log_change(log, 'c', member, value, notice)
-- Values expire by themselves, their places in the index do not: each insertion looks at four of
-- a leaf, drawn at random, and takes out the dead. So at most about a fourth of the places are
-- dead while games come and go.
local begins = redis.call('ZRANDMEMBER', index)
local leaf = index .. ':' .. begins
for _, listed in ipairs(redis.call('ZRANDMEMBER', leaf, 4)) do
  if redis.call('EXISTS', prefix .. id_of(listed)) == 0 then
    redis.call('ZREM', leaf, listed)
  end
end
if redis.call('EXISTS', leaf) == 0 then
  redis.call('ZREM', index, begins)
end
return 1
