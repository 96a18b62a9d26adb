#!/usr/bin/env bash
# Builds the image and runs it as a cluster would: as nobody, without capabilities, on a read-only
# root, as process 1. In there it has to find Redis by name (in /etc/hosts and by DNS), to trust
# it by its certificate, to answer, by TLS and to those with a token only if that is asked for, and
# to stop when it is told to.
#
# Needs root, and on Debian: buildah umoci runc redis-server dnsmasq-base openssl jq curl.
# REVERSI_STATIC and REVERSI_CLIENT are binaries to use instead of building them.
set -euo pipefail
cd "$(dirname "$0")/../.."
work=$PWD/target/image
mkdir -p "$work"

if [ -z "${INSIDE:-}" ]; then
  lacks=
  for tool in buildah umoci runc redis-server dnsmasq openssl jq curl unshare ip; do
    command -v "$tool" >/dev/null || lacks+=" $tool"
  done
  [ -z "$lacks" ] || { echo "missing:$lacks" >&2; exit 1; }
  if [ -z "${REVERSI_CLIENT:-}" ]; then
    "${CARGO:-cargo}" build --locked --quiet --package reversi-client
    REVERSI_CLIENT=${CARGO_TARGET_DIR:-target}/debug/reversi
  fi
  rm -rf "$work/storage" "$work/oci" "$work/bundle"
  storage="--root $work/storage --runroot $work/storage/run --storage-driver vfs"
  CONTAINER_TOOL=buildah CONTAINER_OPTIONS=$storage deploy/image.sh reversi-service:test
  # shellcheck disable=SC2086
  buildah $storage push --quiet reversi-service:test "oci:$work/oci:test"
  # Ports and DNS of its own.
  export INSIDE=1 REVERSI_CLIENT
  exec unshare --net --mount --propagation private "$0"
fi

fail() {
  echo "image: $*" >&2
  cat "$work/server.log" >&2 || true
  exit 1
}

# Waits ten seconds and more for a command to succeed.
until_true() {
  for _ in $(seq 1000); do
    if "$@" >/dev/null 2>&1; then return; fi
    sleep 0.01
  done
  fail "gave up on: $*"
}

