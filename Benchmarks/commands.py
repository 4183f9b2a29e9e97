"""What a client of the ROUTER endpoint waits for: status, a receipt, and the event of a day that is fetched.

The client is C each time, and takes no answer but the one it wants. Beside the worker: a C ROUTER that answers as many bytes, one
that commits 1 kB to SQLite before it answers, a pyzmq one, and the sandbox's own answer over a bare HTTP connection. The commit is
made by the ROUTER, not in a loop of its own: on a busy machine such a loop waits for the scheduler's tick at each commit (4 ms
here, where the commit takes 0.12 ms), and whatever is compared with that looks quick.
"""
import datetime, http.client, json, statistics, subprocess, time, uuid
from bench import (
    FOLDER, KEY, PEER, PEERS, PYTHON, free_address, in_turn, line, memory, note_memory, settings, spawn, start, stop)
import zmq

COUNT = 400
sandbox, ready = start("sandbox", settings("sandbox"))
upstream = ready["address"]
values = settings("commands", upstream)
worker, _ = start("worker", values)
at_rest = memory(worker)
address = values["MARQUEE_COMMANDS"]


spreads = {}


def middle(name, times):
    """The median, after noting how far it is from the quickest tenth: what a neighbour adds, not the work."""
    times = sorted(times)
    spreads.setdefault(name, []).append(statistics.median(times) / times[len(times) // 10])
    return statistics.median(times)


def is_noisy(name):
    return statistics.median(spreads[name]) > 2


def ask(name, address, word, topic, body=""):
    """The microseconds of the median round trip."""
    output = subprocess.check_output([PEER, "ask", address, str(COUNT), word, topic, body], timeout=120)
    return middle(name, list(map(float, output.split()))[COUNT // 10:])  # the first are slower for all


client = zmq.Context.instance().socket(zmq.REQ)
client.connect(address)
client.send_multipart([b"status", b""])
size = len(client.recv_multipart()[1])
routers = {name: free_address() for name in ("C", "C and a commit", "C and ten pages", "C and a writer", "Python")}
spawn([PEER, "serve", routers["C"], str(size)])
spawn([PEER, "serve", routers["C and a commit"], "48", str(FOLDER / "bare.db"), "1024"])
# As many as a receipt's own commit writes: the request, its two events, and the indexes by which they are found.
spawn([PEER, "serve", routers["C and ten pages"], "48", str(FOLDER / "pages.db"), "36000"])
# And on a thread of its own, so that a slow disk keeps nobody waiting who only asks: as little as a worker could do.
spawn([PEER, "serve", routers["C and a writer"], "48", str(FOLDER / "writer.db"), "36000", "elsewhere"])
spawn([*PYTHON, f"{PEERS}/router.py", routers["Python"], str(size)])


def receipt():
    """Days that are in the log, so that a fetcher has next to nothing to do beside."""
    return ask("receipt", address, "accepted", "fetch.day", f'{{"date":"2024-06-04","id":"{uuid.uuid4()}-%ld"}}')


days = iter(datetime.date(2004, 1, 1) + datetime.timedelta(days=number) for number in range(8_000))
FETCHES = 100
events = zmq.Context.instance().socket(zmq.SUB)
events.subscribe("ranking.")
events.subscribe("heartbeat.")
events.connect(values["MARQUEE_EVENTS"])
events.recv_multipart()
events.unsubscribe("heartbeat.")


def bare():
    """A day of the sandbox over a connection that is kept: the median of the microseconds."""
    times, connection = [], http.client.HTTPConnection(upstream)
    for _ in range(FETCHES):
        date = next(days).strftime("%Y%m%d")
        began = time.perf_counter()
        connection.request("GET", f"/kobisopenapi/webservice/rest/boxoffice/searchDailyBoxOfficeList.json?key={KEY}&targetDt={date}")
        body = connection.getresponse().read()
        times.append((time.perf_counter() - began) * 1e6)
        assert b"dailyBoxOfficeList" in body
        time.sleep(0.002)  # as between fetches
    connection.close()
    return middle("bare", times)


def fetch():
    """From the request to the event of that very day: others are still on their way."""
    times = []
    for _ in range(FETCHES):
        date = next(days).isoformat()
        wanted = f"ranking.day.all.{date}".encode()
        began = time.perf_counter()
        client.send_multipart([b"fetch.day", json.dumps({"date": date}).encode()])
        while events.recv_multipart()[0] != wanted:
            pass
        times.append((time.perf_counter() - began) * 1e6)
        assert client.recv_multipart()[0] == b"accepted"
        time.sleep(0.002)  # until the worker rests again
    return middle("fetch", times)


client.send_multipart([b"fetch.day", b"2024-06-04"])
assert client.recv_multipart()[0] == b"accepted"
while events.recv_multipart()[0] != b"ranking.day.all.2024-06-04":
    pass
times = in_turn({
    "C": lambda: ask("C", routers["C"], "status", "status"),
    "Python": lambda: ask("Python", routers["Python"], "status", "status"),
    "status": lambda: ask("status", address, "status", "status"),
    "C and a commit": lambda: ask("C and a commit", routers["C and a commit"], "accepted", "fetch.day"),
    "C and ten pages": lambda: ask("C and ten pages", routers["C and ten pages"], "accepted", "fetch.day"),
    "C and a writer": lambda: ask("C and a writer", routers["C and a writer"], "accepted", "fetch.day"),
    "receipt": receipt, "bare": bare, "fetch": fetch})
line(f"round trip of {size} B: C ROUTER", times["C"], unit="µs, p50")
line("round trip: Python ROUTER", times["Python"], ("C", times["C"], "", 0), unit="µs, p50")
line("round trip: status", times["status"], ("C", times["C"], "≤", 1.2), unit="µs, p50", noisy=is_noisy("C"))
line("round trip: C ROUTER and a SQLite commit", times["C and a commit"], unit="µs, p50")
line("round trip: C ROUTER and a commit of ten pages", times["C and ten pages"], unit="µs, p50")
line("the same, by a thread that writes", times["C and a writer"], ("C and a commit", times["C and a commit"], "", 0),
     unit="µs, p50")
line("request to receipt", times["receipt"], ("C and a commit", times["C and a commit"], "≤", 1.5),
     ("C and ten pages", times["C and ten pages"], "", 0), ("C and a writer", times["C and a writer"], "", 0),
     unit="µs, p50", noisy=is_noisy("C and a commit"))
line("a day of the sandbox by bare HTTP", times["bare"], unit="µs, p50")
both = [trip + one for trip, one in zip(times["bare"], times["receipt"])]
line("fetch.day to its event", times["fetch"], ("HTTP and a receipt", both, "≤", 1.3), unit="µs, p50",
     noisy=is_noisy("bare") or is_noisy("receipt"))
print("median to quickest tenth:", ", ".join(f"{name} {statistics.median(all):.1f}" for name, all in spreads.items()))
note_memory("commands", "worker", at_rest, memory(worker, "VmHWM"))
stop(worker, sandbox)
