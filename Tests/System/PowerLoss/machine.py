"""The processes under test on disks that lose power, and what they have acknowledged so far."""

import functools
import hashlib
import pathlib
import shutil
import sqlite3
import tempfile

import checker
from disk import Disk, build_library
from installation import query
from process import Process
from processes import Site
from receiver import SECRET
from waiting import eventually_async

PLENTY = 10_000_000  # calls to KOBIS on a day


class Machine(Site):
    """An installation with a disk for each of the three processes that have data."""

    def __init__(self, program, folder, seed, receiver_url):
        super().__init__(program, folder, seed, PLENTY)
        libraries = f"{self.clock.environment['LD_PRELOAD']}:{build_library(folder)}"
        for name in ("backups", "curve"):
            (self.worker_data / name).mkdir()
        self.rules.write_text(f"sinks: {{hook: {{kind: webhook, url: '{receiver_url}', secret: {SECRET}}}}}\n")
        self.disks = {name: Disk(folder / name, libraries) for name in ("worker", "notifier", "board")}
        for name, disk in self.disks.items():
            self.processes[name].environment |= disk.environment()

    async def until_ready(self, name, wanted=200):
        """Returns the text of `/readyz` once its status is the one that is wanted."""
        def text():
            self.processes[name].check_runs()
            status, _, text = self.fetch(name, "/readyz")
            return status == wanted and [text.decode().strip()]
        return (await eventually_async(text, f"the status of {name}/readyz is {wanted}"))[0]

    def command(self, *words):
        """Returns a command of an operator, which works on the worker's disk."""
        environment = self.worker.environment.new_child({"MARQUEE_CURVE_KEYS": str(self.worker_data / "curve")})
        return Process("command", [self.program, *words], environment, self.folder / "command.log")


class Acknowledged:
    """What the processes have promised to outside, to be found on their disks after a power loss."""

    def __init__(self, machine, requests, receiver, findings):
        self.machine = machine
        self.requests = requests
        self.receiver = receiver
        self.findings = findings
        self.received = {"worker": [], "notifier": []}  # (topic, body) of each published event
        self.rows = {"worker": set(), "notifier": set()}  # of the logs, as of the last check
        self.files = {}  # path: digest

    def keep_file(self, path):
        """Takes a file as finished: a command has reported success, or the worker uses it."""
        self.files.setdefault(path, digest(path))

    def check(self, name, when):
        """Checks the disk of a process that is dead."""
        before = len(self.findings.problems)
        try:
            with tempfile.TemporaryDirectory() as scratch:
                self.check_disk(name, pathlib.Path(scratch))
        except (sqlite3.Error, OSError) as error:
            self.findings.require(False, f"{name}'s disk: {error!r}")
        for number in range(before, len(self.findings.problems)):
            self.findings.problems[number] += f" ({when})"

    def check_disk(self, name, scratch):
        folder = self.machine.folder / name
        for path in folder.glob("*.db*"):
            # In a copy: SQLite recovers the log when it opens the file.
            if not path.name.endswith("-shm"):
                shutil.copy(path, scratch)
        if name == "board":
            for path in scratch.glob("*.db"):
                self.require_whole(path)
            return
        database = scratch / f"{name}.db"
        self.require_whole(database)
        log = checker.Log(database.name, functools.partial(query, database))
        checker.check_log(log, self.findings)
        rows = set(log.rows)
        missing = self.rows[name] - rows
        self.findings.require(not missing, f"{len(missing)} events of {name}.db are gone")
        self.rows[name] = rows
        self.check_received(name, log)
        if name == "worker":
            self.check_worker(database)
        else:
            letters = {id for id, in query(database, "select alert from delivery")}
            strange = self.receiver.bodies.keys() - letters
            self.findings.require(not strange, f"letters were sent, of which the disk knows nothing: {list(strange)[:3]}")

    def check_received(self, name, log):
        """Checks that each event that a subscriber has received is in the log, with the same bytes."""
        written = {(topic.encode(), body) for _, _, topic, body in log.rows}
        lost = [topic for topic, body in self.received[name] if (topic, body) not in written]
        self.findings.lost += len(lost)
        self.findings.require(not lost, f"{len(lost)} events were published and are not in {name}.db: {lost[:3]}")

    def check_worker(self, database):
        inbox = {id for id, in query(database, "select id from inbox")}
        missing = [id for id in self.requests.receipted if id not in inbox]
        self.findings.lost += len(missing)
        self.findings.require(not missing, f"{len(missing)} requests with a receipt are gone: {missing[:3]}")
        checker.check_quota(functools.partial(query, database), self.machine.service_calls(), {}, self.findings)
        for path, content in self.files.items():
            self.findings.require(path.exists() and digest(path) == content, f"{path.name} is gone or differs")

    def require_whole(self, path):
        if path.exists():
            answer = query(path, "pragma integrity_check")
            self.findings.require(answer == [("ok",)], f"{path.name}: {answer[:3]}")


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()
