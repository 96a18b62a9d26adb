#!/bin/sh
# Starts Sentinel. What it learns it writes into its configuration, which it keeps.
# More arguments go to redis-server.
set -eu
DATA=${DATA:-/data}
here=$(dirname "$0")
# shellcheck source=master.sh
. "$here/master.sh"

if [ ! -f "$DATA/sentinel.conf" ]; then
  found=$(master)
  cat >"$DATA/sentinel.new" <<EOF
port 26379
dir $DATA
sentinel resolve-hostnames yes
sentinel announce-hostnames yes
sentinel announce-ip $me
sentinel monitor reversi $found 6379 2
sentinel auth-pass reversi $REDISCLI_AUTH
sentinel down-after-milliseconds reversi 3000
sentinel failover-timeout reversi 15000
EOF
  mv "$DATA/sentinel.new" "$DATA/sentinel.conf"
fi
exec redis-server "$DATA/sentinel.conf" --sentinel "$@"
