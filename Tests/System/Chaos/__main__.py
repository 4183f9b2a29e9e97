"""The chaos suite: attacks marquee's processes for a number of crashes and checks that nothing was lost.

The seed decides what happens when; how the processes fall out with it is up to the machine. A round that found something
is named with its seed and can be run again alone. docs/reliability.md tells the whole story.
"""

import argparse
import collections
import contextlib
import pathlib
import secrets
import shutil
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Harness"))
import faults  # noqa: E402, the path comes first
from processes import run_until_told  # noqa: E402
from round import Round  # noqa: E402
from waiting import PATIENCE  # noqa: E402

CRASHES_PER_ROUND = 30
KINDS_OF_ROUNDS = 4
# What a run of all kinds of rounds has at the least: a third of what it had when this was written.
LEAST = {"requests": 500, "events": 1200, "alerts": 70, "corrections": 3, "orders to the shop": 40, "letters": 70}
# For how long a run adds rounds when something has not happened.
LONGER = 2 * PATIENCE


class Run:
    """Rounds, one after the other, and what all of them had."""

    def __init__(self, options):
        self.options = options
        self.total, self.reached, self.counts = (collections.Counter() for _ in range(3))
        self.failed = []
        self.rounds = 0

    async def play(self, number, crashes):
        """Runs one round, adds its figures, and prints its problems."""
        options, began = self.options, time.monotonic()
        folder = pathlib.Path(tempfile.mkdtemp(prefix="marquee-chaos-"))
        with contextlib.ExitStack() as closing:
            closing.callback(shutil.rmtree, folder)
            round = Round(
                options.program.resolve(), folder, f"{options.seed}/{number}", crashes, self.reached, self.counts)
            await round.run()
            figures, problems = round.figures, round.findings.problems
            kinds = {"clock jumps": round.has_clock_jumps, "full disk": round.has_small_disk,
                     "short of calls": round.is_short_of_calls, "refused calls": round.is_refused_calls}
            print(f"round {number}: {figures['crashes']} crashes, {figures['requests']} requests, "
                  f"{figures['events']} events, {figures['alerts']} alerts, {len(problems)} problems, "
                  f"{time.monotonic() - began:.0f} s {' '.join(name for name, is_on in kinds.items() if is_on)}",
                  *problems[:20], sep="\n  ", flush=True)
            if problems or options.keep:
                print(f"  kept: {folder}", flush=True)
                closing.pop_all()
        self.total.update(figures)
        self.rounds += 1
        if problems:
            self.failed.append(number)

    def missing(self):
        """Returns the labelled steps without a crash, the faults that were not injected, and figures that are too low.

        Without them a run that did nothing would pass.
        """
        steps = {"worker": faults.WORKER_STEPS, "notifier": faults.NOTIFIER_STEPS}
        missing = [
            f"crashes of the {name} at {step}" for name in steps for step in steps[name]
            if not self.reached[name, step]]
        missing += [kind for kind in faults.KINDS if not self.counts[kind]]
        return missing + [f"{name}: {self.total[name]}" for name, least in LEAST.items() if self.total[name] < least]


async def main():
    parser = argparse.ArgumentParser(prog="chaos", description=__doc__.splitlines()[0])
    parser.add_argument("program", type=pathlib.Path, help="the marquee to attack")
    parser.add_argument("--seed", default=secrets.token_hex(4), help="(default: a random one)")
    parser.add_argument("--crashes", type=int, default=120, help="how many at the least (default 120)")
    parser.add_argument("--round", type=int, help="run only this round of the seed")
    parser.add_argument("--keep", action="store_true", help="keep the folders of rounds that found nothing, too")
    options = parser.parse_args()
    print(f"chaos: seed {options.seed}", flush=True)
    run, began = Run(options), time.monotonic()
    if options.round:
        await run.play(options.round, CRASHES_PER_ROUND)
    else:
        for done in range(0, options.crashes, CRASHES_PER_ROUND):
            await run.play(run.rounds + 1, min(CRASHES_PER_ROUND, options.crashes - done))
    has_all_kinds, deadline = run.rounds >= KINDS_OF_ROUNDS, time.monotonic() + LONGER
    while has_all_kinds and run.missing() and not run.failed and time.monotonic() < deadline:
        print(f"a further round, for: {', '.join(run.missing())}", flush=True)
        await run.play(run.rounds + 1, CRASHES_PER_ROUND)
    report(run, time.monotonic() - began)
    if run.failed:
        print(f"chaos: seed {options.seed}: rounds {run.failed} found problems", file=sys.stderr)
        return 1
    if has_all_kinds and (missing := run.missing()):
        print(f"chaos: seed {options.seed}: too few: {', '.join(missing)} (a full disk needs root)", file=sys.stderr)
        return 1
    print(f"{run.total['crashes']} crashes, {run.total['lost']} lost, {run.total['duplicated']} duplicated, "
          f"{run.total['reordered']} reordered (seed {options.seed}, {run.rounds} rounds)")
    return 0


def report(run, seconds):
    print(f"\nin {seconds / 60:.1f} minutes:")
    for name, figure in run.total.items():
        print(f"{figure:>9,}  {name}")
    for kind in faults.KINDS:
        print(f"{run.counts[kind]:>9,}  {kind}")


sys.exit(run_until_told(main()))
