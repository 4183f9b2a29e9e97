"""Asks worker and notifier for their status with sockets of every form, directly and through one and two proxies."""

import json
import os
import pathlib
import sys
import threading

import zmq

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Harness"))
from waiting import PATIENCE  # noqa: E402, the path comes first

context = zmq.Context()


def proxy(address):
    """Starts a proxy before an address and returns its own."""
    front, back = context.socket(zmq.ROUTER), context.socket(zmq.DEALER)
    port = front.bind_to_random_port("tcp://127.0.0.1")
    back.connect(address)
    threading.Thread(target=zmq.proxy, args=(front, back), daemon=True).start()
    return f"tcp://127.0.0.1:{port}"


def ask(kind, address, envelope, *options):
    """Returns the word of the answer, whose envelope must be the question's."""
    socket = context.socket(kind)
    socket.linger, socket.rcvtimeo = 0, int(1000 * PATIENCE)
    for option in options:
        socket.setsockopt(option, 1)
    socket.connect(address)
    words = []
    for name in b"status", b"sing":
        socket.send_multipart([*envelope, name, b"{}"])
        answer = socket.recv_multipart()
        if answer[:len(envelope)] != envelope:
            sys.exit(f"the envelope {envelope} comes back as {answer}")
        word, body = answer[len(envelope):]
        words.append(word.decode())
        json.loads(body)
    socket.close()
    return words


for name in "COMMANDS", "ALERT_COMMANDS":
    direct = os.environ["MARQUEE_" + name]
    once = proxy(direct)
    for address in direct, once, proxy(once):
        for answer in (
                ask(zmq.REQ, address, []), ask(zmq.REQ, address, [], zmq.REQ_CORRELATE),
                ask(zmq.REQ, address, [], zmq.REQ_CORRELATE, zmq.REQ_RELAXED), ask(zmq.DEALER, address, [b""]),
                ask(zmq.DEALER, address, [b"request", b"7", b""])):
            print(*answer)
os._exit(0 if sys.stdout.flush() is None else 1)
