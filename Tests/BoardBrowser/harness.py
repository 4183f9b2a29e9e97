"""marquee's processes with ports and folders of their own, and the functions that count checks and tests."""

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
import urllib.request

TIMEOUT = 60  # seconds, for each condition
KILL_WITH_PARENT = 1  # PR_SET_PDEATHSIG
libc = ctypes.CDLL(None)
passed = failed = 0


class CheckError(Exception):
    """A check has failed; ends the test."""


def check(holds, what):
    """Counts and prints a check if it holds; ends the test if not."""
    global passed
    if not holds:
        raise CheckError(what)
    passed += 1
    print(f"ok   {what}", flush=True)


def run(name, test):
    """Runs a test, and counts it if it fails; does not end the program."""
    global failed
    print(f"     {name.replace('_', ' ')}", flush=True)
    try:
        test()
    except Exception as failure:
        failed += 1
        print(f"FAIL {name}: {failure!r}", flush=True)
        if not isinstance(failure, CheckError):
            traceback.print_exc()


def end():
    """Prints the counts, and ends the program; its status is 1 if a test failed."""
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed or not passed else 0)


def wait_until(holds, what):
    """Waits until `holds()` returns a true value, and returns it; an exception counts as not yet."""
    deadline = time.monotonic() + TIMEOUT
    error = None
    while time.monotonic() < deadline:
        try:
            value = holds()
            if value:
                return value
        except Exception as caught:
            error = caught
        time.sleep(0.05)
    raise CheckError(f"not within {TIMEOUT} s: {what}" + (f" ({error})" if error else ""))


def free_port():
    """A free port, below the ports that the system assigns by itself, so that it is still free after a restart."""
    while True:
        port = random.SystemRandom().randrange(15_000, 32_000)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
                return port
            except OSError:
                continue


class ProcessHarness:
    """Sandbox, worker, notifier and board; each can be stopped and started again.

    `arguments` are further arguments of their command lines by role, `settings` further environment variables.
    """

    # With --since, alerts fire for the first days of the log, too.
    ROLES = {"sandbox": [], "worker": ["--sandbox"], "notifier": ["--since", "2024-05-28"], "board": ["--sandbox"]}

    def __init__(self, program, arguments={}, settings={}, base="/"):
        self.program = program
        self.arguments = {role: own + arguments.get(role, []) for role, own in self.ROLES.items()}
        self.folder = tempfile.mkdtemp(prefix="marquee-board-")
        addresses = {f"MARQUEE_{name}": f"ipc://{self.folder}/{name}"
                     for name in ("REQUESTS", "COMMANDS", "EVENTS", "ALERTS", "ALERT_COMMANDS")}
        self.ports = {role: free_port() for role in self.ROLES}
        http = {f"MARQUEE_{role.upper()}_HTTP": f"127.0.0.1:{port}" for role, port in self.ports.items()}
        kept = {name: value for name, value in os.environ.items() if not name.startswith("MARQUEE_")}
        # All pages together ask more often than a day's visitors may, and all of them have one address.
        limits = {"MARQUEE_BOARD_REQUESTS_A_DAY": "100000", "MARQUEE_BOARD_CLIENT_RATE": "1000"}
        self.environment = kept | addresses | http | limits | {"MARQUEE_DATA": f"{self.folder}/data"} | settings
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
        """Starts a process, and waits until its health page answers."""
        with open(f"{self.folder}/{role}.log", "ab") as log:
            self.processes[role] = subprocess.Popen(
                [self.program, role, *self.arguments[role]], env=self.environment, stdout=log, stderr=log,
                stdin=subprocess.DEVNULL, preexec_fn=lambda: libc.prctl(KILL_WITH_PARENT, signal.SIGKILL))
        wait_until(lambda: self.fetch(f"http://127.0.0.1:{self.ports[role]}/healthz") == b"ok\n", f"the {role} answers")

    def stop(self, role, number=signal.SIGTERM):
        process = self.processes.pop(role)
        process.send_signal(number)
        status = process.wait(TIMEOUT)
        if status not in (0, -number):
            raise CheckError(f"the {role} ended with {status}: {self.log(role)[-500:]}")

    @staticmethod
    def command(program, environment, *arguments):
        """Runs a command to its end, and returns its output."""
        return subprocess.run([program, *arguments], env=os.environ | environment, check=True, capture_output=True,
                              text=True, timeout=TIMEOUT).stdout

    def marquee(self, *arguments):
        """Runs a command of marquee with the environment of the processes."""
        return self.command(self.program, self.environment, *arguments)

    def log(self, role):
        return pathlib.Path(f"{self.folder}/{role}.log").read_text()

    @staticmethod
    def fetch(url, body=None, method=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(url, data, {"Content-Type": "application/json"}, method=method)
        with urllib.request.urlopen(request, timeout=TIMEOUT) as answer:
            return answer.read()

    def api(self, path):
        """Returns the JSON at an address of the board's API; None if the board does not know it yet."""
        answer = json.loads(self.fetch(f"{self.url}/api/v1/{path}"))
        return answer if answer.get("known", True) else None

    def ask(self, topic, **fields):
        """Sends a request to the worker through the board, and returns its id."""
        return json.loads(self.fetch(f"{self.url}/api/v1/requests", {"topic": topic, **fields}))["id"]

    def ask_days(self, *days):
        """Requests the charts of days, one after the other, and waits until the board knows each."""
        for day in days:
            self.ask("fetch.day", date=day)
            wait_until(lambda: self.api(f"days/{day}"), f"the board knows {day}")

    def control(self, **switches):
        """Sets these switches of the sandbox, and resets all others."""
        self.fetch(f"http://127.0.0.1:{self.ports['sandbox']}/control", switches, "PUT")