processes=()
end() {
  runc kill reversi-image-test KILL 2>/dev/null || true
  [ ${#processes[@]} -eq 0 ] || kill "${processes[@]}" 2>/dev/null || true
}
trap end EXIT
ip link set lo up

# What it weighs: as it is pulled, and as it lies on a disk.
pulled=$(jq '[.layers[].size] | add' \
  "$work/oci/blobs/sha256/$(jq -r '.manifests[0].digest[7:]' "$work/oci/index.json")")
umoci unpack --image "$work/oci:test" "$work/bundle" 2>/dev/null
unpacked=$(du --summarize --bytes "$work/bundle/rootfs" | cut -f1)
[ "$unpacked" -lt 40000000 ] || fail "larger than 40 MB: $unpacked bytes"

# A Redis that speaks TLS only, and whose name DNS alone knows; the same one without TLS has a name
# in /etc/hosts.
secrets=$work/secrets
rm -rf "$secrets" && mkdir -p "$secrets"
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 \
  -subj /CN=test-authority -keyout "$secrets/ca.key" -out "$secrets/ca.crt" 2>/dev/null
# A certificate for a host.
certify() {
  openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj "/CN=$1" \
    -keyout "$secrets/$1.key" -out "$secrets/$1.csr" 2>/dev/null
  openssl x509 -req -in "$secrets/$1.csr" -CA "$secrets/ca.crt" -CAkey "$secrets/ca.key" \
    -CAcreateserial -days 2 -extfile <(echo "subjectAltName=DNS:$1") \
    -out "$secrets/$1.crt" 2>/dev/null
}
certify redis.dns.test
certify localhost
chmod 0644 "$secrets/localhost.key"
printf %s secret-of-acme >"$secrets/token"
printf 'acme %s\n' "$(sha256sum <"$secrets/token" | cut -d' ' -f1)" >"$secrets/tokens"
redis-server --port 6379 --tls-port 6380 --save '' --dir "$work" --tls-auth-clients no \
  --tls-cert-file "$secrets/redis.dns.test.crt" --tls-key-file "$secrets/redis.dns.test.key" \
  --tls-ca-cert-file "$secrets/ca.crt" >"$work/redis.log" &
processes+=($!)
dnsmasq --keep-in-foreground --conf-file=/dev/null --no-hosts --no-resolv --user=root \
  --pid-file="$work/dnsmasq.pid" --listen-address=127.0.0.1 --bind-interfaces \
  --address=/redis.dns.test/127.0.0.1 &
processes+=($!)
echo 'nameserver 127.0.0.1' >"$work/resolv.conf"
printf '127.0.0.1 localhost\n127.0.0.1 redis.hosts.test\n' >"$work/hosts"
until_true redis-cli ping

# Starts the container with these arguments to the server.
start() {
  jq --arg work "$work" --arg arguments "$*" '
      .root.readonly = true
    | .process.terminal = false
    | .process.noNewPrivileges = true
    | .process.capabilities = {}
    | .process.args += ($arguments / " ")
    | .linux.namespaces |= map(select(.type != "network"))
    | .linux.resources.memory.limit = 512 * 1024 * 1024
    | .mounts |= map(select(.type != "cgroup"))
    | .mounts += [
        {destination: "/etc/hosts", type: "bind", source: "\($work)/hosts",
         options: ["bind", "ro"]},
        {destination: "/etc/resolv.conf", type: "bind", source: "\($work)/resolv.conf",
         options: ["bind", "ro"]},
        {destination: "/etc/reversi", type: "bind", source: "\($work)/secrets",
         options: ["bind", "ro"]}]' \
    "$work/config.json" >"$work/bundle/config.json"
  local begun
  begun=$(date +%s%N)
  runc run --bundle "$work/bundle" reversi-image-test >"$work/server.log" 2>&1 &
  container=$!
  until_true curl --fail --silent http://127.0.0.1:9090/readyz
  ready_ms=$((($(date +%s%N) - begun) / 1000000))
}

# Tells the server to stop, as the kubelet does: it has to end by itself, and well.
stop() {
  runc kill reversi-image-test TERM
  local code=0
  wait "$container" || code=$?
  [ "$code" = 0 ] || fail "stopped with exit code $code"
  grep -q '"message":"stopped"' "$work/server.log" || fail "did not say that it stopped"
}

reversi() {
  "$REVERSI_CLIENT" --endpoint http://127.0.0.1:50051 "$@"
}

cp "$work/bundle/config.json" "$work/config.json"
everywhere=(--listen 0.0.0.0:50051 --admin 0.0.0.0:9090 --insecure)

start "${everywhere[@]}" --store redis://redis.hosts.test:6379
pid=$(runc state reversi-image-test | jq .pid)
status() { sed -n "s/^$1:[[:space:]]*//p" "/proc/$pid/status"; }
[ "$(status Uid | cut -f1)" = 65532 ] || fail "runs as $(status Uid)"
[ "$(status CapEff)" = 0000000000000000 ] || fail "has capabilities: $(status CapEff)"
[ "$(status NoNewPrivs)" = 1 ] || fail "may gain privileges"
[ "$(status NSpid | awk '{print $NF}')" = 1 ] || fail "is not process 1"
awk '$5 == "/" && $6 ~ /(^|,)ro(,|$)/ { found = 1 } END { exit !found }' \
  "/proc/$pid/mountinfo" || fail "its root can be written"
echo "image: ready after $ready_ms ms, $(status VmRSS) while idle"
game=$(reversi new --json | jq -r .name)
reversi move "$game" f5 >/dev/null
reversi suggest --time 100ms >/dev/null
# A watcher does not hold the stop up.
reversi watch "$game" >/dev/null 2>&1 &
processes+=($!)
stop
echo "image: found Redis in /etc/hosts, answered, stopped"

start "${everywhere[@]}" --store rediss://redis.dns.test:6380 --redis-ca /etc/reversi/ca.crt
reversi show "$game" --json | jq -e '.history[0]' >/dev/null || fail "the game is gone"
stop
echo "image: found Redis by DNS, trusted its certificate, had the game, stopped"

start --listen 0.0.0.0:50051 --admin 0.0.0.0:9090 --insecure \
  --tls-cert /etc/reversi/localhost.crt --tls-key /etc/reversi/localhost.key \
  --tokens /etc/reversi/tokens
secure() { "$REVERSI_CLIENT" --endpoint https://localhost:50051 --ca "$secrets/ca.crt" "$@"; }
secure --token-file "$secrets/token" new >/dev/null || fail "no answer by TLS"
if secure new >/dev/null 2>&1; then fail "answered without a token"; fi
if reversi new >/dev/null 2>&1; then fail "answered without TLS"; fi
stop
echo "image: by TLS, answered who has a token and nobody else"

# A certificate that nobody vouches for is refused: the store cannot be used.
jq '.process.args += ["--store", "rediss://redis.dns.test:6380"]' "$work/config.json" \
  >"$work/bundle/config.json"
code=0
runc run --bundle "$work/bundle" reversi-image-test >"$work/server.log" 2>&1 || code=$?
[ "$code" = 1 ] || fail "an unknown authority: exit code $code"
echo "image: refused a certificate of an unknown authority"
echo "image: $pulled bytes to pull, $unpacked bytes on disk"
