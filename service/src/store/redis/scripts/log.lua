-- The log of a shard's changes, which is there while somebody reads it.

-- Changes that are kept, at least; Redis throws a few dozens of them away at once.
local KEPT = 4096

-- Adds a change to the log, if there is one: what kind it is, the game's member, the head of its
-- value, and what the lists are told.
local function log_change(log, kind, member, value, notice)
  local change = member .. string.sub(value, 1, 5)
  if notice == '' then
    redis.call('XADD', log, 'NOMKSTREAM', 'MAXLEN', '~', KEPT, '*', kind, change)
  else
    redis.call('XADD', log, 'NOMKSTREAM', 'MAXLEN', '~', KEPT, '*', kind, change, 'n', notice)
  end
end

