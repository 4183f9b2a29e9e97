"""A thousand browsers on one board, restarts of the board, and hostile clients.

Use: /usr/bin/python3 Tests/System/BoardBrowser/crowd.py PROGRAM [--browsers 1000] [--connections 10000]
"""

import argparse
import asyncio
import os
import resource
import time

from harness import PATIENCE, Site, check, end, eventually, read, run, suite
from waiting import eventually_async


class Browser:
    """Reads the board's live updates as a browser does, and reconnects with the last id after a broken connection."""

    def __init__(self, port):
        self.port = port
        self.last = None
        self.charts = []
        self.resets = 0
        self.opened = 0

    async def run(self):
        while True:
            try:
                reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
                known = f"Last-Event-ID: {self.last}\r\n" if self.last else ""
                writer.write(f"GET /api/v1/live HTTP/1.1\r\nHost: localhost\r\n{known}\r\n".encode())
                await self.read(reader)
                writer.close()
            except OSError:
                pass
            await asyncio.sleep(0.5)

    async def read(self, reader):
        name = None
        while line := await reader.readline():
            word, _, value = line.decode().strip().partition(": ")
            if word == "id":
                self.last = value
            elif word == "event":
                name = value
                self.opened += value == "hello"
                self.resets += value == "reset"
            elif word == "data" and name == "chart":
                self.charts.append((value.partition('"firstDay":"')[2][:10], time.monotonic()))


async def crowd(harness, count):
    """Every event reaches all browsers, also across restarts."""
    browsers = [Browser(harness.port("board")) for _ in range(count)]
    tasks = [asyncio.create_task(browser.run()) for browser in browsers]

    async def ask(days):
        for day in days:
            await asyncio.to_thread(harness.ask, "fetch.day", date=day)
        await eventually_async(lambda: all({day for day, _ in browser.charts} >= set(days) for browser in browsers),
                               f"{len(days)} charts reach all browsers")

    await eventually_async(lambda: all(browser.opened for browser in browsers), "all browsers are connected")
    first = [f"2024-01-{day:02}" for day in range(1, 21)]
    await ask(first)
    delays = []
    for day in first:
        times = sorted(at for browser in browsers for seen, at in browser.charts if seen == day)
        delays += [at - times[0] for at in times]
    delays.sort()
    check(True, f"{count} browsers: 20 charts reach all of them, the last {delays[-1] * 1000:.0f} ms after the first, "
                f"99 % within {delays[len(delays) * 99 // 100] * 1000:.0f} ms")
    memory = harness.processes["board"].memory()
    check(memory < 150, f"{count} browsers: the board takes {memory:.0f} MB")

    everything = set(first)
    for month, end_board in ((2, harness.processes["board"].stop), (4, harness.processes["board"].kill)):
        end_board()
        away, after = ([f"2024-{month + step:02}-{day:02}" for day in range(1, 6)] for step in (0, 1))
        # While the board is stopped, the command line sends the requests.
        for day in away:
            await asyncio.to_thread(harness.must, "request", "day", day)
        # On the main thread, because a child process ends with the thread that started it.
        harness.start("board")
        await ask(after)
        everything |= {*away, *after}
        await eventually_async(lambda: all({day for day, _ in browser.charts} >= everything for browser in browsers), "missed charts reach all browsers")
    doubled = sum(len(browser.charts) - len({day for day, _ in browser.charts}) for browser in browsers)
    resets = sum(browser.resets for browser in browsers)
    check(doubled == resets == 0, f"{count} browsers: a restart and a kill -9 lose no chart and send none twice")
    for task in tasks:
        task.cancel()


async def hostile_clients(harness, count):
    """Malformed requests, slow clients and idle connections do not keep the page from others."""
    port = harness.port("board")

    async def page():
        began = time.monotonic()
        await asyncio.to_thread(read, f"{harness.url}/")
        return time.monotonic() - began

    async def exchange(request):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(request)
        answer = await asyncio.wait_for(reader.read(), PATIENCE)
        writer.close()
        return answer

    def get(path, fields=b""):
        return b"GET " + path + b" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n" + fields + b"\r\n"

    first = (await exchange(get(b"/", b"X: " + b"x" * 40_000 + b"\r\n"))).split(b"\r\n")[0].decode()
    check(" 431 " in first or not first, f"an oversized header is refused: {first or 'connection closed'}")
    body = await exchange(b"POST /api/v1/requests HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 99999999\r\n\r\n")
    check(b" 413 " in body.split(b"\r\n")[0], "an oversized body is refused")
    for path in (b"/../../etc/passwd", b"/%2e%2e/%2e%2e/etc/passwd", b"/..%5c..%5cboard.db", b"/lib/..%2f..%2fBoard.swift", b"//etc/passwd.txt", b"/%00.css"):
        answer = await exchange(get(path))
        status = answer.split(b" ")[1]
        check(status in (b"400", b"404") and b"root:" not in answer, f"{path.decode()} is refused ({status.decode()})")

    # Requests whose headers never end, and clients that never read.
    stuck = []
    for _ in range(200):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"GET / HTTP/1.1\r\nHost: te")
        stuck.append(writer)
    for _ in range(200):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.transport.pause_reading()
        writer.write(b"GET /api/v1/live HTTP/1.1\r\nHost: localhost\r\n\r\n")
        stuck.append(writer)
    reader_client = Browser(port)
    task = asyncio.create_task(reader_client.run())
    await eventually_async(lambda: reader_client.opened, "a browser that reads is connected")
    for day in (days := [f"2024-07-{day:02}" for day in range(1, 11)]):
        await asyncio.to_thread(harness.ask, "fetch.day", date=day)
    await eventually_async(lambda: {day for day, _ in reader_client.charts} >= set(days), "10 charts reach the browser that reads")
    await page()
    check(True, "with 200 clients that do not read and 200 unfinished requests, charts and the page still arrive")

    idle, refused = [], 0
    for _ in range(count):
        try:
            idle.append(await asyncio.wait_for(asyncio.open_connection("127.0.0.1", port), 5))
        except (OSError, TimeoutError):
            refused += 1
    took = await page()
    check(True, f"{count} idle connections ({refused} refused): the page comes in {took:.2f} s")
    memory = harness.processes["board"].memory()
    check(memory < 150, f"{count} idle connections: the board takes {memory:.0f} MB")
    task.cancel()
    for _, writer in idle:
        writer.close()
    for writer in stuck:
        writer.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("--browsers", type=int, default=1_000)
    parser.add_argument("--connections", type=int, default=10_000)
    options = parser.parse_args()
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    # All of them have one address.
    settings = {"MARQUEE_BOARD_CLIENT_LIVE": "4000", "MARQUEE_BOARD_CLIENT_RATE": "10000"}
    with suite(), Site(os.path.abspath(options.program), settings=settings) as harness:
        run("crowd", lambda: asyncio.run(crowd(harness, options.browsers)))
        run("hostile clients", lambda: asyncio.run(hostile_clients(harness, options.connections)))
        eventually(lambda: read(f"{harness.url}/healthz") == b"ok\n", "the board is healthy at the end")
    end()


main()
