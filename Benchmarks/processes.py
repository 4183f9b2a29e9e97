"""Starts the real programs and measures start, memory, receipts and events.

A plain ROUTER of the same library and bare SQLite commits run in turn with them, so that ratios hold on a busy machine.
"""
import json, sqlite3, statistics, subprocess, threading, time
from bench import FOLDER, THROUGHPUT, memory, read_charts, settings, start, stop
from process import reset_peak
import zmq

DAYS = 8411  # the 23 years from 2003-11-11


def sizes(process):
    """Returns the resident megabytes, and those not shared with other processes."""
    with open(f"/proc/{process.pid}/smaps_rollup") as rollup:
        fields = dict(line.split()[:2] for line in rollup if ":" in line.split()[0])
    private = int(fields["Private_Clean:"]) + int(fields["Private_Dirty:"])
    return int(fields["Rss:"]) / 1024, private / 1024


def show(name, values, unit="ms"):
    ordered = sorted(values)
    p99 = ordered[min(len(ordered) - 1, int(len(ordered) * 0.99))]
    print(f"{name:52} {statistics.median(ordered):9.2f} {p99:9.2f} {ordered[-1]:9.2f}  {unit}")
    return statistics.median(ordered), p99


def rounds(count, ask):
    """Returns the milliseconds of each of `count` calls."""
    values = []
    for number in range(count):
        began = time.perf_counter()
        ask(number)
        values.append((time.perf_counter() - began) * 1000)
    return values


context = zmq.Context()
sandbox, ready = start("sandbox", settings("sandbox"))
values = settings("data", ready["address"], MARQUEE_TRACEABLE="yes")

print(f"{'':52} {'median':>9} {'p99':>9} {'max':>9}")
starts = []
for number in range(10):
    began = time.perf_counter()
    worker, _ = start("worker", values | {"MARQUEE_DATA": f"{FOLDER}/start{number}"})
    starts.append((time.perf_counter() - began) * 1000)
    stop(worker)
show("worker: from start to ready, new data folder", starts)

worker, _ = start("worker", values)
notifier, _ = start("notifier", values)

commands = context.socket(zmq.REQ)
commands.connect(values["MARQUEE_COMMANDS"])
events = context.socket(zmq.SUB)
events.subscribe("request.done.")
events.subscribe("heartbeat.")
events.connect(values["MARQUEE_EVENTS"])
events.recv_multipart()
events.unsubscribe("heartbeat.")


def receipt(body):
    commands.send_multipart([b"fetch.day", json.dumps(body).encode()])
    word, answer = commands.recv_multipart()
    assert word == b"accepted", answer
    return json.loads(answer)["id"]


def done(id):
    while events.recv_multipart()[0].decode() != f"request.done.{id}":
        pass


def day(number):
    return time.strftime("%Y-%m-%d", time.gmtime(1_100_000_000 + number * 86_400))


time.sleep(1)  # at rest, not starting
for name, process in (("worker", worker), ("notifier", notifier)):
    resident, private = sizes(process)
    print(f"{name + ': memory at rest (resident, not shared)':52} {resident:9.1f} {private:9.1f} {'':9}  MB")

receipts = []


def timed_receipt(body):
    began = time.perf_counter()
    id = receipt(body)
    receipts.append((time.perf_counter() - began) * 1000)
    return id


receipt({"date": "2024-06-04", "id": "first"})
done("first")
receipts.clear()
plain = context.socket(zmq.ROUTER)
port = plain.bind_to_random_port("tcp://127.0.0.1")


def echo():
    while True:
        plain.send_multipart(plain.recv_multipart())


threading.Thread(target=echo, daemon=True).start()
peer = context.socket(zmq.REQ)
peer.connect(f"tcp://127.0.0.1:{port}")


def ask_plain(number):
    peer.send_multipart([b"fetch.day", b"{}"])
    peer.recv_multipart()


database = sqlite3.connect(f"{FOLDER}/commits.db", isolation_level=None)
database.execute("pragma journal_mode = wal")
database.execute("pragma synchronous = full")
database.execute("create table event (body blob)")


def commit_twice(number):
    for _ in range(2):
        database.execute("insert into event values (?)", (b"x" * 1024,))


wholes, echoes, commits = [], [], []
for _ in range(40):  # in turn, so that noise affects all three equally
    wholes += rounds(50, lambda number: done(timed_receipt({"date": "2024-06-04"})))
    echoes += rounds(50, ask_plain)
    commits += rounds(50, commit_twice)
show("day from the log: request to receipt", receipts)
from_log = show("day from the log: request to its last event", wholes)
echoed = show("  beside it: a bare round trip over the library", echoes)
commit = show("  beside it: two bare SQLite commits of 1 kB", commits)
print(f"{'  ratio to round trip and commits together':52} {from_log[0] / (echoed[0] + commit[0]):9.2f} "
      f"{from_log[1] / (echoed[1] + commit[1]):9.2f}")

receipts.clear()
show("day from the sandbox: request to its last event",
     rounds(500, lambda number: done(timed_receipt({"date": day(number)}))))
resident, private = sizes(worker)
print(f"{'worker: memory after that (resident, not shared)':52} {resident:9.1f} {private:9.1f} {'':9}  MB")
stop(notifier, worker, sandbox)

subprocess.run([THROUGHPUT, "fill", f"{FOLDER}/history", str(DAYS)], check=True)
worker, _ = start("worker", values | {"MARQUEE_DATA": f"{FOLDER}/history"})
reader = context.socket(zmq.DEALER)
reader.connect(values["MARQUEE_COMMANDS"])


def replay(number):
    """Reads all charts."""
    count = read_charts(reader)
    assert count == DAYS, count


reset_peak(worker)
show(f"replay of {DAYS:,} logged days to a new subscriber", rounds(5, replay))
highest = memory(worker, "VmHWM")
print(f"{'worker: memory at its highest meanwhile (resident)':52} {highest:9.1f} {'':9} {'':9}  MB")
stop(worker)
