"""The rows of the table of limits. Each returns in words what it saw, and raises Failure if a limit did not hold."""

import collections
import concurrent.futures
import contextlib
import json
import pathlib
import random
import socket
import threading
import time

import zmq

import bombs
import zmtp
from client import Client
from limited import READERS
from waiting import PATIENCE, Failure, eventually

MIB = 1 << 20
# What a fast network carries. What arrives between two scans of the connections comes on top of the limits.
GIGABIT = 125_000_000
DAYS = [f"2024-{month:02}-{day:02}" for month in range(1, 13) for day in range(1, 29)]


def run_together(work, count):
    """Runs `work(number)` in `count` threads, and returns what they return."""
    with concurrent.futures.ThreadPoolExecutor(count) as pool:
        return list(pool.map(work, range(count)))


def close(connections):
    for connection in connections:
        connection.close()


# Messages that do not end

class Network:
    """Gives all senders together so many bytes a second."""

    def __init__(self, rate):
        self.rate, self.free, self.lock = rate, time.monotonic(), threading.Lock()

    def pass_on(self, count):
        with self.lock:
            self.free = max(self.free, time.monotonic()) + count / self.rate
            wait = self.free - time.monotonic()
        time.sleep(max(0, wait))


def send_without_end(client, body, limit, network):
    """Sends frames of one message until the server closes the connection."""
    with contextlib.suppress(OSError):  # cut off, as it should be
        for _ in range(limit // len(body)):
            network.pass_on(len(body))
            client.send(body, ends=False)


def incomplete_messages(site, watcher):
    """Clients send frames of messages that do not end: without limit, and just below what one message may have."""
    seen, network = [], Network(GIGABIT)
    for role, endpoint, kind, name, most in (
            ("notifier", "alert_commands", b"DEALER", "nobody", 2), ("worker", "commands", b"DEALER", "nobody", 48),
            ("worker", "requests", b"PUB", "requester", 48)):
        metric = 'marquee_connections_cut_total{reason="endless"}'
        before = site.metric(role, metric)
        for limit in 100 * MIB, most * MIB * 9 // 10:
            clients = [site.connection(endpoint, name, kind) for _ in range(40)]
            if kind == b"PUB":
                for client in clients:
                    client.receive()  # the subscription
            run_together(lambda number: send_without_end(clients[number], bytes(1_000_000), limit, network), len(clients))
            watcher.wait()
            close(clients)
        count = site.metric(role, metric) - before
        if count < 40:
            raise Failure(f"{count:.0f} of 80 connections were cut on {endpoint}")
        seen.append(f"{endpoint} {count:.0f}")
    return f"connections cut, of 80: {', '.join(seen)}"


# Subscriptions

def prefixes(kind, size, seed):
    """Yields subscriptions of so many bytes in all, each for a prefix that no other has."""
    rng = random.Random(seed)
    while size > 0:
        prefix = {
            "random": lambda: rng.randbytes(900),
            "possible": lambda: b"ranking.day." + rng.randbytes(70).hex().encode(),
            # 0 or 255 in each place, for which libzmq makes a table of all that lies between.
            "chosen": lambda: rng.randbytes(900).translate(bytes(128) + b"\xff" * 128),
        }[kind]()
        size -= len(prefix) + 3
        yield prefix


def subscriptions(site, watcher):
    """Clients subscribe to as many prefixes as they can send, which no topic has or any topic may have."""
    metric = 'marquee_connections_cut_total{reason="subscriptions"}'
    seen = []
    for role, endpoint in ("worker", "events"), ("notifier", "alerts"):
        before = site.metric(role, metric)
        for kind, size, count in (
                ("random", 9 * MIB, 1), ("random", 3 * MIB, 64), ("possible", 3 * MIB, 64), ("chosen", 2 * MIB, 1)):
            clients = [site.connection(endpoint, READERS[number % len(READERS)], b"SUB") for number in range(count)]
            # Made before the attack, which is to be as fast as the network.
            texts = [b"".join(client.wire(b"\1" + prefix) for prefix in prefixes(kind, size // count, f"{kind}{number}"))
                     for number, client in enumerate(clients)]

            def send(number):
                with contextlib.suppress(OSError):  # cut off, as it should be
                    clients[number].socket.sendall(texts[number])
            run_together(send, count)
            watcher.wait()
            close(clients)
        if not (cut := site.metric(role, metric) - before):
            raise Failure(f"no connection was cut on {endpoint}")
        hear_heartbeat(site, endpoint)
        seen.append(f"{endpoint} {cut:.0f}")
    return f"connections cut: {', '.join(seen)}"


def hear_heartbeat(site, endpoint):
    """Checks that another subscriber is served."""
    with site.client.open(zmq.SUB, endpoint) as subscriber:
        subscriber.subscribe(b"heartbeat.")
        if not subscriber.poll(1000 * PATIENCE):
            raise Failure(f"no heartbeat on {endpoint} within {PATIENCE:.0f} s")


# Answers that are not read

def fill_log(site):
    """Has a year of charts fetched, and the alerts decided that follow from them."""
    for day in DAYS:
        site.client.request("fetch.day", date=day)
    site.wait_for_queue()


def unread_replies(site, watcher):
    """Many keys, each with many connections, ask for the largest pages, and read nothing."""
    fill_log(site)
    cut = 0
    for role, endpoint, stream in ("worker", "commands", "ranking"), ("notifier", "alert_commands", "alert"):
        metric = 'marquee_connections_cut_total{reason="unread"}'
        before = site.metric(role, metric)
        clients = [site.connection(endpoint, name) for name in READERS for _ in range(30)]
        question = json.dumps({"stream": stream, "after": "", "limit": 5_000}).encode()

        def ask(number):
            with contextlib.suppress(OSError):  # cut off, as it should be
                for _ in range(40):
                    clients[number].send(b"replay", question)
        run_together(ask, len(clients))
        watcher.wait()
        close(clients)
        cut += site.metric(role, metric) - before
    return f"{cut:.0f} connections cut"


# Connections

def silent_connections(site, watcher):
    """Strangers from twenty addresses take more places than there are, and send half a greeting."""
    refused, strangers = 0, []
    for endpoint in "commands", "alert_commands", "requests", "events":
        port = site.port(endpoint)
        for number in range(20 * 300):
            try:
                stranger = socket.create_connection(
                    ("127.0.0.1", port), timeout=30, source_address=(f"127.0.1.{1 + number % 20}", 0))
                stranger.sendall(zmtp.greeting(b"CURVE")[:12])
                strangers.append(stranger)
            except OSError:
                refused += 1
        watcher.wait()
        close(strangers)
        strangers = []
    metric = 'marquee_handshakes_failed_total{reason="tooManyConnections"}'
    cut = site.metric("worker", metric) + site.metric("notifier", metric)
    if cut < 4 * 20 * 40:
        raise Failure(f"only {cut:.0f} connections were cut")
    return f"{cut:.0f} of {4 * 20 * 300} connections cut"


def connections_of_a_key(site, watcher):
    """A key opens more connections than it may have, and each of them sends a message."""
    clients = [site.connection("commands", "nobody") for _ in range(200)]
    for client in clients:
        with contextlib.suppress(OSError):
            client.send(b"status", b"{}")
    watcher.wait()
    # Those above the limit are closed some time after they came.
    standing = eventually(
        lambda: (count := sum(client.is_open() for client in clients)) <= 64 and count, "1 to 64 connections of one key are open")
    close(clients)
    return f"{standing} of {len(clients)} connections are served"


# Requests

def request_bodies(site, watcher):
    """A key sends bodies of 60 kB, refused and accepted ones, until its share of the day is used up, and goes on."""
    database = pathlib.Path(site.environment["MARQUEE_DATA"]) / "worker.db"
    with Client(site.environment | {"MARQUEE_CURVE_CLIENT": "requester"}).open(zmq.DEALER, "commands") as client:
        note = "x" * 60_000
        words = collections.Counter()
        for number in range(4_000):
            date = "2024-06-04" if number % 2 else "1999-01-01"
            client.send_multipart([b"fetch.day", json.dumps({"date": date, "note": note}).encode()])
            if number >= 100:  # so many are on their way
                if not client.poll(1000 * PATIENCE):
                    raise Failure(f"no answer to a request within {PATIENCE:.0f} s, after {words}")
                word, body = client.recv_multipart()[:2]
                code = json.loads(body).get("code", "")
                words[word.decode(), code] += 1
        watcher.wait()
    size = sum(path.stat().st_size for path in database.parent.glob("worker.db*")) / MIB
    if ("refused", "overloaded") not in words or size > 64:
        raise Failure(f"worker.db has {size:.0f} MiB after {words}")
    return f"worker.db has {size:.0f} MiB after 240 MB; " + ", ".join(
        f"{' '.join(key).strip()} {count}" for key, count in sorted(words.items()))


def flood(site, watcher):
    """Publishers send whole requests as fast as they can, and the upstream does not answer."""
    site.upstream.answers = "hang"

    def publish(number):
        sent = 0
        client = site.connection("requests", "requester", b"PUB")
        client.receive()
        body = json.dumps({"date": DAYS[number], "refresh": True, "note": "x" * 15_000}).encode()
        with contextlib.suppress(OSError):
            for _ in range(3_000):
                client.send(b"fetch.day", body)
                sent += 1
        client.close()
        return sent
    sent = sum(run_together(publish, 8))
    watcher.wait()
    site.upstream.answers = "plain"
    site.upstream.released.set()
    site.wait_for_queue()
    return f"{sent} requests of 15 kB"


# What upstreams send

def images(site, watcher):
    """Images of products and posters are bombs, at the board for visitors and at the worker in registrations."""
    for page in range(1, 4):
        site.client.request("fetch.products", page=page, perPage=20)
    site.client.request("fetch.day", date="2024-06-04")
    site.wait_for_queue()
    chart = json.loads(site.fetch("board", "/api/v1/days/2024-06-04")[2])
    codes = sorted(set(find(chart, "code")))
    for code in codes:
        site.client.request("fetch.movie", code=code)
    site.wait_for_queue()
    addresses = []
    for number in range(1, 46):
        product = json.loads(site.fetch("board", f"/api/v1/products/{number}")[2])
        if product["known"]:
            for version in [product["thumbnail"], *(product["imageVersions"] or [])]:
                if version:
                    addresses.append(f"/api/v1/products/{number}/images/{version}")
    for code in codes:
        status, _, body = site.fetch("board", f"/api/v1/movies/{code}")
        addresses += [f"/api/v1/posters/{code}/{version}" for version in find(json.loads(body), "poster") if isinstance(version, str)]
    if len(addresses) < 20:
        raise Failure(f"only {len(addresses)} images are known")
    site.upstream.answers = "images"

    def look(number):
        return [site.fetch("board", f"{address}?size={size}")[0]
                for address in addresses[number::8] for size in ("small", "full")]
    statuses = sum(run_together(look, 8), [])
    words = []
    for image in bombs.IMAGES:
        body = {"name": "겨울 외투", "description": "따뜻하고 가벼운 외투입니다", "price": 15_000, "stock": 3}
        words.append(site.client.ask(b"product.register", body, *[image] * 5)[0].decode())
    watcher.wait()
    site.wait_for_queue()
    return (f"{len(statuses)} images at the board, {statuses.count(200)} shown; registrations: "
            f"{words.count('accepted')} accepted, {words.count('refused')} refused")


def find(value, name):
    """Yields all values of a field, at any depth."""
    if isinstance(value, dict):
        for key, part in value.items():
            if key == name:
                yield part
            yield from find(part, name)
    elif isinstance(value, list):
        for part in value:
            yield from find(part, name)


def upstream_bodies(site, watcher):
    """Every upstream answers with megabytes of JSON in kilobytes of gzip, to as many calls as may be in flight."""
    site.upstream.answers = "bodies"
    for number in range(60):
        site.client.request("fetch.day", date=DAYS[number])
        site.client.request("fetch.movie", code=f"2024{number:04}")
        site.client.request("fetch.products", page=1 + number, perPage=100, refresh=True)
    site.wait_for_queue()
    return f"{site.upstream.count} answers"


# HTTP

def slow_http(site, watcher):
    """Hundreds of connections send half a head, or a body that does not end, to every page."""
    strangers = []
    for role in "worker", "notifier", "board":
        port = site.port(role)
        for number in range(1_000 if role != "board" else 4_000):
            with contextlib.suppress(OSError):
                stranger = socket.create_connection(("127.0.0.1", port), timeout=30)
                stranger.sendall(
                    b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 23_000 if number % 2 else
                    b"POST /api/v1/requests HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                    b"Content-Length: 65000\r\n\r\n" + b"x" * 64_000)
                strangers.append(stranger)
        if role == "board":
            watcher.wait()
    close(strangers)
    return f"{len(strangers)} connections"


def visitors(site, watcher):
    """2,000 connections of 500 addresses ask for heavy answers, and for missed live updates, and read nothing."""
    fill_log(site)
    eventually(lambda: site.fetch("board", f"/api/v1/days/{DAYS[-1]}")[0] == 200, "the board has read the charts")
    (epoch,), = site.rows("board.db", "select epoch from board")
    port = site.port("board")
    for target in ("history.csv?from={first}&to={last}", "history.csv?from={other}&to={last}", "live?after={epoch}-1"):
        strangers = []
        for number in range(2_000):
            address = target.format(first=DAYS[0], other=DAYS[number % 200], last=DAYS[-1], epoch=epoch)
            stranger = socket.create_connection(
                ("127.0.0.1", port), timeout=PATIENCE, source_address=(f"127.0.{2 + number % 500 // 250}.{1 + number % 250}", 0))
            stranger.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
            stranger.sendall(f"GET /api/v1/{address} HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: gzip\r\n\r\n".encode())
            strangers.append(stranger)
        watcher.wait()
        close(strangers)
    return f"3 times 2,000 connections; /healthz of the board within {watcher.slowest['/healthz board']:.2f} s"


ROWS = {row.__name__.replace("_", "-"): row for row in (
    incomplete_messages, subscriptions, unread_replies, silent_connections, connections_of_a_key, request_bodies, flood,
    images, upstream_bodies, slow_http, visitors)}
