#!lua flags=allow-oom
-- Does nothing, but is refused by a server that takes no writes.
return 1
