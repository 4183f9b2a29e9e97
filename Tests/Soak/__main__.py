#!/usr/bin/python3
"""Keeps all processes busy for an hour with a bit of everything, and looks whether they stay as large as they were.

    python3 Tests/Soak PROGRAM [--minutes 60]

The load is mixed: live and repeated requests, replays of whole streams, subscribers that come, lag and go, browsers on the
board, malformed requests, clients that vanish in mid-handshake, and an upstream that fails now and then. The first tenth of
the time is for warming up; after it neither memory nor descriptors may grow. Needs python3-zmq.
"""

import argparse
import pathlib
import random
import socket as network
import statistics
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request

import zmq

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "Fuzz"))
from stage import Failure, Stage  # noqa: E402

GROWTH = 1.15  # what the last tenth of the time may hold, as a share of the tenth after the warming up
ROOM = 8  # megabytes that are never worth an alarm
PATIENCE = 30_000
context = zmq.Context.instance()
done = {}


def count(name, amount=1):
    done[name] = done.get(name, 0) + amount


def open_socket(stage, kind, name):
    socket = context.socket(kind)
    socket.linger = 0
    socket.rcvtimeo = PATIENCE
    socket.connect(stage.address(name))
    return socket


def requests(stage, dice):
    """Days and films, some for the first time, most again."""
    commands = open_socket(stage, zmq.REQ, "commands")
    for _ in range(40):
        day = f"{dice.randrange(2010, 2012)}-{dice.randrange(1, 13):02}-{dice.randrange(1, 29):02}"
        refresh = "true" if dice.random() < 0.3 else "false"
        commands.send_multipart([b"fetch.day", f'{{"date":"{day}","refresh":{refresh}}}'.encode()])
        commands.recv_multipart()
        count("requests")
        time.sleep(0.02)
    commands.close()


def replays(stage, dice):
    """A stream from its beginning to its end, page by page."""
    for name, stream in ("commands", "ranking"), ("commands", "request"), ("alert_commands", "alert"):
        commands = open_socket(stage, zmq.REQ, name)
        after, more = "", True
        for _ in range(20):
            commands.send_multipart([b"replay", f'{{"stream":"{stream}","after":"{after}","limit":200}}'.encode()])
            word, header, *_ = commands.recv_multipart()
            count("pages")
            if word != b"events" or b'"more":false' in header:
                break
            after = header.decode().split('"position":"')[1][:16]
        commands.close()


def subscribers(stage, dice):
    """Ten at once: some read, some do not, and all go."""
    sockets = [open_socket(stage, zmq.SUB, dice.choice(["events", "alerts"])) for _ in range(10)]
    for socket in sockets:
        socket.subscribe(dice.choice([b"", b"ranking.", b"alert.", b"heartbeat.", b"request.done."]))
    until = time.monotonic() + 3
    while time.monotonic() < until:
        for socket in sockets[:5]:
            while socket.poll(10):
                socket.recv_multipart()
                count("events")
    for socket in sockets:
        socket.close()


def browsers(stage, dice):
    """Pages, figures and the live feed of the board, and everybody's metrics."""
    for role, page in ("board", "/"), ("board", "/api/v1/days/2010-06-04"), ("worker", "/metrics"), ("notifier", "/metrics"):
        try:
            with urllib.request.urlopen(stage.page(role) + page, timeout=PATIENCE / 1000) as answer:
                answer.read()
        except urllib.error.HTTPError:
            pass  # a day that nobody has asked for
        count("pages of the web")


def nuisance(stage, dice):
    """What is malformed, and connections that come to nothing."""
    publisher = open_socket(stage, zmq.PUB, "requests")
    time.sleep(0.2)
    for _ in range(20):
        publisher.send_multipart([dice.randbytes(dice.randrange(40)), dice.randbytes(dice.randrange(2_000))])
        count("malformed requests")
    publisher.close()
    for port in stage.ports():
        with network.create_connection(("127.0.0.1", port), timeout=10) as peer:
            peer.sendall(dice.randbytes(dice.randrange(100)))
        count("broken connections")


def trouble(stage, dice):
    """An upstream that is slow or fails, for a moment."""
    faults = dice.choice([b'{"kobis":{"latency":300}}', b'{"kobis":{"errors":{"503":0.5}}}', b"{}"])
    request = urllib.request.Request(stage.page("sandbox") + "/control", data=faults, method="PUT")
    try:
        urllib.request.urlopen(request, timeout=10).close()
    except urllib.error.HTTPError:
        count("faults the sandbox does not know")
    time.sleep(2)


def keep(play, stage, seed, until, failures):
    """Plays one part again and again."""
    dice = random.Random(seed)
    while time.monotonic() < until and not failures:
        try:
            play(stage, dice)
            time.sleep(0.5)
        except Exception as error:  # the run has failed, whatever it was
            failures.append(f"{play.__name__}: {error!r}")


def table(stage, samples):
    """What each process held, and whether that is flat."""
    grown = []
    print(f"{'':10}{'MB, after warming up':>22}{'MB, at the end':>16}{'most':>8}{'descriptors':>14}")
    for role in stage.children:
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
    parser.add_argument("program")
    parser.add_argument("--minutes", type=float, default=60)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="marquee-soak-") as folder:
        stage = Stage(pathlib.Path(options.program).resolve(), folder)
        failures, samples = [], []
        until = time.monotonic() + 60 * options.minutes
        parts = [requests, replays, subscribers, browsers, nuisance, trouble]
        threads = [threading.Thread(target=keep, args=(part, stage, index, until, failures)) for index, part in enumerate(parts)]
        for thread in threads:
            thread.start()
        try:
            while time.monotonic() < until and not failures:
                time.sleep(min(10, 6 * options.minutes))
                stage.check()
                samples.append({role: stage.size(role) for role in stage.children})
        except (Failure, OSError) as failure:
            failures.append(str(failure))
        for thread in threads:
            thread.join()
        grown = table(stage, samples) if samples else []
        print(", ".join(f"{amount} {name}" for name, amount in sorted(done.items())))
        left = stage.end()
    if failures or grown or left:
        sys.exit(f"soak: {failures} grown: {grown} {left}")
    print(f"{options.minutes:.0f} minutes, flat")


main()
