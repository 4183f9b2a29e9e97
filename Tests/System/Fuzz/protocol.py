"""Speaks ZMTP almost correctly: chosen and claimed routing ids, commands, subscriptions, and broken CURVE inside.

What random bytes do not reach: a server that admits a client and only then meets what it must not obey.
"""

import json
import select
import socket
import struct
import time

import zmq
import zmtp
from mutate import mutate
from waiting import PATIENCE, Failure

# Below the server's limits for one key and one address, so that honest clients of this machine are admitted.
OPEN_CLIENTS = 40
# Seconds to wait for a connection, and for bytes that may never come; a client that waited longer is given up.
CONNECT_TIME = 5
ANSWER_TIME = 0.2
SERVERS = {"requests": b"PUB", "commands": b"DEALER", "events": b"SUB", "alerts": b"SUB", "alert_commands": b"DEALER"}
KINDS = [b"DEALER", b"REQ", b"ROUTER", b"PUB", b"SUB", b"PAIR", b"REP", b"XSUB", b"", b"NOTHING"]
COMMANDS = [
    b"PING", b"PONG", b"ERROR", b"READY", b"SUBSCRIBE", b"CANCEL", b"JOIN", b"LEAVE", b"HELLO", b"MESSAGE", b"\xff"]
TOPICS = [
    b"", b"ranking.", b"ranking.day.all.2024-06-04", b"movie.", b"request.done.", b"heartbeat.", b"alert.", b"x" * 200]


class Client(zmtp.ZMTPClient):
    """A connection of the fuzzer; its number is in the ids of its requests."""

    def __init__(self, number, *arguments):
        self.number, self.asked, self.identity = number, 0, b""
        super().__init__(*arguments, timeout=CONNECT_TIME)
        self.socket.settimeout(ANSWER_TIME)

    def ask(self, enveloped):
        """Requests a day that is in the log, under an id that names this connection."""
        self.asked += 1
        body = json.dumps({"date": "2024-06-04", "id": f"fuzz-{self.number}-{self.asked}"}).encode()
        self.send(*[b""] * enveloped, b"fetch.day", body)

    def check_answers(self):
        """Reads what has arrived, and fails if it answers another connection; returns the number of receipts."""
        receipts = 0
        while self.received or select.select([self.socket], [], [], 0)[0]:
            word, *rest = [frame for frame in self.receive() if frame] or [b""]
            # Events name requests, too; an answer begins with its kind.
            if word == b"accepted" and f'"fuzz-{self.number}-'.encode() not in rest[0]:
                raise Failure(f"connection {self.number} as {self.identity!r} received another's answer: {rest}")
            receipts += word == b"accepted"
        return receipts


def fuzz_protocol(harness, rng, until):
    """Opens, uses and ends connections in random order; another client must be answered all the time."""
    folder = harness.environment.get("MARQUEE_CURVE_KEYS")
    keys = [zmtp.Keys(folder, name) for name in ("client", "nobody")] if folder else [None]
    clients, identities, steps, receipts = [], [b"\0" + rng.randbytes(4)], 0, 0
    while time.monotonic() < until:
        steps += 1
        is_new = len(clients) < 4 or rng.random() < 0.3
        client = None if is_new else rng.choice(clients)
        try:
            if is_new:
                name = rng.choice(list(SERVERS))
                client = Client(steps, harness.address(name), rng.choice(keys))
                clients.append(client)
                client.identity = choose_identity(rng, identities)
                identities = identities[-20:] + [client.identity]
                greet(client, SERVERS[name], rng)
            use(client, rng)
            if client.shared or not client.keys:
                receipts += client.check_answers()
        except (OSError, zmtp.HandshakeError):
            # Refused, as it should be, or closed by the server earlier.
            if client:
                client.close()
                clients.remove(client)
        while len(clients) > OPEN_CLIENTS or clients and rng.random() < 0.1:
            end(clients.pop(rng.randrange(len(clients))), rng)
        if steps % 50 == 0:
            harness.client.ask(b"status", {})  # of an honest client
    for client in clients:
        client.close()
    if steps > 500 and not receipts:
        raise Failure("no client that speaks ZMTP received a receipt: nothing was tried")
    return steps


def fuzz_subscriptions(harness, rng, until):
    """Subscribes to what no honest client does, at both publishers; another subscriber must get its heartbeats."""
    keys = zmtp.Keys(harness.environment["MARQUEE_CURVE_KEYS"], "client")
    honest = {}
    for name in "events", "alerts":
        honest[name] = harness.client.open(zmq.SUB, name)
        honest[name].subscribe(b"heartbeat.")
    clients, steps, cut = [], 0, 0
    while time.monotonic() < until:
        steps += 1
        is_new = len(clients) < 4 or rng.random() < 0.3
        client = None if is_new else rng.choice(clients)
        try:
            if is_new:
                client = Client(steps, harness.address(rng.choice(list(honest))), keys)
                clients.append(client)
                client.handshake(b"SUB", b"", rng.choice([(3, 0), (3, 1)]))
            subscribe(client, rng)
        except (OSError, zmtp.HandshakeError):
            # It had too many, as it should be seen, or was closed earlier.
            cut += 1
            if client:
                client.close()
                clients.remove(client)
        while len(clients) > OPEN_CLIENTS or clients and rng.random() < 0.1:
            end(clients.pop(rng.randrange(len(clients))), rng)
        for subscriber in honest.values():
            while subscriber.poll(0):
                subscriber.recv_multipart()
    for name, subscriber in honest.items():
        if not subscriber.poll(1000 * PATIENCE):
            raise Failure(f"no heartbeat on {name} within {PATIENCE:.0f} s beside clients that subscribe to much")
    for client in clients + list(honest.values()):
        client.close()
    if steps > 200 and not cut:
        raise Failure("no client that subscribed to much was disconnected: nothing was tried")
    return steps


