"""Tests the board in a real browser, against sandbox, worker and notifier.

Use: /usr/bin/python3 Tests/BoardBrowser PROGRAM [NAME …] [--screenshots FOLDER]

PROGRAM is marquee; NAMEs are parts of the names of the tests to run. `make browser` installs what this needs.
"""

import argparse
import os
import pathlib

import alerts
import charts
import everywhere
import movies
import processes
import shop
from harness import ProcessHarness, end, run

CHECKOUT = pathlib.Path(__file__).resolve().parents[2]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", type=os.path.abspath)
    parser.add_argument("--axe", type=pathlib.Path, default=CHECKOUT / ".build/axe/axe_playwright_python/axe.min.js",
                        help="the accessibility checker")
    parser.add_argument("--screenshots", help="a folder for an image of each page, in both themes and three widths")
    parser.add_argument("--slowness", type=float, default=5, help="how many times slower than the goal a page may be (default 5)")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    if options.screenshots:
        os.makedirs(options.screenshots, exist_ok=True)
    tests = [(name.removeprefix("test_"), test) for subject in (charts, movies, alerts, processes, shop, everywhere)
             for name, test in vars(subject).items() if name.startswith("test_")]
    if options.names:
        tests = [(name, test) for name, test in tests if any(word in name for word in options.names)]
    with ProcessHarness(options.program) as harness:
        harness.ask_days(*(f"2024-05-{day}" for day in range(28, 32)), *(f"2024-06-0{day}" for day in range(1, 5)))
        for name, test in tests:
            run(name, lambda: test(harness, options))
    end()


main()
