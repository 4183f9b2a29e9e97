"""A round: processes with clients, power losses and deaths in between, faults of their disks, and the checks at the end."""

import asyncio
import collections
import contextlib
import functools
import signal

import checker
import faults
import scenarios
import troubles
from disk import Fate, RigError
from installation import query
from machine import Acknowledged, Machine
from receiver import Receiver
from trial import Trial
from waiting import PATIENCE, Failure, eventually_async

STEPS = {"worker": faults.WORKER_STEPS, "notifier": faults.NOTIFIER_STEPS}
# Whose disks lose power together: a machine with all three more often than one that has a process alone.
GROUPS = [("worker", "notifier", "board")] * 3 + [("worker",), ("worker",), ("notifier",), ("board",)]


class Round(Trial):
    """The processes of a round, and its figures."""

    def __init__(self, program, folder, seed, crashes, lie=None):
        super().__init__(folder, seed, crashes)
        self.lie = lie  # files that the disks do not sync, maybe none; such a round ends with the first problem
        self.deaths = collections.Counter()
        self.receiver = Receiver(self.branch(), is_flaky=True)
        self.machine = Machine(program, folder, self.number, self.receiver.url)
        self.last = "nothing"  # what happened last to a disk, for messages

    async def run(self):
        machine = self.machine
        async with contextlib.AsyncExitStack() as closing:
            closing.callback(self.receiver.close)
            closing.callback(self.context.destroy, linger=0)
            closing.push_async_callback(self.end_tasks)
            closing.callback(machine.kill)
            try:
                await self.begin()
                await self.lose_power_again_and_again()
                if self.lie is None:
                    await scenarios.make_a_backup(self)
                    await scenarios.fail_a_checkpoint(self)
                    await troubles.trouble_disks(self)
                    with self.findings.taking_failures():
                        await self.come_to_rest()
                    self.check()
                    await scenarios.restore_a_backup(self)
            except (RigError, Failure) as error:
                self.findings.require(False, f"{error}")
            except Ended:
                pass

    async def begin(self):
        machine = self.machine
        machine.start("sandbox")
        await self.make_requests(machine)
        self.acknowledged = Acknowledged(machine, self.requests, self.receiver, self.findings)
        if self.lie == ".":  # the names of the databases are synced once
            self.ignore_syncs()
        for name in machine.disks:
            await self.start(name)
        if self.lie:
            self.ignore_syncs()
        # Events in the log before the notifier reads it for the first time fire no alerts.
        await eventually_async(
            lambda: "all charts are read" in machine.notifier.log(), "the notifier has read all charts")
        for name, endpoint in [("worker", "events"), ("notifier", "alerts")]:
            self.listen(machine.address(endpoint), self.acknowledged.received[name])
        self.start_clients([machine.address("commands")], [machine.address("requests")], pause=0.4)

    def ignore_syncs(self):
        for disk in self.machine.disks.values():
            disk.ignore_syncs(self.lie)

    # Starts

    async def start(self, name, *arguments):
        """Starts a process, and waits until it answers unless it is to die at a step."""
        process = self.machine.processes[name]
        process.start(*arguments)
        if arguments:
            return
        try:
            await eventually_async(process.is_ready, f"the {name} is ready")
        except Failure as failure:
            self.findings.lost += 1
            self.fail(f"{name} does not start after {self.last}: {failure}")
        if name == "worker":
            self.acknowledged.keep_file(self.machine.worker_data / "worker-seal.key")

    def fail(self, problem):
        self.findings.require(False, problem)
        raise Ended

    # Power losses

    async def lose_power_again_and_again(self):
        step_numbers = collections.Counter({name: self.rng.randrange(len(steps)) for name, steps in STEPS.items()})
        for number in range(self.crashes):
            group = self.rng.choice(GROUPS)
            step = None
            if group[0] in STEPS and self.rng.random() < 0.5:
                step = STEPS[group[0]][step_numbers[group[0]] % len(STEPS[group[0]])]
                step_numbers[group[0]] += 1
                await self.start_again(group[0], "--crash-at", f"{step}:{self.rng.randint(1, 8)}")
            command = self.start_command(number) if "worker" in group and self.rng.random() < 0.4 else None
            await self.wait_for_moment(group[0], step)
            await self.crash(group, has_power=self.rng.random() < 0.2, command=command)
            if self.lie is not None and self.findings.problems:
                raise Ended
            for name in group:
                await self.start(name)

    async def start_again(self, name, *arguments):
        self.machine.processes[name].kill()
        self.deaths[name] += 1
        self.machine.disks[name].lose_process()
        await self.start(name, *arguments)

    async def wait_for_moment(self, name, step):
        """Waits for a time, or until a process has died at its step."""
        if step is None:
            return await asyncio.sleep(self.rng.uniform(0.05, 1.2))
        # What lying disks have lost may keep a process from its step.
        within = PATIENCE if self.lie is None else self.rng.uniform(1, 3)
        status = await self.machine.processes[name].ended_async(within)
        self.figures[f"{name} at {step}"] += status == -signal.SIGKILL
        self.findings.require(status is not None or self.lie is not None, f"the {name} never came to {step}")

    def start_command(self, number):
        """Starts a backup, or makes a pair of keys, and returns the command with the files that it must leave."""
        data = self.machine.worker_data
        if self.rng.random() < 0.5:
            paths = [data / "backups" / f"{number}.db"]
            command = self.machine.command("backup", paths[0])
        else:
            paths = [data / "curve" / f"{number}.key_secret", data / "curve" / "clients" / f"{number}.key"]
            command = self.machine.command("keys", "new", "client", f"{number}")
        command.start()
        return command, paths

    async def crash(self, group, has_power, command=None, leaves=None):
        """Kills processes, and takes the power from their disks unless it stays; then checks what is left."""
        processes = [self.machine.processes[name] for name in group]
        if command:
            succeeded = command[0].ended(0) == 0
            command[0].kill()
            if succeeded:
                self.figures["commands that had succeeded"] += 1
                for path in command[1]:
                    self.acknowledged.keep_file(path)
        for process in processes:
            if process.is_running:
                process.signal(signal.SIGKILL)
            elif process.child.returncode != -signal.SIGKILL:
                self.findings.require(False, f"{process.name} ended by itself with {process.child.returncode}: "
                                             f"{process.log_tail()}")
        for process in processes:
            process.kill()
        self.deaths.update(group)
        for name in group:
            disk = self.machine.disks[name]
            if has_power:
                await asyncio.to_thread(disk.lose_process)
                self.last = "a death with power"
                self.figures["deaths with power"] += 1
            else:
                fate = self.fate(leaves)
                await asyncio.to_thread(disk.lose_power, fate)
                self.last = f"a power loss that left {fate.kind} of what was not synced, {fate.kept} and not {fate.dropped}"
                self.figures[f"power losses of the {name}"] += 1
                self.figures["writes dropped"] += fate.dropped
                self.figures["writes kept though not synced"] += fate.kept
            self.trace(f"{name}: {self.last}")
            await asyncio.to_thread(self.acknowledged.check, name, f"{self.seed}, {self.last}")
        self.figures["crashes"] += 1

    def fate(self, leaves=None):
        return Fate(self.branch(), leaves)

    # The end

    async def come_to_rest(self):
        await self.finish_requests()
        for name in self.machine.disks:
            await self.machine.until_ready(name)
        await eventually_async(self.board_is_complete, "the board's last event")

    def board_is_complete(self):
        """Whether the board has the last revision of each chart, and all alerts."""
        path = self.folder / "board" / "board.db"
        charts = dict(query(path, "select topic, revision from chart"))
        alerts = {sequence for sequence, in query(path, "select sequence from alert")}
        log = self.log("worker")
        revisions = {
            topic: event["data"]["revision"] for (stream, _, topic, _), event in zip(log.rows, log.events)
            if stream == "ranking"}
        return charts == revisions and alerts == {row[1] for row in self.log("notifier").rows}

    async def until_written(self, name):
        """Waits until a process has written more to its database."""
        rows = {"worker": "event", "notifier": "event", "board": "alert"}[name]
        count = self.count(name, rows)
        await eventually_async(lambda: self.count(name, rows) > count, f"the {name} writes to its database")

    def check(self):
        self.check_logs(self.machine, may_refuse=True, interruptions=self.deaths["notifier"])
        for name in "worker", "notifier":
            self.acknowledged.check_received(name, self.log(name))
        checker.check_quota(functools.partial(self.query, "worker"), self.machine.service_calls(), {}, self.findings)
        self.figures.update({
            "events received live": sum(map(len, self.acknowledged.received.values())),
            "backups and keys": len(self.acknowledged.files) - 1,
        })


class Ended(Exception):
    """The round has found a problem after which it cannot go on."""