def subscribe(client, rng):
    """Subscribes to a prefix or to many, or sends what is almost a subscription."""
    def prefix():
        match rng.randrange(5):
            case 0: return rng.choice(TOPICS) + str(rng.randrange(10_000)).encode()
            case 1: return rng.randbytes(rng.choice([1, 30, 900]))
            # Chosen bytes, for which libzmq makes a table of 256 places each.
            case 2: return bytes(rng.choice((0, 255)) for _ in range(rng.choice([10, 300])))
            case 3: return b"\0" * rng.randrange(1_000)
            case _: return mutate(rng.choice(TOPICS), rng)[:900]
    match rng.randrange(7):
        case 0 | 1:
            client.send(rng.choice([b"\1", b"\1", b"\0", b"\2", b"\xff", b""]) + prefix())
        case 2:  # Many at once.
            count, again = rng.choice([50, 200, 1_500]), prefix()
            client.socket.sendall(b"".join(
                client.wire(b"\1" + (prefix() if rng.random() < 0.9 else again)) for _ in range(count)))
        case 3:  # Their ends, before they began and twice.
            for _ in range(rng.choice([1, 100])):
                client.send(b"\0" + prefix())
        case 4:  # As ZMTP 3.1 has them.
            client.socket.sendall(client.wire(zmtp.command(
                rng.choice([b"SUBSCRIBE", b"CANCEL"]), prefix()), zmtp.COMMAND))
        case 5:  # In several frames, or without an end.
            client.send(b"\1" + prefix(), prefix(), ends=rng.random() < 0.5)
        case _:  # Larger than a publisher allows.
            client.send(b"\1" + rng.randbytes(rng.choice([1_023, 1_024, 5_000])))


def choose_identity(rng, earlier):
    """Returns a routing id: none, one of another client, one as the server makes them, or any."""
    match rng.randrange(5):
        case 0: return b""
        case 1 | 2: return rng.choice(earlier)
        case 3:  # The server's own ids are a zero byte and a number that it counts up.
            (number,) = struct.unpack(">I", (rng.choice(earlier) + bytes(5))[1:5])
            return b"\0" + struct.pack(">I", number + 1 & 0xFFFFFFFF)
        case _: return rng.randbytes(rng.choice([1, 5, 16, 255, 256]))


def greet(client, kind, rng):
    """Greets, usually as a client should."""
    match rng.randrange(12):
        case 0:  # ZMTP 2.0, whose greeting has the routing id in it; the server may not answer.
            identity = client.identity[:255]
            client.socket.sendall(
                b"\xff" + bytes(7) + b"\x01\x7f\x01" + bytes([rng.randrange(12), 0, len(identity)]) + identity)
        case 1:
            client.socket.sendall(mutate(zmtp.greeting(b"CURVE" if client.keys else b"NULL"), rng))
        case 2:
            client.handshake(rng.choice(KINDS), client.identity, rng.choice([(3, 0), (3, 1), (3, 9), (4, 0)]))
        case 3 if client.keys:
            break_handshake(client, kind, rng)
        case _:
            client.handshake(kind, client.identity, rng.choice([(3, 0), (3, 1)]))


def break_handshake(client, kind, rng):
    """Sends the steps of CURVE with changed bytes, twice, or one in place of another."""
    client.socket.sendall(zmtp.greeting(b"CURVE"))
    client.read(64)
    hello = client.hello()
    client.socket.sendall(zmtp.frame(rng.choice([hello, mutate(hello, rng), hello[:rng.randrange(200)]]), zmtp.COMMAND))
    client.welcome(client.read_frame()[1])
    initiate = client.initiate(zmtp.metadata(Socket_Type=kind, Identity=client.identity))
    bodies = rng.choice([
        [mutate(initiate, rng)], [initiate, initiate], [hello], [initiate[:-1]], [b"\x07MESSAGE" + bytes(40)]])
    for body in bodies:
        client.socket.sendall(zmtp.frame(body, zmtp.COMMAND))


def use(client, rng):
    """Sends something that an admitted client could send, or almost."""
    if client.keys and not client.shared:
        return client.socket.sendall(rng.randbytes(rng.choice([1, 60, 300])))
    match rng.randrange(8):
        case 0 | 1:
            for _ in range(rng.choice([1, 1, 1, 50])):
                client.ask(enveloped=rng.randrange(2))
        case 2:
            client.send(b"status", b"{}")
        case 3:
            client.socket.sendall(client.wire(zmtp.command(
                rng.choice(COMMANDS), rng.randbytes(rng.choice([0, 1, 2, 18, 300]))), zmtp.COMMAND))
        case 4:
            for _ in range(rng.choice([1, 20])):
                client.send(rng.choice([b"\1", b"\0", b"\2", b""]) + mutate(rng.choice(TOPICS), rng)[:300])
        case 5:  # Empty frames, and a message without an end.
            client.send(*[b""] * rng.choice([1, 3, 200]), ends=rng.random() < 0.8)
        case 6:
            client.send(*[rng.randbytes(rng.choice([0, 1, 100])) for _ in range(rng.choice([1, 2, 3, 9]))])
        case _:  # Flags that do not exist, lengths that are not true, an earlier nonce.
            client.nonce = max(0, client.nonce - rng.choice([0, 0, 1]))
            text = client.wire(rng.randbytes(20), rng.randrange(256))
            client.socket.sendall(rng.choice([text, mutate(text, rng), struct.pack(">BQ", 2, rng.getrandbits(64))]))


def end(client, rng):
    """Ends a connection: in order, by a reset, or with its answers unread."""
    if rng.random() < 0.5:
        client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    client.close()
