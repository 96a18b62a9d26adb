-- Counts a game no more.
--
-- KEYS: live games, how many
-- ARGV: created in ms, member

count_out(KEYS[1], KEYS[2], ARGV[1], ARGV[2])
return 1
