#!/usr/bin/env python3
"""Prints events and loses none: subscription.py [--from-start] [--stop-after N] [--json] [prefix ...].

Subscribes to the topics that begin with a prefix (all, if there is none) and prints each event once: in the order of
its stream where the prefixes cover the whole stream, in the order of its topic otherwise. What ZeroMQ drops is read
from the log; docs/subscription.md explains how. Needs pyzmq (Debian: python3-zmq).

As a module: `for topic, event in Subscription(events, commands, ["ranking."]): ...`, with lists of addresses where
workers share a database. Store `subscription.position` as JSON in the transaction that stores the effects of an event,
and pass it back to continue after that event.
"""
import argparse
import json
import os
import sys
import time

import zmq

SILENCE = 5_000  # milliseconds without a heartbeat, of which one comes every second: the connection is dead
LIMIT = 500  # events a page, and events delivered out of order before a repair


class Subscription:
    """Iterate over it for pairs of a topic and an event; it does not end by itself."""

    def __init__(self, events, commands, prefixes=("",), position=None, from_start=False):
        # The first address of each is in use; who is silent goes to the end.
        self.events, self.commands = ([it] if isinstance(it, str) else list(it) for it in (events, commands))
        self.prefixes, self.from_start = prefixes, from_start
        # {"epoch": ..., "streams": {stream: {"after": n, "beyond": [...]}}}: all up to n was delivered, and these.
        self.position = position
        self.questions = None
        self._listen()

    def _listen(self):
        self.socket = zmq.Context.instance().socket(zmq.SUB)
        self.socket.linger = 0
        self.socket.connect(self.events[0])
        # Heartbeats last: the first one says that the other subscriptions are in force.
        for prefix in (*self.prefixes, "heartbeat."):
            self.socket.subscribe(prefix)

    def __iter__(self):
        while True:
            if not self.socket.poll(SILENCE):
                self.socket.close()
                self.events.append(self.events.pop(0))
                self._listen()
                continue
            topic, body = self.socket.recv_multipart()
            if topic.startswith(b"heartbeat."):
                yield from self._heartbeat(json.loads(body)["data"])
            else:
                yield from self._event(topic.decode(), json.loads(body))

    def _event(self, topic, event):
        if not self.position or event["epoch"] != self.position["epoch"]:
            return  # before the first heartbeat, or of another log: the next heartbeat decides
        stream, number = event["stream"], int(event["sequence"])
        place = self._place(stream)
        if self._had(place, number):
            return
        if self._common(stream) == stream + ".":
            follows = number == place["after"] + 1
        else:
            follows = self._had(place, int(event["previous"]))
        if follows and len(place["beyond"]) < LIMIT:
            place["beyond"].append(number)
            self._complete(place, place["after"])
            yield topic, event
        else:
            yield from self._repair(stream)

    def _heartbeat(self, heart):
        heard = {stream: int(number) for stream, number in heart["positions"].items() if self._common(stream)}
        if not self.position:
            begin = {} if self.from_start else heard
            streams = {stream: {"after": number, "beyond": []} for stream, number in begin.items()}
            self.position = {"epoch": heart["epoch"], "streams": streams}
        is_new = heart["epoch"] != self.position["epoch"]
        for stream, number in heard.items():
            if is_new or self._place(stream)["after"] < number:
                yield from self._repair(stream)

    def _repair(self, stream):
        """Reads the log from the last complete sequence on, page by page."""
        more = True
        while more:
            place = self._place(stream)
            header, frames = self._page(stream, place["after"])
            more = header["more"]
            if header["epoch"] != self.position["epoch"]:
                self.position = {"epoch": header["epoch"], "streams": {}}  # another log: read it from its beginning
                more = True
                continue
            for topic, event in zip(map(bytes.decode, frames[::2]), map(json.loads, frames[1::2])):
                number = int(event["sequence"])
                is_new = not self._had(place, number) and any(topic.startswith(prefix) for prefix in self.prefixes)
                self._complete(place, number)
                if is_new:
                    yield topic, event
            self._complete(place, int(header["position"]))

    def _page(self, stream, after):
        """Asks until an answer comes, over a new connection after each failure."""
        fields = {"stream": stream, "after": f"{after:016}", "topic": self._common(stream), "limit": LIMIT}
        pause = 0.25
        while True:
            if not self.questions:
                self.questions = zmq.Context.instance().socket(zmq.REQ)
                self.questions.linger = 0
                self.questions.connect(self.commands[0])
            self.questions.send_multipart([b"replay", json.dumps(fields).encode()])
            if self.questions.poll(10_000):
                word, body, *frames = self.questions.recv_multipart()
                if word == b"events":
                    return json.loads(body), frames
                problem = body.decode()
            else:
                problem = "no answer"
            self.questions.close()
            self.questions = None
            print(f"{self.commands[0]}: {problem}; trying again in {pause} s", file=sys.stderr)
            self.commands.append(self.commands.pop(0))
            time.sleep(pause)
            pause = min(2 * pause, 5)

    def _place(self, stream):
        return self.position["streams"].setdefault(stream, {"after": 0, "beyond": []})

    def _common(self, stream):
        """Returns the common prefix of the wanted topics of a stream: `stream.` for all of it, "" for none of it."""
        word = stream + "."
        if any(word.startswith(prefix) for prefix in self.prefixes):
            return word
        return os.path.commonprefix([prefix for prefix in self.prefixes if prefix.startswith(word)] or [""])

    @staticmethod
    def _had(place, number):
        return number <= place["after"] or number in place["beyond"]

    @staticmethod
    def _complete(place, number):
        """Marks everything up to a sequence as delivered, and moves on over the numbers that follow without a gap."""
        after = max(place["after"], number)
        while after + 1 in place["beyond"]:
            after += 1
        place.update(after=after, beyond=[other for other in place["beyond"] if other > after])


def addresses(variable, default):
    """Returns the address in a variable, or, with MARQUEE_WORKERS=a,b, its port at each of these hosts."""
    address, hosts = os.environ.get(variable) or default, os.environ.get("MARQUEE_WORKERS")
    if not hosts or not address.startswith("tcp:"):
        return [address]
    port = address.rpartition(":")[2]
    return [f"tcp://{host.strip()}:{port}" for host in hosts.split(",")]


def main():
    parser = argparse.ArgumentParser(description="Prints events and loses none.")
    parser.add_argument("prefixes", nargs="*", metavar="prefix", help="what topics begin with (default: all)")
    parser.add_argument("--from-start", action="store_true", help="begin with the first event of the log")
    parser.add_argument("--stop-after", type=int, metavar="N", help="end after N events")
    parser.add_argument("--json", action="store_true", help="print whole events, one a line")
    options = parser.parse_args()
    subscription = Subscription(
        addresses("MARQUEE_EVENTS", "tcp://127.0.0.1:5552"), addresses("MARQUEE_COMMANDS", "tcp://127.0.0.1:5551"),
        options.prefixes or [""], from_start=options.from_start)
    for count, (topic, event) in enumerate(subscription, 1):
        print(json.dumps(event, ensure_ascii=False) if options.json else f"{topic} {event['sequence']}", flush=True)
        if count == options.stop_after:
            break


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        pass
