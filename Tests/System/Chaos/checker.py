"""The checks after a round: compares requests, logs, published events, deliveries and alerts."""

import collections
import contextlib
import datetime
import json
import pathlib
import sqlite3
import sys
import urllib.parse

from alert_rules import differing, expected_alerts
from clock import START
from subscriber import line
from waiting import Failure

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Truth"))
import mapping  # noqa: E402, the path comes first

# The states of a delivery in the notifier's outbox.
SENT, WITHDRAWN = 1, 3


class Log:
    """All events in the database of a process, read without changing it; `query` returns rows of it."""

    def __init__(self, name, query):
        self.name, self.query = name, query
        self.rows = query("select stream, sequence, topic, body from event order by stream, sequence")
        self.epoch = query("select epoch from event_epoch")[0][0]
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

    @contextlib.contextmanager
    def taking_failures(self):
        """Takes a `Failure`, which ends the block, as a problem."""
        try:
            yield
        except* Failure as group:
            self.problems += [f"{failure}" for failure in group.exceptions]

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
        where = f"{log.name} {stream} {sequence}"
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


def check_truth(log, answers, findings):
    """Checks each chart and movie in the log against what the sandbox answered, by a mapping that shares nothing with the program.

    Returns how many events were compared.
    """
    truth = collections.defaultdict(list)
    for target, body in answers:
        path, _, query = target.partition("?")
        fields = dict(urllib.parse.parse_qsl(query))
        if not path.startswith("/kobisopenapi/"):
            continue
        try:
            body = mapping.parse(body)
        except ValueError:
            continue  # a notice or half a body
        if "boxOfficeResult" in body:
            market = f"nation-{fields['repNationCd']}" if "repNationCd" in fields else "all"
            lists = body["boxOfficeResult"]
            if not (lists.get("dailyBoxOfficeList") or lists.get("weeklyBoxOfficeList")):
                continue
            topic, data = mapping.chart(body, market, None, START)
            truth[topic].append(data["entries"])
        elif body.get("movieInfoResult", {}).get("movieInfo", {}).get("movieCd"):
            topic, data = mapping.movie(body)
            truth[topic].append(data)
    compared, charts = 0, {}
    for _, sequence, topic, body in log.rows:
        if not topic.startswith(("ranking.", "movie.")):
            continue
        data = mapping.parse(body)["data"]
        found = data["entries"] if topic.startswith("ranking.") else data
        differences = [list(mapping.differences(found, one)) for one in truth[topic]]
        findings.require([] in differences, f"{topic} {sequence} is nothing that the sandbox answered: {differences[:1]}")
        compared += 1
        if before := charts.get(topic):
            expected = mapping.corrections(before["entries"], data["entries"])
            wrong = list(mapping.differences(data["corrections"], expected))
            findings.require(not wrong, f"the corrections of {topic} {sequence}: {wrong[:2]}")
        if topic.startswith("ranking."):
            charts[topic] = data
    findings.require(compared, "no chart or movie was compared with the sandbox's answers")
    return compared


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
            check_answer(id, requests, [answer["topic"] for answer in event["data"]["events"]], findings)
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
    states = dict(log.query("select id, state from inbox"))
    for id, life in lives.items():
        if not life:
            continue
        if life == ["failed"] and id not in states:
            continue  # a refused request is kept for a day, and the clock may have jumped over it
        state = {1: "done", 2: "failed"}.get(states.get(id))
        findings.require(state == life[-1], f"the inbox holds {id} as {states.get(id)}, the log ends with {life[-1]}")
    return lives


def check_answer(id, requests, topics, findings):
    """Checks that a request that was done names the event that was asked for."""
    if id not in requests.sent:
        return
    topic, frames = requests.sent[id]
    fields = json.loads(frames[0])
    match topic:
        case "fetch.day":
            market = f"nation-{fields['nation']}" if "nation" in fields else "all"
            wanted = f"ranking.day.{market}.{fields['date']}"
        case "fetch.week":
            day = datetime.date.fromisoformat(fields["date"])
            monday = day - datetime.timedelta(days=day.weekday())
            first = monday + datetime.timedelta(days=4) if fields["span"] == "weekend" else monday
            wanted = f"ranking.week.all.{fields['span']}.{first}"
        case "fetch.movie":
            wanted = f"movie.{fields['code']}"
        case "fetch.products":
            wanted = f"products.{fields['page']}.20"
        case "product.modify":
            wanted = f"product.{fields['product']}"
        case "product.remove":
            wanted = f"product.removed.{fields['product']}"
        case "product.register":
            return findings.require(
                len(topics) == 1 and topics[0].startswith("product."), f"request {id} was done with {topics}")
    findings.require(wanted in topics, f"request {id} was done with {topics}, not {wanted}")


def check_products(lives, requests, names, findings):
    """Checks that each registration was carried out once, or not at all if it failed."""
    count = collections.Counter(names)
    may_be_gone = any(topic == "product.remove" for topic, _ in requests.sent.values())
    for id, (topic, frames) in requests.sent.items():
        if topic != "product.register" or not lives[id]:
            continue
        found = count[json.loads(frames[0])["name"]]
        findings.require(found <= 1, f"the product of request {id} is {found} times in the shop")
        findings.duplicated += max(0, found - 1)
        if lives[id][-1] == "done" and not may_be_gone:
            findings.require(found == 1, f"the product of request {id} is not in the shop")


