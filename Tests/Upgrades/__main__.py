#!/usr/bin/python3
"""Opens databases that older versions of the program made, and follows "A new version" of docs/operations.md.

    python3 Tests/Upgrades PROGRAM                        test with all archives beside this file
    python3 Tests/Upgrades PROGRAM --way-back COMMIT=OLD  and roll back to the program OLD, built from COMMIT
    python3 Tests/Upgrades OLD --make COMMIT              make the archive of a version

An archive has the data folder of an installation that was stopped with work left to do, a backup that its own program made
before, and every event as its own `replay` gave it. README.md says how the archives came to be.
"""

import argparse
import contextlib
import hashlib
import json
import pathlib
import sqlite3
import subprocess
import sys
import tarfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "Harness"))
import checks  # noqa: E402
from checks import check  # noqa: E402
from installation import Installation  # noqa: E402
from server import Server  # noqa: E402
from suite import suite_folder  # noqa: E402
from waiting import eventually  # noqa: E402

WORKER_STREAMS = ("request", "ranking", "movie", "poster")
DAYS = [f"2024-06-0{day}" for day in range(1, 6)]
# What is waiting in an archive fails at this address until the upgrade.
NOBODY = "http://127.0.0.1:9"
RULES = """\
rules:
  entered:
  left:
  rose: {{by: 3}}
  fell: {{by: 3}}
  lead:
sinks:
  paper: {{kind: file, path: {folder}/letters.jsonl}}
  desk: {{kind: webhook, url: "{url}/desk", secret: upgrade}}
"""


class Site(Installation):
    """An installation of one version. Old versions know few variables, so only few are set."""

    def __init__(self, program, folder, has_rules=True, url=NOBODY):
        super().__init__(program, folder, {"MARQUEE_SCHEDULE": "off"})
        if has_rules:
            rules = self.folder / "rules.yml"
            rules.write_text(RULES.format(folder=self.folder, url=url))
            self.environment["MARQUEE_RULES"] = str(rules)

    def alerts(self):
        """Returns topic and body of all alerts."""
        return self.client.replay("alert", endpoint="alert_commands")[0]

    def board(self, path):
        """Returns the board's answer, once it has one."""
        def answer():
            status, _, body = self.fetch("board", f"/api/v1/{path}")
            return status == 200 and json.loads(body)
        return eventually(answer, f"the board knows {path}")


class Desk(Server):
    """A webhook: keeps the keys of the letters that it accepts."""

    def __init__(self):
        self.keys = []
        super().__init__()

    def answer(self, request):
        self.keys.append(request.headers["webhook-id"])
        return 204, {}, b""


# MARK: Making an archive


def make(program, commit, folder):
    """Lets an older program do some work, and keeps what it leaves."""
    knows_rules = "MARQUEE_RULES" in subprocess.run([program, "notifier", "--help"], capture_output=True, text=True).stdout
    with Site(program, folder, has_rules=knows_rules) as site:
        site.start()
        for day in DAYS:
            last = site.client.ended(site.client.request("fetch.day", date=day))
        movie = json.loads(site.client.replay("ranking")[0][-1][1])["data"]["entries"][0]["movieCode"]
        site.client.ended(site.client.request("fetch.movie", code=movie))
        eventually(lambda: alerts_of(site, DAYS[-1]), f"alerts about {DAYS[-1]}, after {last['type']}")
        if knows_rules:
            eventually(lambda: letters(site, "paper", 1), "a letter on paper")
            eventually(lambda: letters(site, "desk", 0), "a letter that waits for the desk")
        site.board(f"days/{DAYS[-1]}")
        for name, options in ("worker", []), ("notifier", ["--alerts"]):
            site.must("backup", str(site.data / f"before-{name}.db"), *options)
        site.control(kobis={"hang": 1})
        waiting = site.client.request("fetch.day", date="2024-06-06")
        events, epoch = site.client.replay(*WORKER_STREAMS)
        alerts = site.alerts()
        facts = {
            "commit": commit, "movie": movie, "waiting": waiting, "epoch": epoch, "events": events, "alerts": alerts,
            "letters": letters(site) if knows_rules else []}
        site.stop()
        (site.data / "facts.json").write_text(json.dumps(facts, ensure_ascii=False))
        with tarfile.open(HERE / f"{commit}.tar.xz", "w:xz", preset=9) as archive:
            for file in sorted(site.data.iterdir()):
                if file.is_file():
                    archive.add(file, file.name, filter=anonymous)
    print(f"{commit}.tar.xz: {len(events)} events, {len(alerts)} alerts, {len(facts['letters'])} letters")


