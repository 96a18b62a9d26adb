-- Answers some of the live games of a tenant that were created after a time, each with its time,
-- the oldest first; of a millisecond all or none, and none only at the end. Where games were
-- forgotten for their age, it is counted anew how many there are.
--
-- KEYS: live games, how many
-- ARGV: time in ms, or -1

local games, count = unpack(KEYS)
local after = ARGV[1]

local function first_leaf(from)
  return redis.call('ZRANGE', games, from, '+inf', 'BYSCORE', 'LIMIT', 0, 1)[1]
end

local rows = {}
local _, begins = leaf_of(games, after)
begins = begins or first_leaf('-inf')
local is_exact = begins ~= nil
while begins and #rows == 0 do
  local leaf = games .. ':' .. begins
  if redis.call('EXISTS', leaf) == 0 then
    redis.call('ZREM', games, begins)
    is_exact = false
  end
  rows = redis.call('ZRANGE', leaf, '(' .. after, '+inf', 'BYSCORE', 'WITHSCORES')
  begins = first_leaf('(' .. begins)
end
if not is_exact then
  local sum = 0
  for _, begins in ipairs(redis.call('ZRANGE', games, 0, -1)) do
    sum = sum + redis.call('ZCARD', games .. ':' .. begins)
  end
  if sum == 0 then
    redis.call('DEL', count)
  else
    redis.call('SET', count, sum, 'KEEPTTL')
  end
end
return rows
