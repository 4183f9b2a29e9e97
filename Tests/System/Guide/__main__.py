#!/usr/bin/python3
"""Follows docs/operations and docs/cluster.md with the real processes: backups, moves, troubles, keys.

    python3 Tests/System/Guide PROGRAM [--only CASE | --gate]

Everything is encrypted, on ports and folders of its own. The cases follow each other on one installation, as in the life of
one. A disk that fills up is a small tmpfs, which only root can mount; the week is one by a clock that is moved. The gate
goes without both. Needs python3-zmq and a C compiler.
"""

import argparse
import contextlib
import datetime
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "Harness"))
import checks  # noqa: E402
from checks import check, check_eventually  # noqa: E402
from clock import START, TODAY, Clock  # noqa: E402
from installation import BUSY, TIMED_OUT, Installation  # noqa: E402
from postgresql import PostgreSQLServer, address  # noqa: E402
from small_disk import small_disk  # noqa: E402
from suite import suite_folder  # noqa: E402
from waiting import PATIENCE, Failure  # noqa: E402

TOP = HERE.parents[2]
DAY = 86_400


class Site(Installation):
    """An installation, and the operations on it."""

    def __init__(self, program, folder):
        self.clock = Clock(folder)
        super().__init__(program, folder, BUSY | self.clock.environment | {
            "MARQUEE_CURVE": "on", "MARQUEE_CURVE_KEYS": str(folder / "keys"), "MARQUEE_SCHEDULE": "off",
            "PATH": f"{program.parent}:{os.environ['PATH']}", "MARQUEE_KOBIS_DAILY_LIMIT": "3000",
        })
        made = subprocess.run(
            [TOP / "deploy" / "make-keys", folder / "keys"], env=self.environment, text=True, capture_output=True)
        if made.returncode != 0:
            raise Failure(f"make-keys: {made.stderr}")
        for role in "notifier", "board":
            self.processes[role].environment["MARQUEE_CURVE_CLIENT"] = role

    def status(self, **changes):
        return json.loads(self.must("status", "--json", **changes))

    def day(self, date, **changes):
        """Requests a day. Returns whether it came."""
        code, printed = self.marquee("request", "day", str(date), f"--timeout={min(PATIENCE, 3600):.0f}", **changes)
        if code != 0:
            print(f"     {printed.splitlines()[-1]}", flush=True)
        return code == 0

    def refuses(self, metric, **key):
        """Whether a client with a key gets no answer and is counted; its command gives up before a slow server counts it."""
        before = self.figure(metric)
        if self.marquee("status", **key)[0] != TIMED_OUT:
            raise Failure("a client gets an answer with a key that is not valid any more")
        return self.figure(metric) > before

    def ready(self, role="worker"):
        """Returns the body of `/readyz`."""
        return self.fetch(role, "/readyz")[2].decode().strip()

    def figure(self, name):
        return self.metric("worker", name)

    def charts(self):
        """Returns the number of charts that the upstream was asked for."""
        return self.calls("searchDailyBoxOfficeList")


def rotate_client_key(site):
    """Replaces the key of a client while all processes run."""
    first = {"MARQUEE_CURVE_CLIENT": "ann"}
    check(site.marquee("status", **first)[0] != 0, "a client without a key cannot even try")
    site.must("keys", "new", "client", "ann", "--roles", "read,request")
    check(site.day("2024-06-01", **first), "a key that was just made lets its client in; nothing was restarted")
    site.must("keys", "new", "client", "ann-2", "--roles", "read,request")
    check(site.day("2024-06-01", MARQUEE_CURVE_CLIENT="ann-2"), "the client's next key works beside the old one")
    (pathlib.Path(site.environment["MARQUEE_CURVE_KEYS"]) / "clients" / "ann.key").unlink()
    check_eventually(lambda: site.refuses("marquee_handshakes_failed_total", **first),
                     "the old key, once its file is deleted, gets no answer, and is counted")
    check_eventually(lambda: "unknownKey" in site.processes["worker"].log(), "and logged with the reason")


def rotate_server_key(site):
    """Replaces the key of the server."""
    epoch = site.status()["epoch"]
    site.must("keys", "new", "server", "server-2")
    site.stop("board", "notifier", "worker")
    site.environment["MARQUEE_CURVE_SERVER"] = "server-2"
    site.start("worker", "notifier", "board")
    old = site.marquee("status", MARQUEE_CURVE_SERVER="server")
    check(old[0] == TIMED_OUT, "a client with the server's old key gets no answer")
    check(site.status()["epoch"] == epoch, "a client with the new one does, and the log goes on")
    check(site.day("2024-06-02"), "and requests are answered")
    check_eventually(lambda: site.ready("notifier") == "ok", "the notifier hears the worker under the new key")


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
    check_restored(site, epoch, kept="2024-06-02", lost="2024-06-03")


