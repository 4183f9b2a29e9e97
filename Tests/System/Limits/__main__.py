#!/usr/bin/python3
"""Drives each limit of docs/operations/limits.md to its highest, inside the memory that docker-compose.yml gives, and gives the
database's server bad days.

    python3 Tests/System/Limits PROGRAM [--only ROW]

Worker, notifier and board run encrypted, each in a control group of the compose file's `mem_limit`, which only root can
make. While a row attacks, another client must be answered by `status` and `/healthz`; at its end every process must be
the one that was started, and the kernel must have killed none. Prints each row's highest memory. Needs python3-zmq, and
for the bad days postgresql and a C compiler.
"""

import argparse
import pathlib
import sys
import time

sys.path.insert(1, str(pathlib.Path(__file__).resolve().parents[2] / "Harness"))
import checks  # noqa: E402
import database  # noqa: E402
import rows  # noqa: E402
from limited import Site, Watcher  # noqa: E402
from suite import suite_folder  # noqa: E402
from upstream import Upstream  # noqa: E402
from waiting import Failure  # noqa: E402


def run(program, row):
    """Runs a row with processes of its own, and prints what it saw: a row that fails says nothing of the next."""
    with suite_folder("marquee-limits-") as folder, Site(program, folder / "site", Upstream()) as site:
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
        checks.check(True, f"{saw}; {time.monotonic() - began:.0f} s; MB at most: {memory}; "
                           f"slowest answer {delay:.2f} s ({slowest})")


def main():
    parser = argparse.ArgumentParser(description="Drives the limits to their highest.")
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--only", choices=[*rows.ROWS, *database.ROWS], help="one row")
    options = parser.parse_args()
    for name, row in rows.ROWS.items():
        if options.only in (None, name):
            checks.run(name, lambda: run(options.program, row))
    for name, row in database.ROWS.items():
        if options.only in (None, name):
            checks.run(name, lambda: row(options.program))
    checks.end()


main()
