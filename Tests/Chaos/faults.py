"""The faults of a round. The round's random numbers decide when, where and for how long each is injected."""

import asyncio
import datetime
import signal

WORKER_STEPS = ["received", "stored", "accepted", "answered", "fetched", "settled", "committed", "published"]
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
# Stops all KOBIS calls until the end of the Korean day, so only some rounds use it.
QUOTA_EXHAUSTED = {"kobis": {"faults": {"320011": 0.2}}}


class Crashes:
    """Crashes a process repeatedly, at labelled steps and at random times, and restarts it at once."""

    def __init__(self, process, steps, rng, count, trace, inspect=None):
        self.process = process
        self.inspect = inspect or (lambda: None)  # called after a crash, before the next start
        self.steps = steps
        self.rng = rng
        self.left = count
        self.trace = trace
        self.at_steps = dict.fromkeys(steps, 0)
        self.at_random = self.at_start = self.refused_starts = 0
        self.may_refuse = False  # while its disk is full, a process may end by itself
        self.problems = []

    @property
    def count(self):
        return sum(self.at_steps.values()) + self.at_random + self.at_start

    async def run(self):
        """Runs until all crashes are done, or the process has ended by itself five times."""
        number = self.rng.randrange(len(self.steps))
        while self.left > 0 and len(self.problems) < 5:
            choice = self.rng.random()
            if choice < 0.7:
                step = self.steps[number % len(self.steps)]
                number += 1
                await self.die_at(step, self.rng.randint(1, 12))
            elif choice < 0.95:
                await self.die_after(self.rng.uniform(0.2, 1.5))
            else:
                await self.die_after(self.rng.uniform(0, 0.15), starting=True)
            await asyncio.to_thread(self.inspect)
        await self.process.start()

    async def die_at(self, step, visit):
        await self.process.start("--crash-at", f"{step}:{visit}")
        status = await self.process.ended(within=self.rng.uniform(2, 4))
        if status is None:
            await self.kill("at its current step", step)
        elif status == -signal.SIGKILL:
            self.at_steps[step] += 1
            self.left -= 1
            self.trace(f"{self.process.name} died at {step}:{visit}")
        else:
            await self.ended_by_itself(status)

    async def die_after(self, seconds, starting=False):
        await self.process.start()
        status = await self.process.ended(within=seconds)
        if status is None:
            await self.kill("starting" if starting else "at random", starting=starting)
        else:
            await self.ended_by_itself(status)

    async def kill(self, why, step="", starting=False):
        await self.process.kill()
        self.at_start += starting
        self.at_random += not starting
        self.left -= 1
        self.trace(f"{self.process.name} killed {why} {step}")

    async def ended_by_itself(self, status):
        self.trace(f"{self.process.name} ended by itself, {status}: {self.process.log_tail()}")
        if self.may_refuse and status == 1:
            self.refused_starts += 1
        else:
            self.problems.append(
                f"{self.process.name} ended by itself with status {status}: {self.process.log_tail()}")
        await asyncio.sleep(0.2)


async def upstream_faults(harness, requests, faults, rng, trace):
    """Injects errors and corrections. The sandbox's clock is some days after the newest requested day."""
    while True:
        ahead = requests.day - datetime.date.today() + datetime.timedelta(days=rng.uniform(0.5, 9))
        switches = dict(rng.choice(faults), seed=rng.randrange(1000), clockOffset=int(ahead.total_seconds()))
        trace(f"sandbox {switches}")
        await asyncio.to_thread(harness.ask_sandbox, "/control", "PUT", switches)
        await asyncio.sleep(rng.uniform(0.5, 2))


async def bad_connections(proxies, rng, trace):
    while True:
        await asyncio.sleep(rng.uniform(0.1, 0.8))
        proxy = rng.choice(proxies)
        match rng.choice(["cut", "cut", "delay", "half open", "shut"]):
            case "cut":
                proxy.cut()
            case "delay":
                proxy.delay = rng.uniform(0.02, 0.3)
                await asyncio.sleep(rng.uniform(0.2, 1))
            case "half open":
                proxy.half_open()
            case "shut":
                proxy.is_shut = True
                proxy.cut()
                await asyncio.sleep(rng.uniform(0.2, 1))
        proxy.heal()


async def stalled_subscribers(subscribers, rng, trace):
    """Suspends subscribers for a while, and kills and restarts some."""
    while True:
        await asyncio.sleep(rng.uniform(0.2, 1))
        subscriber = rng.choice(subscribers)
        if rng.random() < 0.8:
            subscriber.signal(signal.SIGSTOP)
            await asyncio.sleep(rng.uniform(0.3, 2.5))
            subscriber.signal(signal.SIGCONT)
        elif subscriber.can_be_killed:
            trace(f"{subscriber.name} killed")
            await subscriber.kill()
            await subscriber.start()


async def clock_jumps(harness, rng, trace):
    while True:
        await asyncio.sleep(rng.uniform(0.3, 2))
        seconds = rng.choice([0, -1, 1, -60, 60, -3600, 3600, -2 * 86_400, 86_400])
        trace(f"clock {seconds:+d} s")
        harness.set_clock(seconds)


async def full_disk(crashes, disk, rng, trace):
    """Fills the small disk with the process's data, and frees the space again."""
    filler = disk / "filler"
    try:
        while True:
            await asyncio.sleep(rng.uniform(0.5, 2))
            crashes.may_refuse = True
            trace("disk full")
            fill(filler)
            await asyncio.sleep(rng.uniform(0.3, 2))
            filler.unlink()
            trace("disk has room")
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
