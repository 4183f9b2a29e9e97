#!/usr/bin/python3
"""Puts named faults into the sources one at a time, and checks that the tests notice each.

    python3 Tests/Mutants [--only NAME…] [--check]

The faults are in faults.py. They are put into a copy of the tree, .build-mutants, which is built for debugging and kept, so
that the next run builds only what has changed. A fault that no test notices lives: then a test is missing. --check only
checks that each fault still fits the sources, and that its tests exist.
"""

import argparse
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

from faults import FAULTS

TOP = pathlib.Path(__file__).resolve().parents[2]
COPY = TOP / ".build-mutants"
# A fault may make a test wait for what never comes.
PATIENCE = 600 * float(os.environ.get("MARQUEE_SLOWNESS", "1"))
UNENDED = "it did not end"
NUMBER_OF_FAULTS = 40


def misfits():
    """Yields what is wrong with the table."""
    names = [fault.name for fault in FAULTS]
    if len(set(names)) != len(names) or len(names) < NUMBER_OF_FAULTS:
        yield f"Tests/Mutants: {len(set(names))} different faults of {len(names)}; {NUMBER_OF_FAULTS} are promised"
    suites = {
        f"{path.relative_to(TOP / 'Tests').parts[0]}.{name}" for path in (TOP / "Tests").rglob("*.swift")
        for name in re.findall(r"\b(?:struct|class|enum|extension) (\w+)", path.read_text())}
    for fault in FAULTS:
        source = TOP / "Sources" / fault.file
        count = source.read_text().count(fault.old) if source.exists() else 0
        if count != 1:
            yield f"Tests/Mutants: {fault.name}: its text stands {count} times in Sources/{fault.file}"
        if not any(re.match(fault.tests, suite) for suite in suites):
            yield f"Tests/Mutants: {fault.name}: no tests have the name {fault.tests}"


def update_copy():
    """Copies the files of the tree whose contents differ from those in the copy."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=TOP, check=True, stdout=subprocess.PIPE)
    names = {name for name in listed.stdout.decode().split("\0") if (TOP / name).is_file()}
    for name in sorted(names):
        here, there = TOP / name, COPY / name
        if not there.exists() or here.read_bytes() != there.read_bytes():
            there.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(here, there)
    for top in COPY.iterdir():
        for path in [] if top.name == ".build" else [top, *top.rglob("*")]:
            if path.is_file() and str(path.relative_to(COPY)) not in names:
                path.unlink()


def run(*words):
    """Runs a command in the copy; returns its status, None if it did not end in time, and its output."""
    child = subprocess.Popen(
        words, cwd=COPY, text=True, errors="replace", stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
    try:
        printed, _ = child.communicate(timeout=PATIENCE)
        return child.returncode, printed
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGKILL)
        return None, child.communicate()[0]


def build():
    """Builds everything with the tests; the first time takes minutes."""
    return subprocess.run(
        ["swift", "build", "--build-tests"], cwd=COPY, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def test(names):
    """Runs tests; returns their status, and who failed first."""
    status, printed = run("swift", "test", "--skip-build", "--filter", rf"^({names})")
    if not re.search(r"Test run with [1-9]\d* tests?", printed) and status == 0:
        sys.exit(f"make mutants: no test has the name {names}")
    failed = re.findall(r'✘ Test (?:"([^"]*)"|(\w+)\(\S*\))', printed)
    first = next((" ".join(filter(None, names)) for names in failed), None)
    return status, first or (UNENDED if status is None else "the process crashed")


def notice(fault):
    """Puts a fault in, and takes it out again; returns who noticed it, and the seconds that it took.

    Nobody notices a fault that does not compile.
    """
    source = COPY / "Sources" / fault.file
    original, began = source.read_text(), time.monotonic()
    source.write_text(original.replace(fault.old, fault.new))
    try:
        built = build()
        if built.returncode != 0:
            print("\n".join(line for line in built.stdout.splitlines() if "error:" in line), file=sys.stderr, flush=True)
            return None, time.monotonic() - began
        status, first = test(fault.tests)
        return None if status == 0 else first, time.monotonic() - began
    finally:
        source.write_text(original)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", nargs="*", default=[], choices=[fault.name for fault in FAULTS], metavar="NAME")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    if found := list(misfits()):
        sys.exit("\n".join(found))
    if options.check:
        return
    faults = [fault for fault in FAULTS if not options.only or fault.name in options.only]
    update_copy()
    if (built := build()).returncode != 0:
        sys.exit(f"make mutants: the tree does not build:\n{built.stdout[-3000:]}")
    for names in sorted({fault.tests for fault in faults}):
        status, first = test(names)
        if status != 0:
            sys.exit(f"make mutants: {names} fails without a fault: {first}")
    print("| fault | noticed by | seconds |\n|---|---|---|", flush=True)
    living, unended = [], []
    for fault in faults:
        first, seconds = notice(fault)
        print(f"| {fault.name}: {fault.what} | {first or '**nobody**'} | {seconds:.0f} |", flush=True)
        living += [] if first else [fault.name]
        unended += [fault.name] if first == UNENDED else []
    if unended:
        # No test says what is wrong, and a machine that is too slow looks like it.
        print(f"counted as noticed, because the tests did not end: {', '.join(unended)}")
    print(f"{len(faults) - len(living)} passed, {len(living)} failed")
    sys.exit(bool(living))


main()
