-- The live games of a tenant: an index of them as that of a shard (see index.lua), and how many
-- they are.

-- Takes a game out that was counted under this time of creation. Whether it was.
local function count_out(games, count, created, member)
  local leaf = leaf_of(games, created)
  if not leaf or redis.call('ZSCORE', leaf, member) ~= created then
    return false
  end
  unlist(games, created, member)
  if redis.call('DECR', count) <= 0 then
    redis.call('DEL', count)
  end
  return true
end