def check_replay(log, client, endpoint, rng, findings):
    """Checks that the pages of `replay` have the same bytes as the log."""
    for stream, newest in log.positions().items():
        after, more, got = "", True, []
        while more:
            question = {"stream": stream, "after": after, "limit": rng.randint(1, 400)}
            _, head, *frames = client.ask(b"replay", question, endpoint=endpoint)
            page = json.loads(head)
            got += zip(frames[::2], frames[1::2])
            after, more = page["position"], page["more"]
        written = [(topic.encode(), body) for name, _, topic, body in log.rows if name == stream]
        findings.require(got == written, f"replay of {stream} differs from the log")
        findings.require(int(after) == newest, f"replay of {stream} ends at {after}")


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
    """Checks what a plain subscriber received, which repairs nothing. Returns how many events it missed.

    All of it is in the log; a crash and the reconnection after it lose events.
    Events come once and in the order of their stream; one that was logged before comes again for each further request that
    it answers.
    """
    written = {(topic.encode(), body): (stream, sequence) for stream, sequence, topic, body in log.rows}
    strange = [topic for topic, body in heard if (topic, body) not in written]
    findings.require(not strange, f"published, but not in {log.name}: {strange[:3]}")
    answered = collections.Counter(
        (answer["stream"], int(answer["sequence"])) for event in log.stream("request")
        if event["type"] == "marquee.request.done.v1" for answer in event["data"]["events"])
    places = [written[thing] for thing in heard if thing in written]
    again = [place for place, count in collections.Counter(places).items() if count > max(1, answered[place])]
    findings.require(not again, f"{log.name}: published again without a request: {again[:5]}")
    newest = collections.Counter()
    for stream, sequence in dict.fromkeys(places):
        in_order = sequence > newest[stream] or answered[stream, sequence] > 1
        findings.require(in_order, f"{log.name}: {stream} {sequence} was published after {newest[stream]}")
        newest[stream] = max(newest[stream], sequence)
    return len(written) - len(set(places))


def check_alerts(rankings, alerts, findings):
    """Checks that the notifier's log has the alerts that follow from the worker's log, each once and in order."""
    expected = expected_alerts(rankings)
    found = [event["data"] for event in alerts]
    findings.compare("alerts", [key(alert) for alert in expected], [key(alert) for alert in found])
    by_key = {key(alert): alert for alert in found}
    for alert in expected:
        if twin := by_key.get(key(alert)):
            fields = differing(alert, twin)
            findings.require(not fields, f"alert {key(alert)} differs in {fields}: {alert} / {twin}")


def check_quota(query, seen, limits, findings):
    """Checks that each call was booked before, and that no day exceeds its limit. Returns the booked calls.

    Calls and bookings are compared as sums: the sandbox's clock is set forth and back, so its days are not the worker's.
    """
    booked = collections.Counter()
    try:
        rows = query("select service, day, used from quota")
    except sqlite3.OperationalError:
        rows = []  # the worker died before it had a database
    for service, day, used in rows:
        booked[service] += used
        limit = limits.get(service, used)
        findings.require(used <= limit, f"{used} calls to {service} are booked on {day}, of {limit}")
    for service, calls in seen.items():
        findings.require(calls <= booked[service], f"{service}: {calls} calls were made, {booked[service]} are booked")
    return booked


def check_letters(log, receiver, interrupted, findings):
    """Checks that each alert in the log arrived with the same bytes, except those that were withdrawn before.

    A retraction arrives exactly if its alert did. A letter comes again at most once for each attempt that a crash or a
    missing response interrupted. Returns how many came again. Behind an event's own members come those that only
    messages have.
    """
    findings.problems += receiver.problems
    states = dict(log.query("select alert, state from delivery"))
    bodies = {event["id"]: body for event, (_, _, _, body) in zip(log.events, log.rows)}
    retracted = {event["data"]["retracts"]: event["id"] for event in log.events if "retracts" in event["data"]}
    for id, body in bodies.items():
        if id in receiver.bodies:
            findings.require(receiver.bodies[id].startswith(body[:-1]), f"the letter {id} is not what the log has")
        if id.endswith(".retracted"):
            is_due = states.get(id.removesuffix(".retracted")) == SENT
            findings.require((states.get(id) == SENT) == is_due, f"the retraction {id} is {states.get(id)}")
        else:
            allowed = (SENT, WITHDRAWN) if id in retracted else (SENT,)
            findings.require(states.get(id) in allowed, f"the letter {id} is {states.get(id)}")
    lost = [id for id, state in states.items() if state == SENT and not receiver.accepted[id]]
    findings.lost += len(lost)
    findings.require(not lost, f"written down as sent, but never accepted: {lost[:5]}")
    repeated = sum(receiver.accepted.values()) - len(receiver.accepted)
    findings.require(repeated <= interrupted, f"{repeated} letters came again, after {interrupted} interruptions")
    strange = receiver.bodies.keys() - bodies.keys()
    findings.require(not strange, f"letters about nothing that is logged: {list(strange)[:3]}")
    return repeated


def key(alert):
    return alert["rule"], alert["movieCode"], alert["date"], alert.get("retracts")
