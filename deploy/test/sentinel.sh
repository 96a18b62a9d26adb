#!/usr/bin/env bash
# Runs the scripts of the component redis-sentinel as three pods would, with a server on top: the
# master is killed, then everything is, and no acknowledged move may be missing.
#
# Needs root, redis-server and jq. REVERSI_SERVICE and REVERSI_CLIENT are binaries to use instead of
# building them.
set -euo pipefail
cd "$(dirname "$0")/../.."
. deploy/test/alone.sh
component=$PWD/deploy/kustomize/components/redis-sentinel

rm -rf "$work" && mkdir -p "$work"/{0,1,2}
{
  echo 127.0.0.1 localhost
  for pod in 0 1 2; do echo "127.0.1.1$pod reversi-redis-$pod.reversi-redis"; done
} >"$work/hosts"
mount --bind "$work/hosts" /etc/hosts
export REDISCLI_AUTH=0123456789abcdef

start() {
  for part in redis sentinel; do
    POD=reversi-redis-$1 DATA=$work/$1 sh "$component/$part.sh" --bind "127.0.1.1$1" \
      >>"$work/$part-$1.log" 2>&1 &
    echo $! >"$work/$1/$part.pid"
  done
}

# Kills a pod without a word.
lose() {
  for part in redis sentinel; do
    process=$(cat "$work/$1/$part.pid")
    kill -9 "$process"
    wait "$process" 2>/dev/null || true
  done
}

role() { redis-cli -h "127.0.1.1$1" --raw info replication | sed -n 's/^role:\(.*\)\r$/\1/p'; }
is() { [ "$(role "$1")" = "$2" ]; }
replicas() { redis-cli -h "127.0.1.1$1" --raw info replication | grep -c 'state=online'; }
has_replicas() { [ "$(replicas "$1")" = "$2" ]; }
sentinels_know() {
  redis-cli -h "127.0.1.1$1" -p 26379 --raw info sentinel | grep -q "slaves=2,sentinels=3"
}

for pod in 0 1 2; do start $pod; done
until_true has_replicas 0 2
for pod in 0 1 2; do until_true sentinels_know $pod; done

# The store's URL as the component says it.
store=$(kubectl kustomize deploy/kustomize/overlays/prod-sentinel |
  sed -n 's/^ *value: \(redis+sentinel:.*\)$/\1/p')
# shellcheck disable=SC2016 # not a command of this script
store=${store//'$(REDIS_PASSWORD)'/$REDISCLI_AUTH}
"$REVERSI_SERVICE" --admin off --log-format text --store "$store" --redis-wait-replicas 1 \
  >"$work/server.log" 2>&1 &
until_true reversi info
game=$(reversi new --json | jq -r .name)
reversi move "$game" f5 >/dev/null
echo "sentinel: a master with two replicas, a game with a move"

lose 0
moved() { reversi move "$game" d6 || reversi show "$game" --json | jq -e '.history[1]'; }
until_true moved
if is 1 master; then new=1 other=2; else new=2 other=1; fi
is $new master || fail "nobody is the master"
[ "$(history)" = f5d6 ] ||
  fail "moves are missing"
echo "sentinel: $new took over, the game has both moves"

start 0
until_true is 0 slave
until_true has_replicas $new 2
echo "sentinel: 0 came back as a replica"

for pod in 0 1 2; do lose $pod; done
for pod in 0 1 2; do start $pod; done
until_true has_replicas $new 2
if is $other master || is 0 master; then fail "more than one master"; fi
until_true reversi show "$game"
[ "$(history)" = f5d6 ] ||
  fail "moves are missing after all were lost at once"
echo "sentinel: all were lost at once and came back, $new still the master, no move missing"
