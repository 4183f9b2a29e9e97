"""Bad days of the PostgreSQL server that worker and notifier keep their state in.

Meanwhile requests are refused so that clients try again, heartbeats and live subscribers stay, and `/readyz` and the log say
why. Afterwards everything goes on by itself, and each accepted request has ended once.
"""

import collections
import contextlib
import datetime
import json
import os
import pathlib
import re
import signal
import socket
import struct
import subprocess
import threading
import time

import zmq

from checks import check, check_eventually
from clock import KOREA, TODAY, Clock
from installation import BUSY, TIMED_OUT, Installation
from postgresql import PROGRAMS, USER, PostgreSQLServer, address
from small_disk import small_disk
from suite import suite_folder
from waiting import PATIENCE, Failure, eventually

# Seconds within which a client has an answer, however long the server takes.
ANSWERED = PATIENCE / 5
ENDPOINTS = "events", "alerts"


class Subscriber(threading.Thread):
    """Hears heartbeats of worker and notifier, and what becomes of requests, over connections that stay."""

    def __init__(self, site):
        super().__init__(daemon=True)
        self.site, self.ended = site, threading.Event()
        self.heartbeats, self.events = collections.Counter(), []
        self.start()

    def run(self):
        with contextlib.ExitStack() as closing:
            poller, names = zmq.Poller(), {}
            for name in ENDPOINTS:
                connection = closing.enter_context(self.site.client.open(zmq.SUB, name))
                for topic in b"heartbeat.", b"request.":
                    connection.subscribe(topic)
                poller.register(connection, zmq.POLLIN)
                names[connection] = name
            while not self.ended.is_set():
                for connection, _ in poller.poll(100):
                    topic, body = connection.recv_multipart()
                    if topic.startswith(b"heartbeat."):
                        self.heartbeats[names[connection]] += 1
                    else:
                        self.events.append(body.decode())

    def wait(self, seconds=1):
        """Waits until both processes have shown for so many seconds that they live; they do so each second."""
        before = self.heartbeats.copy()

        def have_come():
            for role in "worker", "notifier":
                self.site.processes[role].check_runs()
            # The first one may have been on its way.
            return all(self.heartbeats[name] > before[name] + seconds for name in ENDPOINTS)
        eventually(have_come, "heartbeats go on")


