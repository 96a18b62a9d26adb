-- The timers of a shard.

local function now()
  local clock = redis.call('TIME')
  return string.format('%.0f', clock[1] * 1000 + math.floor(clock[2] / 1000))
end

-- Sets timers: of the game, and of Black and White; '' leaves one as it is, '0' removes it. From
-- the first one of a shard on it matters whether anybody asks what is due: see claim.lua.
local function set_timers(timers, asked, id, game, black, white, time_to_live)
  for member, time in pairs({ [id] = game, [id .. 'b'] = black, [id .. 'w'] = white }) do
    if time == '0' then
      redis.call('ZREM', timers, member)
    elseif time ~= '' then
      if redis.call('EXISTS', timers) == 0 then
        redis.call('SET', asked, now(), 'PX', time_to_live)
      end
      redis.call('ZADD', timers, time, member)
      keep(timers, time_to_live)
    end
  end
end

