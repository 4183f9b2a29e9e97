"""The checks after a round: compares requests, logs, published events, deliveries and alerts."""

import collections
import json
import sqlite3

import zmq

from alert_rules import expected_alerts
from subscriber import line


class Log:
    """All events in the database of a process, read without changing it."""

    def __init__(self, path):
        self.path = path
        with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as database:
            self.rows = database.execute(
                "select stream, sequence, topic, body from event order by stream, sequence").fetchall()
            self.epoch = database.execute("select epoch from event_epoch").fetchone()[0]
        self.events = [json.loads(body) for _, _, _, body in self.rows]

    def stream(self, stream):
        return [event for event in self.events if event["stream"] == stream]

    def positions(self):
        positions = collections.Counter()
        for stream, sequence, _, _ in self.rows:
            positions[stream] = max(positions[stream], sequence)
        return dict(positions)

    def lines(self, prefixes):
        """Returns the records that a subscriber to these prefixes must have."""
        return [
            line(event, topic) for (_, _, topic, _), event in zip(self.rows, self.events)
            if any(topic.startswith(prefix) for prefix in prefixes)]


class Findings:
    """The problems found, and figures."""

    def __init__(self):
        self.problems = []
        self.lost = self.duplicated = self.reordered = 0

    def require(self, holds, problem):
        if not holds:
            self.problems.append(problem)

    def compare(self, who, expected, got):
        """Checks that each expected item is there once and in order, and no other."""
        lost = len(set(expected) - set(got))
        duplicated = len(got) - len(set(got))
        strange = len(set(got) - set(expected))
        places = order(expected, got)
        reordered = sum(one > other for one, other in zip(places, places[1:]))
        self.lost += lost
        self.duplicated += duplicated
        self.reordered += reordered
        if lost or duplicated or strange or reordered:
            self.problems.append(
                f"{who}: {lost} of {len(expected)} lost, {duplicated} duplicated, {reordered} out of order, "
                f"{strange} that nobody wrote")


def order(expected, got):
    """Returns the positions of the received items among the expected ones, each at its first occurrence."""
    places = {thing: place for place, thing in enumerate(expected)}
    return [places[thing] for thing in dict.fromkeys(got) if thing in places]


def check_log(log, findings):
    """Checks that streams have no gaps, that each event names its predecessor, and that bodies agree with their rows."""
    last_of_stream, last_of_topic, ids = collections.Counter(), collections.Counter(), set()
    for (stream, sequence, topic, _), event in zip(log.rows, log.events):
        where = f"{log.path.name} {stream} {sequence}"
        findings.require(sequence == last_of_stream[stream] + 1, f"{where}: a hole before it")
        findings.require(topic.split(".")[0] == stream == event["stream"], f"{where}: {topic} is not of this stream")
        findings.require(int(event["sequence"]) == sequence, f"{where}: its body says {event['sequence']}")
        findings.require(int(event["previous"]) == last_of_topic[topic], f"{where}: previous is {event['previous']}")
        findings.require(event["epoch"] == log.epoch, f"{where}: another epoch")
        findings.require(event["id"] not in ids, f"{where}: the id {event['id']} is used twice")
        ids.add(event["id"])
        last_of_stream[stream] = last_of_topic[topic] = sequence


def check_facts(log, findings):
    """Checks that no fact is written twice: successive events of a topic differ, and revisions of a chart increase."""
    last = {}
    for (stream, sequence, topic, _), event in zip(log.rows, log.events):
        if stream not in ("ranking", "movie", "poster"):
            continue
        data = dict(event["data"])
        revision = data.pop("revision", None)
        data.pop("corrections", None)
        before, revision_before = last.get(topic, (None, 0))
        findings.require(data != before, f"{topic} {sequence} says what the event before it says")
        if revision is not None:
            findings.require(revision == revision_before + 1, f"{topic} {sequence} is revision {revision}")
        last[topic] = data, revision


def check_requests(log, requests, findings, may_refuse):
    """Checks that each request was accepted once and then ended once, and that all acknowledged requests are among them.

    A request that was published while the disk was full (`may_refuse`) may have failed at once, for lack of a receipt.
    """
    lives = collections.defaultdict(list)
    known = {(event["stream"], int(event["sequence"])): row[2] for row, event in zip(log.rows, log.events)}
    bodies = {}
    for event, row in zip(log.events, log.rows):
        if event["stream"] != "request":
            continue
        _, stage, id = row[2].split(".", 2)
        lives[id].append(stage)
        if stage == "accepted":
            bodies[id] = event["data"]
        if stage == "done":
            for answer in event["data"]["events"]:
                place = answer["stream"], int(answer["sequence"])
                findings.require(known.get(place) == answer["topic"], f"{row[2]} names {answer}, which is not logged")
    for id, life in lives.items():
        good = [["accepted", "done"], ["accepted", "failed"]]
        if id in requests.hopeless:
            good = [["failed"]]
        elif may_refuse and id in requests.published:
            good.append(["failed"])
        findings.require(life in good, f"request {id} lived as {life}")
        findings.require(id in requests.sent or id in requests.hopeless, f"nobody sent request {id}")
    missing = [id for id in requests.receipted if not lives[id]]
    unended = [id for id in requests.receipted if lives[id] == ["accepted"]]
    findings.require(not missing, f"receipted, but not in the log: {missing[:5]}")
    findings.require(not unended, f"receipted, but without an end: {unended[:5]}")
    findings.lost += len(missing) + len(unended)
    twice = [id for id, life in lives.items() if len(life) > 2]
    findings.duplicated += len(twice)
    with sqlite3.connect(f"file:{log.path}?mode=ro", uri=True) as database:
        states = dict(database.execute("select id, state from inbox"))
    for id, life in lives.items():
        if not life:
            continue
        state = {1: "done", 2: "failed"}.get(states.get(id))
        findings.require(state == life[-1], f"the inbox holds {id} as {states.get(id)}, the log ends with {life[-1]}")
    return lives


