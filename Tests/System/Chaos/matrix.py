"""The crash matrix: lets the worker and the notifier die at each labelled step, and checks that nothing was lost.

There are no other faults, so that each step is reached. A process dies when it reaches its step for the first time; the
next one must go on from there. With `--postgresql` their state is in a server. docs/reliability.md tells what each step is.
"""

import argparse
import asyncio
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Harness"))
import checks  # noqa: E402, the path comes first
from postgresql import PostgreSQLServer, address  # noqa: E402
from processes import run_until_told  # noqa: E402
from round import ChaosTrial  # noqa: E402
from trial import play  # noqa: E402
from waiting import Failure, eventually_async  # noqa: E402

SEED = "matrix/1"


class Matrix(ChaosTrial):
    """A trial whose attack is a crash at each step."""

    async def attack(self):
        harness = self.harness
        harness.worker.start()
        harness.notifier.start()
        for crashes in (self.worker_crashes, self.notifier_crashes):
            crashes.process.kill()
            for step in crashes.steps:
                await self.crash(crashes, step)
            crashes.process.start()

    async def crash(self, crashes, step):
        """Lets the process die at a step, and the next one write something; then kills that, too."""
        process, name = crashes.process, crashes.process.name

        def has_written():
            if not process.is_running:
                raise Failure(f"the {name} ended with {process.child.returncode} after its death at {step}")
            return self.count(name, "event") > events

        await crashes.die_at(step, 1)
        if not crashes.at_steps[step]:
            raise Failure(f"the {name} did not die at {step}: {crashes.problems}")
        await asyncio.to_thread(crashes.inspect)
        events = self.count(name, "event")
        process.start()
        await eventually_async(has_written, f"the {name} writes events after its death at {step}")
        await crashes.kill("after its restart")
        await asyncio.to_thread(crashes.inspect)
        checks.check(True, f"the {name} goes on after its death at {step}")


class ServerMatrix(Matrix):
    """The same with the state in PostgreSQL."""

    def make_harness(self, closing):
        self.server = PostgreSQLServer(self.folder / "server")
        closing.callback(self.server.kill)
        site = super().make_harness(closing)
        site.environment["MARQUEE_DATABASE"] = address(self.server)
        return site

    def query(self, name, sql):
        return self.server.rows(name, sql)


async def crash_at_each_step(kind, program):
    matrix = await play(kind, program, SEED)
    checks.check(not matrix.findings.problems, "nothing is lost, doubled or out of order")


parser = argparse.ArgumentParser(prog="matrix", description=__doc__.splitlines()[0])
parser.add_argument("program", type=pathlib.Path, help="the marquee to crash")
parser.add_argument("--postgresql", action="store_true", help="keep the state in PostgreSQL")
options = parser.parse_args()
kind = ServerMatrix if options.postgresql else Matrix
checks.run("a crash at each step", lambda: run_until_told(crash_at_each_step(kind, options.program)))
checks.end()
