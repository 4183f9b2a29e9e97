"""The chaos suite: attacks marquee's processes for a number of crashes and checks that nothing was lost.

The seed decides what happens when; how the processes fall out with it is up to the machine. A round that found something
is named with its seed and can be run again alone. docs/reliability.md tells the whole story.
"""

import collections
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Harness"))
import faults  # noqa: E402, the path comes first
from processes import run_until_told  # noqa: E402
from round import KINDS, Round  # noqa: E402
from trial import conclude, make_parser, play, report  # noqa: E402
from waiting import PATIENCE  # noqa: E402

CRASHES_PER_ROUND = 30
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
        """Runs one round, and adds its figures."""
        options = self.options
        round = await play(Round, options.program, f"{options.seed}/{number}", crashes, self.reached, self.counts,
                           keep=options.keep)
        self.total.update(round.figures)
        self.rounds += 1
        if round.findings.problems:
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
    options = make_parser("chaos", __doc__.splitlines()[0], crashes=120).parse_args()
    print(f"chaos: seed {options.seed}", flush=True)
    run, began = Run(options), time.monotonic()
    if options.round:
        await run.play(options.round, CRASHES_PER_ROUND)
    else:
        for done in range(0, options.crashes, CRASHES_PER_ROUND):
            await run.play(run.rounds + 1, min(CRASHES_PER_ROUND, options.crashes - done))
    has_all_kinds, deadline = run.rounds >= len(KINDS), time.monotonic() + LONGER
    while has_all_kinds and run.missing() and not run.failed and time.monotonic() < deadline:
        print(f"a further round, for: {', '.join(run.missing())}", flush=True)
        await run.play(run.rounds + 1, CRASHES_PER_ROUND)
    report(dict(run.total) | {kind: run.counts[kind] for kind in faults.KINDS}, began)
    return conclude(options.seed, run.total, run.rounds, run.failed, run.missing() if has_all_kinds else [])


sys.exit(run_until_told(main()))