def check_replay(log, address, rng, findings):
    """Checks that the pages of `replay` have the same bytes as the log."""
    context = zmq.Context()
    asked = context.socket(zmq.REQ)
    asked.setsockopt(zmq.LINGER, 0)
    asked.connect(address)
    try:
        for stream, newest in log.positions().items():
            after, more, got = "", True, []
            while more:
                question = {"stream": stream, "after": after, "limit": rng.randint(1, 400)}
                asked.send_multipart([b"replay", json.dumps(question).encode()])
                if not asked.poll(5000):
                    return findings.problems.append(f"{address} does not answer replay")
                word, head, *frames = asked.recv_multipart()
                page = json.loads(head)
                got += zip(frames[::2], frames[1::2])
                after, more = page["position"], page["more"]
            written = [(topic.encode(), body) for name, _, topic, body in log.rows if name == stream]
            findings.require(got == written, f"replay of {stream} differs from the log")
            findings.require(int(after) == newest, f"replay of {stream} ends at {after}")
    finally:
        context.destroy(linger=0)


def check_delivered(log, subscriber, findings):
    """Checks that a subscriber that repairs gaps has recorded exactly the log.

    In the order of a stream of which it takes all, and else in the order of each topic.
    """
    def part(line):
        stream, _, topic, _ = line.split()
        return stream if f"{stream}." in subscriber.prefixes else topic

    expected, got = collections.defaultdict(list), collections.defaultdict(list)
    for lines, parts in [(log.lines(subscriber.prefixes), expected), (subscriber.delivered(), got)]:
        for line in lines:
            parts[part(line)].append(line)
    for name in expected.keys() | got.keys():
        findings.compare(f"{subscriber.name}, {name}", expected[name], got[name])


def check_live(log, heard, findings):
    """Checks that all published events equal the log's. Returns how many a plain subscriber missed."""
    written = {(topic.encode(), body) for _, _, topic, body in log.rows}
    strange = [topic for topic, body in heard if (topic, body) not in written]
    findings.require(not strange, f"sent, but not in {log.path.name}: {strange[:3]}")
    return len(written) - len(written & set(heard))


def check_alerts(rankings, alerts, findings):
    """Checks that the notifier's log has the alerts that follow from the worker's log, each once and in order."""
    expected = expected_alerts(rankings)
    found = [event["data"] for event in alerts]
    findings.compare("alerts", [key(alert) for alert in expected], [key(alert) for alert in found])
    by_key = {key(alert): alert for alert in found}
    for alert in expected:
        if twin := by_key.get(key(alert)):
            differing = [field for field in alert if alert[field] != twin[field]]
            findings.require(not differing, f"alert {key(alert)} differs in {differing}: {alert} / {twin}")


def check_quota(folder, seen, limits, findings):
    """Checks that each call was booked before, and that no day exceeds its limit. Returns the booked calls.

    Calls and bookings are compared as sums: the sandbox's clock is set forth and back, so its days are not the worker's.
    """
    booked = collections.Counter()
    try:
        with sqlite3.connect(f"file:{folder}/worker.db?mode=ro", uri=True) as database:
            rows = database.execute("select service, day, used from quota").fetchall()
    except sqlite3.OperationalError:
        rows = []  # the worker died before it had a database
    for service, day, used in rows:
        booked[service] += used
        limit = limits.get(service, used)
        findings.require(used <= limit, f"{used} calls to {service} are booked on {day}, of {limit}")
    for service, calls in seen.items():
        findings.require(calls <= booked[service], f"{service}: {calls} calls were made, {booked[service]} are booked")
    return booked


def waiting_letters(folder):
    with sqlite3.connect(f"file:{folder}/notifier.db?mode=ro", uri=True) as database:
        return database.execute("select count(*) from delivery where state = 0").fetchone()[0]


def check_letters(log, receiver, findings):
    """Checks that each alert in the log arrived with the same bytes, except those that were withdrawn before.

    Behind the event's own members come those that only messages have.
    """
    findings.problems += receiver.problems
    with sqlite3.connect(f"file:{log.path}?mode=ro", uri=True) as database:
        states = dict(database.execute("select alert, state from delivery"))
    bodies = {event["id"]: body for event, (_, _, _, body) in zip(log.events, log.rows)}
    taken_back = {event["data"]["retracts"] for event in log.events if "retracts" in event["data"]}
    for id, body in bodies.items():
        if id in receiver.bodies:
            findings.require(receiver.bodies[id].startswith(body[:-1]), f"the message {id} is not what the log has")
        elif id.endswith(".retracted"):
            findings.require(states.get(id) in (None, 1), f"the message {id} is {states.get(id)}")
        else:
            findings.require(id in taken_back, f"the alert {id} never arrived, and was not taken back")
    lost = [id for id, state in states.items() if state == 1 and id not in receiver.accepted]
    findings.lost += len(lost)
    findings.require(not lost, f"written down as sent, but never accepted: {lost[:5]}")
    strange = receiver.bodies.keys() - bodies.keys()
    findings.require(not strange, f"messages about nothing that is logged: {list(strange)[:3]}")


def key(alert):
    return alert["rule"], alert["movieCode"], alert["date"], alert.get("retracts")