def check_restored(site, epoch, kept, lost):
    check(site.status()["epoch"] != epoch, "a restored log is a new epoch")
    calls = site.charts()
    check(site.day(kept) and site.charts() == calls, "it has what was in the backup")
    check(site.day(lost) and site.charts() == calls + 1, "and not what came later, which is fetched again")


def upgrade(site):
    """Replaces the program by another version."""
    before = site.status()
    site.must("backup", str(site.folder / "before-upgrade.db"))
    # As it is installed: the page's files are found above the program.
    installed = site.folder / "next"
    shutil.copytree(TOP / "Sources" / "Board" / "Web", installed / "share" / "marquee" / "web")
    site.stop("worker", "notifier", "board")
    site.program = shutil.copy2(site.program, installed / "marquee")
    for process in site.processes.values():
        process.command[0] = site.program
    site.start("board", "notifier", "worker")
    after = site.status()
    same = after["epoch"] == before["epoch"] and after["positions"] == before["positions"]
    check(same, "another program goes on where the one before it was, whatever starts first")
    check_eventually(lambda: site.ready("notifier") == site.ready("board") == "ok", "notifier and board find it")


def move(site):
    """Moves to another machine: other folders, other ports, the same log."""
    before = site.status()
    site.stop("board", "notifier", "worker")
    for name in "MARQUEE_DATA", "MARQUEE_CURVE_KEYS":
        there = f"{site.environment[name]}-there"
        shutil.move(site.environment[name], there)
        site.environment[name] = there
    site.take_addresses()
    site.start("worker", "notifier", "board")
    after = site.status()
    check(after["epoch"] == before["epoch"] and after["positions"] == before["positions"], "the log has moved as it was")
    check(site.day("2024-06-04") and site.status()["epoch"] == before["epoch"], "and goes on there")
    check_eventually(lambda: site.ready("notifier") == site.ready("board") == "ok", "notifier and board find it there")


def restore_on_server(site):
    """Moves to PostgreSQL, and restores a dump there with the commands of docs/cluster.md."""
    server = PostgreSQLServer(site.folder / "server")
    databases = address(server).removesuffix("postgres")
    with contextlib.ExitStack() as closing:
        closing.callback(server.kill)
        for name in "marquee", "restored", "anew":
            server.query(f"create database {name} encoding 'UTF8' template template0")
        epoch = site.status()["epoch"]
        site.stop("board", "notifier", "worker")
        site.must("copy", "--to", f"{databases}marquee")
        site.environment["MARQUEE_DATABASE"] = f"{databases}marquee"
        closing.callback(site.environment.pop, "MARQUEE_DATABASE")
        site.start("worker", "notifier", "board")
        check(site.status()["epoch"] == epoch, "in PostgreSQL the log goes on")
        check(site.day("2024-06-07"), "and requests are answered")
        server.run("pg_dump", "-Fc", "--file=backup.dump", f"{databases}marquee")
        check(site.day("2024-06-08"), "after a dump work goes on")
        site.stop("board", "notifier", "worker")
        steps = re.search(r"```\n(unset .*?)```", (TOP / "docs" / "cluster.md").read_text(), re.DOTALL)[1]
        steps = subprocess.run(
            ["bash", "-e", "-c", steps.replace("postgresql://marquee@db/", databases)], cwd=server.folder,
            env=site.environment, text=True, capture_output=True)
        check(steps.returncode == 0, f"the steps work: {steps.stdout}{steps.stderr}")
        site.environment["MARQUEE_DATABASE"] = f"{databases}anew"
        site.start("worker", "notifier", "board")
        check_restored(site, epoch, kept="2024-06-07", lost="2024-06-08")
        check_eventually(lambda: site.ready("notifier") == site.ready("board") == "ok", "notifier and board go on with it")
        site.stop("board", "notifier", "worker")
    site.start("worker", "notifier", "board")


