"""marquee's processes on ports and folders of their own, and a browser to look at the board with."""

import ctypes
import json
import os
import pathlib
import random
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

from selenium import webdriver
from selenium.webdriver.chrome.service import Service

PATIENCE = 30  # seconds, for each thing that must happen
KILL_WITH_PARENT = 1  # PR_SET_PDEATHSIG
libc = ctypes.CDLL(None)


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


class Failure(Exception):
    """What did not hold; ends the test."""


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


class Stage:
    """Sandbox, worker, notifier and board; each can be stopped and started again."""

    # Days fire alerts although a newer one is known.
    ROLES = {"sandbox": [], "worker": ["--sandbox"], "notifier": ["--since", "2024-05-28"], "board": ["--sandbox"]}

    def __init__(self, program):
        self.program = program
        self.folder = tempfile.mkdtemp(prefix="marquee-board-")
        addresses = {f"MARQUEE_{name}": f"ipc://{self.folder}/{name}"
                     for name in ("REQUESTS", "COMMANDS", "EVENTS", "ALERTS", "ALERT_COMMANDS")}
        self.ports = {role: free_port() for role in self.ROLES}
        http = {f"MARQUEE_{role.upper()}_HTTP": f"127.0.0.1:{port}" for role, port in self.ports.items()}
        kept = {name: value for name, value in os.environ.items() if not name.startswith("MARQUEE_")}
        self.environment = kept | addresses | http | {"MARQUEE_DATA": f"{self.folder}/data"}
        self.url = f"http://127.0.0.1:{self.ports['board']}"
        self.processes = {}
        for role in self.ROLES:
            self.start(role)

    def start(self, role):
        """Starts a process, and waits until it answers."""
        with open(f"{self.folder}/{role}.log", "ab") as log:
            self.processes[role] = subprocess.Popen(
                [self.program, role, *self.ROLES[role]], env=self.environment, stdout=log, stderr=log,
                stdin=subprocess.DEVNULL, preexec_fn=lambda: libc.prctl(KILL_WITH_PARENT, signal.SIGKILL))
        wait_until(lambda: self.fetch(f"http://127.0.0.1:{self.ports[role]}/healthz") == b"ok\n", f"the {role} answers")

    def stop(self, role, number=signal.SIGTERM):
        process = self.processes.pop(role)
        process.send_signal(number)
        status = process.wait(PATIENCE)
        if status not in (0, -number):
            raise Failure(f"the {role} ended with {status}: {self.log(role)[-500:]}")

    def log(self, role):
        return pathlib.Path(f"{self.folder}/{role}.log").read_text()

    def end(self):
        for role in reversed(list(self.processes)):
            self.stop(role)
        shutil.rmtree(self.folder)

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


def browser(width=1280, height=900, dark=False, language="ko"):
    """A headless Chromium that prefers a language and a theme; as root it runs without a sandbox of its own."""
    options = webdriver.ChromeOptions()
    options.binary_location = "/usr/bin/chromium"
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--hide-scrollbars",
                     f"--lang={language}", f"--accept-lang={language}"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))
    resize(driver, width, height)
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {
        "features": [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
                     {"name": "prefers-reduced-motion", "value": "reduce"}]})
    return driver


def resize(driver, width, height=900):
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
        "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600})
