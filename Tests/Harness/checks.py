"""Checks that are printed and counted, and the line that ends a suite."""

import sys
import traceback

from waiting import Failure, eventually

passed = failed = 0


def check(holds, what):
    """Counts and prints a check that holds; ends its test if it does not."""
    global passed
    if not holds:
        raise Failure(what)
    passed += 1
    print(f"ok   {what}", flush=True)


def check_eventually(value, what):
    """Waits until `value()` is true, as a check."""
    eventually(value, what)
    check(True, what)


def run(name, test):
    """Runs a test; counts and prints its failure, and goes on."""
    global failed
    print(f"     {name.replace('_', ' ')}", flush=True)
    try:
        test()
    except Exception as failure:
        failed += 1
        print(f"FAIL {name}: {failure}", flush=True)
        if not isinstance(failure, Failure):
            traceback.print_exc()


def end():
    """Prints the counts, and ends the program; its status is 1 if a test failed or none ran."""
    print(f"{passed} passed, {failed} failed", flush=True)
    sys.exit(1 if failed or not passed else 0)
