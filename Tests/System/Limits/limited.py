"""Worker, notifier and board, each within the memory of docker-compose.yml, and a client that watches them."""

import pathlib
import re
import resource
import threading
import time

import zmtp
from installation import BUSY, Installation
from memory_group import MemoryGroup
from waiting import PATIENCE, Failure, eventually

LIMITED = "worker", "notifier", "board"
DESCRIPTORS = 16_384  # as in docker-compose.yml
PASSWORD = "correct-horse-7"
READERS = [f"reader-{number}" for number in range(1, 9)]


def composed_limit():
    """Returns `mem_limit` of docker-compose.yml in bytes."""
    text = (pathlib.Path(__file__).resolve().parents[3] / "docker-compose.yml").read_text()
    return int(re.search(r"^  mem_limit: (\d+)m$", text, re.M)[1]) << 20


class Site(Installation):
    """The processes, each in a memory group of its own. The sandbox has no limit."""

    def __init__(self, program, folder, upstream):
        limit = composed_limit()
        self.groups = {}
        self.upstream = upstream
        most = max(DESCRIPTORS, resource.getrlimit(resource.RLIMIT_NOFILE)[1])
        resource.setrlimit(resource.RLIMIT_NOFILE, (DESCRIPTORS, most))
        super().__init__(program, folder, BUSY | {
            # The processes do not read groups of the first version.
            "MARQUEE_MEMORY": str(limit >> 20), "MARQUEE_BOARD_PASSWORD": PASSWORD, "MARQUEE_CLIENT_DAILY_MB": "64"})
        self.upstream.sandbox = self.page("sandbox")
        self.lead_through(upstream.address)
        self.encrypt(client="read,request,replay,shop,operate", nobody="none", requester="request",
                     **{name: "read,replay" for name in READERS})
        try:
            for role in LIMITED:
                self.groups[role] = MemoryGroup(role, limit)
                self.processes[role].command = self.groups[role].command(self.processes[role].command)
            self.start()
        except BaseException:
            self.kill()
            raise
        self.pids = {role: self.processes[role].child.pid for role in LIMITED}

    def kill(self):
        super().kill()
        for group in self.groups.values():
            group.remove()
        self.groups = {}

    # Clients

    def connection(self, endpoint, name, kind=b"DEALER", source=None):
        """Returns a connection after its handshake."""
        keys = zmtp.Keys(self.environment["MARQUEE_CURVE_KEYS"], name)
        return zmtp.ZMTPClient(self.address(endpoint), keys, source).handshake(kind)

    def wait_for_queue(self):
        """Waits until no accepted request waits or is in progress."""
        def is_empty():
            accepted = self.metric("worker", "marquee_requests_accepted_total")
            ended = sum(self.metric("worker", f"marquee_requests_{how}_total") for how in ("done", "failed"))
            return ended >= accepted
        eventually(is_empty, "all requests end", 2 * PATIENCE)

    # Memory

    def reset_peaks(self):
        for role in LIMITED:
            self.processes[role].reset_peak()

    def peaks(self):
        """Returns the highest resident memory of each process since the reset, in MB."""
        return {role: self.processes[role].memory("VmHWM") for role in LIMITED if self.processes[role].is_running}

    def check_survivors(self):
        """Checks that every process is the one that was started, and that no process of its group was killed."""
        for role, pid in self.pids.items():
            process = self.processes[role]
            if not process.is_running or process.child.pid != pid:
                raise Failure(f"the {role} ended with {process.child.returncode}; "
                              f"kills by memory: {self.groups[role].kills()}; {process.log_tail()[-600:]}")
            if kills := self.groups[role].kills():
                raise Failure(f"the kernel killed {kills} processes of the {role} for its memory")


class Watcher:
    """A client that asks for `status` and `/healthz` all the time; a context of `with`."""

    def __init__(self, site):
        self.site = site
        self.ended = threading.Event()
        self.error = None
        self.rounds = 0
        self.slowest = {}

    def __enter__(self):
        self.thread = threading.Thread(target=self.watch, daemon=True)
        self.thread.start()
        return self

    def __exit__(self, kind, *_):
        self.ended.set()
        self.thread.join()
        if self.error and kind is None:
            raise Failure(f"another client was not served: {self.error}")

    def watch(self):
        try:
            while not self.ended.is_set():
                for endpoint in "commands", "alert_commands":
                    self.time(f"status {endpoint}", lambda: self.site.client.ask(b"status", {}, endpoint=endpoint)[0] == b"status")
                for role in LIMITED:
                    self.time(f"/healthz {role}", lambda: self.site.fetch(role, "/healthz")[0] == 200)
                self.rounds += 1
        except (Failure, OSError) as error:
            self.error = error

    def time(self, name, ask):
        began = time.monotonic()
        if not ask():
            raise Failure(f"wrong answer to {name}")
        self.slowest[name] = max(self.slowest.get(name, 0), time.monotonic() - began)

    def wait(self):
        """Waits until every process has answered once more from now on."""
        wanted = self.rounds + 2
        while self.rounds < wanted and not self.error:
            self.ended.wait(0.02)
