# The front door. `make run` and `make test` do all set-up a fresh machine needs.

CARGO ?= cargo
# What is tested; the benchmarks stand beside it.
TESTED := --workspace --exclude parlor-bench

# The binary checked in another language: the properties of Swap 2 through the referee, the
# ranking of poker hands beside PokerKit, clients that know the protocol from its page alone, and
# clients that mean harm.
VENV := target/venv
BINARY = $(abspath $(or $(CARGO_TARGET_DIR),target)/debug/parlor)
CHECK = PARLOR="$(BINARY)" $(VENV)/bin/python
PROPERTIES = $(CHECK) conformance/gomoku/swap2.py && $(CHECK) conformance/poker/rank.py && \
	$(CHECK) conformance/protocol/play.py && $(CHECK) conformance/hostile/hostile.py

.PHONY: run test proof simulate fuzz bench types lint tools clean web web-test shots

# The page, built anew when its sources are newer. It is inside the binary.
WEB := npm --prefix web
PAGE := web/dist/index.html
PACKAGES := web/node_modules/.package-lock.json
SOURCES := $(shell find web/src web/public web/scripts -type f) web/index.html web/git.html \
	web/vite.config.ts web/vite.git.config.ts web/svelte.config.js web/package.json docs/protocol.ts

## Build everything and host tables: http://127.0.0.1:7766
run:
	@if command -v npm >/dev/null; then $(MAKE) --no-print-directory web; else \
		echo "The page is not built: that needs Node 20 or newer (https://nodejs.org), then: make web"; fi
	$(CARGO) build
	@$(CARGO) run --quiet -- serve $(ARGS)

## The pages for browsers: web/dist and web/dist-git, which the next build of the binary takes in.
web: $(PAGE)

$(PACKAGES): web/package-lock.json
	$(WEB) ci
	@touch $@

$(PAGE): $(PACKAGES) $(SOURCES)
	$(WEB) run build

web-test: tools $(PAGE)
	$(WEB) run check
	$(WEB) test
	$(CARGO) build --quiet
	PARLOR="$(BINARY)" $(WEB) run e2e

## Pictures of every screen, in web/shots/.
shots: tools $(PAGE)
	$(CARGO) build --quiet
	PARLOR="$(BINARY)" $(WEB) run shots

## All tests.
test: tools lint web-test
	$(CARGO) test $(TESTED) --doc --quiet
	$(CARGO) build --quiet
	$(PROPERTIES)
	$(CARGO) nextest run $(TESTED)

## The tests with their large counts; takes a quarter of an hour.
proof: tools
	PARLOR_PROOF=1 $(CARGO) nextest run $(TESTED) --success-output immediate
	$(CARGO) build --quiet
	export PARLOR_PROOF=1; $(PROPERTIES)

## Whole houses on a failing disk, for as many seeds as you like: make simulate SEEDS=100000
SEEDS ?= 10000
simulate: tools
	PARLOR_SEEDS=$(SEEDS) $(CARGO) nextest run --package parlor-journal nothing_acknowledged_is_ever_lost --success-output immediate

## Bytes that are sought out, against the wire, the readers and `decide` of every game: for so many
## seconds each, make fuzz TIME=3600 TARGETS="wire poker". What it finds lies in fuzz/artifacts; put it
## into fuzz/seeds/TARGET, and `make test` tries it every time.
TIME ?= 300
TARGETS ?= backgammon battle gomoku poker wire documents records
fuzz:
	@command -v cargo-fuzz >/dev/null || $(CARGO) install cargo-fuzz --locked
	for target in $(TARGETS); do \
		case $$target in \
			documents) more=conformance/hand ;; \
			records) more="conformance/phh conformance/phh-spellings" ;; \
			*) more= ;; \
		esac; \
		mkdir -p fuzz/corpus/$$target fuzz/seeds/$$target && \
		$(CARGO) fuzz run -s none $$target fuzz/corpus/$$target fuzz/seeds/$$target $$more -- \
			-max_total_time=$(TIME) -max_len=4096 -len_control=0 -timeout=20 || exit 1; \
	done

## Side-by-side benchmarks, in CPU time.
bench: tools
	PARLOR_PYTHON=$(VENV)/bin/python $(CARGO) run --release --quiet --package parlor-bench -- $(ARGS)

## The protocol's types for other languages: docs/protocol.schema.json and docs/protocol.ts.
types:
	PARLOR_BLESS=1 $(CARGO) test --quiet --package parlor-wire generated_types_are_current

lint:
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets --quiet -- -D warnings
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc $(TESTED) --no-deps --quiet

tools:
	@command -v cargo-nextest >/dev/null || $(CARGO) install cargo-nextest --locked
	@command -v npm >/dev/null || { echo "The page needs Node 20 or newer: https://nodejs.org"; exit 1; }
	@for tool in git curl openssl python3 chromium; do command -v $$tool >/dev/null || \
		{ apt-get update && apt-get install -y $$tool; } || exit 1; done
	@test -x $(VENV)/bin/pip || python3 -m venv $(VENV) || \
		{ apt-get update && apt-get install -y python3-venv && python3 -m venv $(VENV); }
	@$(VENV)/bin/python -c 'import hypothesis' 2>/dev/null || \
		$(VENV)/bin/pip install --quiet hypothesis==6.170.15
	@$(VENV)/bin/python -c 'import pokerkit' 2>/dev/null || \
		$(VENV)/bin/pip install --quiet pokerkit==0.7.7
	@$(VENV)/bin/python -c 'import websockets, openapi_spec_validator' 2>/dev/null || \
		$(VENV)/bin/pip install --quiet websockets==15.0.1 openapi-spec-validator==0.7.2

clean:
	$(CARGO) clean
