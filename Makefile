# What people do with this tree. `make help` lists it.

CARGO ?= cargo
# Flags for `make run`, as in `make run ARGS='--store redis://127.0.0.1:6379'`.
ARGS ?=
BUF_VERSION = 1.75.0
BUF ?= $(shell command -v buf || echo npx --yes @bufbuild/buf@$(BUF_VERSION))

.PHONY: help build run test valkey faults check fmt breaking baseline interop redis

help: ## lists the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

build: ## builds all binaries as they ship, into target/release
	$(CARGO) build --release

image: ## builds the container image, with docker, podman or buildah
	deploy/image.sh

run: ## starts the service (games in memory) on 127.0.0.1:50051
	$(CARGO) run --release --package reversi-service -- $(ARGS)

test: redis ## runs all tests
ifneq ($(shell $(CARGO) nextest --version 2>/dev/null),)
	$(CARGO) nextest run --workspace
else
	$(CARGO) test --workspace --lib --bins --tests
endif
	$(CARGO) test --workspace --doc --quiet

# The server of Valkey. TLS is left out: not every build of it has that.
VALKEY ?= valkey-server

valkey: ## runs the tests of the store on Valkey: alone, under Sentinel, as a cluster (VALKEY=its server)
	@$(VALKEY) --version
	REVERSI_REDIS_SERVER='$(VALKEY)' $(CARGO) test --package reversi-service --test store_contract -- \
	  --skip certificates_are_checked --skip by_tls --skip memory --test-threads 4

# How long each fault is repeated, in seconds.
FAULT_SECONDS ?= 40

faults: redis ## kills, pauses and cuts off servers while games are played; about eight minutes
	REVERSI_FAULT_SECONDS=$(FAULT_SECONDS) $(CARGO) test --package reversi-service --test faults -- \
	  --include-ignored --nocapture --test-threads 1

check: ## formatting, lints, documentation, API lint
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets -- -D warnings
	RUSTDOCFLAGS='-D warnings' $(CARGO) doc --workspace --no-deps --document-private-items --quiet
	$(BUF) lint
	$(BUF) format --diff --exit-code
	@$(MAKE) --no-print-directory breaking
	@deploy/test/manifests.sh

breaking: ## whether old clients can talk to the API as it is now
	@$(BUF) breaking --against proto/baseline.binpb \
	  || { echo 'The API is not what proto/baseline.binpb says. If callers can bear it: make baseline'; exit 1; }

baseline: ## makes the API as it is now the one that `breaking` compares with
	$(BUF) build --exclude-source-info -o proto/baseline.binpb

interop: ## runs the examples in Python, TypeScript and Go against a server
	BUF='$(BUF)' client/examples/run.sh $(LANGUAGES)

image-test: ## builds the image and runs it as a cluster would (root, buildah, umoci, runc …)
	deploy/test/image.sh

redis-test: ## the Redis components as processes: failover, loss of everything, backup (root)
	deploy/test/sentinel.sh
	deploy/test/backup.sh

deploy-check: ## manifests and alerts against their tests (kubectl, kubernetes-validate, npm, promtool)
	deploy/test/manifests.sh
	deploy/test/custom.sh
	deploy/test/alerts.sh

sbom: ## lists what is in the image, as SPDX (syft), into target/image
	mkdir -p target/image
	syft file:Cargo.lock --quiet --output spdx-json=target/image/sbom.spdx.json

fmt: ## formats Rust and proto files
	$(CARGO) fmt --all
	$(BUF) format --write

# The tests start a Redis of their own. Where it is missing and can be installed, it is.
redis:
	@command -v redis-server >/dev/null || [ -n "$$REVERSI_SKIP_REDIS" ] \
	  || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null \
	       && apt-get update -qq && apt-get install -y -qq redis-server; } \
	  || echo 'redis-server is missing: the tests that need it will fail. Install it, or set REVERSI_SKIP_REDIS=1.'
