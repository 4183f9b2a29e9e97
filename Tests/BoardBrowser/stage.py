"""marquee's processes on ports and folders of their own, and how a test says what holds."""

import ctypes
import json
import os
import pathlib
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import traceback
import urllib.error
import urllib.request

PATIENCE = 60  # seconds, for each thing that must happen
KILL_WITH_PARENT = 1  # PR_SET_PDEATHSIG
libc = ctypes.CDLL(None)
passed = failed = 0


class Failure(Exception):
    """What did not hold; ends the test."""


def check(holds, what):
    """Counts and prints something that holds, or ends the test."""
    global passed
    if not holds:
        raise Failure(what)
    passed += 1
    print(f"ok   {what}", flush=True)


def run(name, test):
    """Runs a test, and counts it if it fails."""
    global failed
    print(f"     {name.replace('_', ' ')}", flush=True)
    try:
        test()
    except Exception as failure:  # the next test is run all the same
        failed += 1
        print(f"FAIL {name}: {failure!r}", flush=True)
        if not isinstance(failure, Failure):
            traceback.print_exc()


def end():
    """Says how it went, and ends the program."""
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed or not passed else 0)


def wait_until(holds, what):
    """Waits until `holds()` is true, and returns what it returned; errors on the way count as not yet."""
    deadline = time.monotonic() + PATIENCE
    error = None
    while time.monotonic() < deadline:
        try:
            value = holds()
            if value:
                return value
        except Exception as caught:  # whatever is not there yet
            error = caught
        time.sleep(0.05)
    raise Failure(f"not within {PATIENCE} s: {what}" + (f" ({error})" if error else ""))


def free_port():
    """A port that nobody uses now, below those that the system hands out by itself, so that a restart finds it free."""
    while True:
        port = random.SystemRandom().randrange(15_000, 32_000)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
                return port
            except OSError:
                continue


class Stage:
    """Sandbox, worker, notifier and board; each can be stopped and started again.

    `words` are further words of their command lines by role, `settings` further variables.
    """

    # With --since days fire alerts although a newer one is known.
    ROLES = {"sandbox": [], "worker": ["--sandbox"], "notifier": ["--since", "2024-05-28"], "board": ["--sandbox"]}

    def __init__(self, program, words={}, settings={}, base="/"):
        self.program = program
        self.words = {role: own + words.get(role, []) for role, own in self.ROLES.items()}
        self.folder = tempfile.mkdtemp(prefix="marquee-board-")
        addresses = {f"MARQUEE_{name}": f"ipc://{self.folder}/{name}"
                     for name in ("REQUESTS", "COMMANDS", "EVENTS", "ALERTS", "ALERT_COMMANDS")}
        self.ports = {role: free_port() for role in self.ROLES}
        http = {f"MARQUEE_{role.upper()}_HTTP": f"127.0.0.1:{port}" for role, port in self.ports.items()}
        kept = {name: value for name, value in os.environ.items() if not name.startswith("MARQUEE_")}
        self.environment = kept | addresses | http | {"MARQUEE_DATA": f"{self.folder}/data"} | settings
        self.url = f"http://127.0.0.1:{self.ports['board']}{base.rstrip('/')}"
        self.processes = {}
        for role in self.ROLES:
            self.start(role)

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if kind:
            print(self.log("board")[-2_000:], file=sys.stderr)
        for role in reversed(list(self.processes)):
            self.stop(role)
        shutil.rmtree(self.folder)

    def start(self, role):
        """Starts a process, and waits until it answers."""
        with open(f"{self.folder}/{role}.log", "ab") as log:
            self.processes[role] = subprocess.Popen(
                [self.program, role, *self.words[role]], env=self.environment, stdout=log, stderr=log,
                stdin=subprocess.DEVNULL, preexec_fn=lambda: libc.prctl(KILL_WITH_PARENT, signal.SIGKILL))
        wait_until(lambda: self.fetch(f"http://127.0.0.1:{self.ports[role]}/healthz") == b"ok\n", f"the {role} answers")

    def stop(self, role, number=signal.SIGTERM):
        process = self.processes.pop(role)
        process.send_signal(number)
        status = process.wait(PATIENCE)
        if status not in (0, -number):
            raise Failure(f"the {role} ended with {status}: {self.log(role)[-500:]}")

    @staticmethod
    def command(program, environment, *words):
        """Runs a command to its end; returns what it prints."""
        return subprocess.run([program, *words], env=os.environ | environment, check=True, capture_output=True,
                              text=True, timeout=PATIENCE).stdout

    def marquee(self, *words):
        """Runs a command of the processes' own surroundings."""
        return self.command(self.program, self.environment, *words)

    def log(self, role):
        return pathlib.Path(f"{self.folder}/{role}.log").read_text()

    @staticmethod
    def fetch(url, body=None, method=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(url, data, {"Content-Type": "application/json"}, method=method)
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return answer.read()

    def api(self, path):
        """What the board's API says; None where it knows nothing."""
        try:
            return json.loads(self.fetch(f"{self.url}/api/v1/{path}"))
        except urllib.error.HTTPError as error:
            if error.code == 404:
                return None
            raise

    def ask(self, topic, **fields):
        """Has the worker fetch something, by way of the board."""
        return json.loads(self.fetch(f"{self.url}/api/v1/requests", {"topic": topic, **fields}))["id"]

    def ask_days(self, *days):
        """Has the worker fetch days, one after the other, and waits until the board knows them."""
        for day in days:
            self.ask("fetch.day", date=day)
            wait_until(lambda: self.api(f"days/{day}"), f"the board knows {day}")

    def control(self, **switches):
        """Sets exactly these switches of the sandbox."""
        self.fetch(f"http://127.0.0.1:{self.ports['sandbox']}/control", switches, "PUT")
