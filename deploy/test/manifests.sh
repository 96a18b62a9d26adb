#!/usr/bin/env bash
# Renders each overlay and compares it with deploy/test/rendered, and each component by itself; then,
# where kubernetes-validate is installed, checks all against the schemas of Kubernetes.
#
#   deploy/test/manifests.sh            says what differs
#   deploy/test/manifests.sh --update   takes what is rendered now
set -euo pipefail
cd "$(dirname "$0")/../.."
work=target/deploy
mkdir -p "$work"
if ! command -v kubectl >/dev/null; then
  echo "manifests: skipped, as kubectl is missing"
  exit 0
fi

differs=
rendered=()
for overlay in deploy/kustomize/overlays/*; do
  name=${overlay##*/}
  expected=deploy/test/rendered/$name.yaml
  kubectl kustomize "$overlay" >"$work/$name.yaml"
  rendered+=("$work/$name.yaml")
  if [ "${1:-}" = --update ]; then
    mkdir -p deploy/test/rendered
    cp "$work/$name.yaml" "$expected"
  elif ! diff -u "$expected" "$work/$name.yaml"; then
    differs=1
  fi
done
if [ -n "$differs" ]; then
  echo "manifests: not what they were. If that is meant: deploy/test/manifests.sh --update" >&2
  exit 1
fi

for component in deploy/kustomize/components/*; do
  name=${component##*/}
  mkdir -p "$work/alone/$name"
  printf '%s\n' 'namespace: reversi' 'resources: [../../../../deploy/kustomize/base]' \
    "components: [../../../../$component]" >"$work/alone/$name/kustomization.yaml"
  kubectl kustomize "$work/alone/$name" >"$work/with-$name.yaml"
  rendered+=("$work/with-$name.yaml")
done

# What has no namespace would land in whichever one is at hand.
for file in "${rendered[@]}"; do
  awk -v file="$file" '
    function look() { if (kind != "Namespace" && !placed) { print file ": no namespace: " kind; bad = 1 } }
    /^---$/ { look(); placed = 0 }
    /^kind: / { kind = $2 }
    /^  namespace: / { placed = 1 }
    END { look(); exit bad }' "$file" >&2
done

if command -v kubernetes-validate >/dev/null; then
  # It has no schemas of what is not of Kubernetes itself, and says so.
  kubernetes-validate --strict --kubernetes-version 1.32 "${rendered[@]}" 2>&1 |
    { grep -v -e ' passed for resource ' -e "Couldn't find schema" || true; }
else
  echo "manifests: not held against the schemas of Kubernetes, as kubernetes-validate is missing"
fi
echo "manifests: as they should be"
