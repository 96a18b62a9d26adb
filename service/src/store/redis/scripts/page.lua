#!lua flags=no-writes
-- Answers the newest members of an index that were created at a time or before, each with its
-- time, newest first, and of one millisecond the greatest first.
--
-- KEYS: index
-- ARGV: time in ms or +inf, most members

local index, created, limit = KEYS[1], ARGV[1], tonumber(ARGV[2])

local rows = {}
local skipped = 0
repeat
  local leaves =
    redis.call('ZRANGE', index, created, '-inf', 'BYSCORE', 'REV', 'LIMIT', skipped, 8)
  skipped = skipped + #leaves
  for _, begins in ipairs(leaves) do
    local left = limit - #rows / 2
    local leaf = index .. ':' .. begins
    local part = redis.call(
      'ZRANGE', leaf, created, '-inf', 'BYSCORE', 'REV', 'LIMIT', 0, left, 'WITHSCORES'
    )
    for _, cell in ipairs(part) do
      rows[#rows + 1] = cell
    end
  end
until #leaves == 0 or #rows >= 2 * limit
return rows
