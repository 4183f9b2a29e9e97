#!/usr/bin/python3
"""Sends almost valid input to the processes, and checks that they run, answer and do not grow.

    python3 Tests/System/Fuzz PROGRAM [--seconds 600] [--seed SEED] [--only TARGET]

Whole processes are driven, because the question is what many inputs do to sockets, queues and memory. Each target has
so many seconds; the seed, which is printed, decides what is sent. Seeds lie in `seeds`, and what the sandbox answers is
the seed of what upstreams answer. Works with a program built under the address sanitizer as well. Needs python3-zmq.
"""

import argparse
import contextlib
import pathlib
import random
import re
import socket
import socketserver
import subprocess
import sys
import threading
import time

import zmq

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.resolve().parents[1] / "Harness"))
import edges  # noqa: E402
from installation import BUSY, ENDPOINTS, ROLES, Installation  # noqa: E402
from mutate import frames, mutate, mutate_json  # noqa: E402
from protocol import CONNECT_TIME, fuzz_protocol, fuzz_subscriptions  # noqa: E402
from server import Server, forward  # noqa: E402
from suite import suite_folder  # noqa: E402
from waiting import PATIENCE, Failure, eventually  # noqa: E402

GROWTH = 120  # megabytes a process may grow by in a run, caches and a fuller database among them
PEAK = 256  # megabytes that docker-compose.yml gives to a process
# For each endpoint the socket that talks to it, and the seed files of its messages.
MESSAGES = {"requests": (zmq.XPUB, "requests.txt"), "commands": (zmq.DEALER, "requests.txt", "commands.txt"),
            "alert_commands": (zmq.DEALER, "commands.txt"), "events": (zmq.SUB, "commands.txt")}


def seeds(*names):
    """Returns the lines of seed files, split into frames at tabs."""
    lines = [line for name in names for line in (HERE / "seeds" / name).read_bytes().splitlines()]
    return [line.split(b"\t") for line in lines if line and not line.startswith(b"#")]


class Upstream(Server):
    """A proxy between worker and sandbox that changes most responses, if it has a function that changes a body."""

    def __init__(self, rng):
        self.rng, self.change, self.answers, self.sandbox = rng, None, 0, None
        self.codes = []  # of the movies in the last charts
        super().__init__()

    def answer(self, request):
        status, headers, body = forward(request, self.sandbox)
        self.codes = re.findall(r'"movieCd":"(\w{8})"', body.decode(errors="ignore")) or self.codes
        if self.change and self.rng.random() < 0.8:
            body = (self.change if "json" in headers["Content-Type"] else mutate)(body, self.rng)
            status = self.rng.choice([status] * 20 + [204, 301, 404, 429, 500, 503])
            # A service that says 429 is left alone for as long as it says.
            pause = 0 if status == 429 else edges.number(self.rng)
            headers |= {"Retry-After": self.rng.choice([str(pause), f"Fri, 31 Dec {pause} 23:59:59 GMT"] if pause else ["0"])}
        self.answers += 1
        return status, headers, body


