"""Latency of the ROUTER endpoint: status, a receipt, and the event of a fetched day.

The client is in C, and fails on any answer but the expected one. The worker is compared with a C ROUTER that answers as many
bytes, a C ROUTER that commits 1 kB to SQLite before it answers, a pyzmq ROUTER, and the sandbox's answer over a bare HTTP
connection. The ROUTER itself makes the commit: on a busy machine a loop that only commits waits for the scheduler's tick at each
commit (4 ms here, where the commit takes 0.12 ms), and everything looks fast beside it.

Each round starts all processes anew, because one of two copies of a program may be a seventh slower for as long as it runs,
depending on where its pages are. Within a round the peers take short turns, so that a slow period of the machine slows all of them.
"""
import datetime, http.client, json, statistics, subprocess, time, uuid
from bench import (
    FOLDER, KEY, PEER, PEERS, PYTHON, free_address, in_turn, line, memory, note_memory, rounds, settings, spawn, start, stop,
    tells)
import zmq

TURNS = 4
# In each turn; the first questions are left out because they are slower for every peer.
QUESTIONS, SLOWER = 100, 10
FETCHES = 25
ROUTERS = {
    "C": [],
    "C and a commit": ["1024"],
    # As many pages as the commit of a receipt writes: the request, its two events, and their indexes.
    "C and ten pages": ["36000"],
    # The same on a separate thread, so that a slow disk delays no other question: the least that a worker can do.
    "C and a writer": ["36000", "elsewhere"],
}
spreads = {}


