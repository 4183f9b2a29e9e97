#!/usr/bin/python3
"""Keeps all processes busy for an hour with all kinds of work, and checks that they do not grow.

    python3 Tests/System/Soak PROGRAM [--minutes 60]

The load is mixed: live and repeated requests, replays of whole streams, subscribers that come, lag and go, browsers on the
board, malformed requests, clients that vanish in mid-handshake, and an upstream that fails now and then. The first tenth of
the time is for warming up; after it neither memory nor descriptors may grow. Needs python3-zmq.
"""

import argparse
import collections
import contextlib
import pathlib
import random
import socket as network
import statistics
import sys
import threading
import time

import zmq

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Harness"))
from installation import BUSY, ENDPOINTS, ROLES, Installation  # noqa: E402
from suite import suite_folder  # noqa: E402
from waiting import PATIENCE, Failure  # noqa: E402

GROWTH = 1.15  # what the last tenth of the time may hold, as a share of the tenth after the warming up
ROOM = 8  # megabytes that are never worth an alarm
done = collections.Counter()


def requests(harness, rng):
    """Requests days and movies, some for the first time, most repeatedly."""
    for _ in range(40):
        day = f"{rng.randrange(2010, 2012)}-{rng.randrange(1, 13):02}-{rng.randrange(1, 29):02}"
        harness.client.ask(b"fetch.day", {"date": day, "refresh": rng.random() < 0.3})
        done["requests"] += 1
        time.sleep(0.02)


def replays(harness, rng):
    """Reads streams from their beginning to their end, page by page."""
    events = harness.client.replay("ranking", "request")[0] + harness.client.replay("alert", endpoint="alert_commands")[0]
    done["events read again"] += len(events)


def subscribers(harness, rng):
    """Opens ten subscribers, of which some do not read, and closes them."""
    sockets = [harness.client.open(zmq.SUB, rng.choice(["events", "alerts"])) for _ in range(10)]
    for socket in sockets:
        socket.subscribe(rng.choice([b"", b"ranking.", b"alert.", b"heartbeat.", b"request.done."]))
    until = time.monotonic() + 3
    while time.monotonic() < until:
        for socket in sockets[:5]:
            while socket.poll(10):
                socket.recv_multipart()
                done["events"] += 1
    for socket in sockets:
        socket.close()


def browsers(harness, rng):
    """Reads pages, data and the live feed of the board, and the metrics of all processes."""
    for role, page in ("board", "/"), ("board", "/api/v1/days/2010-06-04"), ("worker", "/metrics"), ("notifier", "/metrics"):
        harness.fetch(role, page)  # also of a day that nobody has asked for
        done["pages of the web"] += 1


def nuisance(harness, rng):
    """Sends malformed messages, and opens connections that send nothing valid."""
    publisher = harness.client.open(zmq.PUB, "requests")
    time.sleep(0.2)
    for _ in range(20):
        publisher.send_multipart([rng.randbytes(rng.randrange(40)), rng.randbytes(rng.randrange(2_000))])
        done["malformed requests"] += 1
    publisher.close()
    for port in map(harness.port, ENDPOINTS + ROLES):
        # A server that cuts it off may do so at once.
        with contextlib.suppress(OSError), network.create_connection(("127.0.0.1", port), timeout=PATIENCE) as peer:
            peer.sendall(rng.randbytes(rng.randrange(100)))
        done["broken connections"] += 1


def inject_faults(harness, rng):
    """Makes an upstream slow or failing for a moment."""
    harness.control(**rng.choice([{"kobis": {"latency": 300}}, {"kobis": {"errors": {"503": 0.5}}}, {}]))
    time.sleep(2)


def keep(play, harness, seed, until, failures):
    """Runs one part repeatedly until the end."""
    rng = random.Random(seed)
    while time.monotonic() < until and not failures:
        try:
            play(harness, rng)
            time.sleep(0.5)
        except Exception as error:  # the run has failed, whatever it was
            failures.append(f"{play.__name__}: {error!r}")


def table(harness, samples):
    """Prints the memory and descriptors of each process, and returns those that grew."""
    grown = []
    print(f"{'':10}{'MB, after warming up':>22}{'MB, at the end':>16}{'most':>8}{'descriptors':>14}")
    for role in harness.processes:
        kept = [sample[role] for sample in samples][len(samples) // 10:]
        tenth = max(1, len(kept) // 9)
        first, last = (statistics.median(size[0] for size in part) for part in (kept[:tenth], kept[-tenth:]))
        files = [statistics.median(size[1] for size in part) for part in (kept[:tenth], kept[-tenth:])]
        most = max(size[0] for size in kept)
        print(f"{role:10}{first:>22.1f}{last:>16.1f}{most:>8.1f}{files[0]:>8.0f} → {files[1]:.0f}")
        if last > first * GROWTH + ROOM or files[1] > files[0] + 25:
            grown.append(role)
    return grown


def main():
    parser = argparse.ArgumentParser(description="Keeps all processes busy, and looks whether they stay as large.")
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--minutes", type=float, default=60)
    options = parser.parse_args()
    with suite_folder("marquee-soak-") as folder, Installation(options.program, folder, BUSY) as harness:
        harness.start()
        failures, samples = [], []
        until = time.monotonic() + 60 * options.minutes
        parts = [requests, replays, subscribers, browsers, nuisance, inject_faults]
        threads = [threading.Thread(target=keep, args=(part, harness, index, until, failures), daemon=True)
                   for index, part in enumerate(parts)]
        for thread in threads:
            thread.start()
        try:
            while time.monotonic() < until and not failures:
                time.sleep(min(10, 6 * options.minutes))
                harness.check()
                samples.append({role: (process.memory(), process.descriptors())
                                for role, process in harness.processes.items()})
        except (Failure, OSError) as failure:
            failures.append(str(failure))
        for thread in threads:
            thread.join()
        grown = table(harness, samples) if samples else []
        print(", ".join(f"{amount} {name}" for name, amount in sorted(done.items())))
        try:
            harness.stop()
        except Failure as failure:
            failures.append(str(failure))
    if failures or grown:
        sys.exit(f"soak: {failures} grown: {grown}")
    print(f"{options.minutes:.0f} minutes, flat")


main()
