"""What the trials of crashes and of power losses have in common: their clients, their log, and the checks at their end."""

import argparse
import asyncio
import collections
import contextlib
import datetime
import functools
import pathlib
import random
import secrets
import shutil
import sys
import tempfile
import time

import zmq
import zmq.asyncio

import checker
from clock import TODAY
from installation import query
from requester import Announcer, Requester, Requests
from waiting import eventually_async


class Trial:
    """Processes with empty data under an attack, and what was found."""

    kind = ""  # what is special about it, for the line that tells how it ended

    def __init__(self, folder, seed, crashes):
        self.folder, self.seed, self.crashes = folder, seed, crashes
        self.number = int(seed.rsplit("/")[-1])
        self.rng = random.Random(seed)
        self.findings, self.figures = checker.Findings(), collections.Counter()
        self.context = zmq.asyncio.Context()
        self.tasks, self.listeners = [], []  # of the clients, and of plain subscribers
        self.began = time.monotonic()
        self.trace_file = open(folder / "trace.log", "w", buffering=1)

    def trace(self, what):
        self.trace_file.write(f"{time.monotonic() - self.began:8.3f} {what}\n")

    def branch(self):
        """Returns a random generator for one part, so that the parts do not influence each other."""
        return random.Random(self.rng.random())

    # Clients

    async def make_requests(self, site):
        first_day = datetime.date(2005, 1, 1) + datetime.timedelta(days=self.rng.randrange(6000))
        days = [first_day + datetime.timedelta(days=30 * step) for step in range(5)]
        films = await asyncio.to_thread(site.movie_codes, days)
        recent_days = [TODAY - datetime.timedelta(days=days) for days in range(2, 5)]
        self.requests = Requests(self.branch(), films, first_day, recent_days)

    def start_clients(self, asking, announcing, pause):
        """Starts the clients, which send requests all the time: each to one of the addresses, or without receipts to all."""
        self.clients = [Requester(self.context, asking, self.requests) for _ in range(4 * len(asking))]
        self.clients.append(Announcer(self.context, announcing, self.requests, self.has_come))
        self.tasks = [asyncio.create_task(client.run(pause)) for client in self.clients]

    def listen(self, address, received):
        """Records all that a plain subscriber receives, except heartbeats."""
        async def run():
            socket = self.context.socket(zmq.SUB)
            socket.setsockopt(zmq.SUBSCRIBE, b"")
            socket.setsockopt(zmq.RECONNECT_IVL, 20)
            socket.connect(address)
            while True:
                topic, body = await socket.recv_multipart()
                if not topic.startswith(b"heartbeat."):
                    received.append((topic, body))
                    self.hear(topic, body)

        self.listeners.append(asyncio.create_task(run()))

    def hear(self, topic, body):
        """Is called with each event that a plain subscriber receives."""

    async def end_tasks(self):
        for task in self.tasks + self.listeners:
            task.cancel()
        await asyncio.gather(*self.tasks, *self.listeners, return_exceptions=True)

    # The end

    def has_come(self, id):
        """Whether the worker has taken a request, however it ended."""
        return self.count("worker", f"inbox where id = '{id}'")

    async def finish_clients(self):
        for client in self.clients:
            client.is_asked_to_stop = True
        await eventually_async(lambda: all(task.done() for task in self.tasks), "the clients' last answers")
        for task in [*self.tasks, *(task for task in self.listeners if task.done())]:
            self.findings.require(not task.exception(), f"a client: {task}")

    async def finish_requests(self):
        """Waits until all requests have ended, and all that follows from them is sent."""
        await self.finish_clients()
        await eventually_async(lambda: not self.count("worker", "inbox where state = 0"), "the end of the last request")
        expected = len(checker.expected_alerts(self.log("worker").stream("ranking")))
        await eventually_async(lambda: self.count("notifier", "event") >= expected, "the last alert")
        self.receiver.is_flaky = False
        await eventually_async(lambda: not self.count("notifier", "delivery where state = 0"), "the last letter")

    def query(self, name, sql):
        """Returns rows of a process's database."""
        return query(self.folder / name / f"{name}.db", sql)

    def log(self, name):
        return checker.Log(name, functools.partial(self.query, name))

    def count(self, name, rows):
        return self.query(name, f"select count(*) from {rows}")[0][0]

    def readers(self, site):
        """Returns who can be asked for a log: its name, a client, and the endpoint."""
        return [("worker", site.client, "commands"), ("notifier", site.client, "alert_commands")]

    def check_logs(self, site, may_refuse, interruptions):
        """Checks both logs, and what of them was answered, decided and delivered. Returns the stages of each request."""
        findings, requests, receiver = self.findings, self.requests, self.receiver
        worker, notifier = self.log("worker"), self.log("notifier")
        findings.problems += requests.problems
        for log in worker, notifier:
            checker.check_log(log, findings)
        for name, client, endpoint in self.readers(site):
            checker.check_replay({"worker": worker, "notifier": notifier}[name], client, endpoint, self.branch(), findings)
        checker.check_facts(worker, findings)
        lives = checker.check_requests(worker, requests, findings, may_refuse)
        checker.check_alerts(worker.stream("ranking"), notifier.events, findings)
        repeated = checker.check_letters(notifier, receiver, interruptions + receiver.unanswered, findings)
        self.figures.update({
            "requests": len(lives),
            "receipts": len(requests.receipted),
            "requests sent again": requests.repeated + requests.unanswered,
            "conflicts": requests.conflicts,
            "requests done": sum(life[-1:] == ["done"] for life in lives.values()),
            "requests failed": sum(life[-1:] == ["failed"] for life in lives.values()),
            **{f"requests postponed, {code}": count for code, count in requests.postponed.items()},
            "events": len(worker.rows),
            "alerts": len(notifier.rows),
            "letters": len(receiver.accepted),
            "attempts to deliver them": receiver.attempts,
            "letters that came again": repeated,
        })
        return lives


