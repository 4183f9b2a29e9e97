#!/usr/bin/python3
"""Drives each limit of docs/operations/limits.md to its highest, inside the memory that docker-compose.yml gives.

    python3 Tests/System/Limits PROGRAM [--only ROW]

Worker, notifier and board run encrypted, each in a control group of the compose file's `mem_limit`, which only root can
make. While a row attacks, another client must be answered by `status` and `/healthz`; at its end every process must be
the one that was started, and the kernel must have killed none. Prints each row's highest memory. Needs python3-zmq.
"""

import argparse
import pathlib
import sys
import time

sys.path.insert(1, str(pathlib.Path(__file__).resolve().parents[2] / "Harness"))
import rows  # noqa: E402
from limited import Site, Watcher  # noqa: E402
from memory_group import GroupError  # noqa: E402
from suite import suite_folder  # noqa: E402
from upstream import Upstream  # noqa: E402
from waiting import Failure  # noqa: E402


def run(site, name, row):
    """Runs a row, and prints what it saw."""
    site.reset_peaks()
    began = time.monotonic()
    with Watcher(site) as watcher:
        try:
            saw = row(site, watcher)
        except (OSError, Failure):
            site.check_survivors()  # says more than a broken connection
            raise
        finally:
            site.upstream.answers = "plain"
    site.check_survivors()
    memory = ", ".join(f"{role} {peak:.0f}" for role, peak in site.peaks().items())
    slowest, delay = max(watcher.slowest.items(), key=lambda item: item[1])
    print(f"ok   {name}: {saw}; {time.monotonic() - began:.0f} s; MB at most: {memory}; "
          f"slowest answer {delay:.2f} s ({slowest})", flush=True)


def main():
    parser = argparse.ArgumentParser(description="Drives the limits to their highest.")
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--only", help="one row")
    options = parser.parse_args()
    if options.only and options.only not in rows.ROWS:
        sys.exit(f"limits: unknown row {options.only}; the rows are {', '.join(rows.ROWS)}")
    failures = 0
    chosen = [options.only] if options.only else list(rows.ROWS)
    for name in chosen:
        # Each row has processes of its own: one that fails says nothing of the next.
        try:
            with (suite_folder("marquee-limits-") as folder,
                  Site(options.program, folder / "site", Upstream()) as site):
                run(site, name, rows.ROWS[name])
        except GroupError as error:
            print(f"limits: {error}")
            sys.exit(75)  # could not be run
        except (Failure, OSError) as failure:
            failures += 1
            print(f"FAIL {name}: {failure}", flush=True)
    if failures:
        sys.exit(f"limits: {failures} of {len(chosen)} rows failed")
    print(f"{len(chosen)} passed, 0 failed")


main()
