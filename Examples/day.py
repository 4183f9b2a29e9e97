#!/usr/bin/env python3
"""Asks the worker for a day's chart and prints it: day.py [2024-06-04]. Needs pyzmq (Debian: python3-zmq)."""
import json, os, sys, uuid
import zmq

day = sys.argv[1] if len(sys.argv) > 1 else "2024-06-04"
id = str(uuid.uuid4())
context = zmq.Context()
context.linger = 0
events, commands = context.socket(zmq.SUB), context.socket(zmq.REQ)
events.connect(os.environ.get("MARQUEE_EVENTS", "tcp://127.0.0.1:5552"))
commands.connect(os.environ.get("MARQUEE_COMMANDS", "tcp://127.0.0.1:5551"))


def receive(socket, seconds, missing):
    return socket.recv_multipart() if socket.poll(1000 * seconds) else sys.exit(missing)


# Events that are sent before a subscription reaches the worker are lost. Subscriptions take effect in order, and a
# heartbeat comes every second: after the first one, all subscriptions are in force.
for topic in f"ranking.day.all.{day}", f"request.done.{id}", f"request.failed.{id}", "heartbeat.worker":
    events.subscribe(topic)
receive(events, 60, "no heartbeat from the worker")
events.unsubscribe("heartbeat.worker")
commands.send_multipart([b"fetch.day", json.dumps({"date": day, "id": id}).encode()])
word, receipt = receive(commands, 60, "no receipt from the worker")
if word != b"accepted":
    sys.exit(f"refused: {receipt.decode()}")
while True:
    topic, event = receive(events, 60, "no outcome from the worker")
    data = json.loads(event)["data"]
    if topic.startswith(b"ranking."):
        for entry in data["entries"]:
            print(entry["rank"], entry["title"], entry["audience"], sep="\t")
    elif topic.startswith(b"request.failed."):
        sys.exit(f"failed: {data['error']['message']}")
    elif topic.startswith(b"request.done."):
        sys.exit(print("done, from the", data["from"]))
