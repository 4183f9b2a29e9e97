"""Worker, notifier and board, each within the memory of docker-compose.yml, and a client that watches them."""

import json
import pathlib
import re
import resource
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request

import zmq

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "Fuzz"), str(HERE.parent / "Counterparts")]
import zmtp  # noqa: E402
from harness import PATIENCE, Failure, ProcessHarness, eventually  # noqa: E402
from memory_group import MemoryGroup  # noqa: E402

LIMITED = "worker", "notifier", "board"
DESCRIPTORS = 16_384  # as in docker-compose.yml
PASSWORD = "correct-horse-7"
READERS = [f"reader-{number}" for number in range(1, 9)]


def composed_limit():
    """Returns `mem_limit` of docker-compose.yml in bytes."""
    text = (HERE.parent.parent / "docker-compose.yml").read_text()
    return int(re.search(r"^  mem_limit: (\d+)m$", text, re.M)[1]) << 20


class Site(ProcessHarness):
    """The processes, each in a memory group of its own. The sandbox has no limit."""

    def __init__(self, program, folder, upstream, encrypted=True):
        limit = composed_limit()
        self.groups = {}
        self.upstream = upstream
        most = max(DESCRIPTORS, resource.getrlimit(resource.RLIMIT_NOFILE)[1])
        resource.setrlimit(resource.RLIMIT_NOFILE, (DESCRIPTORS, most))
        try:
            for role in LIMITED:
                self.groups[role] = MemoryGroup(role, limit)
            super().__init__(program, folder, upstream, {
                # The processes do not read groups of the first version.
                "MARQUEE_MEMORY": str(limit >> 20), "MARQUEE_BOARD_PASSWORD": PASSWORD, "MARQUEE_CLIENT_DAILY_MB": "64",
                "MARQUEE_OPENMARKET_IDENTIFIER": "5a4d5a4d-5a4d-4d5a-9d5a-4d5a4d5a4d5a",  # the sandbox's vendor
                "MARQUEE_OPENMARKET_SECRET": "sandbox-secret",
            }, encrypted=encrypted)
        except BaseException:
            self.remove_groups()
            raise
        self.pids = {role: self.children[role].pid for role in LIMITED}

    def make_keys(self):
        super().make_keys()
        for name, roles in [("requester", "request")] + [(name, "read,replay") for name in READERS]:
            subprocess.run([self.program, "keys", "new", "client", name, "--roles", roles], env=self.environment,
                           check=True, stdout=subprocess.DEVNULL)

    def command(self, role):
        if role == "sandbox":
            return super().command(role)
        self.environment["MARQUEE_OPENMARKET_URL"] = f"{self.upstream.url}/openmarket/v3"
        return self.groups[role].command(super().command(role))

    def kill(self):
        super().kill()
        self.remove_groups()

    def remove_groups(self):
        for group in self.groups.values():
            group.remove()
        self.groups = {}

    # Clients

    def keys(self, name):
        """Returns the keys of a client; None without encryption."""
        if "MARQUEE_CURVE_KEYS" not in self.environment:
            return None
        return zmtp.Keys(self.environment["MARQUEE_CURVE_KEYS"], name)

    def client(self, endpoint, name, kind=b"DEALER", source=None):
        """Returns a connection after its handshake."""
        return zmtp.ZMTPClient(self.address(endpoint), self.keys(name), source).handshake(kind)

    def ask(self, *frames, endpoint="commands"):
        """Returns the answer to a command of a client with all roles, over a connection of its own."""
        # As a client does whose connection was cut between its question and the answer, it asks again.
        for _ in range(int(PATIENCE / 10)):
            with zmq.Context.instance().socket(zmq.REQ) as socket:
                socket.linger = 0
                self.connect(socket, endpoint)
                socket.send_multipart(frames)
                if socket.poll(10_000):
                    return socket.recv_multipart()
        raise Failure(f"no answer to {frames[0].decode()} on {endpoint} within {PATIENCE:.0f} s")

    def fetch(self, role, path, body=None, headers={}):
        """Returns status, headers and body of an HTTP answer."""
        request = urllib.request.Request(self.page(role) + path, data=body, headers=headers)
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
                return answer.status, answer.headers, answer.read()
        except urllib.error.HTTPError as error:
            return error.code, error.headers, error.read()

    def metric(self, role, name):
        """Returns a metric's value; 0 if the process has not counted it yet."""
        _, _, page = self.fetch(role, "/metrics")
        found = re.search(rf"^{re.escape(name)} (\S+)$", page.decode(), re.M)
        return float(found[1]) if found else 0.0

    def request(self, topic, **fields):
        """Sends a request and waits for its end."""
        word, receipt = self.ask(topic.encode(), json.dumps(fields).encode())
        if word != b"accepted":
            raise Failure(f"{topic} was refused: {receipt.decode()}")
        return json.loads(receipt)["id"]

    def wait_for_queue(self):
        """Waits until no accepted request waits or is in progress."""
        def is_empty():
            accepted = self.metric("worker", "marquee_requests_accepted_total")
            _, _, page = self.fetch("worker", "/metrics")
            ended = sum(float(value) for value in re.findall(
                r"^marquee_requests_(?:done|failed)_total\{[^}]*\} (\S+)$", page.decode(), re.M))
            return ended >= accepted
        eventually(is_empty, "all requests end", 2 * PATIENCE)

    # Memory

    def reset_peaks(self):
        for pid in self.pids.values():
            pathlib.Path(f"/proc/{pid}/clear_refs").write_text("5")

    def peaks(self):
        """Returns the highest resident memory of each process since the reset, in MB."""
        def peak(pid):
            return int(re.search(r"VmHWM:\s+(\d+)", pathlib.Path(f"/proc/{pid}/status").read_text())[1]) / 1_024
        return {role: peak(pid) for role, pid in self.pids.items() if self.children[role].poll() is None}

    def check_survivors(self):
        """Checks that every process is the one that was started, and that no process of its group was killed."""
        for role, pid in self.pids.items():
            child = self.children[role]
            if child.poll() is not None or child.pid != pid:
                raise Failure(f"the {role} ended with {child.returncode}; kills by memory: {self.groups[role].kills()}; "
                              + self.log_tail(role)[-600:])
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
                    self.time(f"status {endpoint}", lambda: self.site.ask(b"status", b"{}", endpoint=endpoint)[0] == b"status")
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
