"""The chaos suite: attacks marquee's processes for a number of crashes and checks that nothing was lost.

The seed decides what happens when; how the processes fall out with it is up to the machine. A round that found something
is named with its seed and can be run again alone. docs/reliability.md tells the whole story.
"""

import argparse
import asyncio
import collections
import pathlib
import shutil
import signal
import sys
import tempfile
import time

import faults
from round import Round

CRASHES_PER_ROUND = 30


async def main():
    parser = argparse.ArgumentParser(prog="chaos", description=__doc__.splitlines()[0])
    parser.add_argument("program", type=pathlib.Path, help="the marquee to attack")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--crashes", type=int, default=60, help="how many in all (default 60)")
    parser.add_argument("--round", type=int, help="run only this round of the seed")
    parser.add_argument("--keep", action="store_true", help="keep the folders of rounds that found nothing, too")
    options = parser.parse_args()
    count = -(-options.crashes // CRASHES_PER_ROUND)
    rounds = range(1, count + 1) if options.round is None else [options.round]
    total, failed = collections.Counter(), []
    began = time.monotonic()
    for number in rounds:
        left = options.crashes - CRASHES_PER_ROUND * (number - 1)
        crashes = CRASHES_PER_ROUND if options.round else min(CRASHES_PER_ROUND, left)
        found = await play(options, number, crashes, total)
        if found:
            failed.append(number)
    report(total, time.monotonic() - began)
    if failed:
        print(f"chaos: seed {options.seed}: rounds {failed} found problems", file=sys.stderr)
        return 1
    print(f"{total['crashes']} crashes, {total['lost']} lost, {total['duplicated']} duplicated, "
          f"{total['reordered']} reordered (seed {options.seed}, {len(rounds)} rounds)")
    return 0


async def play(options, number, crashes, total):
    """Runs one round, adds its figures, and prints its problems."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="marquee-chaos-"))
    began = time.monotonic()
    round = Round(options.program.resolve(), folder, f"{options.seed}/{number}", crashes)
    await round.run()
    total.update(round.figures)
    problems = round.findings.problems
    extras = [name for name, is_on in [("clock jumps", round.has_clock_jumps), ("full disk", round.has_small_disk)]
              if is_on]
    print(f"round {number}: {round.figures['crashes']} crashes, {round.figures['requests']} requests, "
          f"{round.figures['events']} events, {round.figures['alerts']} alerts, {len(problems)} problems, "
          f"{time.monotonic() - began:.0f} s {' '.join(extras)}", flush=True)
    for problem in problems[:20]:
        print(f"  {problem}", flush=True)
    if problems or options.keep:
        print(f"  kept: {folder}", flush=True)
    else:
        shutil.rmtree(folder)
    return problems


def report(total, seconds):
    print(f"\nin {seconds / 60:.1f} minutes:")
    for name, figure in total.items():
        print(f"{figure:>9,}  {name}")
    steps = [f"worker at {step}" for step in faults.WORKER_STEPS]
    steps += [f"notifier at {step}" for step in faults.NOTIFIER_STEPS]
    if missing := [step for step in steps if not total[step]]:
        print(f"no crash happened at: {', '.join(missing)}")


async def run_until_told():
    task = asyncio.create_task(main())
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, task.cancel)
    return await task


try:
    sys.exit(asyncio.run(run_until_told()))
except asyncio.CancelledError:
    sys.exit("chaos: told to stop")
