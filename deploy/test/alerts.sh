#!/usr/bin/env bash
# Checks the alert rules and what they fire on, and the metrics of a server, with promtool.
#
# REVERSI_SERVICE is the server's binary; without it the metrics are not looked at.
set -euo pipefail
cd "$(dirname "$0")/../.."
work=target/deploy
mkdir -p "$work"

# The rules alone, as Prometheus without its operator reads them.
sed -n '/^spec:/,$ s/^  //p' deploy/kustomize/components/observability/alerts.yaml \
  >"$work/rules.yaml"
cp deploy/test/alerts.yaml "$work/alerts.yaml"
promtool check rules "$work/rules.yaml"
promtool test rules "$work/alerts.yaml"
# shellcheck disable=SC2013 # names have no blanks
for alert in $(sed -n 's/^ *- alert: //p' "$work/rules.yaml"); do
  grep -q "^| $alert |" deploy/README.md || { echo "deploy/README.md: no $alert" >&2 && exit 1; }
  [ "$(grep -c "alertname: $alert\b" deploy/test/alerts.yaml)" -ge 2 ] ||
    { echo "deploy/test/alerts.yaml: $alert has to fire in one test and not in another" >&2 && exit 1; }
done

[ -n "${REVERSI_SERVICE:-}" ] || exit 0
log=$work/server.log
"$REVERSI_SERVICE" --listen 127.0.0.1:0 --admin 127.0.0.1:0 --log-format json >"$log" 2>&1 &
server=$!
trap 'kill "$server" 2>/dev/null || true' EXIT
admin=
for _ in $(seq 100); do
  admin=$(sed -n 's/.*"message":"serving".*"admin":"\([^"]*\)".*/\1/p' "$log")
  if [ -n "$admin" ] || ! kill -0 "$server"; then break; fi
  sleep 0.1
done
[ -n "$admin" ] || { cat "$log"; exit 1; } >&2
curl --fail --silent "http://$admin/metrics" | promtool check metrics
echo "alerts: the metrics of the server are well named"
