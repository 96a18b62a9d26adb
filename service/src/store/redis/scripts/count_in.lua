-- Counts a game among the live ones of its tenant, unless there are so many already. Answers 1 if
-- it is counted now, 0 if not.
--
-- KEYS: live games, how many
-- ARGV: created in ms, member, another time under which it may have been counted or nothing, how
--       long to remember it in ms, most

local games, count = unpack(KEYS)
local created, member, instead_of, time_to_live, most = unpack(ARGV)

local was_counted = instead_of ~= '' and count_out(games, count, instead_of, member)
local leaf = leaf_of(games, created)
if leaf and redis.call('ZSCORE', leaf, member) then
  renew(games, created, time_to_live)
else
  if not was_counted and tonumber(redis.call('GET', count) or 0) >= tonumber(most) then
    return 0
  end
  list(games, created, member, time_to_live)
  redis.call('INCR', count)
end
keep(count, time_to_live)
return 1
