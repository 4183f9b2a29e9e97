"""2,000 anonymous questions at once whose answers nobody reads: the board's memory, and how long others wait.

The questions come from 500 addresses of loopback, so that no limit by address ends the flood, and then from one.

Use: /usr/bin/python3 Tests/System/BoardBrowser/flood.py PROGRAM [--connections 2000] [--measure]
"""

import argparse
import datetime
import os
import resource
import socket
import threading
import time

from harness import PATIENCE, Site, check, end, eventually, read, run, suite

DAYS = [datetime.date(2024, 1, 1) + datetime.timedelta(days=number) for number in range(366)]


def questions(kind, count):
    """Requests for heavy answers."""
    last = DAYS[-1]
    if kind == "the same year as CSV":
        return [f"/api/v1/history.csv?from={DAYS[0]}&to={last}"] * count
    if kind == "2,000 different ranges as CSV":
        return [f"/api/v1/history.csv?from={DAYS[number % 50]}&to={last - datetime.timedelta(days=number // 50)}"
                for number in range(count)]
    return [f"/api/v1/live?after={{epoch}}-{number % 300 + 1}" for number in range(count)]


class Probe(threading.Thread):
    """Requests pages as others do while the flood lasts, and keeps how long each took, in ms."""

    def __init__(self, url, pages):
        super().__init__(daemon=True)
        self.url, self.pages, self.ended = url, pages, threading.Event()
        self.times = {page: [] for page in pages}

    def run(self):
        # Less often than one address may ask.
        while not self.ended.wait(0.05):
            for page in self.pages:
                began = time.monotonic()
                try:
                    read(self.url + page)
                    self.times[page].append((time.monotonic() - began) * 1000)
                except OSError:
                    self.times[page].append(float("inf"))

    def end(self):
        self.ended.set()
        self.join()
        return {page: (sorted(times)[len(times) // 2], max(times)) for page, times in self.times.items()}


def flood(harness, kind, count, addresses, measures):
    """Sends `count` questions from a number of addresses and reads nothing for five seconds."""
    (epoch,), = harness.rows("board.db", "select epoch from board")
    probe = Probe(harness.url, ["/healthz", "/"])
    probe.start()
    sockets = []
    for number, target in enumerate(questions(kind, count)):
        source = f"127.0.{1 + number % addresses // 250}.{1 + number % 250}"
        client = socket.create_connection(("127.0.0.1", harness.port("board")), PATIENCE, (source, 0))
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        client.sendall(f"GET {target.format(epoch=epoch)} HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: gzip\r\n\r\n".encode())
        sockets.append(client)
    time.sleep(5)
    times = probe.end()
    highest = harness.processes["board"].memory("VmHWM")
    for client in sockets:
        client.close()
    words = "; ".join(f"{page} {median:.0f} ms, at most {most:.0f} ms" for page, (median, most) in times.items())
    print(f"{kind}: {count} connections of {addresses} addresses, {highest:.0f} MB at the highest; {words}")
    if not measures:
        check(highest < 200, f"{kind}: the board stays below 200 MB ({highest:.0f} MB)")
        check(max(most for _, most in times.values()) < float("inf"), f"{kind}: /healthz and the page always come")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("--connections", type=int, default=2_000)
    parser.add_argument("--measure", action="store_true", help="print the figures and check nothing")
    options = parser.parse_args()
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    settings = {"MARQUEE_MEMORY": "256", "MARQUEE_BOARD_CLIENT_RATE": "50", "MARQUEE_TRACEABLE": "yes"}
    with suite(), Site(os.path.abspath(options.program), settings=settings) as harness:
        harness.must("backfill", f"{DAYS[0]}..{DAYS[-1]}")
        eventually(lambda: harness.api(f"days/{DAYS[0]}"), "the board has read all charts")
        for kind in ("the same year as CSV", "2,000 different ranges as CSV", "missed live updates"):
            for addresses in (500, 1):
                run(kind, lambda: flood(harness, kind, options.connections, addresses, options.measure))
        eventually(lambda: read(f"{harness.url}/healthz") == b"ok\n", "the board is healthy at the end")
    end()


if __name__ == "__main__":
    main()
