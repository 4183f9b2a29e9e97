"""Runs sandbox, worker, notifier and board as real processes, with their own ports and folders, and checks them."""

import json
import os
import pathlib
import signal
import subprocess
import time
import urllib.request

import zmq
import zmq.auth

ENDPOINTS = ["requests", "commands", "events", "alerts", "alert_commands"]
PAGES = ["worker", "notifier", "board", "sandbox"]
OWNED = {"sandbox": [], "worker": ENDPOINTS[:3], "notifier": ENDPOINTS[3:], "board": []}


class Failure(Exception):
    """A failed check, which ends the run."""


class ProcessHarness:
    """Starts the processes one after the other. `settings` are additional environment variables."""

    def __init__(self, program, folder, upstream=None, settings=None, encrypted=False):
        self.program, self.folder = str(program), pathlib.Path(folder)
        self.folder.mkdir(exist_ok=True)
        self.children = {}
        self.environment = {
            "PATH": os.environ["PATH"], "MARQUEE_DATA": f"{folder}/data", "MARQUEE_LOG_FORMAT": "json",
            "MARQUEE_KOBIS_KEY": "0" * 32, "MARQUEE_KAKAO_KEY": "0" * 32, "MARQUEE_PRIVATE_IMAGES": "allow",
            "MARQUEE_KOBIS_DAILY_LIMIT": "100000000", "MARQUEE_KAKAO_DAILY_LIMIT": "100000000",
            "MARQUEE_CLIENT_RATE": "100000", "MARQUEE_TRACEABLE": "yes",
        }
        self.environment |= {f"MARQUEE_{name.upper()}": "tcp://127.0.0.1:*" for name in ENDPOINTS}
        self.environment |= {f"MARQUEE_{name.upper()}_HTTP": "127.0.0.1:0" for name in PAGES}
        self.environment |= settings or {}
        if encrypted:
            self.make_keys()
        self.start("sandbox")
        url = upstream(self.page("sandbox")) if upstream else self.page("sandbox")
        self.environment |= {"MARQUEE_KOBIS_URL": f"{url}/kobisopenapi/webservice/rest", "MARQUEE_KAKAO_URL": url}
        try:
            for role in "worker", "notifier", "board":
                self.start(role)
        except Failure:
            self.end()
            raise

    def make_keys(self):
        """Enables encryption on all ZeroMQ sockets, with a key for the servers, one for clients, and one without roles."""
        self.environment |= {"MARQUEE_CURVE": "on", "MARQUEE_CURVE_KEYS": f"{self.folder}/keys"}
        for words in (("server", "server"), ("client", "client", "--roles", "read,request,replay,shop,operate"),
                      ("client", "nobody", "--roles", "none")):
            subprocess.run(
                [self.program, "keys", "new", *words], env=self.environment, check=True, stdout=subprocess.DEVNULL)

    def connect(self, socket, name, address=None):
        """Connects to an endpoint, or to `address` if it is given, with a key if encryption is on."""
        if keys := self.environment.get("MARQUEE_CURVE_KEYS"):
            socket.curve_serverkey, _ = zmq.auth.load_certificate(f"{keys}/server.key")
            socket.curve_publickey, socket.curve_secretkey = zmq.auth.load_certificate(f"{keys}/client.key_secret")
        socket.connect(address or self.address(name))

    def command(self, role):
        """Returns the command that runs a process."""
        return [self.program, role]

    def start(self, role):
        """Starts a process, and reads its addresses from its ready line."""
        log = self.folder / f"{role}.log"
        with open(log, "w") as errors:
            child = subprocess.Popen(
                self.command(role), env=self.environment, stdin=subprocess.DEVNULL, stdout=errors, stderr=errors)
        self.children[role] = child
        deadline = time.monotonic() + 60
        while not (ready := [line for line in log.read_text().splitlines() if f"{role} ready" in line]):
            if child.poll() is not None or time.monotonic() > deadline:
                raise Failure(f"the {role} did not start: {log.read_text()[-500:]}")
            time.sleep(0.05)
        line = json.loads(ready[0])
        for name in OWNED[role]:
            words = name.split("_")
            self.environment[f"MARQUEE_{name.upper()}"] = line[words[0] + "".join(map(str.capitalize, words[1:]))]
        self.environment[f"MARQUEE_{role.upper()}_HTTP"] = line.get("http") or line["address"]

    def address(self, name):
        return self.environment[f"MARQUEE_{name.upper()}"]

    def page(self, role):
        return "http://" + self.environment[f"MARQUEE_{role.upper()}_HTTP"]

    def ports(self):
        """Returns all listening ports."""
        texts = [self.address(name) for name in ENDPOINTS] + [self.page(role) for role in PAGES]
        return [int(text.rsplit(":", 1)[1]) for text in texts]

    def size(self, role):
        """Returns the memory in megabytes and the number of open descriptors."""
        pid = self.children[role].pid
        pages = int(pathlib.Path(f"/proc/{pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGESIZE") / 1e6, len(os.listdir(f"/proc/{pid}/fd"))

    def check(self, patience=120):
        """Checks that every process runs, serves its page and answers a command within `patience` seconds."""
        for role, child in self.children.items():
            if child.poll() is not None:
                raise Failure(f"the {role} ended with {child.returncode}: {self.log_tail(role)}")
        for role, page in ("worker", "/healthz"), ("notifier", "/healthz"), ("board", "/healthz"), ("sandbox", "/control"):
            with urllib.request.urlopen(self.page(role) + page, timeout=patience) as answer:
                if answer.status != 200:
                    raise Failure(f"{role}{page} returned status {answer.status}")
        for name in "commands", "alert_commands":
            socket = zmq.Context.instance().socket(zmq.REQ)
            socket.linger = 0
            self.connect(socket, name)
            socket.send_multipart([b"status", b"{}"])
            if not socket.poll(1000 * patience):
                raise Failure(f"no answer to `status` on {name} within {patience} s: the process hangs")
            socket.close()

    def log_tail(self, role):
        return (self.folder / f"{role}.log").read_text(errors="replace")[-2_000:]

    def end(self):
        """Sends SIGTERM to all processes, and returns those that did not end with status 0 within 20 s."""
        failed = []
        for role in reversed(list(self.children)):
            child = self.children[role]
            child.send_signal(signal.SIGTERM)
            try:
                if child.wait(20) != 0:
                    failed.append(f"{role}: exit {child.returncode}")
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()
                failed.append(f"{role}: did not end")
        return failed
