#!/usr/bin/env bash
# Runs the examples in other languages against a server that it starts.
#
#   client/examples/run.sh [python] [node] [go]      all of them where none is named
#
# REVERSI_SERVICE is the server's binary; without it the server is built. A language that is
# named has to run; otherwise one whose tools are missing is skipped, and that is said.
set -euo pipefail
cd "$(dirname "$0")/../.."
examples=$PWD/client/examples
work=$PWD/target/interop
mkdir -p "$work"

if [ -z "${REVERSI_SERVICE:-}" ]; then
  "${CARGO:-cargo}" build --quiet --package reversi-service
  REVERSI_SERVICE=${CARGO_TARGET_DIR:-target}/debug/reversi-service
fi

# Says what a language needs and this machine lacks; nothing where it can run.
missing() {
  local needs=
  case $1 in
    python) needs="python3" ;;
    node) needs="node npm" ;;
    go) needs="go protoc-gen-go protoc-gen-go-grpc" ;;
    *) echo "an example in $1" ;;
  esac
  for tool in $needs; do
    command -v "$tool" >/dev/null || echo "$tool"
  done
}

run_python() {
  [ -x "$work/python/bin/python" ] || python3 -m venv "$work/python"
  "$work/python/bin/pip" install --quiet --disable-pip-version-check \
    --requirement "$examples/python/requirements.txt"
  mkdir -p "$work/python/generated"
  "$work/python/bin/python" -m grpc_tools.protoc --proto_path=proto \
    --python_out="$work/python/generated" --grpc_python_out="$work/python/generated" \
    proto/reversi/v1/*.proto
  PYTHONPATH=$work/python/generated timeout 120 \
    "$work/python/bin/python" "$examples/python/example.py" "$1"
}

run_node() {
  (
    cd "$examples/node"
    npm install --silent --no-fund --no-audit --no-package-lock
    npm run --silent build
    timeout 120 npm start --silent -- "$1"
  )
}

run_go() {
  local buf=${BUF:-buf}
  mkdir -p "$work/go/src"
  $buf generate -o "$work/go/src"
  (
    cd "$examples/go"
    # Debian's packages are a GOPATH; the generated code is another.
    export GO111MODULE=off GOPATH=$work/go:/usr/share/gocode
    go vet .
    go build -o "$work/go/example" .
    GRPC_GO_RETRY=on timeout 120 "$work/go/example" "$1"
  )
}

log=$work/server.log
"$REVERSI_SERVICE" --listen 127.0.0.1:0 --admin off --log-format json >"$log" 2>&1 &
server=$!
trap 'kill "$server" 2>/dev/null || true; wait "$server" || true' EXIT
address=
for _ in $(seq 100); do
  address=$(sed -n 's/.*"message":"serving".*"address":"\([^"]*\)".*/\1/p' "$log")
  if [ -n "$address" ] || ! kill -0 "$server"; then break; fi
  sleep 0.1
done
[ -n "$address" ] || { echo "the server did not start:" && cat "$log"; exit 1; } >&2

languages=${*:-python node go}
for language in $languages; do
  lacks=$(missing "$language" | paste -sd ' ')
  if [ -z "$lacks" ]; then
    "run_$language" "$address"
  elif [ $# -gt 0 ]; then
    echo "$language: missing: $lacks" >&2
    exit 1
  else
    echo "$language: skipped, for want of: $lacks"
  fi
done
