#!/usr/bin/python3
"""Follows docs/operations.md with the real processes: "When things change" and "Encryption and keys".

    python3 Tests/Guide PROGRAM [--only CASE]

Everything is encrypted, on ports and folders of its own. The cases follow each other on one installation, as in the life of
one. A disk that fills up is a small tmpfs, which only root can mount; the week is one by a clock that is moved. Needs
python3-zmq and a C compiler.
"""

import argparse
import contextlib
import datetime
import json
import os
import pathlib
import shutil
import sqlite3
import struct
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "Fuzz"))
from harness import Failure, ProcessHarness  # noqa: E402

TOP = HERE.parent.parent
PATIENCE = 60
DAY = 86_400
passed = 0


def check(holds, what):
    """Counts and prints a check that holds; ends the test if it does not."""
    global passed
    if not holds:
        raise Failure(what)
    passed += 1
    print(f"ok   {what}", flush=True)


def wait_until(holds, what):
    """Waits until a condition holds."""
    deadline = time.monotonic() + PATIENCE
    while not holds():
        if time.monotonic() > deadline:
            raise Failure(f"did not happen within {PATIENCE} s: {what}")
        time.sleep(0.1)
    check(True, what)


class Site(ProcessHarness):
    """An installation, and the operations on it."""

    def __init__(self, program, folder):
        folder = pathlib.Path(folder)
        self.clock = folder / "clock"
        self.clock.write_bytes(bytes(8))
        library = folder / "clock.so"
        subprocess.run(["cc", "-shared", "-fPIC", "-O2", "-o", library, HERE.parent / "Chaos" / "clock.c"], check=True)
        settings = {
            "MARQUEE_CURVE": "on", "MARQUEE_CURVE_KEYS": str(folder / "keys"), "MARQUEE_SCHEDULE": "off",
            "PATH": f"{pathlib.Path(program).parent}:{os.environ['PATH']}", "CHAOS_CLOCK": str(self.clock),
            "CLOCK": str(library), "MARQUEE_KOBIS_DAILY_LIMIT": "3000",
        }
        made = subprocess.run(
            [TOP / "deploy" / "make-keys", folder / "keys"], env=os.environ | settings, text=True, capture_output=True)
        if made.returncode != 0:
            raise Failure(f"make-keys: {made.stderr}")
        super().__init__(program, folder, settings=settings)

    def start(self, role, **changes):
        """Starts a process with a movable clock, and with its own key if it is a client."""
        kept = self.environment
        self.environment = kept | {"LD_PRELOAD": kept["CLOCK"]} | changes
        if role in ("notifier", "board"):
            self.environment["MARQUEE_CURVE_CLIENT"] = role
        try:
            super().start(role)
        finally:
            named = {name: text for name, text in self.environment.items() if name.startswith("MARQUEE_")}
            for name in ("MARQUEE_CURVE_CLIENT", *changes):
                named.pop(name, None)
            self.environment = kept | named

    def stop(self, *roles):
        for role in roles:
            child = self.children.pop(role)
            child.terminate()
            if child.wait(20) != 0:
                raise Failure(f"the {role} ended with {child.returncode}: {self.log_tail(role)}")

    def marquee(self, *words, **changes):
        """Returns the output and the exit status of a command."""
        done = subprocess.run(
            [self.program, *words], env=self.environment | changes, text=True, capture_output=True, timeout=PATIENCE)
        return done.returncode, (done.stdout + done.stderr).strip()

    def must(self, *words, **changes):
        code, printed = self.marquee(*words, **changes)
        if code != 0:
            raise Failure(f"marquee {' '.join(words)}: exit {code}: {printed}")
        return printed

    def status(self, **changes):
        return json.loads(self.must("status", "--json", **changes))

    def day(self, date, **changes):
        """Requests a day. Returns whether it came."""
        code, printed = self.marquee("request", "day", str(date), **changes)
        if code != 0:
            print(f"     {printed.splitlines()[-1]}", flush=True)
        return code == 0

    def ready(self, role="worker"):
        """Returns the body of `/readyz`."""
        try:
            with urllib.request.urlopen(f"{self.page(role)}/readyz", timeout=PATIENCE) as answer:
                return answer.read().decode().strip()
        except urllib.error.HTTPError as error:
            return error.read().decode().strip()

    def figure(self, name, role="worker"):
        """Returns the sum of a metric's samples."""
        with urllib.request.urlopen(f"{self.page(role)}/metrics", timeout=PATIENCE) as answer:
            lines = [line.decode() for line in answer if not line.startswith(b"#")]
        return sum(float(line.split()[-1]) for line in lines if line.partition("{")[0].split()[0] == name)

    def sandbox(self, switches=None):
        """Sets the upstream's switches, and returns the number of chart requests."""
        body = None if switches is None else json.dumps(switches).encode()
        request = urllib.request.Request(f"{self.page('sandbox')}/control", data=body, method="PUT" if body else "GET")
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            counts = json.load(answer)["requests"]
        return sum(count for path, count in counts.items() if "searchDailyBoxOfficeList" in path)

    def move_clock(self, seconds):
        with open(self.clock, "r+b", buffering=0) as file:
            file.write(struct.pack("=q", seconds))


