#!/usr/bin/env bash
# Holds GRPCRoute, ServiceMonitor and PrometheusRule against their schemas, which come from npm.
set -euo pipefail
cd "$(dirname "$0")/../.."
work=target/deploy/custom
mkdir -p "$work"
npm install --silent --no-fund --no-audit --no-save --prefix "$work" \
  @kubernetes-models/gateway-api@2.0.0 @kubernetes-models/prometheus-operator@6.0.0 yaml@2.8.1
cp deploy/test/custom.mjs "$work"
node "$work/custom.mjs" deploy/test/rendered/*.yaml
