-- Takes places out of an index whose values have expired. Answers their ids.
--
-- KEYS: index, then the value of each place
-- ARGV: of each place the time of creation in ms, the id, and the member in the index

local index = KEYS[1]
local dead = {}
for place = 2, #KEYS do
  if redis.call('EXISTS', KEYS[place]) == 0 then
    local created, id, member = unpack(ARGV, 3 * (place - 2) + 1, 3 * (place - 1))
    unlist(index, created, member)
    dead[#dead + 1] = id
  end
end
return dead