def rotate_client_key(site):
    """Replaces the key of a client while all processes run."""
    first = {"MARQUEE_CURVE_CLIENT": "ann"}
    check(site.marquee("status", **first)[0] != 0, "a client without a key cannot even try")
    site.must("keys", "new", "client", "ann", "--roles", "read,request")
    check(site.day("2024-06-01", **first), "a key that was just made lets its client in; nothing was restarted")
    site.must("keys", "new", "client", "ann-2", "--roles", "read,request")
    check(site.day("2024-06-01", MARQUEE_CURVE_CLIENT="ann-2"), "the client's next key works beside the old one")
    (pathlib.Path(site.environment["MARQUEE_CURVE_KEYS"]) / "clients" / "ann.key").unlink()
    before = site.figure("marquee_handshakes_failed_total")
    check(site.marquee("status", **first)[0] == 4, "the old key, once its file is deleted, gets no answer")
    check(site.figure("marquee_handshakes_failed_total") > before, "and is counted")
    check("unknownKey" in (site.folder / "worker.log").read_text(), "and logged with the reason")


def rotate_server_key(site):
    """Replaces the key of the server."""
    epoch = site.status()["epoch"]
    site.must("keys", "new", "server", "server-2")
    site.stop("board", "notifier", "worker")
    for role in "worker", "notifier", "board":
        site.start(role, MARQUEE_CURVE_SERVER="server-2")
    check(site.marquee("status")[0] == 4, "a client with the server's old key gets no answer")
    site.environment["MARQUEE_CURVE_SERVER"] = "server-2"
    check(site.status()["epoch"] == epoch, "a client with the new one does, and the log goes on")
    check(site.day("2024-06-02"), "and requests are answered")
    wait_until(lambda: site.ready("notifier") == "ok", "the notifier hears the worker under the new key")


def back_up_and_restore(site):
    """Restores a backup."""
    epoch = site.status()["epoch"]
    backup = site.folder / "backup.db"
    site.must("backup", str(backup))
    check(site.day("2024-06-03"), "after a backup work goes on")
    check(site.marquee("restore", str(backup))[0] != 0, "nothing is restored under a worker that runs")
    site.stop("worker")
    site.must("restore", str(backup))
    site.start("worker")
    check(site.status()["epoch"] != epoch, "a restored log is a new epoch")
    calls = site.sandbox()
    check(site.day("2024-06-02") and site.sandbox() == calls, "it has what was in the backup")
    check(site.day("2024-06-03") and site.sandbox() == calls + 1, "and not what came later, which is fetched again")