class Meddler(socketserver.ThreadingTCPServer):
    """A proxy to an endpoint that mutates some bytes of a client, including its greeting and its encrypted boxes."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, port, rng):
        self.target, self.rng = ("127.0.0.1", port), rng
        super().__init__(("127.0.0.1", 0), None)
        self.address = f"tcp://127.0.0.1:{self.server_address[1]}"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def finish_request(self, client, _):
        # Refused and cut connections are what is wanted here.
        with contextlib.suppress(OSError), socket.create_connection(self.target) as server:
            threading.Thread(target=self.carry, args=(server, client, 0), daemon=True).start()
            self.carry(client, server, self.rng.choice([0.1, 0.5]))

    def carry(self, source, sink, share):
        """Forwards until one side closes."""
        try:
            while text := source.recv(65_536):
                sink.sendall(mutate(text, self.rng) if self.rng.random() < share else text)
            sink.shutdown(socket.SHUT_WR)
        except OSError:
            pass


def fuzz_frames(harness, rng, until, name, make=frames, count=200):
    """Sends messages to an endpoint, `count` by a connection, and reads the answers so that they do not accumulate."""
    kind, *files = MESSAGES[name]
    messages, sent = seeds(*files), 0
    while time.monotonic() < until:
        socket = harness.client.open(kind, name)
        socket.sndtimeo = int(1000 * PATIENCE)
        if kind == zmq.XPUB:
            # What is sent before the worker's subscription arrives goes to nobody, and what is not gone at the end is lost.
            socket.poll(1000 * PATIENCE)
            socket.linger = 300
        if kind == zmq.SUB:
            for _ in range(200):
                socket.subscribe(make(messages, rng)[0][:2_000])
                sent += 1
        else:
            for _ in range(count):
                socket.send_multipart(make(messages, rng))
                sent += 1
                while kind == zmq.DEALER and socket.poll(0):
                    socket.recv_multipart()
            if kind == zmq.DEALER:
                drain(socket, f"fuzz-{sent}".encode())
        socket.close()
    return sent


def drain(socket, word):
    """Sends an unknown command, and reads until it is rejected: by then all earlier ones are answered.

    It is sent again now and then: a frame that is too large costs the connection, and what is on its way.
    """
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        socket.send_multipart([word, b"{}"])
        again = time.monotonic() + 2
        while time.monotonic() < again:
            if socket.poll(1_000) and any(word in frame for frame in socket.recv_multipart()):
                return
    raise Failure(f"no answer to {word.decode()} within {PATIENCE:.0f} s: the process hangs")


def fuzz_visitors(harness, rng, until):
    """Connects clients that send much and leave without reading; their messages must not accumulate."""
    message = [b"fetch.day", b'{"date":"2024-06-04","note":"' + b"x" * 1_500 + b'"}']
    sent = 0
    while time.monotonic() < until:
        name, kind = rng.choice([("commands", zmq.DEALER), ("requests", zmq.PUB)])
        socket = zmq.Context.instance().socket(kind)
        socket.linger = 300
        socket.sndhwm = 100_000
        socket.connect(harness.address(name))
        if kind == zmq.PUB:
            time.sleep(0.01)  # until it is connected: before that it would send to nobody
        for _ in range(1_500):
            socket.send_multipart(message)
            sent += 1
        socket.close()
    return sent


def fuzz_upstream(harness, upstream, rng, until, change=mutate_json):
    """Sends requests that make the worker read changed responses."""
    commands = harness.client.open(zmq.DEALER, "commands")
    before, upstream.change, lost = upstream.answers, change, 0
    while time.monotonic() < until:
        for _ in range(20):
            # Half of them of one month, so that alerts compare days, and charts are corrected.
            month = rng.choice(["2023-12", f"20{rng.randrange(10, 24):02}-{rng.randrange(1, 13):02}"])
            day = f"{month}-{rng.randrange(1, 29):02}"
            code = rng.choice(upstream.codes + [f"20{rng.randrange(10**6):06}"])
            topic, body = rng.choice([
                ("fetch.day", f'{{"date":"{day}","refresh":true}}'), ("fetch.week", f'{{"date":"{day}","refresh":true}}'),
                ("fetch.movie", f'{{"code":"{code}","refresh":true}}')])
            commands.send_multipart([topic.encode(), body.encode()])
        # Answers are lost with a connection that is cut.
        missing, deadline = 20, time.monotonic() + 20
        while missing and commands.poll(1000 * max(0, deadline - time.monotonic())):
            commands.recv_multipart()
            missing -= 1
        lost += missing
        time.sleep(0.1)
    upstream.change = None
    commands.close()
    return f"{upstream.answers - before} ({lost} lost)"


def fuzz_http(harness, rng, until, change=mutate):
    """Sends raw HTTP requests to every page."""
    requests = [message[0].replace(b"\\r\\n", b"\r\n") for message in seeds("http.txt")]
    return throw(rng, until, list(map(harness.port, ROLES)), lambda: change(rng.choice(requests), rng) + rng.choice([b"", b"\r\n\r\n"]))


def fuzz_ports(harness, rng, until):
    """Sends random bytes and invalid ZMTP greetings to every port."""
    greeting = b"\xff" + bytes(8) + b"\x7f\x03\x00" + b"NULL".ljust(20, b"\x00") + bytes(32) + b"\x04\x19\x05READY"
    def noise():
        match rng.randrange(4):
            case 0: return rng.randbytes(rng.choice([1, 10, 64, 1_000, 100_000]))
            case 1: return mutate(greeting, rng)
            case 2: return greeting + rng.randbytes(rng.choice([1, 9, 300]))
            case _: return greeting[:rng.randrange(len(greeting))]
    return throw(rng, until, list(map(harness.port, ENDPOINTS + ROLES)), noise)


def fuzz_encrypted(harness, lines, rng, until):
    """Mutates the traffic of clients with a key, and sends random bytes to every encrypted port."""
    messages, sent = seeds("requests.txt", "commands.txt"), 0
    while time.monotonic() < until:
        name = rng.choice(list(lines))
        kinds = {"requests": zmq.PUB, "events": zmq.SUB, "alerts": zmq.SUB}
        client = harness.client.open(kinds.get(name, zmq.DEALER), name, lines[name].address)
        for _ in range(rng.choice([1, 20])):
            if client.type == zmq.SUB:
                client.subscribe(rng.choice(messages)[0][:100])
            else:
                client.send_multipart(frames(messages, rng))
            sent += 1
        client.poll(rng.choice([5, 50]))
        client.close()
        sent += fuzz_ports(harness, rng, time.monotonic() + 0.02)
    return sent


def fuzz_rules(harness, rng, until, change=mutate):
    """Checks changed rule files with `marquee check`: it must accept or reject each in time, with a message."""
    seed, path, count = (HERE / "seeds" / "rules.yml").read_bytes(), harness.folder / "rules.yml", 0
    while time.monotonic() < until:
        text = change(seed, rng)
        path.write_bytes(text)
        try:
            done = subprocess.run(
                [harness.program, "check", "rules", path], env=harness.environment, timeout=PATIENCE, stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL)
        except subprocess.TimeoutExpired:
            raise Failure(f"marquee check hangs on a rule file: {text!r}") from None
        if done.returncode not in (0, 1, 2):
            raise Failure(f"marquee check ended with {done.returncode} on a rule file: {text!r}")
        count += 1
    return count


def fuzz_edges(harness, upstream, rng, until, change):
    """Sends what is at an edge to all that read it; then reads what is stored of it."""
    def make(messages, rng, most=16 << 20):
        return edges.edge_frames(messages, rng, change, most)
    def of_upstreams(until):
        return fuzz_upstream(harness, upstream, rng, until, lambda body, rng: change(body, rng, 1 << 20))
    parts = 3 * [of_upstreams] + [
        lambda until: fuzz_frames(harness, rng, until, "requests", make, count=10),
        lambda until: fuzz_frames(harness, rng, until, "commands", make, count=10),
        lambda until: fuzz_frames(
            harness, rng, until, "alert_commands", lambda messages, rng: make(messages, rng, 1 << 20), count=10),
        lambda until: fuzz_frames(harness, rng, until, "events", lambda messages, rng: make(messages, rng, 2_000)),
        lambda until: fuzz_http(harness, rng, until, lambda request, rng: edges.edge_request(request, rng, change)),
        lambda until: fuzz_rules(harness, rng, until, lambda text, rng: change(text, rng, 1 << 20)),
    ]
    began = time.monotonic()
    share = (until - began) / len(parts)
    counts = [part(began + share * number) for number, part in enumerate(parts, 1)]
    edges.read_back(harness, rng)
    return ", ".join(map(str, counts))


def fuzz_graphemes(harness, upstream, rng, until):
    """Sends texts of few letters and many bytes."""
    edges.compare_cost(harness)
    return fuzz_edges(harness, upstream, rng, until, edges.graphemes)


def throw(rng, until, ports, make):
    """Connects, sends, sometimes waits for an answer, and closes; some connections stay open for a while."""
    sent, staying = 0, []
    while time.monotonic() < until:
        port, text = rng.choice(ports), make()
        try:
            peer = socket.create_connection(("127.0.0.1", port), timeout=CONNECT_TIME)
            staying.append(peer)
            peer.sendall(text)
            peer.settimeout(0.02)
            if rng.random() < 0.3:
                peer.recv(4_096)
        except OSError:
            pass  # cut off, as it should be
        sent += 1
        while len(staying) > 20:
            staying.pop(rng.randrange(len(staying))).close()
    for peer in staying:
        peer.close()
    return sent


def main():
    parser = argparse.ArgumentParser(description="Sends the processes what is nearly right.")
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--seconds", type=float, default=600, help="for each target (default 600)")
    parser.add_argument("--seed", default=str(random.SystemRandom().randrange(10**6)), help="what is sent (default random)")
    parser.add_argument("--only", help="one target")
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)
    rng = random.Random(options.seed)
    upstream = Upstream(random.Random(options.seed + "upstream"))
    program = options.program.resolve()
    # Without the limit of a day, which the first target would use up for all others.
    settings = BUSY | {"MARQUEE_MEMORY": str(PEAK), "MARQUEE_CLIENT_DAILY_MB": "1000000"}
    with (suite_folder("marquee-fuzz-") as folder, Installation(program, folder / "open", settings) as harness,
          Installation(program, folder / "locked", settings) as locked,
          Installation(program, folder / "alone", BUSY) as alone):
        upstream.sandbox = harness.page("sandbox")
        harness.lead_through(upstream.address)
        locked.encrypt(client="read,request,replay,shop,operate", nobody="none")
        for each in harness, locked:
            each.start()
        alone.start("sandbox")
        lines = {name: Meddler(locked.port(name), rng) for name in ENDPOINTS}
        targets = {
            "requests": lambda until: fuzz_frames(harness, rng, until, "requests"),
            "commands": lambda until: fuzz_frames(harness, rng, until, "commands"),
            "alert-commands": lambda until: fuzz_frames(harness, rng, until, "alert_commands"),
            "subscriptions": lambda until: fuzz_frames(harness, rng, until, "events"),
            "visitors": lambda until: fuzz_visitors(harness, rng, until),
            "upstreams": lambda until: fuzz_upstream(harness, upstream, rng, until),
            "rules": lambda until: fuzz_rules(harness, rng, until),
            "http": lambda until: fuzz_http(harness, rng, until),
            "ports": lambda until: fuzz_ports(harness, rng, until),
            "protocol": lambda until: fuzz_protocol(harness, rng, until),
            "numbers": lambda until: fuzz_edges(harness, upstream, rng, until, edges.edge_numbers),
            "lengths": lambda until: fuzz_edges(harness, upstream, rng, until, edges.edge_lengths),
            "graphemes": lambda until: fuzz_graphemes(harness, upstream, rng, until),
            "own-ids": lambda until: edges.own_ids(harness, rng, until),
            "settings": lambda until: edges.settings(alone, rng, until),
            "quiet": lambda until: edges.quiet(alone, rng, until),
            "encrypted": lambda until: fuzz_encrypted(locked, lines, rng, until),
            "encrypted-protocol": lambda until: fuzz_protocol(locked, rng, until),
            "encrypted-publishers": lambda until: fuzz_subscriptions(locked, rng, until),
        }
        harnesses = {name: locked if name.startswith("encrypted") else harness for name in targets}
        try:
            if options.only and options.only not in targets:
                raise Failure(f"unknown target {options.only}; the targets are {', '.join(targets)}")
            chosen = [options.only] if options.only else list(targets)
            for name in chosen:  # once for a moment, so that what is made at first use is no growth
                targets[name](time.monotonic() + 1)
            first = {}
            for each in harness, locked:
                each.check()
                first |= {process: (process.memory(), process.descriptors()) for process in each.processes.values()}
            for name in chosen:
                limited = [harnesses[name].processes[role] for role in ROLES if role != "sandbox"]
                for process in limited:
                    process.reset_peak()
                count = targets[name](time.monotonic() + options.seconds)
                harnesses[name].check()
                for process in limited:
                    if (peak := process.memory("VmHWM")) > PEAK:
                        raise Failure(f"the {process.name} took {peak:.0f} MB")
                sizes = ", ".join(f"{role} {process.memory():.0f} MB" for role, process in harnesses[name].processes.items())
                print(f"ok   {name}: {count} in {options.seconds:.0f} s; {sizes}", flush=True)
            for process, (memory, files) in first.items():
                # Connections that never greeted are given up some seconds later.
                eventually(lambda: process.descriptors() <= files + 20, f"{process.name} has at most {files + 20} descriptors again")
                if (now := process.memory()) > memory + GROWTH:
                    raise Failure(f"{process.name} grew: {memory:.0f} to {now:.0f} MB")
            harness.stop()
            locked.stop()
        except (Failure, OSError) as failure:
            ended = [f"; the {process.name} ended with {process.child.returncode}" for each in (harness, locked)
                     for process in each.processes.values() if process.child and not process.is_running]
            sys.exit(f"fuzz: seed {options.seed}: {failure}{''.join(ended)}")
        print(f"{len(chosen)} targets, no crash, no hang, no growth")


main()
