"""The chaos suite of a cluster: several workers and notifiers with one PostgreSQL database.

Processes are killed, frozen, left away and stopped, the server is killed, the network to it is cut, and the same is checked
as for one worker and notifier. Any worker takes any request, and each one's stream is checked.
"""

import asyncio
import collections
import functools
import itertools
import pathlib
import shutil
import signal
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Harness"))
import faults  # noqa: E402, the path comes first
from client import Client  # noqa: E402
from postgresql import PostgreSQLServer, address  # noqa: E402
from process import Process  # noqa: E402
from processes import Site, run_until_told  # noqa: E402
from proxy import Proxy  # noqa: E402
from round import SHORT_OF_CALLS, STREAMS, ChaosTrial, Subscriber  # noqa: E402
from trial import conclude, make_parser, play, report  # noqa: E402
from waiting import eventually, eventually_async  # noqa: E402

CRASHES_PER_ROUND = 20
# The endpoints that a process binds, each on a host of its own and with the ports of the first.
BOUND = {"worker": ["requests", "commands", "events", "worker_http"], "notifier": ["alerts", "alert_commands", "notifier_http"]}
TAKEN = "another process has taken this one's place"
AWAY = "check that the server runs and that this machine reaches it"
BUSY = "another program keeps it busy"  # such as two that froze in a transaction, one after the other
# What each round has at least once.
KINDS = [
    *[f"{role} {kind}" for role in BOUND for kind in ("killed", "stopped", "stalled", "frozen", "away")],
    "server restarted", "server replaced", *[f"connection {kind}" for kind in ("cut", "delayed", "refused", "silent")]]


class Cluster(Site):
    """An installation with several workers and notifiers."""

    def __init__(self, program, folder, seed, kobis_limit, workers, notifiers):
        super().__init__(program, folder, seed, kobis_limit)
        self.workers = self.equals("worker", workers)
        self.notifiers = self.equals("notifier", notifiers)
        self.environment["MARQUEE_WORKERS"] = ",".join(host(number) for number in range(1, workers + 1))

    def equals(self, role, count):
        """Returns a role's process and further ones, each with a folder of its own."""
        first = self.processes[role]
        processes = [first]
        for number in range(2, count + 1):
            name, environment = f"{role} {number}", first.environment.new_child()
            folder = self.folder / name.replace(" ", "-")
            folder.mkdir()
            environment["MARQUEE_DATA"] = str(folder)
            for name in BOUND[role]:
                variable = f"MARQUEE_{name.upper()}"
                environment[variable] = environment[variable].replace(host(1), host(number))
            processes.append(Process(f"{role} {number}", first.command, environment, f"{folder}.log"))
        return processes


def host(number):
    return f"127.0.0.{number}"


class Attack(faults.Crashes):
    """Crashes one of several processes, also in ways that let another one take its place."""

    KINDS = faults.Crashes.KINDS + ["stalled"] * 4 + ["stopped"] * 3 + ["frozen", "away"] * 2
    IMPATIENCE = 5, 15  # a notifier may have to wait for its place first

    def __init__(self, *arguments, counts):
        super().__init__(*arguments)
        self.counts = counts
        self.is_patient = lambda: False  # the others may do what leads to a step

    async def crash(self, kind):
        if kind not in ("stalled", "frozen", "stopped", "away"):
            return await super().crash(kind)
        self.process.start()
        await asyncio.sleep(self.rng.uniform(0.5, 3))
        if not self.process.is_running:
            self.kinds = itertools.chain([kind], self.kinds)  # once it can start
            return await self.ended_by_itself(self.process.child.returncode)
        self.count_as(kind)
        self.trace(f"{self.process.name} {kind}")
        match kind:
            case "stopped":
                self.process.signal(signal.SIGTERM)
                if (status := await self.process.ended_async()) != 0:
                    await self.ended_by_itself(status)
            case "away":
                await self.end_after(0)
                await asyncio.sleep(self.rng.uniform(16, 20))
            case _:
                self.process.signal(signal.SIGSTOP)
                await asyncio.sleep(self.rng.uniform(0.2, 3) if kind == "stalled" else self.rng.uniform(16, 20))
                self.process.signal(signal.SIGCONT)
                await self.end_after(self.rng.uniform(0.5, 3))

    async def kill(self, *arguments, **words):
        await super().kill(*arguments, **words)
        self.count_as("killed")

    def count_as(self, kind):
        self.counts[f"{self.process.role} {kind}"] += 1

    def has_said(self, words):
        """Whether the process has said so since it was started."""
        return words in self.process.log(self.process.began)

    def may_end(self, status):
        """A start fails while the server is away or busy, and a notifier that was away too long has lost its place."""
        if status == 1 and self.process.role == "notifier" and self.has_said(TAKEN):
            self.count_as("replaced")
            return True
        is_start = not self.has_said(f"{self.process.role} ready")
        return status == 1 and is_start and (self.has_said(AWAY) or self.has_said(BUSY))


