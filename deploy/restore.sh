#!/bin/sh
# Runs in the container of a Redis: puts the backup on standard input in the place of all that
# Redis has kept. Restart Redis after it. deploy/README.md says how.
set -eu
data=${DATA:-/data}
backup=$data/restore.rdb
cat >"$backup"
redis-check-rdb "$backup" >&2
# The log begins with the backup, and nothing has come after it.
rm -rf "$data/appendonlydir"
mkdir "$data/appendonlydir"
mv "$backup" "$data/appendonlydir/appendonly.aof.1.base.rdb"
echo "file appendonly.aof.1.base.rdb seq 1 type b" >"$data/appendonlydir/appendonly.aof.manifest"
