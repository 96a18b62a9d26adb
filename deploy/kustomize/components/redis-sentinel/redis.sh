#!/bin/sh
# Starts Redis as the master or as its replica. More arguments go to redis-server.
set -eu
DATA=${DATA:-/data}
here=$(dirname "$0")
# shellcheck source=master.sh
. "$here/master.sh"

found=$(master)
if [ "$found" != "$me" ]; then
  set -- "$@" --replicaof "$found" 6379
fi
# Sentinel has Redis rewrite its configuration; what counts is found out anew at each start.
cp "$here/redis.conf" "$DATA/redis.conf"
# The service may do what it needs; replicas and Sentinels are the default user.
exec redis-server "$DATA/redis.conf" --dir "$DATA" --replica-announce-ip "$me" \
  --masterauth "$REDISCLI_AUTH" --requirepass "$REDISCLI_AUTH" \
  --user reversi on ">$REDISCLI_AUTH" '~rv:*' '&rv:w:*' +@read +@write +@scripting +@pubsub \
  +@connection +time '+config|get' +info \
  "$@"
