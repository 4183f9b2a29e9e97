"""Tests the board in a real browser, against sandbox, worker and notifier.

Use: /usr/bin/python3 Tests/System/BoardBrowser PROGRAM [NAME …] [--smoke] [--screenshots FOLDER]

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
from harness import Site, end, run, suite

CHECKOUT = pathlib.Path(__file__).resolve().parents[3]
SMOKE = ["first_page", "lines", "modes_and_orders", "calendar", "movie", "history", "shop_orders", "shop_password",
         "widths_and_axe", "keyboard"]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", type=os.path.abspath)
    parser.add_argument("--axe", type=pathlib.Path, default=CHECKOUT / ".build/axe/axe_playwright_python/axe.min.js",
                        help="the accessibility checker")
    parser.add_argument("--screenshots", help="a folder for an image of each page, in both themes and three widths")
    parser.add_argument("--smoke", action="store_true", help="run ten of the tests, and axe in one width and language")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    if options.screenshots:
        os.makedirs(options.screenshots, exist_ok=True)
    tests = {name.removeprefix("test_"): test for subject in (charts, movies, alerts, processes, shop, everywhere)
             for name, test in vars(subject).items() if name.startswith("test_")}
    if options.smoke:
        tests = {name: tests[name] for name in SMOKE}
    if options.names:
        tests = {name: test for name, test in tests.items() if any(word in name for word in options.names)}
    with suite(), Site(options.program) as harness:
        harness.ask_days(*(f"2024-05-{day}" for day in range(28, 32)), *(f"2024-06-0{day}" for day in range(1, 5)))
        for name, test in tests.items():
            run(name, lambda: test(harness, options))
    end()


main()
