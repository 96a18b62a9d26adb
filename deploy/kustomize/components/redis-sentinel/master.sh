#!/bin/sh
# Sourced by redis.sh and sentinel.sh: who is who. POD is reversi-redis-0, -1 or -2.

# shellcheck disable=SC2034 # read by those who source this
me=$POD.reversi-redis
peers="reversi-redis-0.reversi-redis reversi-redis-1.reversi-redis reversi-redis-2.reversi-redis"

# Who is the master: whom the Sentinels say; else whom the own one has written down; else, when
# nothing has ever run, the first pod.
master() {
  for peer in $peers; do
    said=$(timeout 2 redis-cli -h "$peer" -p 26379 --raw \
      sentinel get-master-addr-by-name reversi 2>/dev/null | head -n 1)
    case $said in reversi-redis-*) echo "$said" && return ;; esac
  done
  known=
  if [ -f "$DATA/sentinel.conf" ]; then
    known=$(sed -n 's/^sentinel monitor reversi \([^ ]*\) .*/\1/p' "$DATA/sentinel.conf")
  fi
  echo "${known:-reversi-redis-0.reversi-redis}"
}