class ClusterRound(ChaosTrial):
    """A trial of several workers and notifiers."""

    has_flaky_receiver = True

    def __init__(self, program, folder, seed, crashes, reached, workers, notifiers):
        super().__init__(program, folder, seed, crashes, reached)
        self.workers, self.notifiers = workers, notifiers
        self.counts = collections.Counter()
        self.kind = SHORT_OF_CALLS if self.number % 2 == 0 else ""
        self.is_refusing = self.is_ending = False

    # Processes

    def make_harness(self, closing):
        self.server = PostgreSQLServer(self.folder / "server")
        closing.callback(self.server.kill)
        self.standby = PostgreSQLServer(self.folder / "standby", primary=self.server)
        closing.callback(self.standby.kill)
        return Cluster(self.program, self.folder, self.number, self.limit, self.workers, self.notifiers)

    def connect(self):
        harness = self.harness
        self.proxies = []  # to the servers, one for each process
        self.attacks = []
        for processes, steps in (harness.workers, faults.WORKER_STEPS), (harness.notifiers, faults.NOTIFIER_STEPS):
            for process in processes:
                proxies = [Proxy(f"tcp://127.0.0.1:{server.port}") for server in (self.server, self.standby)]
                self.proxies += proxies
                process.environment["MARQUEE_DATABASE"] = address(*proxies)
                self.attacks.append(Attack(
                    process, steps, self.branch(), -(-self.crashes // (self.workers + self.notifiers)), self.reached,
                    self.trace, counts=self.counts))
        commands, events = self.addresses("commands", harness.workers), self.addresses("events", harness.workers)
        alerts = self.addresses("alerts", harness.notifiers)
        self.asking, self.announcing = commands, self.addresses("requests", harness.workers)
        self.live = [("worker", address) for address in events] + [("notifier", address) for address in alerts]
        every = self.folder, ",".join(events), ",".join(commands)
        self.subscribers = [
            *[Subscriber(f"of worker {number}", self.folder, *pair, STREAMS)
              for number, pair in enumerate(zip(events, commands), 1)],
            Subscriber("of all", *every, STREAMS),
            Subscriber("charts", *every, ["ranking.day.all."]),
            Subscriber("alerts", self.folder, ",".join(alerts),
                       ",".join(self.addresses("alert_commands", harness.notifiers)), ["alert."]),
        ]
        self.late = Subscriber("late", *every, STREAMS)

    def addresses(self, name, processes):
        return [process.environment[f"MARQUEE_{name.upper()}"] for process in processes]

    async def begin(self):
        """Gives all workers the key that the first one has made."""
        await super().begin()
        for worker in self.harness.workers[1:]:
            shutil.copy(self.harness.worker_data / "worker-seal.key", worker.environment["MARQUEE_DATA"])

    def query(self, name, sql):
        return self.server.rows(name, sql)

    def hear(self, topic, body):
        super().hear(topic, body)
        if self.kind and topic.startswith(b"request.failed.") and b'"quotaExhausted"' in body:
            self.counts[self.kind] += 1

    # The attack

    async def attack(self):
        injections = [
            faults.upstream_faults, faults.stalled_subscribers,
            functools.partial(faults.bad_connections, kinds=("cut", "delayed", "refused", "silent"))]
        async with asyncio.TaskGroup() as tasks:
            at_work = [tasks.create_task(inject(self, self.branch())) for inject in injections]
            server = tasks.create_task(self.crash_server(self.branch(), max(2, self.crashes // 10)))
            attacks = [
                tasks.create_task(attack.run(must_go_on=lambda: not server.done() or self.missing()))
                for attack in self.attacks]
            await asyncio.wait(attacks)
            for task in at_work:
                task.cancel()

    def missing(self):
        """Returns what the round has not had yet; without it, one that did nothing would pass."""
        return [kind for kind in [*KINDS, *filter(None, [self.kind])] if not self.counts[kind]]

    async def crash_server(self, rng, count):
        for what in itertools.islice(faults.each_first(rng, ["server restarted", "server replaced"]), count):
            await asyncio.sleep(rng.uniform(2, 8))
            self.trace("server killed")
            await asyncio.to_thread(self.server.kill)
            await asyncio.sleep(rng.choice([0, rng.uniform(0, 4)]))
            await asyncio.to_thread(self.restart_server if what == "server restarted" else self.promote_standby)
            self.trace(what)
            self.counts[what] += 1

    def restart_server(self):
        self.server.start()
        # What was seen before the standby had it is lost if the standby is promoted too early.
        self.server.wait_for_standby()

    def promote_standby(self):
        self.server, self.standby = self.standby, self.server
        self.server.promote()
        eventually(lambda: self.server.query("select pg_is_in_recovery()") == "f", "the standby is promoted")
        self.standby.follow(self.server)

    async def come_to_rest(self):
        self.listeners.append(asyncio.create_task(self.keep_running()))
        await super().come_to_rest()
        await eventually_async(self.notifier_at_work, "a notifier is at work")

    async def finish_clients(self):
        """Restarts the workers behind the last request, so that none comes late that was published without a receipt."""
        await super().finish_clients()
        for worker in self.harness.workers:
            await eventually_async(lambda: worker.is_running and worker.is_ready(), f"{worker.name} is ready")
            worker.signal(signal.SIGTERM)
            status = await worker.ended_async()
            self.findings.require(status == 0, f"{worker.name}, asked to stop, ended with {status}")
            worker.start()
        self.trace("workers restarted")

    async def keep_running(self):
        """Starts again who has ended, as the last fault of an attack lets some."""
        while not self.is_ending:
            for attack in self.attacks:
                if not attack.process.is_running and attack.process.child.returncode != 0:
                    await attack.ended_by_itself(attack.process.child.returncode)
                    attack.process.start()
            await asyncio.sleep(0.1)

    # The checks

    def notifier_at_work(self):
        """Returns the one that does not wait for its place."""
        return next((one for one in self.harness.notifiers if one.is_running and one.is_ready()), None)

    def readers(self, site):
        return [
            *[("worker", Client(worker.environment), "commands") for worker in site.workers],
            ("notifier", Client(self.notifier_at_work().environment), "alert_commands")]

    def interruptions(self):
        """Each crash, freeze, cut and restart of the server may interrupt the delivery of one letter."""
        return sum(
            count for kind, count in self.counts.items() if kind.startswith(("notifier ", "server ", "connection ")))

    async def check_at_rest(self):
        await asyncio.to_thread(self.check)  # it asks processes that need the proxies

    def check(self):
        self.findings.problems += [f"the round had no {kind}" for kind in self.missing()]
        super().check()
        self.figures.update(self.counts)

    def check_refusals(self):
        """Checks that good requests were refused only because the server was away."""
        strange = self.requests.postponed.keys() - {"overloaded", "internal"}
        self.findings.require(not strange, f"good requests were refused: {strange}")

    async def end(self):
        self.is_ending = True
        await super().end()


async def main():
    parser = make_parser("cluster", __doc__.splitlines()[0], crashes=120)
    parser.add_argument("--workers", type=int, default=3, help="how many (default 3)")
    parser.add_argument("--notifiers", type=int, default=2, help="how many (default 2)")
    options = parser.parse_args()
    print(f"chaos of {options.workers} workers and {options.notifiers} notifiers: seed {options.seed}", flush=True)
    total, reached, began = collections.Counter(), collections.Counter(), time.monotonic()
    failed = []
    rounds = [options.round] if options.round else range(1, -(-options.crashes // CRASHES_PER_ROUND) + 1)
    for number in rounds:
        crashes = min(CRASHES_PER_ROUND, options.crashes - CRASHES_PER_ROUND * (number - 1))
        round = await play(ClusterRound, options.program, f"{options.seed}/{number}", crashes, reached,
                           options.workers, options.notifiers, keep=options.keep)
        total.update(round.figures)
        if round.findings.problems:
            failed.append(number)
    steps = [("worker", step) for step in faults.WORKER_STEPS] + [("notifier", step) for step in faults.NOTIFIER_STEPS]
    report(dict(total) | {f"{role} at {step}": reached[role, step] for role, step in steps}, began)
    return conclude(options.seed, total, len(rounds), failed)


sys.exit(run_until_told(main()))