def upgrade(site):
    """Replaces the program by another version."""
    before = site.status()
    site.must("backup", str(site.folder / "before-upgrade.db"))
    # The page's files are found above the program.
    old = site.program
    program = pathlib.Path(old).with_name("marquee-next")
    shutil.copy2(old, program)
    try:
        site.stop("worker", "notifier", "board")
        site.program = str(program)
        for role in "board", "notifier", "worker":
            site.start(role)
        after = site.status()
        same = after["epoch"] == before["epoch"] and after["positions"] == before["positions"]
        check(same, "another program goes on where the one before it was, whatever starts first")
        wait_until(lambda: site.ready("notifier") == site.ready("board") == "ok", "notifier and board find it")
    finally:
        site.program = old
        program.unlink()


def move(site):
    """Moves to another machine: other folders, other ports, the same log."""
    before = site.status()
    site.stop("board", "notifier", "worker")
    for name in "MARQUEE_DATA", "MARQUEE_CURVE_KEYS":
        there = f"{site.environment[name]}-there"
        shutil.move(site.environment[name], there)
        site.environment[name] = there
    for name in "REQUESTS", "COMMANDS", "EVENTS", "ALERTS", "ALERT_COMMANDS":
        site.environment[f"MARQUEE_{name}"] = "tcp://127.0.0.1:*"
    for role in "worker", "notifier", "board":
        site.start(role)
    after = site.status()
    check(after["epoch"] == before["epoch"] and after["positions"] == before["positions"], "the log has moved as it was")
    check(site.day("2024-06-04") and site.status()["epoch"] == before["epoch"], "and goes on there")
    wait_until(lambda: site.ready("notifier") == site.ready("board") == "ok", "notifier and board find it there")


def fill_disk(site):
    """Fills the disk, and frees it again."""
    data = pathlib.Path(site.environment["MARQUEE_DATA"])
    site.stop("board", "notifier", "worker")
    with small_disk(site.folder / "small") as disk:
        if not disk:
            print("     skipped: this machine cannot mount a small disk", flush=True)
            for role in "worker", "notifier", "board":
                site.start(role)
            return
        shutil.copytree(data, disk, dirs_exist_ok=True)
        for role in "worker", "notifier", "board":
            site.start(role, MARQUEE_DATA=str(disk))
        filler = disk / "filler"
        with open(filler, "wb") as file:
            # The reserve is a twentieth of the disk: 1.2 MB.
            os.posix_fallocate(file.fileno(), 0, shutil.disk_usage(disk).free - 600_000)
        wait_until(lambda: site.ready().startswith("disk"), "a disk that is nearly full is seen in /readyz")
        calls = site.figure("marquee_upstream_calls_total")
        refused = [site.day(f"2023-01-{number:02}") for number in range(1, 11)]
        check(not any(refused), "and requests are refused")
        with contextlib.suppress(OSError), open(filler, "ab", buffering=0) as file:
            while True:
                file.write(bytes(1 << 12))
        wait_until(lambda: "database" in site.ready(), "a full disk is seen in /readyz")
        code, printed = site.marquee("request", "day", "2024-06-05")
        check(code != 0 and "internal" in printed, f"nothing is accepted: {printed.splitlines()[-1]}")
        check("epoch" in site.status(), "but questions are answered")
        filler.unlink()
        wait_until(lambda: site.ready() == "ok", "with room again it is ready by itself")
        # The worker looks at the free disk once a second.
        wait_until(lambda: site.day("2024-06-05"), "and goes on")
        check(site.figure("marquee_upstream_calls_total") == calls + 1, "and has fetched nothing that was refused")
        site.stop("board", "notifier", "worker")
        shutil.copytree(disk, data, dirs_exist_ok=True)
    for role in "worker", "notifier", "board":
        site.start(role)


@contextlib.contextmanager
def small_disk(folder):
    """Returns a folder on a small disk, or None without the rights of root."""
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=24m", "marquee-guide", folder]
    if subprocess.run(mount, stderr=subprocess.DEVNULL).returncode != 0:
        yield None
        return
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)


