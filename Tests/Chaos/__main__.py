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
KINDS_OF_ROUNDS = 4
# What four rounds have at the least: a third of what they had when this was written.
LEAST = {"requests": 500, "events": 1200, "alerts": 70, "corrections": 3, "orders to the shop": 40, "letters": 70}


async def main():
    parser = argparse.ArgumentParser(prog="chaos", description=__doc__.splitlines()[0])
    parser.add_argument("program", type=pathlib.Path, help="the marquee to attack")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--crashes", type=int, default=120, help="how many in all (default 120)")
    parser.add_argument("--round", type=int, help="run only this round of the seed")
    parser.add_argument("--keep", action="store_true", help="keep the folders of rounds that found nothing, too")
    options = parser.parse_args()
    count = -(-options.crashes // CRASHES_PER_ROUND)
    rounds = range(1, count + 1) if options.round is None else [options.round]
    total, failed = collections.Counter(), []
    reached, counts = collections.Counter(), collections.Counter()
    began = time.monotonic()
    for number in rounds:
        left = options.crashes - CRASHES_PER_ROUND * (number - 1)
        crashes = CRASHES_PER_ROUND if options.round else min(CRASHES_PER_ROUND, left)
        found = await play(options, number, crashes, total, reached, counts)
        if found:
            failed.append(number)
    report(total, counts, time.monotonic() - began)
    if failed:
        print(f"chaos: seed {options.seed}: rounds {failed} found problems", file=sys.stderr)
        return 1
    if len(rounds) >= KINDS_OF_ROUNDS and (missing := shortfall(total, reached, counts)):
        print(f"chaos: seed {options.seed}: too few: {', '.join(missing)} (a full disk needs root)", file=sys.stderr)
        return 1
    print(f"{total['crashes']} crashes, {total['lost']} lost, {total['duplicated']} duplicated, "
          f"{total['reordered']} reordered (seed {options.seed}, {len(rounds)} rounds)")
    return 0


async def play(options, number, crashes, total, reached, counts):
    """Runs one round, adds its figures, and prints its problems."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="marquee-chaos-"))
    began = time.monotonic()
    round = Round(options.program.resolve(), folder, f"{options.seed}/{number}", crashes, reached, counts)
    await round.run()
    total.update(round.figures)
    problems = round.findings.problems
    kinds = {"clock jumps": round.has_clock_jumps, "full disk": round.has_small_disk,
             "short of calls": round.is_short_of_calls, "refused calls": round.is_refused_calls}
    extras = [name for name, is_on in kinds.items() if is_on]
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


def report(total, counts, seconds):
    print(f"\nin {seconds / 60:.1f} minutes:")
    for name, figure in total.items():
        print(f"{figure:>9,}  {name}")
    for kind in faults.KINDS:
        print(f"{counts[kind]:>9,}  {kind}")


def shortfall(total, reached, counts):
    """Returns the labelled steps at which no crash happened, the faults that were not injected, and figures that are too low.

    Without them a run that did nothing would pass.
    """
    steps = [("worker", step) for step in faults.WORKER_STEPS] + [("notifier", step) for step in faults.NOTIFIER_STEPS]
    missing = [f"crashes of the {process} at {step}" for process, step in steps if not reached[process, step]]
    missing += [kind for kind in faults.KINDS if not counts[kind]]
    return missing + [f"{name}: {total[name]}" for name, least in LEAST.items() if total[name] < least]


async def run_until_told():
    task = asyncio.create_task(main())
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, task.cancel)
    return await task


try:
    sys.exit(asyncio.run(run_until_told()))
except asyncio.CancelledError:
    sys.exit("chaos: told to stop")
