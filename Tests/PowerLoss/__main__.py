"""The power loss suite: takes the power from marquee's disks and checks that what was acknowledged is there.

The seed decides when, and what is left of that which was not synced. docs/reliability.md says what is checked.
"""

import argparse
import asyncio
import collections
import logging
import pathlib
import shutil
import sys
import tempfile
import time

sys.path.insert(1, str(pathlib.Path(__file__).parents[1] / "Chaos"))
from outages import Round  # noqa: E402, the path comes first

CRASHES_PER_ROUND = 30
# asyncio warns of a process that had died when it was to be killed.
logging.getLogger("asyncio").setLevel(logging.ERROR)
# Syncs to leave out, by the names of files: all, those of commits, of checkpoints, and of the names in the data folder.
# Each must be noticed within some rounds of a few crashes.
LIES = ["*", "*-wal", "*.db", "."]
LYING_ROUNDS, LYING_CRASHES = 8, 5


async def main():
    parser = argparse.ArgumentParser(prog="power-loss", description=__doc__.splitlines()[0])
    parser.add_argument("program", type=pathlib.Path, help="the marquee whose disks lose power")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--crashes", type=int, default=60, help="how many in all, beside those of failing disks")
    parser.add_argument("--round", type=int, help="run only this round of the seed")
    parser.add_argument("--self-test", action="store_true", help="check that syncs which are left out are noticed")
    parser.add_argument("--keep", action="store_true", help="keep the folders of rounds that found nothing, too")
    options = parser.parse_args()
    if options.self_test:
        return await test_suite(options)
    count = -(-options.crashes // CRASHES_PER_ROUND)
    rounds = range(1, count + 1) if options.round is None else [options.round]
    total, failed, began = collections.Counter(), [], time.monotonic()
    for number in rounds:
        left = options.crashes - CRASHES_PER_ROUND * (number - 1)
        crashes = CRASHES_PER_ROUND if options.round else min(CRASHES_PER_ROUND, left)
        if await play(options, number, crashes, total):
            failed.append(number)
    print(f"\nin {(time.monotonic() - began) / 60:.1f} minutes:")
    for name, figure in total.items():
        print(f"{figure:>9,}  {name}")
    if failed:
        print(f"power-loss: seed {options.seed}: rounds {failed} found problems", file=sys.stderr)
        return 1
    print(f"{total['crashes']} crashes, nothing lost (seed {options.seed}, {len(rounds)} rounds)")
    return 0


async def play(options, number, crashes, total):
    """Runs one round, adds its figures, and prints its problems."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="marquee-power-"))
    began = time.monotonic()
    round = Round(options.program.resolve(), folder, f"{options.seed}/{number}", crashes)
    await round.run()
    total.update(round.figures)
    problems = round.findings.problems
    print(f"round {number}: {round.figures['crashes']} crashes, {round.figures['requests']} requests, "
          f"{round.figures['events']} events, {len(problems)} problems, {time.monotonic() - began:.0f} s", flush=True)
    for problem in problems[:20]:
        print(f"  {problem}", flush=True)
    if problems or options.keep:
        print(f"  kept: {folder}", flush=True)
    else:
        shutil.rmtree(folder)
    return problems


async def test_suite(options):
    """Checks that this suite notices disks that leave out syncs."""
    unnoticed = []
    for lie in LIES:
        count = 0
        for number in range(1, LYING_ROUNDS + 1):
            folder = pathlib.Path(tempfile.mkdtemp(prefix="marquee-power-"))
            round = Round(options.program.resolve(), folder, f"{options.seed}/{number}", LYING_CRASHES, ignored_sync=lie)
            await round.run()
            shutil.rmtree(folder)
            count += round.figures["crashes"]
            if round.findings.problems:
                print(f"syncs of {lie} left out: noticed at crash {count}: {round.findings.problems[0][:100]}", flush=True)
                break
        else:
            unnoticed.append(lie)
    if unnoticed:
        print(f"power-loss: not noticed in {LYING_ROUNDS} rounds: syncs of {unnoticed} are left out", file=sys.stderr)
    return 1 if unnoticed else 0


sys.exit(asyncio.run(main()))
