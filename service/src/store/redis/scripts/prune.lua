#!lua flags=allow-oom
-- Takes ids out of an index whose values have expired. Answers these ids.
--
-- KEYS: index, then the value of each id
-- ARGV: the ids

local index = KEYS[1]
local dead = {}
for place, id in ipairs(ARGV) do
  if redis.call('EXISTS', KEYS[place + 1]) == 0 then
    redis.call('ZREM', index, id)
    dead[#dead + 1] = id
  end
end
return dead
