"""One round: starts all processes with empty data, injects faults and crashes, lets them finish, and checks the result."""

import asyncio
import collections
import contextlib
import functools
import json
import pathlib
import re
import shutil
import signal
import sys

import checker
import faults
from process import Process
from processes import Site
from proxy import Proxy
from receiver import SECRET, Receiver
from recorder import RecordingProxy
from requester import PRODUCT_NAME
from small_disk import small_disk
from trial import Trial
from waiting import eventually_async

HERE = pathlib.Path(__file__).parent
STREAMS = ["ranking.", "movie.", "poster.", "request.", "product.", "products."]
CALLS_AT_ONCE = 8  # that may arrive after the death of the worker that made them: four live, and four of the backfill
PLENTY, SCARCE = 10_000_000, 120  # calls to KOBIS on a day
# The kinds of rounds, which take turns: KOBIS refuses further calls, the clock jumps, the worker's disk fills up, or a
# day has few calls to KOBIS.
KINDS = REFUSED_CALLS, CLOCK_JUMPS, FULL_DISK, SHORT_OF_CALLS = (
    "refused calls", "clock jumps", "full disk", "short of calls")


class Subscriber(Process):
    """A subscriber process and the events that it has delivered."""

    def __init__(self, name, folder, events, commands, prefixes, high_water=0):
        self.file = folder / f"{name}.delivered"
        self.prefixes = prefixes
        command = [sys.executable, HERE / "subscriber.py", events, commands, self.file, high_water, *prefixes]
        # Without the compiled example, which would lie among the sources.
        super().__init__(name, command, {"PYTHONDONTWRITEBYTECODE": "1"}, folder / f"{name}.log")

    def delivered(self):
        if not self.file.exists():
            return []
        return [line.partition("\t")[0] for line in self.file.read_text().splitlines()]