class Site(Installation):
    """The processes with their state on a server, a subscriber, and what becomes of the requests that it sends."""

    def __init__(self, program, folder, server, settings={}):
        super().__init__(program, folder, BUSY | {"MARQUEE_DATABASE": address(server)} | settings)
        self.requests, self.subscriber, self.log_begin = [], None, 0

    def start(self, *roles):
        super().start(*roles)
        if not self.subscriber:
            self.subscriber = Subscriber(self)
            self.subscriber.wait()

    def kill(self):
        if self.subscriber:
            self.subscriber.ended.set()
            self.subscriber.join()
        super().kill()

    def answer(self, *frames, endpoint="commands"):
        """Returns word and body of the answer to what is sent once."""
        with self.client.open(zmq.DEALER, endpoint) as connection:
            connection.send_multipart(frames)
            if not connection.poll(1000 * ANSWERED):
                raise Failure(f"no answer to {frames[0].decode()} on {endpoint} within {ANSWERED:.0f} s")
            word, body, *_ = connection.recv_multipart()
            return word, json.loads(body)

    def send(self, request):
        """Sends a request, for the first time or again; returns whether it is accepted."""
        day = datetime.date(2024, 1, 1) + datetime.timedelta(self.requests.index(request) % 360)
        # Large, so that a disk is soon full.
        body = {"id": request, "date": f"{day}", "note": "x" * 20_000}
        word, answer = self.answer(b"fetch.day", json.dumps(body).encode())
        if word != b"accepted" and (answer["code"] != "overloaded" or not answer["retryAfter"]):
            raise Failure(f"a client is not told to try again: {answer}")
        return word == b"accepted"

    def send_next(self):
        self.requests.append(f"request-{len(self.requests) + 1}")
        return self.send(self.requests[-1])

    def readiness(self, role):
        self.processes[role].check_runs()
        return self.fetch(role, "/readyz")[2].decode().strip()

    def begin(self):
        """Checks a good day, and begins a bad one."""
        for _ in range(3):
            if not self.send_next():
                raise Failure("a request was refused on a good day")
            self.client.ended(self.requests[-1])
        self.log_begin, self.began = len(self.processes["worker"].log()), time.monotonic()

    def check_outage(self, reason):
        """Checks what clients and operators are told while the server does not do its work."""
        check_eventually(lambda: not self.send_next(), "requests are refused as overloaded, and when to try again")
        for endpoint in "commands", "alert_commands":
            self.answer(b"status", b"{}", endpoint=endpoint)
        check(True, "other commands are answered")
        status, printed = self.marquee("status")
        check(status != TIMED_OUT, f"`marquee status` ends with {status}: {printed.splitlines()[0]}")
        for role in "worker", "notifier":
            check_eventually(lambda: re.match("(database|queue): ", self.readiness(role)), f"the {role} is not ready")
            print(f"     {self.readiness(role)}", flush=True)
            check(self.fetch(role, "/healthz")[0] == 200, f"the {role} is alive")
        self.subscriber.wait()
        check(True, "heartbeats go on")
        lines = [line for line in self.processes["worker"].log()[self.log_begin:].splitlines()
                 if re.match(r"\S+ (warning|error) ", line)]
        check(any(re.search(reason, line) for line in lines), f"the log says {reason!r}")
        seconds = time.monotonic() - self.began
        check(len(lines) < 10 * (1 + seconds), f"it has {len(lines)} lines of {seconds:.0f} s")

    def check_recovery(self, stayed=True):
        """Checks that everything goes on, and that nothing was lost or done twice.

        `stayed`: the processes are those that were there before the bad day, and a live subscriber has missed nothing.
        """
        for role in "worker", "notifier":
            check_eventually(lambda: self.readiness(role) == "ok", f"the {role} is ready")
        for request in self.requests:
            eventually(lambda: self.send(request), f"{request} is accepted")
            if (kind := self.client.ended(request)["type"]) != "marquee.request.done.v1":
                raise Failure(f"{request} ended as {kind}")
        check(True, f"{len(self.requests)} requests have ended, those that were refused when they were sent again")
        events = self.client.replay("request")[0]
        counts = collections.Counter(topic for topic, _ in events)
        wrong = {topic: counts[topic] for request in self.requests
                 for topic in (f"request.accepted.{request}", f"request.done.{request}") if counts[topic] != 1}
        check(not wrong, f"each was accepted once and ended once {wrong or ''}")
        bodies = [body for _, body in events]
        if stayed:
            check_eventually(lambda: self.subscriber.events == bodies, "a subscriber has heard it all, in order and once")
        self.check()


@contextlib.contextmanager
def site_on_server(program, settings={}, place=None):
    """Lends a site that has not been started, with a server of its own, and a folder for more."""
    with suite_folder("marquee-limits-") as folder, contextlib.ExitStack() as closing:
        server = PostgreSQLServer((place or folder) / "server")
        closing.callback(server.kill)
        yield closing.enter_context(Site(program, folder / "site", server, settings)), server, folder


@contextlib.contextmanager
def synchronous_standby(server, folder):
    """Gives a server a synchronous standby, and lends it; the server's commits wait for it from then on."""
    standby = PostgreSQLServer(folder / "standby", primary=server)
    try:
        yield standby
    finally:
        standby.kill()


# Rows

def missing_standby(program):
    """The synchronous standby is away: the server does not answer any commit."""
    with site_on_server(program) as (site, server, folder):
        site.start()
        with synchronous_standby(server, folder) as standby:
            site.begin()
            standby.kill()
            site.check_outage("standby")
            standby.start()
            site.check_recovery()
            site.stop()  # while there still is a standby


@contextlib.contextmanager
def second_site(site, settings={}):
    """Lends processes beside those of a site, with the same database; none has been started."""
    shared = {name: site.environment[name] for name in ("MARQUEE_DATABASE", "MARQUEE_SANDBOX_HTTP")}
    with Installation(site.program, site.folder / "second", BUSY | shared | settings) as second:
        yield second


