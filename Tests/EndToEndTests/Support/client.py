#!/usr/bin/python3
"""An independent client on pyzmq: prints every event and alert, and sends the messages it reads from standard input.

It is told on standard input, one JSON object a line, {"number": 1, "form": "PUB", "frames": [base64, ...]}; PUB goes to
the worker's SUB socket, the others to its ROUTER socket: REQ, DEALER (with the empty frame that REQ would send) and bare
(a DEALER without it). With MARQUEE_CURVE=on it shows the key of MARQUEE_CURVE_CLIENT. It tells on standard output, one a line: `ready`; `subscribed` whenever the worker's SUB socket
has found it; `event TOPIC BODY`; `answer NUMBER FRAMES`, the frames as they came in a JSON list.
"""

import base64
import json
import os
import sys

import zmq
import zmq.auth

COMMANDS = os.environ["MARQUEE_COMMANDS"]
context = zmq.Context()
context.linger = 0
poller = zmq.Poller()


def connect(kind, address, **options):
    """A socket in the poll set."""
    socket = context.socket(kind)
    for name, value in options.items():
        socket.setsockopt(getattr(zmq, name), value)
    if os.environ.get("MARQUEE_CURVE") == "on":
        folder, client = os.environ["MARQUEE_CURVE_KEYS"], os.environ["MARQUEE_CURVE_CLIENT"]
        socket.curve_serverkey, _ = zmq.auth.load_certificate(f"{folder}/server.key")
        socket.curve_publickey, socket.curve_secretkey = zmq.auth.load_certificate(f"{folder}/{client}.key_secret")
    socket.connect(address)
    poller.register(socket, zmq.POLLIN)
    return socket


def tell(*words):
    """Writes a line, unbuffered."""
    print(*words, flush=True)


def send(number, form, frames):
    """Sends a message in one of the forms."""
    if form == "PUB":
        return requests.send_multipart(frames)
    socket = connect(zmq.REQ if form == "REQ" else zmq.DEALER, COMMANDS)
    asked[socket] = number
    socket.send_multipart([b"", *frames] if form == "DEALER" else frames)


# On the wire an XPUB socket is a PUB socket; on this side it tells when somebody has subscribed, so that nothing is sent
# into the void.
requests = connect(zmq.XPUB, os.environ["MARQUEE_REQUESTS"], XPUB_VERBOSE=1)
events = [connect(zmq.SUB, os.environ[name], SUBSCRIBE=b"") for name in ("MARQUEE_EVENTS", "MARQUEE_ALERTS")]
poller.register(0, zmq.POLLIN)
silent = {requests, *events}  # whoever has given no sign of life yet
asked = {}
told = b""

while True:
    for source, _ in poller.poll():
        if source == 0:
            piece = os.read(0, 1 << 16)
            if not piece:
                sys.exit()
            *lines, told = (told + piece).split(b"\n")
            for order in map(json.loads, lines):
                send(order["number"], order["form"], [base64.b64decode(frame) for frame in order["frames"]])
            continue
        frames = source.recv_multipart()
        if source is requests:
            if frames[0].startswith(b"\x01"):
                tell("subscribed")
        elif source in events:
            tell("event", *(frame.decode() for frame in frames))
        else:
            tell("answer", asked.pop(source), json.dumps([frame.decode() for frame in frames]))
            poller.unregister(source)
            source.close()
        if source in silent:
            silent.remove(source)
            if not silent:
                tell("ready")
