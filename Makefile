SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

# debug or release: what `make run` and `make build` build. Release is what is deployed and measured; from clean it took
# 40 to 150 s on two shared cores (debug 25 to 60 s), once. Tests are always built for debugging, so neither throws the other's work away.
CONFIGURATION ?= release

# Which chaos, and how much of it.
SEED ?= 1
CRASHES ?= 60

# How long `make fuzz` has for each target, and `make soak` for all.
SECONDS_EACH ?= 600
MINUTES ?= 60

# How often `make bench` measures each way, and which rows; none named, all.
ROUNDS ?= 5
ROWS ?=

strict := -Xswiftc -warnings-as-errors
swift_files := Package.swift Sources Tests Examples Benchmarks
test_log := .build/test.log
# How many tests run at once. Without a limit all 900 do, and hold more open files than Foundation's Process can list.
export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH := 16
sanitized := ^(Locking|ZeroMQ|SQLite|Networking|WebServer|Imaging|Pictures|Events)Tests\.
# The accessibility checker, which only a package of a browser driver carries.
axe := .build/axe/axe_playwright_python/axe.min.js

.PHONY: help run test build lint format bench chaos fuzz soak sanitize compose-test board-test clean packages \
  test-packages browser

help:  ## List the verbs
	@sed -nE 's/^([a-z-]+):[^#]*## (.*)/\1\t\2/p' $(MAKEFILE_LIST) | while IFS=$$'\t' read -r verb text; do \
	  printf 'make %-14s%s\n' "$$verb" "$$text"; done

run: build  ## Start sandbox, worker, notifier and board in this terminal; the real services if their keys are set
	@exec .build/$(CONFIGURATION)/marquee up

test: test-packages  ## Build and run all tests; warnings are errors
	swift build --build-tests $(strict)
	@: > $(test_log)
	swift test --skip-build $(strict) --skip EndToEndTests 2>&1 | tee -a $(test_log)
	swift test --skip-build $(strict) --filter EndToEndTests 2>&1 | tee -a $(test_log)
	@[ "$$(grep -cE 'Test run with [1-9][0-9]* tests?.* passed' $(test_log))" = 2 ] \
	  || { echo 'make test: no test ran' >&2; exit 1; }

build: packages  ## Install what is missing, and build the program
	swift build -c $(CONFIGURATION) --product marquee

lint: test-packages  ## Check the format of the Swift files, and what the documents say of other files
	swift format lint --strict --parallel --recursive $(swift_files)
	docs/check

format:  ## Format the Swift files
	swift format format --in-place --parallel --recursive $(swift_files)

bench: build  ## Measure what docs/benchmarks.md holds, and fail where a goal is missed: ROUNDS=5 ROWS='fanout commands'
	@deploy/install-packages bench
	swift build -c release --product Throughput
	ROUNDS=$(ROUNDS) Benchmarks/run $(ROWS)

chaos: build test-packages  ## Kill, cut and freeze the processes, and check that nothing is lost: SEED=1 CRASHES=60
	/usr/bin/python3 Tests/Chaos .build/$(CONFIGURATION)/marquee --seed $(SEED) --crashes $(CRASHES)

fuzz: build test-packages  ## Send the processes what is nearly right: SECONDS_EACH=600 SEED=1
	/usr/bin/python3 -B Tests/Fuzz .build/$(CONFIGURATION)/marquee --seconds $(SECONDS_EACH) --seed $(SEED)

soak: build test-packages  ## An hour of mixed load, after which nothing may have grown: MINUTES=60
	/usr/bin/python3 -B Tests/Soak .build/$(CONFIGURATION)/marquee --minutes $(MINUTES)

# Only what shares memory between threads, or reads what strangers send; the whole takes hours on two cores.
sanitize: test-packages  ## Run the tests of sockets, files, HTTP and pictures under the thread and the address sanitizer
	swift test --sanitize thread --scratch-path .build-tsan --filter '$(sanitized)'
	swift test --sanitize address --scratch-path .build-asan --disable-xctest --filter '$(sanitized)'

compose-test: test-packages  ## Bring the containers up, use them from outside, take them down
	deploy/compose-test

board-test: build browser  ## Click through the board in a real browser, and put a crowd before it
	/usr/bin/python3 -B Tests/BoardBrowser .build/$(CONFIGURATION)/marquee
	/usr/bin/python3 -B Tests/BoardBrowser/crowd.py .build/$(CONFIGURATION)/marquee

clean:  ## Delete what was built
	rm -rf .build .build-*

packages:
	@deploy/install-packages

test-packages:
	@deploy/install-packages test

browser:
	@deploy/install-packages browser
	@[ -f $(axe) ] || /usr/bin/python3 -m pip install --quiet --no-deps --target .build/axe axe-playwright-python==0.1.8
