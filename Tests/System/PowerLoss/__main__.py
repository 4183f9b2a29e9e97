"""The power loss suite: takes the power from marquee's disks and checks that what was acknowledged is there.

The seed decides when, and what is left of that which was not synced. docs/reliability.md says what is checked.
"""

import collections
import pathlib
import sys
import tempfile
import time

SUITES = pathlib.Path(__file__).resolve().parents[1]
sys.path[1:1] = [str(SUITES / "Chaos"), str(SUITES.parent / "Harness")]
from outages import Round  # noqa: E402, the path comes first
from processes import run_until_told  # noqa: E402
from trial import make_parser, play, report  # noqa: E402
from waiting import PATIENCE  # noqa: E402

CRASHES_PER_ROUND = 30
# Syncs to leave out, by the names of files: all, those of commits, of checkpoints, and of the names in the data folder.
LIES = ["*", "*-wal", "*.db", "."]
# Some lies are told only about new files, so that a round is over after a few crashes.
LYING_CRASHES = 5
LYING_SEED = "lies"


async def main():
    parser = make_parser("power-loss", __doc__.splitlines()[0], crashes=60)
    parser.add_argument("--self-test", action="store_true", help="check that syncs which are left out are noticed")
    options = parser.parse_args()
    if options.self_test:
        return await test_suite(options.program.resolve())
    print(f"power-loss: seed {options.seed}", flush=True)
    count = -(-options.crashes // CRASHES_PER_ROUND)
    rounds = range(1, count + 1) if options.round is None else [options.round]
    total, failed, began = collections.Counter(), [], time.monotonic()
    for number in rounds:
        left = options.crashes - CRASHES_PER_ROUND * (number - 1)
        crashes = CRASHES_PER_ROUND if options.round else min(CRASHES_PER_ROUND, left)
        round = await play(Round, options.program, f"{options.seed}/{number}", crashes, keep=options.keep)
        total.update(round.figures)
        if round.findings.problems:
            failed.append(number)
    report(total, began)
    if failed:
        print(f"power-loss: seed {options.seed}: rounds {failed} found problems", file=sys.stderr)
        return 1
    print(f"{total['crashes']} crashes, nothing lost (seed {options.seed}, {len(rounds)} rounds)")
    return 0


async def test_suite(program):
    """Checks that this suite notices disks that leave out syncs, and a program that does, and nothing where none does."""
    _, problems = await play_lying(1, program, "")
    if problems:
        print("power-loss: found although no sync is left out:", *problems, sep="\n  ", file=sys.stderr)
        return 1
    cases = [(f"syncs of {lie} are left out", program, lie) for lie in LIES]
    unsafe = program.with_name("marquee-synchronous-off")  # where the board finds its web files
    try:
        make_unsafe(program, unsafe)
        cases.append(("synchronous is off", unsafe, ""))
        unnoticed = [what for what, program, lie in cases if not await is_noticed(what, program, lie)]
    finally:
        unsafe.unlink(missing_ok=True)
    if unnoticed:
        print(f"power-loss: not noticed: {', '.join(unnoticed)}", file=sys.stderr)
        return 1
    print(f"{len(cases)} ways to leave out syncs are noticed")
    return 0


def make_unsafe(program, copy):
    """Copies the program with another setting of SQLite, of the same length."""
    content, safe = program.read_bytes(), b"pragma synchronous = full"
    if content.count(safe) != 1:
        sys.exit(f"power-loss: `{safe.decode()}` is not once in {program}")
    copy.write_bytes(content.replace(safe, b"pragma synchronous = off "))
    copy.chmod(0o700)


async def is_noticed(what, program, lie):
    """Plays rounds until one finds a problem. Returns false if ten have found none, and the time is over."""
    count = number = 0
    deadline = time.monotonic() + PATIENCE
    while number < 10 or time.monotonic() < deadline:
        number += 1
        crashes, problems = await play_lying(number, program, lie)
        count += crashes
        if problems:
            print(f"{what}: noticed at crash {count}: {problems[0][:100]}", flush=True)
            return True
    return False


async def play_lying(number, program, lie):
    """Plays a round on disks that leave out syncs. Returns the number of crashes and the problems."""
    with tempfile.TemporaryDirectory(prefix="marquee-power-") as folder:
        round = Round(program, pathlib.Path(folder), f"{LYING_SEED}/{number}", LYING_CRASHES, lie)
        await round.run()
    return round.figures["crashes"], round.findings.problems


sys.exit(run_until_told(main()))
