-- The index of a shard: its games by the time of creation. One sorted set of all of them would
-- take a hundred bytes a game; so they are in leaves, sorted sets of so few that Redis keeps each
-- of them in one block. The index itself holds the time at which each leaf begins. A leaf's key
-- is that of the index, ':' and this time.

-- Redis keeps up to 128 in a block, if nobody has changed that.
local LEAF = 120

-- The key of the leaf that a time belongs to, and where it begins; nil if there are none.
local function leaf_of(index, created)
  local begins = redis.call('ZRANGE', index, created, '-inf', 'BYSCORE', 'REV', 'LIMIT', 0, 1)[1]
  return begins and index .. ':' .. begins, begins
end

local function begin_leaf(index, begins)
  redis.call('ZADD', index, begins, begins)
  return index .. ':' .. begins
end

-- The index and its leaves outlive every value, but not by much, so that a database nobody uses
-- any more becomes empty. Twice the time, so that few writes have to renew it.
local function keep(key, time_to_live)
  if redis.call('PTTL', key) < tonumber(time_to_live) then
    redis.call('PEXPIRE', key, 2 * time_to_live)
  end
end

-- Moves the newer half of a leaf into a leaf of its own, unless all of it is of one millisecond.
local function split(index, leaf)
  local first = redis.call('ZRANGE', leaf, 0, 0, 'WITHSCORES')[2]
  local middle = redis.call('ZRANGE', leaf, LEAF / 2, LEAF / 2, 'WITHSCORES')[2]
  if middle == first then
    return
  end
  local newer = begin_leaf(index, middle)
  redis.call('ZRANGESTORE', newer, leaf, middle, '+inf', 'BYSCORE')
  redis.call('PEXPIRE', newer, math.max(redis.call('PTTL', leaf), 1))
  redis.call('ZREMRANGEBYSCORE', leaf, middle, '+inf')
end

local function list(index, created, member, time_to_live)
  local leaf = leaf_of(index, created) or begin_leaf(index, '0')
  if redis.call('ZCARD', leaf) >= LEAF then
    local last = redis.call('ZRANGE', leaf, -1, -1, 'WITHSCORES')[2]
    if tonumber(created) > tonumber(last) then
      -- So games that come in the order of time leave full leaves behind.
      leaf = begin_leaf(index, created)
    else
      split(index, leaf)
      leaf = leaf_of(index, created)
    end
  end
  redis.call('ZADD', leaf, created, member)
  keep(index, time_to_live)
  keep(leaf, time_to_live)
end

-- Whether it was there.
local function unlist(index, created, member)
  local leaf, begins = leaf_of(index, created)
  if not leaf or redis.call('ZREM', leaf, member) == 0 then
    return false
  end
  if redis.call('EXISTS', leaf) == 0 then
    redis.call('ZREM', index, begins)
  end
  return true
end

local function renew(index, created, time_to_live)
  local leaf = leaf_of(index, created)
  if leaf then
    keep(index, time_to_live)
    keep(leaf, time_to_live)
  end
end

-- Leaves a notice for the lists by topic.
local function tell(outbox, notice, time_to_live)
  if notice ~= '' then
    redis.call('XADD', outbox, '*', 'n', notice)
    keep(outbox, time_to_live)
  end
end

-- The id that a member stands for: its characters are the five-bit digits of the member, greater
-- ones for greater digits.
local function id_of(member)
  local digits = '234567abcdefghijklmnopqrstuvwxyz'
  local id, number, bits = {}, 0, 0
  for place = 1, #member do
    number = number * 256 + string.byte(member, place)
    bits = bits + 8
    while bits >= 5 and #id < 20 do
      local unit = 2 ^ (bits - 5)
      local digit = math.floor(number / unit)
      number = number - digit * unit
      bits = bits - 5
      id[#id + 1] = string.sub(digits, digit + 1, digit + 1)
    end
  end
  return table.concat(id)
end