def two_notifiers_without_standby(program):
    """The synchronous standby is away for longer than a notifier that says nothing keeps its place."""
    with site_on_server(program) as (site, server, folder):
        worker = {name: site.environment[name] for name in ("MARQUEE_EVENTS", "MARQUEE_COMMANDS")}
        with second_site(site, worker) as second:
            site.start()
            waiting = second.processes["notifier"]
            waiting.start()
            eventually(lambda: "waits to take its place" in waiting.log(), "the second notifier waits")
            with synchronous_standby(server, folder) as standby:
                site.begin()
                standby.kill()
                site.subscriber.wait(seconds=30)
                check(True, "heartbeats of the first notifier go on")
                standby.start()
                site.check_recovery()
                waiting.check_runs()
                second.stop()
                site.stop()


def restart_without_standby(program):
    """Worker and notifier are stopped and started while the synchronous standby is away."""
    with site_on_server(program) as (site, server, folder):
        site.start()
        with synchronous_standby(server, folder) as standby:
            site.begin()
            standby.kill()
            eventually(lambda: not site.send_next(), "requests are refused")
            for role in "worker", "notifier":
                process = site.processes[role]
                process.signal(signal.SIGTERM)
                check(process.ended(ANSWERED) is not None, f"the {role}, asked to stop, ends")
                process.start()
                # The session of the one before may still wait for the standby, and have the place.
                reasons = "standby|timeout|no answer|waits to take its place"
                check_eventually(lambda: re.search(reasons, process.log(process.began)),
                                 "when it is started it says what it waits for, or that it cannot start")
            standby.start()
            for role in "worker", "notifier":
                eventually(lambda: is_ready_again(site.processes[role]), f"the {role} is ready")
            site.check_recovery(stayed=False)
            site.stop()


def is_ready_again(process):
    """Whether a process is ready; starts it if it has ended, as a service manager does."""
    if not process.is_running:
        process.start()
    return f"{process.name} ready" in process.log(process.began)


class Sessions:
    """Other programs' sessions, which use up all that the server has."""

    def __init__(self, server):
        self.server, self.sessions = server, []

    def take(self):
        """Takes all that are left; returns how many there are."""
        while session := self.connection():
            self.sessions.append(session)
        return len(self.sessions)

    def connection(self):
        session = socket.create_connection(("127.0.0.1", self.server.port), timeout=PATIENCE)
        words = struct.pack("!I", 3 << 16) + b"user\0marquee\0database\0postgres\0\0"
        session.sendall(struct.pack("!I", len(words) + 4) + words)
        if session.recv(1) == b"R":  # authentication is done; E is an error
            return session
        session.close()
        return None

    def take_from_marquee(self):
        """Ends marquee's sessions and takes them; returns how many there are."""
        sql = b"select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'marquee'\0"
        self.sessions[0].sendall(b"Q" + struct.pack("!I", len(sql) + 4) + sql)
        return self.take()

    def leave(self):
        for session in self.sessions:
            session.close()
        self.sessions = []


def used_up_connections(program):
    """All connections of the server are taken, before the processes start and while they run."""
    with site_on_server(program) as (site, server, _):
        count = 12
        server.query(f"alter system set max_connections = {count}")
        server.stop()
        server.start()
        others = Sessions(server)
        others.take()
        for role in "worker", "notifier":
            process = site.processes[role]
            process.start()
            check(process.ended() == 1, f"a {role} does not start")
            lines = process.log().splitlines()
            check(len(lines) == 1 and "too many clients" in lines[0], f"it says why in a line: {lines[0]}")
        others.leave()
        eventually(lambda: server.query("select 1"), "connections are free")
        site.start()
        others.take()
        site.begin()
        check(True, "processes keep the connections that they have")
        eventually(lambda: others.take_from_marquee() == count, "others have all connections")
        site.check_outage("too many clients")
        others.leave()
        site.check_recovery()


