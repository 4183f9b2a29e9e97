"""A subscriber process that can be suspended and killed; it uses the subscription of the example.

Writes a line for each event that it delivers, with the position behind it; after a death it goes on from the last line.
"""

import hashlib
import json
import os
import pathlib
import sys

import zmq

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "Examples"))
from subscription import Subscription  # noqa: E402, the path comes first


def line(event, topic):
    """Returns the record of an event: stream, sequence, topic and a digest of its body."""
    digest = hashlib.sha256(json.dumps(event, sort_keys=True).encode()).hexdigest()
    return f"{event['stream']} {event['sequence']} {topic} {digest}"


def last_position(file):
    """Truncates the file after its last complete line, and returns the position in it; None if there is no line."""
    lines = file.read_bytes().split(b"\n") if file.exists() else [b""]
    whole, torn = lines[:-1], lines[-1]
    if torn:
        os.truncate(file, file.stat().st_size - len(torn))
    return json.loads(whole[-1].split(b"\t")[1]) if whole else None


def main():
    """Takes lists of addresses of events and commands, the file, the queue's length (0: the usual one), and prefixes."""
    events, commands, delivered, high_water, *prefixes = sys.argv[1:]
    if int(high_water):
        # What every socket of the process begins with: a queue for one message, and little room before it.
        zmq.Context.instance().setsockopt(zmq.RCVHWM, int(high_water))
        zmq.Context.instance().setsockopt(zmq.RCVBUF, 32_768)
    subscription = Subscription(
        events.split(","), commands.split(","), prefixes, last_position(pathlib.Path(delivered)), from_start=True)
    output = os.open(delivered, os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o644)
    for topic, event in subscription:
        os.write(output, f"{line(event, topic)}\t{json.dumps(subscription.position)}\n".encode())


if __name__ == "__main__":
    main()
