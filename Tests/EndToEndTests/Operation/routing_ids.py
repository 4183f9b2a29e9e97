#!/usr/bin/python3
"""Claims routing ids at the commands of worker and notifier, and checks that both answer `status` afterwards.

    routing_ids.py first    claims the ids that libzmq assigns first where nobody has seeded its generator
    routing_ids.py twice    has two connections under one id; the first asks and does not read, the second takes the id,
                            the first hangs up

It runs with the settings of the processes; with MARQUEE_CURVE=on it claims with the key of MARQUEE_CURVE_CLIENT and asks
with that of `client`. It waits for nothing but answers: `twice` asks until the time of several heartbeats is over, at
which a damaged connection would end the process.
"""

import os
import pathlib
import struct
import sys
import time

import zmq
import zmq.auth

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Harness"))
from waiting import PATIENCE  # noqa: E402, the path comes first

# The first number of an unseeded generator without CURVE, and after the ZAP handler has taken one.
FIRST = {False: 0x6B8B4567, True: 0xE43C9869}
CLAIMS = 60  # fewer than one key may have connections
HEARTBEATS = 18  # seconds: several of a client's heartbeats, at which libzmq would abort
context = zmq.Context()
context.linger = 0
encrypted = os.environ.get("MARQUEE_CURVE") == "on"


def connect(name, identity=None, client=os.environ.get("MARQUEE_CURVE_CLIENT")):
    socket = context.socket(zmq.DEALER)
    if identity:
        socket.routing_id = identity
    if encrypted:
        folder = os.environ["MARQUEE_CURVE_KEYS"]
        socket.curve_serverkey, _ = zmq.auth.load_certificate(f"{folder}/server.key")
        socket.curve_publickey, socket.curve_secretkey = zmq.auth.load_certificate(f"{folder}/{client}.key_secret")
    socket.connect(os.environ[name])
    return socket


def ask(name):
    """Asks for `status` over a new connection, with an id that the process chooses; again if it was cut off."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        socket = connect(name, client="client")
        socket.send_multipart([b"status", b"{}"])
        # A process that is slow to see connections end may count more of a key than it allows.
        answer = socket.poll(5_000) and socket.recv_multipart()
        socket.close()
        if answer:
            break
    else:
        sys.exit(f"{name} does not answer")
    if answer[0] != b"status":
        sys.exit(f"{name} answers {answer[0]}")


def claim_first(name):
    claims = [connect(name, b"\0" + struct.pack(">I", FIRST[encrypted] + number)) for number in range(CLAIMS)]
    for claim in claims:
        claim.send_multipart([b"status", b"{}"])
    claims[-1].poll(10_000)  # is answered once the connection stands
    for _ in range(30):
        ask(name)


def take_twice(name):
    end = time.monotonic() + HEARTBEATS
    for number in range(5):
        identity = f"twin-{number}".encode()
        first, second = connect(name, identity), connect(name, identity)
        for _ in range(200):
            first.send_multipart([b"status", b"{}"])
        first.poll(5_000)
        for _ in range(20):
            second.send_multipart([b"status", b"{}"])
        ask(name)
        first.close()
        ask(name)
        second.close()
    while time.monotonic() < end:
        ask(name)


for endpoint in "MARQUEE_COMMANDS", "MARQUEE_ALERT_COMMANDS":
    {"first": claim_first, "twice": take_twice}[sys.argv[1]](endpoint)
print("both answer")
