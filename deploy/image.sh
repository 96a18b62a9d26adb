#!/usr/bin/env bash
# Builds the image of the server with docker, podman or buildah.
#
#   deploy/image.sh [TAG]              reversi-service:0.1.0 unless said otherwise
#
# CONTAINER_TOOL is the tool to build with. REVERSI_STATIC is a static binary to pack; without it
# one is built. It is linked statically, so that it needs nothing else in the image; linked with
# glibc, which resolves names through /etc/hosts and DNS without any file of its own.
set -euo pipefail
cd "$(dirname "$0")/.."
version=$(sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"/\1/p' Cargo.toml)
tag=${1:-reversi-service:$version}
context=target/image/context

if [ -z "${REVERSI_STATIC:-}" ]; then
  target=$(uname -m)-unknown-linux-gnu
  # Naming the target keeps the flags away from build scripts and macros.
  RUSTFLAGS="${RUSTFLAGS:-} -C target-feature=+crt-static" \
    "${CARGO:-cargo}" build --locked --release --target "$target" --package reversi-service
  REVERSI_STATIC=${CARGO_TARGET_DIR:-target}/$target/release/reversi-service
fi
rm -rf "$context"
mkdir -p "$context/etc/ssl/certs"
install -m 0755 "$REVERSI_STATIC" "$context/reversi-service"
install -m 0644 /etc/ssl/certs/ca-certificates.crt "$context/etc/ssl/certs/"

tool=${CONTAINER_TOOL:-}
for candidate in docker podman buildah; do
  [ -n "$tool" ] || ! command -v "$candidate" >/dev/null || tool=$candidate
done
case ${tool##*/} in
  docker | podman) "$tool" build --file deploy/Containerfile --tag "$tag" "$context" ;;
  buildah*)
    # Options before the command, as in CONTAINER_OPTIONS='--root DIR --storage-driver vfs'.
    # shellcheck disable=SC2086
    "$tool" ${CONTAINER_OPTIONS:-} bud --timestamp 0 --file deploy/Containerfile --tag "$tag" \
      "$context"
    ;;
  *)
    echo "docker, podman or buildah is needed to build the image" >&2
    exit 1
    ;;
esac