class ChaosTrial(Trial):
    """All processes with empty data, their clients, and the checks of what is left after an attack."""

    has_flaky_receiver = has_small_disk = False

    def __init__(self, program, folder, seed, crashes=0, reached=None):
        super().__init__(folder, seed, crashes)
        self.program = program
        self.reached = collections.Counter() if reached is None else reached
        self.seen = self.booked = collections.Counter()

    async def run(self):
        """Runs the trial. What the attack has left is checked, also if it does not come to rest."""
        async with contextlib.AsyncExitStack() as closing:
            self.build(closing)
            for proxy in [*self.proxies, self.upstream]:
                await proxy.start()
            with self.findings.taking_failures():
                self.harness.start("sandbox")
                await self.begin()
                await self.connect_clients()
                await self.attack()
                with self.findings.taking_failures():
                    await self.come_to_rest()
                await self.check_at_rest()
                await self.end()

    def build(self, closing):
        """Creates all processes, and ends them in every case."""
        self.limit = SCARCE if self.kind == SHORT_OF_CALLS else PLENTY
        harness = self.harness = self.make_harness(closing)
        self.upstream = RecordingProxy(harness.page("sandbox"))
        harness.lead_through(self.upstream.address.removeprefix("tcp://"))
        self.receiver = Receiver(self.branch(), self.has_flaky_receiver)
        closing.callback(self.receiver.close)
        harness.rules.write_text(
            f"sinks: {{hook: {{kind: webhook, url: '{self.receiver.url}', secret: {SECRET}}}}}\n")
        self.connect()
        closing.callback(self.context.destroy, linger=0)
        closing.push_async_callback(self.end_tasks)
        closing.callback(kill_all, [*self.everybody(), *self.members, harness.sandbox])
        for proxy in [*self.proxies, self.upstream]:
            closing.callback(proxy.close)

    def make_harness(self, closing):
        harness = Site(self.program, self.folder, self.number, self.limit)
        if self.kind == FULL_DISK:
            self.has_small_disk = closing.enter_context(small_disk(harness.worker_data)) is not None
            closing.callback(self.keep_disk, harness.worker_data)
        return harness

    def connect(self):
        """Creates subscribers, proxies before the endpoints that they and the clients use, and the attacks on processes."""
        harness = self.harness
        names = ["events", "commands", "commands", "requests", "events", "alerts"]
        self.proxies = [Proxy(harness.address(name)) for name in names]
        events, commands, asking, announcing, notifier_events, alerts = self.proxies
        harness.notifier.environment |= {"MARQUEE_EVENTS": notifier_events.address, "MARQUEE_COMMANDS": commands.address}
        common = self.folder, events.address, commands.address
        self.subscribers = [
            Subscriber("all", *common, STREAMS),
            Subscriber("narrow", *common, STREAMS, high_water=1),
            Subscriber("charts", *common, ["ranking.day.all."]),
            Subscriber("alerts", self.folder, alerts.address, harness.address("alert_commands"), ["alert."]),
        ]
        self.late = Subscriber("late", *common, STREAMS)
        self.asking, self.announcing = [asking.address], [announcing.address]
        self.live = [("worker", harness.address("events")), ("notifier", harness.address("alerts"))]
        self.worker_crashes = faults.Crashes(
            harness.worker, faults.WORKER_STEPS, self.branch(), self.crashes - self.crashes // 3, self.reached,
            self.trace, inspect=self.check_quota)
        self.notifier_crashes = faults.Crashes(
            harness.notifier, faults.NOTIFIER_STEPS, self.branch(), self.crashes // 3, self.reached, self.trace)
        self.attacks = [self.worker_crashes, self.notifier_crashes]

    @property
    def members(self):
        """The processes that are attacked."""
        return [attack.process for attack in self.attacks]

    async def begin(self):
        """Starts once without faults: events in the log before the notifier reads it for the first time fire no alerts."""
        harness = self.harness
        harness.worker.start()
        harness.notifier.start()
        await eventually_async(
            lambda: "all charts are read" in harness.notifier.log(), "the notifier has read all charts")
        kill_all([harness.worker, harness.notifier])

    async def connect_clients(self):
        """Starts the clients and the subscribers."""
        await self.make_requests(self.harness)
        self.start_clients(self.asking, self.announcing, pause=0.1)
        self.seen_products = set()
        self.heard = [(name, []) for name, _ in self.live]
        for (_, address), (_, heard) in zip(self.live, self.heard):
            self.listen(address, heard)
        for subscriber in self.subscribers:
            subscriber.start()

    def hear(self, topic, body):
        """Lets the clients change and remove a product that they registered."""
        if product := re.fullmatch(rb"product\.(\d+)", topic):
            id, name = int(product[1]), json.loads(body)["data"]["name"]
            if name.startswith(PRODUCT_NAME.format("")) and id not in self.seen_products:
                self.seen_products.add(id)
                self.requests.products.append(id)

    async def come_to_rest(self):
        """Ends all faults, and waits until all requests have ended and all subscribers have received everything."""
        self.trace("to rest")
        self.harness.clock.move(0)
        for proxy in self.proxies:
            proxy.heal()
        for process in [*self.subscribers, *self.members]:
            process.signal(signal.SIGCONT)
        await asyncio.to_thread(self.harness.control)
        if self.has_small_disk:  # it may have refused the last start
            self.harness.worker.kill()
            self.harness.worker.start()
        self.late.start()
        await self.finish_requests()
        self.trace("at rest")
        for subscriber in self.everybody():
            count = len(self.log_of(subscriber).lines(subscriber.prefixes))
            await eventually_async(
                lambda: len(subscriber.delivered()) >= count, f"{count} events at the subscriber {subscriber.name}")

    def everybody(self):
        return [*self.subscribers, self.late]

    def log_of(self, subscriber):
        return self.log("notifier" if subscriber.prefixes == ["alert."] else "worker")

    def check_quota(self):
        """Checks that all calls the sandbox has seen are booked. Runs while the worker is dead, so that the counts agree.

        Each life of the worker books its own calls: bookings that a crash left without a call hide none of the next life.
        """
        seen_before, booked_before = self.seen, self.booked
        self.seen = self.harness.service_calls()
        self.booked = checker.check_quota(
            functools.partial(self.query, "worker"), self.seen, {"kobis": self.limit}, self.findings)
        for service, calls in self.seen.items():
            made, booked = calls - seen_before[service], self.booked[service] - booked_before[service]
            self.findings.require(
                made <= booked + CALLS_AT_ONCE, f"{service}: {made} calls were made in a life that booked {booked}")

    async def check_at_rest(self):
        self.check()

    def check(self):
        findings, requests, crashes = self.findings, self.requests, collections.Counter()
        for attack in self.attacks:
            findings.problems += attack.problems
            crashes[attack.process.role] += attack.count
        lives = self.check_logs(self.harness, self.has_small_disk, self.interruptions())
        checker.check_products(lives, requests, self.harness.products(), findings)
        self.check_refusals()
        for subscriber in self.everybody():
            checker.check_delivered(self.log_of(subscriber), subscriber, findings)
        worker_log = self.log("worker")
        compared = checker.check_truth(worker_log, self.upstream.answers(), findings)
        missed = collections.Counter()
        for name, heard in self.heard:
            missed[name] += checker.check_live(self.log(name), heard, findings)
        self.check_quota()
        self.figures.update({
            "crashes": crashes.total(),
            "worker crashes": crashes["worker"],
            "notifier crashes": crashes["notifier"],
            "orders to the shop": sum(topic.startswith("product.") for topic, _ in requests.sent.values()),
            "events that a plain subscriber missed": missed["worker"],
            "alerts that a plain subscriber missed": missed["notifier"],
            "events compared with the sandbox's answers": compared,
            "corrections": sum("corrections" in event["data"] for event in worker_log.stream("ranking")),
            "calls booked": sum(self.booked.values()),
            "calls that the sandbox saw": sum(self.seen.values()),
            "deliveries": sum(len(subscriber.delivered()) for subscriber in self.everybody()),
        })

    def interruptions(self):
        """Returns how many attempts to deliver a letter may have been interrupted."""
        return self.notifier_crashes.count

    def check_refusals(self):
        """Checks that good requests were refused only for the reasons that this round gives."""
        allowed = {"overloaded", "internal"} if self.has_small_disk else set()
        allowed |= {"dateOutOfRange"} if self.kind == CLOCK_JUMPS else set()
        strange = {code: count for code, count in self.requests.postponed.items() if code not in allowed}
        self.findings.require(not strange, f"good requests were refused: {strange}")

    async def end(self):
        """Checks that the processes shut down in order."""
        for process in [*reversed(self.members), self.harness.sandbox]:
            process.signal(signal.SIGTERM)
            status = await process.ended_async()
            self.findings.require(status == 0, f"{process.name}, asked to stop, ended with {status}")

    def keep_disk(self, disk):
        """Copies what the small disk holds, which is about to be unmounted, if something was found."""
        if self.findings.problems and self.has_small_disk:
            shutil.copytree(disk, self.folder / "small-disk")


class Round(ChaosTrial):
    """A trial whose attack injects all faults at once."""

    def __init__(self, program, folder, seed, crashes, reached, counts):
        super().__init__(program, folder, seed, crashes, reached)
        self.counts = counts
        self.kind = KINDS[self.number % len(KINDS)]
        # A day that the clock left and comes back to would be a pause of a day between two attempts.
        self.has_flaky_receiver = self.kind != CLOCK_JUMPS
        self.is_refusing = False

    async def attack(self):
        """Injects all faults at once, until all crashes are done and the fault of this kind of round was felt."""
        self.worker_crashes.is_patient = self.notifier_crashes.is_patient = self.has_calls
        injections = [
            faults.upstream_faults, faults.bad_connections, faults.stalled_subscribers, faults.stalled_processes]
        if self.kind == CLOCK_JUMPS:
            injections.append(faults.clock_jumps)
        if self.has_small_disk:
            injections.append(faults.full_disk)
        async with asyncio.TaskGroup() as tasks:
            at_work = [tasks.create_task(inject(self, self.branch())) for inject in injections]
            # The worker crashes until everything has happened.
            rest = tasks.create_task(self.crash_notifier())
            await self.worker_crashes.run(must_go_on=lambda: not rest.done())
            for task in at_work:
                task.cancel()

    def has_calls(self):
        """Whether the worker can call KOBIS. If not, there may be nothing that leads to a step."""
        return self.kind != SHORT_OF_CALLS and not self.is_refusing

    async def crash_notifier(self):
        """Crashes the notifier, and waits until the worker has met with the fault that this kind of round is for."""
        await self.notifier_crashes.run()
        if self.has_small_disk:
            await self.feel("full disk", lambda: "disk is full" in self.harness.worker.log())
        if self.kind == SHORT_OF_CALLS:
            await self.feel(
                "day short of calls", lambda: self.count("worker", f"quota where service = 'kobis' and used = {SCARCE}"))
        # As late as this, because it ends all calls to KOBIS.
        self.is_refusing = self.kind == REFUSED_CALLS
        if self.is_refusing:
            await self.feel("quota exhausted", lambda: self.count("worker", "quota_closing where service = 'kobis'"))

    async def feel(self, fault, is_felt):
        await eventually_async(is_felt, f"the worker meets with this: {fault}")
        self.trace(f"felt: {fault}")
        self.counts[fault] += 1

    def check(self):
        super().check()
        for crashes in self.attacks:
            for step, count in crashes.at_steps.items():
                self.figures[f"{crashes.process.name} at {step}"] += count
            self.counts["crash at a random instant"] += crashes.at_random
            self.counts["crash while starting"] += crashes.at_start
        self.counts["letter rejected"] += self.receiver.rejected
        self.counts["letter accepted without a response"] += self.receiver.unanswered


def kill_all(processes):
    for process in processes:
        process.kill()
