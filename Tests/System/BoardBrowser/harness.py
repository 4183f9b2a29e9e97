"""marquee's processes with ports and folders of their own."""

import contextlib
import functools
import json
import os
import pathlib
import shutil
import sys
import tempfile
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Harness"))
from checks import check, end, run  # noqa: E402, F401
from clock import Clock  # noqa: E402
from installation import Installation  # noqa: E402
from process import Process  # noqa: E402, F401
from suite import WITH_SUITE, suite_folder  # noqa: E402, F401
from waiting import PATIENCE, Failure, eventually  # noqa: E402, F401


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
            # A browser that was killed may still be writing.
            eventually(lambda: shutil.rmtree(folder, ignore_errors=True) or not folder.exists(), "the folder is deleted")


@functools.cache
def clock():
    """Returns the clock that all processes and browsers have."""
    return Clock(tempfile.gettempdir())


def read(url, body=None):
    """Returns what is at an address; sends JSON if there is some."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
        return answer.read()


class Site(Installation):
    """An installation with a folder of its own; all four processes are started by its `with`.

    The sandbox plays the responses of the folder `recorded`; `rules` is the text of a rule file.
    """

    def __init__(self, program, settings={}, recorded=None, rules=None, base="/"):
        # All pages together ask more often than a day's visitors may, and all of them have one address.
        limits = {"MARQUEE_BOARD_REQUESTS_A_DAY": "100000", "MARQUEE_BOARD_CLIENT_RATE": "1000"}
        # With --since, alerts fire for the first days of the log, too.
        super().__init__(program, tempfile.mkdtemp(), limits | clock().environment | settings, {
            "notifier": ["--since", "2024-05-28"], "sandbox": ["--recorded", recorded] if recorded else [],
            "board": ["--base-path", base]})
        if rules:
            self.environment["MARQUEE_RULES"] = f"{self.folder}/rules.yml"
            (self.folder / "rules.yml").write_text(rules)
        self.url = self.page("board") + base.rstrip("/")

    def __enter__(self):
        try:
            self.start()
        except BaseException:
            self.kill()
            raise
        return self

    def api(self, path):
        """Returns the JSON at an address of the board's API; None if the board does not know it yet."""
        answer = json.loads(read(f"{self.url}/api/v1/{path}"))
        return answer if answer.get("known", True) else None

    def ask(self, topic, **fields):
        """Sends a request to the worker through the board, and returns its id."""
        return json.loads(read(f"{self.url}/api/v1/requests", {"topic": topic, **fields}))["id"]

    def ask_days(self, *days):
        """Requests the charts of days, one after the other, and waits until the board knows each."""
        for day in days:
            self.ask("fetch.day", date=day)
            eventually(lambda: self.api(f"days/{day}"), f"the board knows {day}")
