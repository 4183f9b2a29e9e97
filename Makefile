SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

# debug or release: what `make run` and `make build` build. Release is what is deployed and measured; from clean it took
# 211 to 256 s on two shared cores, once. Tests are always built for debugging, so neither throws the other's work away.
CONFIGURATION ?= release
# How each is built: a release has Swift's runtime in it, as in the image.
debug := -c debug
release := -c release --static-swift-stdlib

# Which chaos, and how much of it.
SEED ?= 1
CRASHES ?= 60

# How long `make fuzz` has for each target, and `make soak` for all.
SECONDS_EACH ?= 600
MINUTES ?= 60

# How often at least `make bench` measures each way, and which rows; none named, all.
ROUNDS ?= 5
ROWS ?=

strict := -Xswiftc -warnings-as-errors
swift_files := Package.swift Sources Tests Examples Benchmarks
test_log := .build/test.log
sanitizer_log := .build/sanitizer.log
# How many tests run at once. Without a limit all do, and hold more open files than Foundation's Process can list; on two
# cores twice as many are no quicker, and each waits longer for its turn.
export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH := 8
sanitized := ^(Concurrency|ZeroMQ|SQLite|Networking|WebServer|Imaging|Pictures|Events)Tests\.
# The accessibility checker, which only a package of a browser driver carries.
axe := .build/axe/axe_playwright_python/axe.min.js

.PHONY: help run test build lint format bench chaos fuzz guide soak sanitize compose-test board-test clean packages \
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
	swift build $($(CONFIGURATION)) --product marquee

lint: test-packages  ## Check the format of the Swift files, what the documents say of other files, and what is deployed
	swift format lint --strict --parallel --recursive $(swift_files)
	docs/check
	deploy/check

format:  ## Format the Swift files
	swift format format --in-place --parallel --recursive $(swift_files)

bench: build  ## Measure what docs/benchmarks.md holds, and fail where a goal is missed: ROUNDS=5 ROWS='fanout commands'
	@deploy/install-packages bench
	swift build $(release) --product Throughput
	ROUNDS=$(ROUNDS) Benchmarks/run $(ROWS)

chaos: build test-packages  ## Kill, cut and freeze the processes, and check that nothing is lost: SEED=1 CRASHES=60
	/usr/bin/python3 Tests/Chaos .build/$(CONFIGURATION)/marquee --seed $(SEED) --crashes $(CRASHES)

fuzz: build test-packages  ## Send the processes what is nearly right: SECONDS_EACH=600 SEED=1
	/usr/bin/python3 -B Tests/Fuzz .build/$(CONFIGURATION)/marquee --seconds $(SECONDS_EACH) --seed $(SEED)

guide: build test-packages  ## Do what docs/operations.md says to do: keys, backups, moves, a full disk, a week without upstream
	/usr/bin/python3 -B Tests/Guide .build/$(CONFIGURATION)/marquee

soak: build test-packages  ## An hour of mixed load, after which nothing may have grown: MINUTES=60
	/usr/bin/python3 -B Tests/Soak .build/$(CONFIGURATION)/marquee --minutes $(MINUTES)

# What shares memory between threads or reads what strangers send, and under the thread sanitizer the whole program, by its
# end-to-end tests: a process of which the sanitizer has something to say ends with a status of its own. Not the measured
# losses, whose volume takes minutes.
# Leaks are not looked for: Foundation keeps what it gave a `Process` that a test started. What grows, `make soak` sees.
sanitize: test-packages  ## Run tests under the thread and the address sanitizer, and the program under the first
	@mkdir -p $(dir $(sanitizer_log)) && : > $(sanitizer_log)
	swift test --sanitize thread --scratch-path .build-tsan --filter '$(sanitized)' --skip MeasuredLoss 2>&1 | tee -a $(sanitizer_log)
	swift test --sanitize thread --scratch-path .build-tsan --skip-build --filter EndToEndTests 2>&1 | tee -a $(sanitizer_log)
	ASAN_OPTIONS=detect_leaks=0 swift test --sanitize address --scratch-path .build-asan --disable-xctest --filter '$(sanitized)' --skip MeasuredLoss 2>&1 | tee -a $(sanitizer_log)
	@! grep -E '(WARNING: Thread|ERROR: Address)Sanitizer' $(sanitizer_log) >&2
	@[ "$$(grep -cE 'Test run with [1-9][0-9]* tests?.* passed' $(sanitizer_log))" = 3 ] \
	  || { echo 'make sanitize: no test ran' >&2; exit 1; }

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
