"""The processes under test: marquee's programs with their own ports and folders, and the subscribers."""

import asyncio
import ctypes
import json
import os
import pathlib
import random
import signal
import socket
import struct
import subprocess
import sys
import urllib.request

HERE = pathlib.Path(__file__).parent
KILL_WITH_PARENT = 1  # PR_SET_PDEATHSIG
libc = ctypes.CDLL(None)
given_ports = set()


def free_ports(count):
    """Returns free ports below the ephemeral range, so that they are still free at a restart."""
    ports = []
    while len(ports) < count:
        port = random.SystemRandom().randrange(15_000, 32_000)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
        if port not in given_ports:
            given_ports.add(port)
            ports.append(port)
    return ports


class Process:
    """A program that can be restarted; its output goes to a file."""

    def __init__(self, name, command, environment, output):
        self.name = name
        self.command = [str(word) for word in command]
        self.environment = environment
        self.output = output
        self.child = None

    async def start(self, *arguments):
        with open(self.output, "ab") as output, open(f"{self.output}.err", "ab") as errors:
            self.child = await asyncio.create_subprocess_exec(
                *self.command, *arguments, env=self.environment, stdin=asyncio.subprocess.DEVNULL, stdout=output,
                stderr=errors, preexec_fn=lambda: libc.prctl(KILL_WITH_PARENT, signal.SIGKILL))

    async def ended(self, within):
        """Returns the exit status (negative for a signal), or None if the process still runs after `within` seconds."""
        try:
            return await asyncio.wait_for(self.child.wait(), within)
        except TimeoutError:
            return None

    @property
    def is_running(self):
        return self.child is not None and self.child.returncode is None

    def signal(self, number):
        if self.is_running:
            self.child.send_signal(number)

    async def kill(self):
        self.signal(signal.SIGKILL)
        if self.child:
            await self.child.wait()

    async def stop(self):
        """Sends SIGTERM. Returns the exit status, or None if the process still runs after ten seconds."""
        self.signal(signal.SIGTERM)
        return await self.ended(10)

    def log_tail(self):
        path = pathlib.Path(f"{self.output}.err")
        return path.read_text(errors="replace").splitlines()[-3:] if path.exists() else []


class ProcessHarness:
    """Sandbox, worker and notifier with empty folders, and their addresses."""

    def __init__(self, program, folder, seed, moves_clock, kobis_limit):
        self.folder = folder
        self.own_calls = 0
        names = ["requests", "commands", "events", "alerts", "alert_commands", "worker_http", "notifier_http", "sandbox"]
        self.ports = dict(zip(names, free_ports(len(names))))
        self.clock = folder / "clock"
        self.clock.write_bytes(bytes(8))
        self.worker_data = folder / "worker"
        self.notifier_data = folder / "notifier"
        self.worker_data.mkdir()
        self.notifier_data.mkdir()
        self.common = {
            "PATH": os.environ["PATH"],
            "MARQUEE_SANDBOX_HTTP": f"127.0.0.1:{self.ports['sandbox']}",
            "MARQUEE_KOBIS_DAILY_LIMIT": str(kobis_limit),
            "MARQUEE_KAKAO_DAILY_LIMIT": "10000000",
            "MARQUEE_WORKER_HTTP": f"127.0.0.1:{self.ports['worker_http']}",
            "MARQUEE_NOTIFIER_HTTP": f"127.0.0.1:{self.ports['notifier_http']}",
        }
        self.sandbox = Process("sandbox", [program, "sandbox", "--seed", seed], self.common, folder / "sandbox.log")
        clock = self.clock_environment() if moves_clock else {}
        self.worker = Process(
            "worker", [program, "worker", "--sandbox"],
            self.common | self.addresses("requests", "commands", "events") | clock
            | {"MARQUEE_DATA": str(self.worker_data)}, folder / "worker.log")
        self.rules = folder / "rules.yml"
        self.notifier = Process(
            "notifier", [program, "notifier"], self.common
            | {"MARQUEE_DATA": str(self.notifier_data), "MARQUEE_RULES": str(self.rules)} | clock,
            folder / "notifier.log")

    def address(self, name):
        return f"tcp://127.0.0.1:{self.ports[name]}"

    def addresses(self, *names):
        return {f"MARQUEE_{name.upper()}": self.address(name) for name in names}

    def lead_notifier_through(self, events, commands):
        """Connects the notifier to the worker through these addresses."""
        self.notifier.environment |= self.addresses("alerts", "alert_commands")
        self.notifier.environment |= {"MARQUEE_EVENTS": events, "MARQUEE_COMMANDS": commands}

    def lead_worker_through(self, sandbox):
        """Connects the worker to the sandbox through this address."""
        self.worker.environment |= {"MARQUEE_SANDBOX_HTTP": sandbox.removeprefix("tcp://")}

    def set_clock(self, seconds):
        """Moves the wall clock of worker and notifier, as an operator or NTP would; the monotonic clock stays."""
        with open(self.clock, "r+b", buffering=0) as file:
            file.write(struct.pack("=q", seconds))

    def clock_environment(self):
        library = self.folder / "clock.so"
        subprocess.run(["cc", "-shared", "-fPIC", "-O2", "-o", library, HERE / "clock.c"], check=True)
        return {"LD_PRELOAD": str(library), "CHAOS_CLOCK": str(self.clock)}

    def ask_sandbox(self, path, method="GET", body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.ports['sandbox']}{path}", data=data, method=method)
        with urllib.request.urlopen(request, timeout=10) as answer:
            return json.loads(answer.read())

    def calls(self):
        """Returns the number of calls that the sandbox has seen, by service, without the calls of this test."""
        paths = self.ask_sandbox("/control")["requests"]
        council = sum(count for path, count in paths.items() if path.startswith("/kobisopenapi/"))
        return {"kobis": council - self.own_calls, "kakao": paths.get("/v2/search/image", 0)}

    def products(self):
        """Returns the names of all products in the sandbox's shop."""
        names, page = [], 1
        while True:
            answer = self.ask_sandbox(f"/openmarket/v3/api/products?page_no={page}&items_per_page=100")
            names += [product["name"] for product in answer["pages"]]
            if not answer["has_next"]:
                return names
            page += 1

    async def start_sandbox(self):
        await self.sandbox.start()
        for _ in range(200):
            try:
                await asyncio.to_thread(self.ask_sandbox, "/control")
                return
            except OSError:
                await asyncio.sleep(0.05)
        sys.exit(f"chaos: the sandbox does not start: {self.sandbox.log_tail()}")

    def movie_codes(self, days):
        """Returns the codes of the movies in the sandbox's charts of these days."""
        codes = set()
        for day in days:
            self.own_calls += 1
            chart = self.ask_sandbox(
                "/kobisopenapi/webservice/rest/boxoffice/searchDailyBoxOfficeList.json"
                f"?key={'0' * 32}&targetDt={day:%Y%m%d}")
            codes |= {line["movieCd"] for line in chart["boxOfficeResult"]["dailyBoxOfficeList"]}
        return sorted(codes)
