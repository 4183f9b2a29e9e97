SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

# debug or release: what `make run` and `make build` build. Release is deployed and measured; from clean it takes 211 to
# 256 s on two shared cores. Tests are always built for debugging, so neither build discards the other's products.
CONFIGURATION ?= release
# Build flags: a release links Swift's runtime statically, as in the image.
debug := -c debug
# No search path for libraries in the program: a library laid beside it must not be loaded.
release := -c release --static-swift-stdlib --disable-local-rpath

# The seed of `make chaos`, `make power-loss` and `make fuzz`, and the number of crashes.
SEED ?= $(shell echo $$RANDOM)
SEED := $(SEED)
CRASHES ?= 120
# How many share the database of `make chaos DATABASE=postgresql`.
WORKERS ?= 3
NOTIFIERS ?= 2

# The time of `make fuzz` for each target, and of `make soak` in all.
SECONDS_EACH ?= 600
MINUTES ?= 60

# The steps of `make proof`, or the faults of `make mutants`; none named means all.
ONLY ?=

# The least number of rounds of `make bench`, and its rows; none named means all.
ROUNDS ?= 5
ROWS ?=

strict := -Xswiftc -warnings-as-errors
swift_files := Package.swift Sources Tests Examples Benchmarks
# Line by line, so that the log of a test that hangs names it.
swift_test := stdbuf -oL swift test
test_log := .build/test.log
sanitizer_log := .build/sanitizer.log
# How many tests run at once. Without a limit all do, and together they open more files than Foundation's Process can
# list; on two cores twice as many are not faster, and each takes longer.
export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH := 8
sanitized := ^(Concurrency|Crypto|ZeroMQ|Storage|Networking|WebServer|Imaging|Contract|EventStore|Messaging)Tests\.|ImageCacheTests|ImageQueueTests|UntrustedImageTests

.PHONY: help run test build lint format proof bench chaos power-loss fuzz mutants truth limits guide soak \
  sanitize thread-sanitizer address-sanitizer orders crashes board-test crowd flood compose-test clean \
  packages test-packages browser

help:  ## List the targets
	@sed -nE 's/^([a-z-]+):[^#]*## (.*)/\1\t\2/p' $(MAKEFILE_LIST) | while IFS=$$'\t' read -r verb text; do \
	  printf 'make %-14s%s\n' "$$verb" "$$text"; done

run: build  ## Build, then start worker, notifier, board and, without keys, the sandbox in this terminal
	@exec .build/$(CONFIGURATION)/marquee up

# Where worker and notifier keep their state in `make chaos`, `make crashes` and the end-to-end tests; only these run if it is
# named.
DATABASE :=

test: export MARQUEE_TEST_DATABASE := $(DATABASE)
test: test-packages  ## Build and run all tests; warnings are errors: DATABASE=postgresql
	swift build --build-tests $(strict)
	@: > $(test_log)
	@# Both halves, also if the first one fails.
	-$(if $(DATABASE),,$(swift_test) --skip-build $(strict) --skip EndToEndTests 2>&1 | tee -a $(test_log))
	-$(swift_test) --skip-build $(strict) --filter EndToEndTests 2>&1 | tee -a $(test_log)
	@[ "$$(grep -cE 'Test run with [1-9][0-9]* tests?.* passed' $(test_log))" = $(if $(DATABASE),1,2) ] \
	  || { echo 'make test: a test failed, or none ran' >&2; exit 1; }

build: packages  ## Install missing Debian packages, and build the program
	swift build $($(CONFIGURATION)) --product marquee

lint:  ## Check the Swift format, the documents, and the files in deploy/
	@deploy/install-packages lint
	swift format lint --strict --parallel --recursive $(swift_files)
	Tests/Structure/check
	docs/check
	deploy/check
	/usr/bin/python3 -B Tests/Mutants --check

format:  ## Format the Swift files
	swift format format --in-place --parallel --recursive $(swift_files)

proof:  ## Run the long suite: ONLY="chaos limits" SEED=1; a random seed if none is given
	SEED=$(SEED) Tests/proof $(ONLY)

bench: build  ## Measure the rows of docs/benchmarks.md; fails if a goal is missed: ROUNDS=5 ROWS='fanout commands'
	@deploy/install-packages bench
	swift build $(release) --product Throughput
	ROUNDS=$(ROUNDS) Benchmarks/run $(ROWS)

chaos: build test-packages  ## Kill, disconnect and stop the processes, and check that nothing is lost: SEED=1 CRASHES=120; DATABASE=postgresql WORKERS=3 NOTIFIERS=2
	/usr/bin/python3 -B Tests/System/Chaos$(if $(DATABASE),/cluster.py) .build/$(CONFIGURATION)/marquee \
	  --seed $(SEED) --crashes $(CRASHES) $(if $(DATABASE),--workers $(WORKERS) --notifiers $(NOTIFIERS))

