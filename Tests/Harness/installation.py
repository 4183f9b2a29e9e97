"""An installation of marquee: sandbox, worker, notifier and board, with addresses and a folder of their own."""

import collections
import contextlib
import json
import os
import pathlib
import sqlite3
import subprocess

from client import Client
from ports import reserve_port
from process import Process
from server import fetch
from suite import WITH_SUITE
from waiting import PATIENCE, Failure, eventually

ROLES = ["sandbox", "worker", "notifier", "board"]
OPTIONS = {"worker": ["--sandbox"], "board": ["--sandbox"]}
ENDPOINTS = ["requests", "commands", "events", "alerts", "alert_commands"]
# For suites that ask for more than an operator's limits allow.
BUSY = {"MARQUEE_KOBIS_DAILY_LIMIT": "100000000", "MARQUEE_KAKAO_DAILY_LIMIT": "100000000",
        "MARQUEE_CLIENT_RATE": "100000", "MARQUEE_TRACEABLE": "yes"}
TIMED_OUT = 4  # the exit status of a command that got no answer


class Installation:
    """The four processes. Nothing runs before `start`; all are stopped at the end of the `with`.

    `settings` are further environment variables of all; a process's own are in its `environment`. `arguments` are further
    words of the command lines by role.
    """

    def __init__(self, program, folder, settings={}, arguments={}):
        self.program, self.folder = pathlib.Path(program).resolve(), pathlib.Path(folder)
        self.data = self.folder / "data"
        self.data.mkdir(parents=True, exist_ok=True)
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("MARQUEE_")}
        self.environment |= {"MARQUEE_DATA": str(self.data), "MARQUEE_PRIVATE_IMAGES": "allow"}
        self.environment |= {f"MARQUEE_{role.upper()}_HTTP": f"127.0.0.1:{reserve_port()}" for role in ROLES}
        self.take_addresses()
        self.environment |= settings
        self.processes = {
            role: Process(role, [self.program, role, *OPTIONS.get(role, []), *arguments.get(role, [])],
                          collections.ChainMap({}, self.environment), self.folder / f"{role}.log")
            for role in ROLES}
        self.client = Client(self.environment)

    def take_addresses(self):
        """Gives the endpoints addresses that they did not have before."""
        self.environment |= {f"MARQUEE_{name.upper()}": f"tcp://127.0.0.1:{reserve_port()}" for name in ENDPOINTS}

    def encrypt(self, **roles):
        """Enables encryption, with a key for the servers and one with these roles for each client."""
        self.environment |= {"MARQUEE_CURVE": "on", "MARQUEE_CURVE_KEYS": f"{self.folder}/keys"}
        self.must("keys", "new", "server", "server")
        for name, words in roles.items():
            self.must("keys", "new", "client", name, "--roles", words)

    def lead_through(self, upstream):
        """Puts an HTTP server before the sandbox; both name an address of host and port."""
        for role in "worker", "board":
            self.processes[role].environment["MARQUEE_SANDBOX_HTTP"] = upstream

    # Processes

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        try:
            if kind is None:
                self.stop()
            elif kind is not SystemExit:
                for role, process in self.processes.items():
                    print(f"the log of the {role} ends with\n{process.log_tail()}", flush=True)
        finally:
            self.kill()

    def start(self, *roles):
        """Starts processes one after the other, all four without names; each is ready before the next is started."""
        for role in roles or ROLES:
            self.processes[role].start()
            eventually(self.processes[role].is_ready, f"the {role} is ready")

    def stop(self, *roles):
        """Stops processes, without names all that were started."""
        for role in roles or reversed(ROLES):
            if self.processes[role].child:
                self.processes[role].stop()

    def kill(self):
        for process in self.processes.values():
            process.kill()

    def check(self):
        """Checks that every process runs, serves its page and answers a command."""
        for role, process in self.processes.items():
            process.check_runs()
            page = "/control" if role == "sandbox" else "/healthz"
            if (status := self.fetch(role, page)[0]) != 200:
                raise Failure(f"{role}{page} returned status {status}")
        for name in "commands", "alert_commands":
            self.client.ask(b"status", {}, endpoint=name)

    def marquee(self, *words, **changes):
        """Runs a command, with changes to its environment. Returns its exit status and what it printed."""
        done = subprocess.run([*WITH_SUITE, self.program, *words], env=self.environment | changes, text=True,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=2 * PATIENCE)
        return done.returncode, (done.stdout + done.stderr).strip()

    def must(self, *words, **changes):
        """Returns what a command printed that succeeds, at the latest once the process answers in its time."""
        def done():
            status, printed = self.marquee(*words, **changes)
            if status not in (0, TIMED_OUT):
                raise Failure(f"marquee {' '.join(map(str, words))}: exit {status}: {printed}")
            return status == 0 and [printed]
        return eventually(done, f"marquee {' '.join(map(str, words))}")[0]

    # Addresses and pages

    def address(self, name):
        return self.environment[f"MARQUEE_{name.upper()}"]

    def port(self, name):
        """Returns the port of an endpoint, or of a role's page."""
        return int(self.environment[f"MARQUEE_{name.upper()}" + ("_HTTP" if name in ROLES else "")].rsplit(":", 1)[1])

    def page(self, role):
        return f"http://127.0.0.1:{self.port(role)}"

    def fetch(self, role, path, body=None, method=None, headers={}):
        """Returns status, headers and body of an answer, whatever the status."""
        return fetch(self.page(role) + path, body, headers, method)

    def metric(self, role, name):
        """Returns the sum of a metric's samples, or with labels in the name one sample; 0 before it was counted."""
        samples = [line.rpartition(" ") for line in self.fetch(role, "/metrics")[2].decode().splitlines()]
        return sum(float(value) for sample, _, value in samples if sample == name or sample.startswith(f"{name}{{"))

    def control(self, **switches):
        """Sets these switches of the sandbox, and resets all others."""
        status, _, answer = self.fetch("sandbox", "/control", json.dumps(switches).encode(), "PUT")
        if status != 200:
            raise Failure(f"the sandbox does not know {switches}: {answer.decode()}")

    def calls(self, path=""):
        """Returns the number of requests that the sandbox has seen of paths with this part."""
        counts = json.loads(self.fetch("sandbox", "/control")[2])["requests"]
        return sum(count for name, count in counts.items() if path in name)

    def rows(self, database, sql):
        """Returns rows of a process's database."""
        return query(f"{self.environment['MARQUEE_DATA']}/{database}", sql)


def query(path, sql):
    """Returns the rows of a database that a process may have open."""
    with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        return connection.execute(sql).fetchall()
