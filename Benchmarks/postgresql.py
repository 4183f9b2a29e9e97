"""State in PostgreSQL beside files: receipts of one worker, then events and throughput of three that share a database.

Server, workers and clients have this machine's cores together. All requests ask for a day of the log, which causes three
events each: accepted, the day again, done.
"""
import json, statistics, subprocess, time, uuid
from bench import (
    FOLDER, PEER, ROUNDS, in_turn, judge, line, request_day, seconds_of, settings, spawn, start, start_workers, stop, tells)
from client import Client
from postgresql import PostgreSQLServer, address
import zmq

WORKERS, CLIENTS, REQUESTS = 3, 64, 15_000
QUESTIONS, SLOWER = 200, 20  # in each turn; the first are left out because they are slower on both
RATE, SECONDS = 200, 5
DATE = "2024-06-04"


def body(suffix=""):
    """Returns the body of a request with an id of its own; the client in C writes a number for `%ld` in the suffix."""
    return f'{{"date":"{DATE}","id":"{uuid.uuid4()}{suffix}"}}'


def receipt(values):
    """Returns the median of the microseconds from a lone request to its receipt."""
    words = [PEER, "ask", values["MARQUEE_COMMANDS"], str(QUESTIONS), "accepted", "fetch.day", body("-%ld")]
    return statistics.median(list(map(float, subprocess.check_output(words, timeout=120).split()))[SLOWER:])


def steady(workers, receipts, events):
    """Sends requests at a steady rate, to one worker after the other.

    Adds the milliseconds from each to its receipt, and until its first event has come from every worker."""
    poller, asked, left = zmq.Poller(), {}, {}
    clients = [Client(values).open(zmq.DEALER, "commands") for _, values in workers]
    logs = [Client(values).open(zmq.SUB, "events") for _, values in workers]
    for socket in clients + logs:
        poller.register(socket, zmq.POLLIN)
    for log in logs:
        log.subscribe("heartbeat.")
        log.recv_multipart()
        log.subscribe("request.accepted.")
        log.unsubscribe("heartbeat.")
    time.sleep(0.5)  # until the subscriptions are in force
    began, missing = time.perf_counter(), RATE * SECONDS
    while missing or left:
        if missing and time.perf_counter() >= began + len(asked) / RATE:
            request = body()
            id = json.loads(request)["id"]
            asked[id], left[id], missing = time.perf_counter(), len(workers), missing - 1
            clients[missing % len(clients)].send_multipart([b"fetch.day", request.encode()])
        pause = (began + len(asked) / RATE - time.perf_counter()) * 1000 if missing else 60_000
        for socket, _ in poller.poll(max(0, pause)) or ([] if missing else exit("no answer within a minute")):
            head, answer = socket.recv_multipart()
            now = time.perf_counter()
            if socket in clients:
                assert head == b"accepted", answer
                receipts.append((now - asked[json.loads(answer)["id"]]) * 1000)
            elif (id := head.decode().removeprefix("request.accepted.")) in left:
                left[id] -= 1
                if not left[id]:
                    events.append((now - asked[id]) * 1000)
                    del left[id]
    for socket in clients + logs:
        socket.close()


def load(workers):
    """Returns receipts a second of many clients at once, events a second at a subscriber of one worker, and how many
    milliseconds processors worked for the workers, for each request."""
    addresses = ",".join(values["MARQUEE_COMMANDS"] for _, values in workers)
    subscriber = spawn([PEER, "subscribe", workers[0][1]["MARQUEE_EVENTS"], str(3 * REQUESTS), "1"], stdout=subprocess.PIPE)
    time.sleep(1)  # until its subscription is in force
    before = sum(seconds_of(worker) for worker, _ in workers)
    words = [PEER, "load", addresses, str(REQUESTS), "accepted", "fetch.day", body("-%ld"), str(CLIENTS)]
    receipts = float(subprocess.check_output(words, timeout=120))
    events = float(subscriber.communicate(timeout=120)[0])
    return receipts, events, (sum(seconds_of(worker) for worker, _ in workers) - before) / REQUESTS * 1000


def p99(values):
    return sorted(values)[len(values) * 99 // 100]


sandbox, ready = start("sandbox", settings("sandbox"))
server = PostgreSQLServer(FOLDER / "server")
values = {
    "files": settings("files", ready["address"]),
    "PostgreSQL": settings("one", ready["address"], MARQUEE_DATABASE=address(server))}
workers = [start("worker", values[engine])[0] for engine in values]
for engine in values:
    assert request_day(values[engine], DATE) == 0
times = in_turn({engine: lambda engine=engine: receipt(values[engine]) for engine in values},
                enough=lambda times: tells(times["PostgreSQL"], ("files", times["files"], "≤", 3.0)))
line("request to receipt: state in files", times["files"], unit="µs, p50")
line("request to receipt: state in PostgreSQL", times["PostgreSQL"], ("files", times["files"], "≤", 3.0), unit="µs, p50")
stop(*workers)

workers = start_workers(WORKERS, settings("shared", ready["address"], MARQUEE_DATABASE=address(server)))
receipts, events = [], []
for _ in range(ROUNDS):
    steady(workers, receipts, events)
judge(f"{RATE} requests a second: to the receipt, p99", p99(receipts), "≤", 20, "ms")
judge(f"{RATE} requests a second: to the event at all {WORKERS} workers, p99", p99(events), "≤", 20, "ms")
rates, logged, spent = zip(*(load(workers) for _ in range(ROUNDS)))
judge(f"{WORKERS} workers, {CLIENTS} clients: receipts", statistics.median(rates), "≥", 3_000, "a second")
judge(f"{WORKERS} workers, {CLIENTS} clients: events", statistics.median(logged), "≥", 9_000, "a second")
line("processor time of the workers for a request", spent, unit="ms", digits=2)
stop(*(worker for worker, _ in workers), sandbox)
server.stop()
