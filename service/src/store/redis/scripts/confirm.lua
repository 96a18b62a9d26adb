#!lua flags=allow-oom
-- Writes the time of a value once more, which changes nothing, so that there is something after
-- the value that replicas can be waited for.
--
-- KEYS: value

local expires = redis.call('PEXPIRETIME', KEYS[1])
if expires > 0 then
  redis.call('PEXPIREAT', KEYS[1], expires)
end
return 1