def middle(name, times):
    """Returns the median, and records its ratio to the fastest tenth, which shows the noise of other processes."""
    times = sorted(times)
    spreads.setdefault(name, []).append(statistics.median(times) / times[len(times) // 10])
    return statistics.median(times)


def is_noisy(name):
    return statistics.median(spreads[name]) > 2


class Stage:
    """The processes of a round, and a client of each kind."""

    def __init__(self, number):
        self.sandbox, ready = start("sandbox", settings(f"sandbox-{number}"))
        self.upstream = ready["address"]
        values = settings(f"commands-{number}", self.upstream)
        self.worker, _ = start("worker", values)
        self.at_rest = memory(self.worker)
        self.address = values["MARQUEE_COMMANDS"]
        self.client = zmq.Context.instance().socket(zmq.REQ)
        self.client.connect(self.address)
        self.size = len(self.command(b"status", b"")[1])
        self.events = zmq.Context.instance().socket(zmq.SUB)
        self.events.subscribe("ranking.")
        self.events.subscribe("heartbeat.")
        self.events.connect(values["MARQUEE_EVENTS"])
        self.events.recv_multipart()
        self.events.unsubscribe("heartbeat.")
        self.days = iter(datetime.date(2004, 1, 1) + datetime.timedelta(days=day) for day in range(8_000))
        self.fetch_day("2024-06-04")  # which receipts ask for
        self.routers = {name: free_address() for name in [*ROUTERS, "Python"]}
        self.peers = [spawn([*PYTHON, f"{PEERS}/router.py", self.routers["Python"], str(self.size)])]
        for index, (name, arguments) in enumerate(ROUTERS.items()):
            database = ["48", str(FOLDER / f"{number}-{index}.db"), *arguments] if arguments else [str(self.size)]
            self.peers.append(spawn([PEER, "serve", self.routers[name], *database]))

    def command(self, *frames):
        self.client.send_multipart(frames)
        return self.client.recv_multipart()

    def fetch_day(self, date):
        """Returns the microseconds from the request to the event of the same day; others are still in flight."""
        wanted = f"ranking.day.all.{date}".encode()
        began = time.perf_counter()
        self.client.send_multipart([b"fetch.day", json.dumps({"date": date}).encode()])
        while self.events.recv_multipart()[0] != wanted:
            pass
        took = (time.perf_counter() - began) * 1e6
        assert self.client.recv_multipart()[0] == b"accepted"
        return took

    def ask(self, address, word, topic, body=""):
        """Returns the microseconds of round trips."""
        output = subprocess.check_output([PEER, "ask", address, str(QUESTIONS), word, topic, body], timeout=120)
        return list(map(float, output.split()))[SLOWER:]

    def status(self, name):
        return lambda: self.ask(self.routers.get(name, self.address), "status", "status")

    def commit(self, name):
        return lambda: self.ask(self.routers[name], "accepted", "fetch.day")

    def receipt(self):
        """Requests days that are in the log, so that the fetcher does almost nothing."""
        body = f'{{"date":"2024-06-04","id":"{uuid.uuid4()}-%ld"}}'
        return self.ask(self.address, "accepted", "fetch.day", body)

    def bare(self):
        """Fetches days from the sandbox over one connection."""
        times, connection = [], http.client.HTTPConnection(self.upstream)
        for _ in range(FETCHES):
            date = next(self.days).strftime("%Y%m%d")
            began = time.perf_counter()
            connection.request(
                "GET", f"/kobisopenapi/webservice/rest/boxoffice/searchDailyBoxOfficeList.json?key={KEY}&targetDt={date}")
            body = connection.getresponse().read()
            times.append((time.perf_counter() - began) * 1e6)
            assert b"dailyBoxOfficeList" in body
            time.sleep(0.002)  # as between fetches
        connection.close()
        return times

    def fetch(self):
        times = []
        for _ in range(FETCHES):
            times.append(self.fetch_day(next(self.days).isoformat()))
            time.sleep(0.002)  # until the worker rests again
        return times

    def end(self):
        self.client.close(linger=0)
        self.events.close(linger=0)
        stop(self.worker, self.sandbox, *self.peers)


times, at_rest, highest = {}, [], []


def goals():
    # The call is booked before it is made, and the request ends: a commit each.
    parts = [
        trip + receipt + 2 * (commit - answer)
        for trip, receipt, commit, answer in zip(times["bare"], times["receipt"], times["C and a commit"], times["C"])]
    return {
        "status": ("C", times["C"], "≤", 1.35),
        # A receipt looks for the day in the log, too.
        "receipt": ("C and a commit", times["C and a commit"], "≤", 1.65),
        "fetch": ("HTTP, a receipt and two commits", parts, "≤", 1.45)}


for number in rounds(lambda: all(tells(times[name], goal) for name, goal in goals().items())):
    stage = Stage(number)
    figures = in_turn({
        "C": stage.status("C"), "Python": stage.status("Python"), "status": stage.status("worker"),
        "C and a commit": stage.commit("C and a commit"), "C and ten pages": stage.commit("C and ten pages"),
        "C and a writer": stage.commit("C and a writer"), "receipt": stage.receipt, "bare": stage.bare,
        "fetch": stage.fetch}, TURNS, number)
    size = stage.size
    at_rest.append(stage.at_rest)
    highest.append(memory(stage.worker, "VmHWM"))
    stage.end()
    for name, turns in figures.items():
        times.setdefault(name, []).append(middle(name, [took for turn in turns for took in turn]))
line(f"round trip of {size} B: C ROUTER", times["C"], unit="µs, p50")
line("round trip: Python ROUTER", times["Python"], ("C", times["C"], "", 0), unit="µs, p50")
line("round trip: status", times["status"], goals()["status"], unit="µs, p50", noisy=is_noisy("C"))
line("round trip: C ROUTER and a SQLite commit", times["C and a commit"], unit="µs, p50")
line("round trip: C ROUTER and a commit of ten pages", times["C and ten pages"], unit="µs, p50")
line("the same, by a thread that writes", times["C and a writer"], ("C and a commit", times["C and a commit"], "", 0),
     unit="µs, p50")
line("request to receipt", times["receipt"], goals()["receipt"],
     ("C and ten pages", times["C and ten pages"], "", 0), ("C and a writer", times["C and a writer"], "", 0),
     unit="µs, p50", noisy=is_noisy("C and a commit"))
line("a day of the sandbox by bare HTTP", times["bare"], unit="µs, p50")
line("fetch.day to its event", times["fetch"], goals()["fetch"], unit="µs, p50",
     noisy=is_noisy("bare") or is_noisy("receipt"))
print("median to quickest tenth:", ", ".join(f"{name} {statistics.median(all):.1f}" for name, all in spreads.items()))
note_memory("commands", "worker", statistics.median(at_rest), max(highest))
