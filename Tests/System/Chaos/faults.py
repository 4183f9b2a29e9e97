"""The faults of a round. The round's random numbers decide when, where and for how long each is injected."""

import asyncio
import datetime
import signal

from clock import TODAY
from waiting import PATIENCE

WORKER_STEPS = [
    "received", "stored", "accepted", "answered", "attempted", "fetched", "settled", "committed", "published"]
NOTIFIER_STEPS = ["read", "decided", "settled", "committed", "published", "posted", "delivered"]

# Switches of the sandbox. Several sets are empty, so that the upstreams often work.
FAULTS = [
    {},
    {},
    {},
    {"kobis": {"latency": 150}, "images": {"latency": 300}},
    {"kobis": {"latency": 900}},
    {"kobis": {"errors": {"503": 0.3}}},
    {"kobis": {"errors": {"500": 0.9}}},
    {"kobis": {"notice": 0.3, "truncated": 0.2}},
    {"kakao": {"errors": {"500": 0.5}}, "images": {"dead": 0.6}},
]
# Ends all calls to KOBIS until the end of the Korean day.
QUOTA_EXHAUSTED = {"kobis": {"faults": {"320011": 1}}}

# The faults that each run of all kinds of rounds injects at least once.
KINDS = [
    "upstream fault", "quota exhausted", "day short of calls", "connection cut", "connection delayed",
    "connection half open", "connection refused", "subscriber stopped", "subscriber killed", "worker stopped",
    "notifier stopped", "clock jump", "full disk", "letter rejected", "letter accepted without a response",
    "crash at a random instant", "crash while starting"]


def each_first(rng, things):
    """Yields each of the things once, in random order, and then random ones."""
    firsts = [thing for place, thing in enumerate(things) if thing not in things[:place]]
    yield from rng.sample(firsts, len(firsts))
    while True:
        yield rng.choice(things)


class Crashes:
    """Crashes a process repeatedly, at labelled steps and at random times, and restarts it at once.

    `reached` counts the crashes at each step over all rounds of the run: the step with the fewest is next.
    """

    KINDS = ["at a step"] * 14 + ["at random"] * 5 + ["starting"]
    IMPATIENCE = 2, 4  # seconds, for a step that may not be reached

    def __init__(self, process, steps, rng, count, reached, trace, inspect=None):
        self.process = process
        self.inspect = inspect or (lambda: None)  # called after a crash, before the next start
        self.steps = steps
        self.rng = rng
        self.kinds = each_first(rng, self.KINDS)
        self.left = count
        self.reached = reached
        self.trace = trace
        self.tried, self.at_steps = dict.fromkeys(steps, 0), dict.fromkeys(steps, 0)
        self.at_random = self.at_start = 0
        self.may_refuse = False  # while its disk is full, a process may end by itself
        self.is_patient = lambda: True  # whether each step will be reached, so that it is worth the wait
        self.problems = []

    @property
    def count(self):
        return sum(self.at_steps.values()) + self.at_random + self.at_start

    async def run(self, must_go_on=lambda: False):
        """Runs until all crashes are done and it need not go on, or the process has ended by itself five times."""
        while (self.left > 0 or must_go_on()) and len(self.problems) < 5:
            await self.crash(next(self.kinds))
            await asyncio.to_thread(self.inspect)
        self.process.start()

    async def crash(self, kind):
        """Starts the process, and ends it."""
        match kind:
            case "at a step":
                step = min(self.steps, key=lambda step: (self.count_at(step) + self.tried[step], self.rng.random()))
                self.tried[step] += 1
                await self.die_at(step, self.rng.randint(1, 12) if self.count_at(step) else self.rng.randint(1, 3))
            case "at random":
                await self.die_after(self.rng.uniform(0.2, 1.5))
            case "starting":
                await self.die_after(self.rng.uniform(0, 0.15), starting=True)

    def count_at(self, step):
        return self.reached[self.process.role, step]

    async def die_at(self, step, visit):
        self.process.start("--crash-at", f"{step}:{visit}")
        is_patient = self.is_patient()
        status = await self.process.ended_async(PATIENCE if is_patient else self.rng.uniform(*self.IMPATIENCE))
        if status is None:
            if is_patient:
                self.problems.append(f"{self.process.name} did not come to {step}:{visit} within {PATIENCE:.0f} s")
            await self.kill("at its current step", step)
        elif status == -signal.SIGKILL:
            self.at_steps[step] += 1
            self.reached[self.process.role, step] += 1
            self.left -= 1
            self.trace(f"{self.process.name} died at {step}:{visit}")
        else:
            await self.ended_by_itself(status)

    async def die_after(self, seconds, starting=False):
        self.process.start()
        await self.end_after(seconds, starting)

    async def end_after(self, seconds, starting=False):
        status = await self.process.ended_async(seconds)
        if status is None:
            await self.kill("starting" if starting else "at random", starting=starting)
        else:
            await self.ended_by_itself(status)

    async def kill(self, why, step="", starting=False):
        self.process.kill()
        self.at_start += starting
        self.at_random += not starting
        self.left -= 1
        self.trace(f"{self.process.name} killed {why} {step}")

    def may_end(self, status):
        """Whether the process may have ended by itself with this status."""
        return self.may_refuse and status == 1

    async def ended_by_itself(self, status):
        self.trace(f"{self.process.name} ended by itself, {status}: {self.process.log(self.process.began)[-300:]}")
        if not self.may_end(status):
            self.problems.append(
                f"{self.process.name} ended by itself with status {status}: {self.process.log_tail()}")
        await asyncio.sleep(0.2)


