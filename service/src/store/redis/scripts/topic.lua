#!lua
-- Puts a game into a list, or takes it out.
--
-- KEYS: list
-- ARGV: put or take, created in ms, the game's member, how long the list lives in ms

local list = KEYS[1]
local change, created, member, time_to_live = unpack(ARGV)

if change == 'take' then
  redis.call('ZREM', list, member)
else
  redis.call('ZADD', list, created, member)
  if redis.call('PTTL', list) < tonumber(time_to_live) then
    redis.call('PEXPIRE', list, time_to_live)
  end
end
return 1