def lose_upstream(site):
    """Takes the upstream down for a week, shortened by moving the clock."""
    korea = datetime.timezone(datetime.timedelta(hours=9))
    now = datetime.datetime.now(korea)
    noon = int((now.replace(hour=12, minute=45, second=0) - now).total_seconds())  # so that each look finds something to do
    site.stop("board", "notifier", "worker")
    site.move_clock(noon)
    site.sandbox({"clockOffset": noon})
    for role in "worker", "notifier", "board":
        site.start(role, MARQUEE_SCHEDULE="on")
    yesterday = (now - datetime.timedelta(days=1)).date()
    wait_until(lambda: site.figure("marquee_chart_age_days") == 1, "the schedule has fetched yesterday's chart")
    wait_until(lambda: site.figure("marquee_queue_length") == 0, "and what else it wanted")
    wait_until(lambda: site.day("2024-06-06"), "and a day that is settled was asked for")

    site.sandbox({"clockOffset": noon, "kobis": {"errors": {"503": 1.0}}})
    for number in range(1, 8):
        failed = site.figure("marquee_requests_failed_total")
        site.move_clock(noon + number * DAY)
        wait_until(lambda: site.figure("marquee_requests_failed_total") > failed, f"day {number}: the schedule looks and fails")
    check(site.figure("marquee_chart_age_days") == 8, "the age of the newest chart tells how long it has been")
    wait_until(lambda: site.figure("marquee_queue_length") == 0, "nothing has piled up")
    check(site.day("2024-06-06"), "what is settled is served from the log")
    shown = json.loads(site.must("history", "day", str(yesterday), "--json").splitlines()[-1])
    check(shown["data"]["state"] == "provisional", "and what was not yet is still to be seen as it was")
    check(not site.day(yesterday + datetime.timedelta(days=3)), "what is not ends as a failure")

    site.sandbox({"clockOffset": noon + 7 * DAY})
    site.move_clock(noon + 8 * DAY)  # the next look, a day later
    site.sandbox({"clockOffset": noon + 8 * DAY})
    wait_until(lambda: site.figure("marquee_chart_age_days") == 1, "when all is well again the newest chart comes")
    missing = [yesterday + datetime.timedelta(days=number) for number in range(1, 9)]
    wait_until(lambda: known(site, missing) == missing, "and so do all days that were missing")
    old = [date for date in alerts(site) if yesterday < date <= yesterday + datetime.timedelta(days=4)]
    check(not old, "those that are older than three days set off no alert")


def known(site, days):
    """Returns the days whose chart is in the log."""
    printed = site.must("export", "--json", f"--from={days[0]}", f"--to={days[-1]}")
    return [datetime.date.fromisoformat(json.loads(line)["data"]["date"]) for line in printed.splitlines()]


def alerts(site):
    """Returns the days of all published alerts."""
    with sqlite3.connect(f"file:{site.environment['MARQUEE_DATA']}/notifier.db?mode=ro", uri=True) as log:
        topics = [topic for topic, in log.execute("select topic from event where topic like 'alert.%'")]
    return [datetime.date.fromisoformat(topic.rsplit(".", 1)[1]) for topic in topics]


cases = {
    "client-key": rotate_client_key, "server-key": rotate_server_key, "restore": back_up_and_restore,
    "upgrade": upgrade, "machine": move, "disk": fill_disk, "week": lose_upstream,
}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--only", choices=cases)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="marquee-guide-") as folder:
        site = None
        try:
            site = Site(pathlib.Path(options.program).resolve(), folder)
            for name in [options.only] if options.only else cases:
                print(f"{name}: {cases[name].__doc__}", flush=True)
                cases[name](site)
        except (Failure, OSError, subprocess.SubprocessError) as failure:
            sys.exit(f"FAIL {failure}\n{passed} passed, 1 failed")
        finally:
            left = site.end() if site else []
        if left:
            sys.exit(f"FAIL {left}\n{passed} passed, 1 failed")
        print(f"{passed} passed, 0 failed")


main()
