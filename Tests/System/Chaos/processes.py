"""The processes under test, and what the tests ask of their sandbox."""

import asyncio
import json
import signal
import sys

from clock import Clock
from installation import Installation


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


class Site(Installation):
    """An installation whose processes have a data folder each."""

    def __init__(self, program, folder, seed, kobis_limit):
        self.clock = Clock(folder)
        self.rules = folder / "rules.yml"
        super().__init__(program, folder, self.clock.environment | {
            "MARQUEE_KOBIS_DAILY_LIMIT": str(kobis_limit), "MARQUEE_KAKAO_DAILY_LIMIT": "10000000",
            "MARQUEE_RULES": str(self.rules)}, {"sandbox": ["--seed", seed]})
        self.own_calls = 0
        for role, process in self.processes.items():
            (folder / role).mkdir()
            process.environment["MARQUEE_DATA"] = str(folder / role)
        self.sandbox, self.worker, self.notifier, self.board = self.processes.values()
        # A clock that does not move with those of its clients.
        self.sandbox.environment["TEST_CLOCK"] = str(self.clock.offset)
        self.worker_data = folder / "worker"

    def ask_sandbox(self, path):
        return json.loads(self.fetch("sandbox", path)[2])

    def service_calls(self):
        """Returns the number of calls that the sandbox has seen, by service, without the calls of this test."""
        return {"kobis": self.calls("/kobisopenapi/") - self.own_calls, "kakao": self.calls("/v2/search/image")}

    def products(self):
        """Returns the names of all products in the sandbox's shop."""
        names, page = [], 1
        while True:
            answer = self.ask_sandbox(f"/openmarket/v3/api/products?page_no={page}&items_per_page=100")
            names += [product["name"] for product in answer["pages"]]
            if not answer["has_next"]:
                return names
            page += 1

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
