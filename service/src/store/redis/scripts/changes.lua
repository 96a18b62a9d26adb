#!lua
-- Reads the log of a shard's changes after an entry, or from its end on; begins it where there is
-- none. Answers the last entry read, the changes, and 1 if others may have been missed.
--
-- KEYS: log
-- ARGV: the last entry read before or nothing, most changes to read, how long the log is kept in ms
--       if nobody reads it again

local log = KEYS[1]
local after, limit, kept = unpack(ARGV)

local entries, missed = {}, 0
local last
if after ~= '' then
  -- The entry that was read last shows that nothing after it is gone.
  entries = redis.call('XRANGE', log, after, '+', 'COUNT', limit + 1)
  if entries[1] and entries[1][1] == after then
    last = entries[#entries][1]
    table.remove(entries, 1)
  else
    entries, missed = {}, 1
  end
end
if not last then
  local newest = redis.call('XREVRANGE', log, '+', '-', 'COUNT', 1)[1]
  last = newest and newest[1] or redis.call('XADD', log, '*', 'b', '')
end
if redis.call('PTTL', log) < kept / 2 then
  redis.call('PEXPIRE', log, kept)
end
return { last, entries, missed }