power-loss: build test-packages  ## Take the power from the disks, let them fail, and check what is left: SEED=1 CRASHES=60
	/usr/bin/python3 -B Tests/System/PowerLoss .build/$(CONFIGURATION)/marquee --self-test --seed $(SEED)
	/usr/bin/python3 -B Tests/System/PowerLoss .build/$(CONFIGURATION)/marquee --seed $(SEED) --crashes $(CRASHES)

fuzz: build test-packages  ## Send malformed input to the processes: SECONDS_EACH=600 SEED=1
	/usr/bin/python3 -B Tests/System/Fuzz .build/$(CONFIGURATION)/marquee --seconds $(SECONDS_EACH) --seed $(SEED)

mutants: test-packages  ## Put named faults into a copy of the sources, and check that the tests notice each: ONLY=sync-off
	/usr/bin/python3 -B Tests/Mutants --only $(ONLY)

truth: build test-packages  ## Compare every field of every event with the recorded responses, by a mapping in Python
	/usr/bin/python3 -B Tests/System/Truth .build/$(CONFIGURATION)/marquee

limits: build test-packages  ## Drive each limit to its highest inside the memory of docker-compose.yml; needs root
	/usr/bin/python3 -B Tests/System/Limits .build/$(CONFIGURATION)/marquee

guide: build test-packages  ## Follow docs/operations: keys, backups, moves, a full disk, a week without upstream
	/usr/bin/python3 -B Tests/System/Guide .build/$(CONFIGURATION)/marquee

soak: build test-packages  ## Run a mixed load, and check that memory and descriptors do not grow: MINUTES=60
	/usr/bin/python3 -B Tests/System/Soak .build/$(CONFIGURATION)/marquee --minutes $(MINUTES)

orders: test-packages  ## Decide the alerts of one log that comes in five orders; `make test` has one of them
	MARQUEE_ALL_ORDERS=yes $(swift_test) $(strict) --filter AlertOrderTests

crashes: build test-packages  ## Kill worker and notifier once at each labelled step, and check that nothing is lost: DATABASE=postgresql
	/usr/bin/python3 -B Tests/System/Chaos/matrix.py .build/$(CONFIGURATION)/marquee $(if $(DATABASE),--postgresql)

sanitize: thread-sanitizer address-sanitizer  ## Run tests under the thread and the address sanitizer

# Tests are several times slower under a sanitizer, and wait longer. Without the measured losses, whose volume takes minutes.
thread-sanitizer address-sanitizer: export MARQUEE_SLOWNESS := 10

# The modules that share memory between threads or parse input from strangers, and the whole program, by its end-to-end
# tests: a process with a report exits with a status of its own.
thread-sanitizer: test-packages
	$(call sanitized-tests,--sanitize thread --scratch-path .build-tsan --filter '$(sanitized)|^EndToEndTests\.' --skip MeasuredLoss)

# Leak detection is off: Foundation keeps what it gave a `Process` that a test started. `make soak` finds growth.
address-sanitizer: test-packages
	$(call sanitized-tests,--sanitize address --scratch-path .build-asan --disable-xctest --filter '$(sanitized)' --skip MeasuredLoss)

define sanitized-tests
	ASAN_OPTIONS=detect_leaks=0 $(swift_test) $(1) 2>&1 | tee $(sanitizer_log)
	@! grep -E '(WARNING: Thread|ERROR: Address)Sanitizer' $(sanitizer_log) >&2
	@grep -qE 'Test run with [1-9][0-9]* tests?.* passed' $(sanitizer_log) || { echo 'no test ran' >&2; exit 1; }
endef

compose-test: test-packages  ## Start the containers, use them from outside, remove them
	deploy/compose-test

board-test: build browser  ## Test the board in a real browser
	/usr/bin/python3 -B Tests/System/BoardBrowser .build/$(CONFIGURATION)/marquee

crowd: build browser  ## Test the board with a thousand browsers
	/usr/bin/python3 -B Tests/System/BoardBrowser/crowd.py .build/$(CONFIGURATION)/marquee

flood: build browser  ## Test the board against strangers who send all that they can
	/usr/bin/python3 -B Tests/System/BoardBrowser/flood.py .build/$(CONFIGURATION)/marquee

clean:  ## Delete all build products
	rm -rf .build .build-*

packages:
	@deploy/install-packages

test-packages:
	@deploy/install-packages test

browser:
	@deploy/install-packages browser
