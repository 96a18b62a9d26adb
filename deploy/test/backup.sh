#!/usr/bin/env bash
# Backup and restore as deploy/README.md says, with the Redis of the component `redis` as a process:
# a game that was lost comes back.
#
# Needs root, kubectl, redis-server and jq. REVERSI_SERVICE and REVERSI_CLIENT are binaries to use
# instead of building them.
set -euo pipefail
cd "$(dirname "$0")/../.."
. deploy/test/alone.sh

rm -rf "$work" && mkdir -p "$work/data"
export REDISCLI_AUTH=0123456789abcdef DATA=$work/data

# The command and the settings of the component, with the password and the folder of this test.
sed "s|^dir /data|dir $DATA|" deploy/kustomize/components/redis/redis.conf >"$work/redis.conf"
mapfile -t command < <(kubectl kustomize deploy/kustomize/overlays/dev |
  sed -n '/^      - command:$/,/^        env:$/ s/^        - //p' |
  sed -e "s/^['\"]\(.*\)['\"]$/\1/" -e "s/\$(REDISCLI_AUTH)/$REDISCLI_AUTH/" \
    -e "s|^/etc/redis/|$work/|")
start_redis() {
  "${command[@]}" >>"$work/redis.log" 2>&1 &
  redis=$!
  until_true answers
}
answers() { redis-cli ping | grep -q PONG; }
stop_redis() {
  kill "$redis"
  wait "$redis" || true
}

start_redis
"$REVERSI_SERVICE" --admin off --log-format text \
  --store "redis://reversi:$REDISCLI_AUTH@127.0.0.1:6379" >"$work/server.log" 2>&1 &
until_true reversi info
game=$(reversi new --json | jq -r .name)
reversi move "$game" f5 >/dev/null
redis-cli --rdb "$work/backup.rdb" 2>"$work/backup.log" >&2

redis-cli flushall >/dev/null
if reversi show "$game" >/dev/null 2>&1; then fail "the game is still there"; fi
sh deploy/restore.sh <"$work/backup.rdb" 2>"$work/restore.log"
stop_redis
start_redis
until_true reversi show "$game"
[ "$(history)" = f5 ] || fail "another game came back"

# What is played from then on is kept, too.
reversi move "$game" d6 >/dev/null
stop_redis
start_redis
until_true reversi show "$game"
[ "$(history)" = f5d6 ] || fail "the log does not go on"
echo "backup: a game was lost and came back, and went on"