async def play(kind, program, seed, *arguments, keep=False):
    """Runs a trial, prints its figures and problems, and returns it. The folder of one that found something is kept."""
    folder, began = pathlib.Path(tempfile.mkdtemp(prefix="marquee-trial-")), time.monotonic()
    with contextlib.ExitStack() as closing:
        closing.callback(shutil.rmtree, folder)
        trial = kind(program.resolve(), folder, seed, *arguments)
        await trial.run()
        figures, findings = trial.figures, trial.findings
        figures.update({"lost": findings.lost, "duplicated": findings.duplicated, "reordered": findings.reordered})
        words = [f"{figures[name]} {name}" for name in ("crashes", "requests", "events", "alerts", "letters")]
        words += [f"{len(findings.problems)} problems", f"{time.monotonic() - began:.0f} s {trial.kind}".strip()]
        print(f"{seed}: {', '.join(words)}", *findings.problems[:20], sep="\n  ", flush=True)
        if findings.problems or keep:
            print(f"  kept: {folder}", flush=True)
            closing.pop_all()
    return trial


def make_parser(name, description, crashes):
    """Returns the parser of a suite's options."""
    parser = argparse.ArgumentParser(prog=name, description=description)
    parser.add_argument("program", type=pathlib.Path, help="the marquee to attack")
    parser.add_argument("--seed", default=secrets.token_hex(4), help="(default: a random one)")
    parser.add_argument("--crashes", type=int, default=crashes, help=f"how many at the least (default {crashes})")
    parser.add_argument("--round", type=int, help="run only this round of the seed")
    parser.add_argument("--keep", action="store_true", help="keep the folders of rounds that found nothing, too")
    return parser


def conclude(seed, total, rounds, failed, missing=()):
    """Prints the line that ends a suite of crashes, and returns its exit status."""
    if failed:
        print(f"chaos: seed {seed}: rounds {failed} found problems", file=sys.stderr)
    elif missing:
        print(f"chaos: seed {seed}: too few: {', '.join(missing)} (a full disk needs root)", file=sys.stderr)
    else:
        print(f"{total['crashes']} crashes, {total['lost']} lost, {total['duplicated']} duplicated, "
              f"{total['reordered']} reordered (seed {seed}, {rounds} rounds)")
    return 1 if failed or missing else 0


def report(figures, began):
    print(f"\nin {(time.monotonic() - began) / 60:.1f} minutes:")
    for name, figure in figures.items():
        print(f"{figure:>9,}  {name}")
