#!lua flags=no-writes
-- Answers how many places there are in an index.
--
-- KEYS: index

local index = KEYS[1]
local size = 0
for _, begins in ipairs(redis.call('ZRANGE', index, 0, -1)) do
  size = size + redis.call('ZCARD', index .. ':' .. begins)
end
return size