def anonymous(member):
    """An archive's member without the name and the time of its maker."""
    member.uid = member.gid = member.mtime = 0
    member.uname = member.gname = ""
    return member


def letters(site, sink=None, state=None):
    """Returns sink, alert, state and key of the letters in the outbox."""
    rows = site.rows("notifier.db", "select sink, alert, state, letter from delivery order by number")
    return [row for row in rows if sink in (None, row[0]) and state in (None, row[2])]


# MARK: The upgrade


def upgrade(program, archive, folder, old=None):
    """Opens an older installation, and checks that everything goes on."""
    desk = Desk()
    with contextlib.closing(desk), Site(program, folder, url=desk.url) as site:
        with tarfile.open(archive) as packed:
            packed.extractall(site.data)
        facts = json.loads((site.data / "facts.json").read_text())
        before = {name: digest(site.data / name) for name in ("before-worker.db", "before-notifier.db")}
        site.start("sandbox", "worker")
        events, epoch = site.client.replay(*WORKER_STREAMS)
        old_events = {tuple(event) for event in facts["events"]}
        check(epoch == facts["epoch"], "the epoch is as it was")
        check(old_events <= {tuple(event) for event in events}, f"{len(old_events)} old events are replayed byte for byte")
        ended = site.client.ended(facts["waiting"])
        check(ended["type"] == "marquee.request.done.v1", "the request that waited is done without being asked again")
        answer = site.client.ended(site.client.request("fetch.day", date=DAYS[0]))
        check(answer["data"]["from"] == "log", "a settled day of the old log is answered from it")

        site.start("notifier", "board")
        alerts = site.alerts()
        check(alerts[:len(facts["alerts"])] == facts["alerts"], f"{len(facts['alerts'])} old alerts are replayed byte for byte")
        new_day = eventually(lambda: alerts_of(site, "2024-06-06"), "alerts about the day that waited")
        check(True, f"the notifier goes on: {len(new_day)} alerts about the day that waited")
        later = [f"2024-06-{day:02}" for day in range(7, 12)]
        for day in later:
            site.client.ended(site.client.request("fetch.day", date=day))
        eventually(lambda: [day for day in later if alerts_of(site, day)], "alerts about a later day")
        ids = [json.loads(body)["id"] for _, body in site.alerts()]
        check(len(ids) == len(set(ids)), "no alert is published again")
        check(not [topic for topic, _ in site.alerts()[len(facts["alerts"]):]
                   if topic.rsplit(".", 1)[1] in DAYS], "and the days that were decided fire nothing more")
        deliver(site, desk, facts)
        shown = site.board(f"days/{DAYS[-1]}")["chart"]
        logged = next(json.loads(body) for topic, body in events if topic == f"ranking.day.all.{DAYS[-1]}")
        check(shown["entries"] == logged["data"]["entries"], "the board shows a chart of the old log")
        site.stop("board", "notifier", "worker")
        refuse_newer(site)
        restore(site, facts, before)
    if old:
        way_back(old, archive, folder, facts)


def alerts_of(site, day):
    return [topic for topic, _ in site.alerts() if topic.endswith(day)]


def deliver(site, desk, facts):
    """Checks that the letters that waited arrive, and those that were sent do not come again."""
    if not facts["letters"]:
        return
    waiting = {alert for sink, alert, state, _ in facts["letters"] if sink == "desk" and state == 0}
    sent = {alert for sink, alert, state, _ in facts["letters"] if sink == "paper" and state == 1}
    eventually(lambda: waiting <= {alert for _, alert, _, _ in letters(site, "desk", 1)}, "the desk gets what waited")
    kept = {alert: key for sink, alert, _, key in facts["letters"] if sink == "desk" and key}
    keys = {alert: key for _, alert, _, key in letters(site, "desk")}
    check(all(keys[alert] == key for alert, key in kept.items()) and set(kept.values()) <= set(desk.keys),
          f"{len(waiting)} letters that waited are delivered, those that were tried with their old keys")
    eventually(lambda: {alert for _, alert, _, _ in letters(site, "paper", 1)} - sent, "a new letter is on paper")
    paper = (site.folder / "letters.jsonl").read_text().splitlines()
    check(not sent & {json.loads(line)["id"] for line in paper}, f"{len(sent)} letters that were delivered do not come again")