async def upstream_faults(round, rng):
    """Injects errors and corrections. The sandbox's clock is some days after the newest requested day."""
    for fault in each_first(rng, FAULTS):
        ahead = round.requests.day - TODAY + datetime.timedelta(days=rng.uniform(0.5, 9))
        fault = QUOTA_EXHAUSTED if round.is_refusing else fault
        switches = dict(fault, seed=rng.randrange(1000), clockOffset=int(ahead.total_seconds()))
        round.trace(f"sandbox {switches}")
        round.counts["upstream fault"] += bool(fault)
        await asyncio.to_thread(round.harness.control, **switches)
        await asyncio.sleep(rng.uniform(0.5, 2))


async def bad_connections(round, rng, kinds=("cut", "cut", "delayed", "half open", "refused")):
    for fault in each_first(rng, kinds):
        await asyncio.sleep(rng.uniform(0.1, 0.8))
        proxy = rng.choice(round.proxies)
        round.counts[f"connection {fault}"] += 1
        match fault:
            case "cut":
                proxy.cut()
            case "delayed":
                proxy.delay = rng.uniform(0.02, 0.3)
                await asyncio.sleep(rng.uniform(0.2, 1))
            case "half open":
                proxy.half_open()
            case "silent":  # until the kernels at both ends give up
                proxy.is_shut = True
                proxy.half_open()
                try:
                    await asyncio.sleep(rng.uniform(1, 12))
                finally:
                    proxy.cut()
            case "refused":
                proxy.is_shut = True
                proxy.cut()
                await asyncio.sleep(rng.uniform(0.2, 1))
        proxy.heal()


async def stalled_subscribers(round, rng):
    """Suspends subscribers for a while, and kills and restarts some."""
    for fault in each_first(rng, ["stopped"] * 4 + ["killed"]):
        await asyncio.sleep(rng.uniform(0.2, 1))
        subscriber = rng.choice(round.subscribers)
        round.counts[f"subscriber {fault}"] += 1
        if fault == "stopped":
            subscriber.signal(signal.SIGSTOP)
            await asyncio.sleep(rng.uniform(0.3, 2.5))
            subscriber.signal(signal.SIGCONT)
        else:
            round.trace(f"{subscriber.name} killed")
            subscriber.kill()
            subscriber.start()


async def stalled_processes(round, rng):
    """Suspends worker and notifier for a while, as a debugger or an overloaded host does."""
    for process in each_first(rng, [round.harness.worker, round.harness.notifier]):
        await asyncio.sleep(rng.uniform(0.5, 2.5))
        if process.is_running:
            round.counts[f"{process.name} stopped"] += 1
            round.trace(f"{process.name} stopped")
            process.signal(signal.SIGSTOP)
            await asyncio.sleep(rng.uniform(0.2, 1.5))
            process.signal(signal.SIGCONT)


async def clock_jumps(round, rng):
    for seconds in each_first(rng, [0, -1, 1, -60, 60, -3600, 3600, -2 * 86_400, 86_400]):
        round.trace(f"clock {seconds:+d} s")
        round.harness.clock.move(seconds)
        round.counts["clock jump"] += 1
        await asyncio.sleep(rng.uniform(0.3, 2))


async def full_disk(round, rng):
    """Fills the small disk with the worker's data, and frees the space again."""
    crashes, filler = round.worker_crashes, round.harness.worker_data / "filler"
    try:
        while True:
            await asyncio.sleep(rng.uniform(0.5, 2))
            crashes.may_refuse = True
            round.trace("disk full")
            fill(filler)
            await asyncio.sleep(rng.uniform(0.3, 2))
            filler.unlink()
            round.trace("disk has room")
            await asyncio.sleep(0.3)
            crashes.may_refuse = False
    finally:
        filler.unlink(missing_ok=True)


def fill(path):
    with open(path, "wb", buffering=0) as file:
        for size in (65_536, 1024):
            try:
                while file.write(bytes(size)):
                    pass
            except OSError:
                pass
