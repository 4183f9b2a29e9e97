"""marquee's processes with ports and folders of their own."""

import contextlib
import functools
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Harness"))
from checks import check, end, run  # noqa: E402, F401
from clock import Clock  # noqa: E402
from ports import reserve_ports  # noqa: E402
from suite import WITH_SUITE, suite_folder  # noqa: E402
from waiting import PATIENCE, Failure, eventually  # noqa: E402


children = []  # other processes that are killed before the suite's folder is deleted


@contextlib.contextmanager
def suite():
    """Puts all that the suite and its processes write into one folder, which is deleted at the end."""
    with suite_folder("marquee-board-") as folder:
        # Browsers write their profiles there, too.
        os.environ["TMPDIR"] = tempfile.tempdir = str(folder)
        try:
            yield
        finally:
            for child in children:
                child.kill()
                child.wait()
            # A browser that was killed may still be writing.
            eventually(lambda: shutil.rmtree(folder, ignore_errors=True) or not folder.exists(), "the folder is deleted")


@functools.cache
def clock():
    """Returns the clock that all processes and browsers have."""
    return Clock(tempfile.gettempdir())


class ProcessHarness:
    """Sandbox, worker, notifier and board; each can be stopped and started again.

    `arguments` are further arguments of their command lines by role, `settings` further environment variables.
    """

    # With --since, alerts fire for the first days of the log, too.
    ROLES = {"sandbox": [], "worker": ["--sandbox"], "notifier": ["--since", "2024-05-28"], "board": ["--sandbox"]}

    def __init__(self, program, arguments={}, settings={}, base="/"):
        self.program = program
        self.arguments = {role: own + arguments.get(role, []) for role, own in self.ROLES.items()}
        self.folder = tempfile.mkdtemp()
        addresses = {f"MARQUEE_{name}": f"ipc://{self.folder}/{name}"
                     for name in ("REQUESTS", "COMMANDS", "EVENTS", "ALERTS", "ALERT_COMMANDS")}
        self.ports = reserve_ports(self.ROLES)
        http = {f"MARQUEE_{role.upper()}_HTTP": f"127.0.0.1:{port}" for role, port in self.ports.items()}
        kept = {name: value for name, value in os.environ.items() if not name.startswith("MARQUEE_")}
        # All pages together ask more often than a day's visitors may, and all of them have one address.
        limits = {"MARQUEE_BOARD_REQUESTS_A_DAY": "100000", "MARQUEE_BOARD_CLIENT_RATE": "1000"}
        data = {"MARQUEE_DATA": f"{self.folder}/data"}
        self.environment = kept | addresses | http | limits | data | clock().environment | settings
        self.url = f"http://127.0.0.1:{self.ports['board']}{base.rstrip('/')}"
        self.processes = {}
        try:
            for role in self.ROLES:
                self.start(role)
        except BaseException:
            self.kill()
            raise

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if kind and kind is not SystemExit:
            print(self.log("board")[-2_000:], file=sys.stderr)
        try:
            for role in [] if kind else reversed(list(self.processes)):
                self.stop(role)
        finally:
            self.kill()
            shutil.rmtree(self.folder)

    def kill(self):
        for process in self.processes.values():
            process.kill()
            process.wait()

    def start(self, role):
        """Starts a process, and waits until its health page answers."""
        with open(f"{self.folder}/{role}.log", "ab") as log:
            process = self.processes[role] = subprocess.Popen(
                [*WITH_SUITE, self.program, role, *self.arguments[role]], env=self.environment, stdout=log, stderr=log,
                stdin=subprocess.DEVNULL)

        def answers():
            if process.poll() is not None:
                raise Failure(f"the {role} ended with {process.returncode}: {self.log(role)[-500:]}")
            return self.fetch(f"http://127.0.0.1:{self.ports[role]}/healthz") == b"ok\n"
        eventually(answers, f"the {role} answers")

    def stop(self, role, number=signal.SIGTERM):
        process = self.processes[role]
        process.send_signal(number)
        status = process.wait(PATIENCE)
        del self.processes[role]
        if status not in (0, -number):
            raise Failure(f"the {role} ended with {status}: {self.log(role)[-500:]}")

    @staticmethod
    def command(program, environment, *arguments):
        """Runs a command to its end, and returns its output."""
        return subprocess.run([*WITH_SUITE, program, *arguments], env=os.environ | environment, check=True,
                              capture_output=True, text=True, timeout=PATIENCE).stdout

    def marquee(self, *arguments):
        """Runs a command of marquee with the environment of the processes."""
        return self.command(self.program, self.environment, *arguments)

    def log(self, role):
        return pathlib.Path(f"{self.folder}/{role}.log").read_text()

    @staticmethod
    def fetch(url, body=None, method=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(url, data, {"Content-Type": "application/json"}, method=method)
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
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
            eventually(lambda: self.api(f"days/{day}"), f"the board knows {day}")

    def control(self, **switches):
        """Sets these switches of the sandbox, and resets all others."""
        self.fetch(f"http://127.0.0.1:{self.ports['sandbox']}/control", switches, "PUT")