# MARK: The way back


def refuse_newer(site):
    """Checks that a program does not start on the data of a newer one, and leaves them as they are."""
    database = site.data / "worker.db"
    with contextlib.closing(sqlite3.connect(database)) as connection, connection:
        connection.execute("update schema_component set version = version + 1 where name = 'events'")
    found = digest(database)
    status, printed = site.marquee("worker")
    check(status != 0 and "supports versions up to" in printed and digest(database) == found,
          f"a newer database is refused and left alone: {printed.strip().splitlines()[-1][:160]}")


def restore(site, facts, before):
    """Restores the backups that the old program made before the upgrade, as the page says."""
    check({name: digest(site.data / name) for name in before} == before, "the upgrade left the backups as they were")
    for name, options in ("worker", []), ("notifier", ["--alerts"]):
        status, printed = site.marquee("restore", str(site.data / f"before-{name}.db"), *options)
        check(status == 0, f"the backup of the {name} is restored: {printed.strip().splitlines()[0][:120]}")
    site.start("worker")
    events, epoch = site.client.replay(*WORKER_STREAMS)
    check(epoch != facts["epoch"], "the restored log is a new epoch")
    old = [event for event in facts["events"] if json.loads(event[1])["correlationid"] != facts["waiting"]]
    check(same_but(events, old), f"it has the {len(old)} events of the backup, and no other")
    site.stop("worker", "sandbox")


def same_but(events, old):
    """Whether the events are the old ones, but for the epoch."""
    def without(pair):
        event = json.loads(pair[1])
        del event["epoch"]
        return pair[0], json.dumps(event)
    return list(map(without, events)) == list(map(without, old))


def way_back(old, archive, folder, facts):
    """Rolls back to the old program: it refuses the upgraded data, and goes on with its backup."""
    folder = folder.with_name(folder.name + "-back")
    folder.mkdir()
    with Site(sys.argv[1], folder) as current:
        with tarfile.open(archive) as packed:
            packed.extractall(current.data)
        earlier = {role: tables(current, role) for role in ("worker", "notifier")}
        current.start("sandbox", "worker", "notifier")
        current.stop()
        changed = [role for role in earlier if tables(current, role) != earlier[role]]
    with Site(old, folder, has_rules=bool(facts["letters"])) as site:
        check(changed, f"the upgrade changed the tables of {' and '.join(changed)}")
        for role in changed:
            status, printed = site.marquee(role)
            check(status != 0, f"the old program refuses them: {printed.strip().splitlines()[-1][:160]}")
        for role, words in ("worker", []), ("notifier", ["--alerts"]):
            status, printed = site.marquee("restore", str(site.data / f"before-{role}.db"), *words)
            check(status == 0, f"and restores its backup of the {role}")
        site.start("sandbox", "worker", "notifier")
        events, _ = site.client.replay(*WORKER_STREAMS)
        old_events = [event for event in facts["events"] if json.loads(event[1])["correlationid"] != facts["waiting"]]
        check(same_but(events, old_events), "it goes on where it was before the upgrade")
        check(site.client.ended(site.client.request("fetch.day", date="2024-06-06"))["type"] == "marquee.request.done.v1", "and works")
        site.stop()


def tables(site, role):
    """Returns the versions of a database's tables."""
    return site.rows(f"{role}.db", "select name, version from schema_component order by name")


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--make", metavar="COMMIT")
    parser.add_argument("--way-back", nargs="*", default=[], metavar="COMMIT=PROGRAM")
    options = parser.parse_args()
    program, olds = options.program.resolve(), dict(text.split("=", 1) for text in options.way_back)
    with suite_folder("marquee-upgrades-") as folder:
        if options.make:
            return make(program, options.make, folder)
        archives = sorted(HERE.glob("*.tar.xz"))
        checks.run("archives", lambda: check(len(archives) >= 3, f"{len(archives)} older versions"))
        for archive in archives:
            commit = archive.name.partition(".")[0]
            place = folder / commit
            place.mkdir()
            checks.run(commit, lambda: upgrade(program, archive, place, olds.get(commit)))
    checks.end()


main()
