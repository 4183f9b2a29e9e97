"""The processes under test: marquee's programs with their own ports and folders, and the subscribers."""

import asyncio
import ctypes
import json
import os
import pathlib
import signal
import sys
import urllib.request

from clock import Clock
from ports import reserve_ports
from waiting import PATIENCE, Failure, eventually_async

KILL_WITH_PARENT = 1  # PR_SET_PDEATHSIG
libc = ctypes.CDLL(None)


def run_until_told(suite):
    """Runs a suite. SIGTERM and SIGINT end it as a failure does, so that it leaves nothing behind."""
    async def run():
        task = asyncio.ensure_future(suite)
        for number in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(number, task.cancel)
        return await task

    try:
        return asyncio.run(run())
    except asyncio.CancelledError:
        sys.exit("told to stop")


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

    async def ended(self, within=PATIENCE):
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
        """Sends SIGTERM. Returns the exit status, or None if the process does not end."""
        self.signal(signal.SIGTERM)
        return await self.ended()

    def log(self):
        """Returns what the process, and those before it, have logged."""
        path = pathlib.Path(f"{self.output}.err")
        return path.read_text(errors="replace") if path.exists() else ""

    def log_tail(self):
        return self.log().splitlines()[-3:]


class ProcessHarness:
    """Sandbox, worker and notifier with empty folders, and their addresses."""

    def __init__(self, program, folder, seed, kobis_limit):
        self.folder = folder
        self.own_calls = 0
        names = ["requests", "commands", "events", "alerts", "alert_commands", "worker_http", "notifier_http", "sandbox"]
        self.ports = reserve_ports(names)
        self.clock = Clock(folder)
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
        self.common |= self.clock.environment
        self.sandbox = Process(
            "sandbox", [program, "sandbox", "--seed", seed],
            # A clock that does not move with those of its clients.
            self.common | {"TEST_CLOCK": str(self.clock.offset)}, folder / "sandbox.log")
        self.worker = Process(
            "worker", [program, "worker", "--sandbox"],
            self.common | self.addresses("requests", "commands", "events")
            | {"MARQUEE_DATA": str(self.worker_data)}, folder / "worker.log")
        self.rules = folder / "rules.yml"
        self.notifier = Process(
            "notifier", [program, "notifier"], self.common
            | {"MARQUEE_DATA": str(self.notifier_data), "MARQUEE_RULES": str(self.rules)},
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

    def ask_sandbox(self, path, method="GET", body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.ports['sandbox']}{path}", data=data, method=method)
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
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
        await eventually_async(self.sandbox_answers, "the sandbox answers")

    def sandbox_answers(self):
        if not self.sandbox.is_running:
            raise Failure(f"the sandbox ended with {self.sandbox.child.returncode}: {self.sandbox.log_tail()}")
        return self.ask_sandbox("/control")

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