def full_disk(program):
    """The server's disk is full."""
    with suite_folder("marquee-limits-") as folder, small_disk(folder / "disk", megabytes=96) as disk:
        if not disk:
            raise Failure("only root can mount a small disk")
        with site_on_server(program, place=disk) as (site, server, _):
            # Or the server is given back the disk of what it has written before.
            server.query("alter system set wal_recycle = off")
            site.start()
            site.begin()
            ballast = disk / "ballast"
            with contextlib.suppress(OSError), open(ballast, "wb", buffering=0) as file:
                while True:
                    file.write(bytes(4096))
            site.check_outage("No space left on device")
            ballast.unlink()
            if not server.is_running:
                server.start()  # it cannot do without its own log
            site.check_recovery()


def slow_server(program):
    """Statements wait for the lock of another program, such as a backup or a repair by hand."""
    with site_on_server(program) as (site, server, _):
        site.start()
        site.begin()
        with subprocess.Popen([*USER, f"{PROGRAMS}/psql", "-Xq", address(server)], text=True, cwd=server.folder,
                              stdin=subprocess.PIPE) as psql:
            print("begin; lock table worker.inbox, notifier.marquee_writer in access exclusive mode;",
                  file=psql.stdin, flush=True)
            site.check_outage("lock timeout|no answer")
            psql.stdin.close()
        site.check_recovery()


@contextlib.contextmanager
def frozen(server):
    """Stops all processes of a server for a while; its machine keeps the connections open."""
    server.signal(signal.SIGSTOP)  # it starts no more
    postmaster = server.child.pid
    children = pathlib.Path(f"/proc/{postmaster}/task/{postmaster}/children").read_text().split()

    def send(number):
        for process in [*map(int, children), postmaster]:
            with contextlib.suppress(ProcessLookupError):  # one may just have ended
                os.kill(process, number)
    send(signal.SIGSTOP)
    try:
        yield
    finally:
        send(signal.SIGCONT)


def frozen_server(program):
    """The server stands still."""
    with site_on_server(program) as (site, server, _):
        site.start()
        site.begin()
        with frozen(server):
            site.check_outage("no answer")
        site.check_recovery()


def frozen_server_of_two(program):
    """The server of two workers stands still for longer than a worker that says nothing counts as alive."""
    with site_on_server(program) as (site, server, _), second_site(site) as second:
        site.start()
        second.start("worker")
        site.subscriber.wait(seconds=20)
        workers = server.query("select number from worker.worker order by number")
        with frozen(server):
            site.subscriber.wait(seconds=20)
        for client in site.client, second.client:
            client.ended(client.request("fetch.day", date="2024-06-04"))
        site.subscriber.wait()
        now = server.query("select number from worker.worker order by number")
        check(now == workers, f"neither worker has taken the other for dead: {workers.split()}, then {now.split()}")


def clocks_apart(program):
    """Two workers' clocks are an hour apart, and midnight in Korea lies between them; the server's is another still."""
    days = 10
    with site_on_server(program) as (site, server, _), second_site(site) as second:
        midnight = datetime.datetime.combine(TODAY + datetime.timedelta(1), datetime.time(), KOREA)
        for installation, minutes in (site, -30), (second, 30):
            clock = Clock(installation.folder)
            clock.set(midnight + datetime.timedelta(minutes=minutes))
            installation.processes["worker"].environment.update(clock.environment)
        site.start()
        second.start("worker")
        for number in range(days):
            for client in site.client, second.client:
                client.ended(client.request("fetch.day", date=f"2024-06-{1 + number:02}", refresh=True))
        check(server.query("select count(*) from worker.worker") == "2", "both workers count as alive")
        topics = collections.Counter(topic for topic, _ in site.client.replay("request")[0])
        check(set(topics.values()) == {1} and len(topics) == 4 * days, "each request was accepted once and ended once")
        for installation in site, second:
            check_eventually(lambda: "the clocks of this machine and of the database differ" in
                             installation.processes["worker"].log(), "a worker says that its clock is wrong")


ROWS = {row.__name__.replace("_", "-"): row for row in (
    missing_standby, two_notifiers_without_standby, restart_without_standby, used_up_connections, full_disk, slow_server,
    frozen_server, frozen_server_of_two, clocks_apart)}