def fill_disk(site):
    """Fills the disk, and frees it again."""
    data = pathlib.Path(site.environment["MARQUEE_DATA"])
    site.stop("board", "notifier", "worker")
    with small_disk(site.folder / "small") as disk:
        if not disk:
            print("     skipped: this machine cannot mount a small disk", flush=True)
            site.start("worker", "notifier", "board")
            return
        shutil.copytree(data, disk, dirs_exist_ok=True)
        site.environment["MARQUEE_DATA"] = str(disk)
        site.start("worker", "notifier", "board")
        filler = disk / "filler"
        with open(filler, "wb") as file:
            # The reserve is a twentieth of the disk: 1.2 MB.
            os.posix_fallocate(file.fileno(), 0, shutil.disk_usage(disk).free - 600_000)
        check_eventually(lambda: site.ready().startswith("disk"), "a disk that is nearly full is seen in /readyz")
        calls = site.figure("marquee_upstream_calls_total")
        refused = [site.day(f"2023-01-{number:02}") for number in range(1, 11)]
        check(not any(refused), "and requests are refused")
        with contextlib.suppress(OSError), open(filler, "ab", buffering=0) as file:
            while True:
                file.write(bytes(1 << 12))
        check_eventually(lambda: "database" in site.ready(), "a full disk is seen in /readyz")
        code, printed = site.marquee("request", "day", "2024-06-05")
        check(code != 0 and "internal" in printed, f"nothing is accepted: {printed.splitlines()[-1]}")
        check("epoch" in site.status(), "but questions are answered")
        filler.unlink()
        check_eventually(lambda: site.ready() == "ok", "with room again it is ready by itself")
        # The worker looks at the free disk once a second.
        check_eventually(lambda: site.day("2024-06-05"), "and goes on")
        check(site.figure("marquee_upstream_calls_total") == calls + 1, "and has fetched nothing that was refused")
        site.stop("board", "notifier", "worker")
        shutil.copytree(disk, data, dirs_exist_ok=True)
    site.environment["MARQUEE_DATA"] = str(data)
    site.start("worker", "notifier", "board")


def lose_upstream(site):
    """Takes the upstream down for a week, shortened by moving the clock."""
    noon = int((START.replace(hour=12, minute=45) - START).total_seconds())  # so that each look finds something to do
    site.stop("board", "notifier", "worker")
    site.clock.move(noon)
    site.environment["MARQUEE_SCHEDULE"] = "on"
    site.start("worker", "notifier", "board")
    yesterday = TODAY - datetime.timedelta(days=1)
    check_eventually(lambda: site.figure("marquee_chart_age_days") == 1, "the schedule has fetched yesterday's chart")
    check_eventually(lambda: site.figure("marquee_queue_length") == 0, "and what else it wanted")
    check_eventually(lambda: site.day("2024-06-06"), "and a day that is settled was asked for")

    site.control(kobis={"errors": {"503": 1.0}})
    for number in range(1, 8):
        failed = site.figure("marquee_requests_failed_total")
        site.clock.move(noon + number * DAY)
        check_eventually(lambda: site.figure("marquee_requests_failed_total") > failed, f"day {number}: the schedule looks and fails")
    check(site.figure("marquee_chart_age_days") == 8, "the age of the newest chart tells how long it has been")
    check_eventually(lambda: site.figure("marquee_queue_length") == 0, "nothing has piled up")
    check(site.day("2024-06-06"), "what is settled is served from the log")
    shown = json.loads(site.must("history", "day", str(yesterday), "--json").splitlines()[-1])
    check(shown["data"]["state"] == "provisional", "and what was not yet is still to be seen as it was")
    check(not site.day(yesterday + datetime.timedelta(days=3)), "what is not ends as a failure")

    site.control()
    site.clock.move(noon + 8 * DAY)  # the next look, a day later
    check_eventually(lambda: site.figure("marquee_chart_age_days") == 1, "when all is well again the newest chart comes")
    missing = [yesterday + datetime.timedelta(days=number) for number in range(1, 9)]
    check_eventually(lambda: known(site, missing) == missing, "and so do all days that were missing")
    old = [date for date in alerts(site) if yesterday < date <= yesterday + datetime.timedelta(days=4)]
    check(not old, "those that are older than three days set off no alert")


def known(site, days):
    """Returns the days whose chart is in the log."""
    printed = site.must("export", "--json", f"--from={days[0]}", f"--to={days[-1]}")
    return [datetime.date.fromisoformat(json.loads(line)["data"]["date"]) for line in printed.splitlines()]


def alerts(site):
    """Returns the days of all published alerts."""
    topics = [topic for topic, in site.rows("notifier.db", "select topic from event where topic like 'alert.%'")]
    return [datetime.date.fromisoformat(topic.rsplit(".", 1)[1]) for topic in topics]


cases = {
    "client-key": rotate_client_key, "server-key": rotate_server_key, "restore": back_up_and_restore,
    "upgrade": upgrade, "machine": move, "postgresql": restore_on_server, "disk": fill_disk, "week": lose_upstream,
}
NOT_IN_GATE = {"disk", "week"}


def follow(program, chosen):
    """Runs cases on one installation."""
    with suite_folder("marquee-guide-") as folder, Site(program, folder) as site:
        site.start()
        for name in chosen:
            print(f"     {name}: {cases[name].__doc__}", flush=True)
            cases[name](site)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--only", choices=cases)
    parser.add_argument("--gate", action="store_true", help=f"all cases but {', '.join(sorted(NOT_IN_GATE))}")
    options = parser.parse_args()
    chosen = [options.only] if options.only else [
        name for name in cases if not (options.gate and name in NOT_IN_GATE)]
    checks.run("guide", lambda: follow(options.program.resolve(), chosen))
    checks.end()


main()
