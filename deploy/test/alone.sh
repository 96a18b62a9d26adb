# shellcheck shell=bash
# Sourced by tests of real processes, from the root of the tree: builds the binaries, unless
# REVERSI_SERVICE and REVERSI_CLIENT name some, and goes on with a network, mounts and processes of
# its own, so that all that a test starts ends with it. Its files are in $work.
name=$(basename "$0" .sh)
work=$PWD/target/deploy/$name

if [ -z "${INSIDE:-}" ]; then
  if [ -z "${REVERSI_SERVICE:-}" ] || [ -z "${REVERSI_CLIENT:-}" ]; then
    "${CARGO:-cargo}" build --locked --quiet --package reversi-service --package reversi-client
    REVERSI_SERVICE=${CARGO_TARGET_DIR:-target}/debug/reversi-service
    REVERSI_CLIENT=${CARGO_TARGET_DIR:-target}/debug/reversi
  fi
  export INSIDE=1 REVERSI_SERVICE REVERSI_CLIENT
  exec unshare --net --mount --pid --fork --kill-child --mount-proc "$PWD/deploy/test/$name.sh"
fi
ip link set lo up

fail() {
  echo "$name: $*" >&2
  tail -n 20 "$work"/*.log >&2
  exit 1
}

# Waits up to 40 seconds for a command to succeed.
until_true() {
  for _ in $(seq 400); do
    if "$@" >/dev/null 2>&1; then return; fi
    sleep 0.1
  done
  fail "gave up on: $*"
}

reversi() { "$REVERSI_CLIENT" --endpoint http://127.0.0.1:50051 "$@"; }

# The moves of $game, which the test sets.
# shellcheck disable=SC2154
history() { reversi show "$game" --json | jq -r '.history | join("")'; }
