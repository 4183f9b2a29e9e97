#!/usr/bin/python3
"""Compares every field of every event with a mapping of the recorded responses that knows nothing of the program.

    python3 Tests/System/Truth PROGRAM

The real worker requests everything that is recorded in Tests/Recordings: each chart, at the time when its response was
recorded, by a clock that is moved; each movie with a poster; and the pages and products of the shop. Then all events are read from its log, and compared field by field with what mapping.py makes of the recorded
files. A recorded file that nothing requests, and a kind of event that never comes, are failures.
"""

import collections
import datetime
import json
import pathlib
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(1, str(HERE.parents[1] / "Harness"))
import checks  # noqa: E402
import mapping  # noqa: E402
from clock import START, Clock  # noqa: E402
from installation import BUSY, Installation  # noqa: E402
from suite import suite_folder  # noqa: E402
from upstream import Upstream  # noqa: E402
from waiting import Failure  # noqa: E402

RECORDINGS = HERE.parents[1] / "Recordings"
BEFORE_FIRST = "0" * 16
# The kinds of events that must have been compared, each at least once.
KINDS = {"ranking.day", "ranking.week", "movie", "poster", "products", "product", "request.accepted", "request.done"}
MARKETS = {
    "repNationCd=K": ("nation-K", {"nation": "K"}), "repNationCd=F": ("nation-F", {"nation": "F"}),
    "multiMovieYn=Y": ("films-diverse", {"films": "diverse"}),
    "multiMovieYn=N": ("films-commercial", {"films": "commercial"}),
}
# Recorded, and no events: errors, and a list that was constructed.
NO_EVENTS = ("kobis/fault/", "kobis/constructed/", "kakao/fault/")


class Case:
    """A request, and the function that returns the topics and data of the events that answer it."""

    def __init__(self, topic, body, expected):
        self.topic, self.body, self.expected = topic, body, expected
        self.began = self.ended = None


class Site(Installation):
    """A sandbox that plays the recordings, and a worker; the calendar clock of both can be moved."""

    def __init__(self, program, folder, upstream):
        folder.mkdir()
        self.clock, self.cases = Clock(folder), []
        super().__init__(program, folder, BUSY | self.clock.environment | {
            "MARQUEE_KOBIS_KEY": "0" * 32, "MARQUEE_KAKAO_KEY": "0" * 32, "MARQUEE_SCHEDULE": "off",
            "MARQUEE_KAKAO_URL": upstream.url, "MARQUEE_OPENMARKET_URL": f"{upstream.url}/openmarket/v3",
            "MARQUEE_OPENMARKET_IDENTIFIER": "truth", "MARQUEE_OPENMARKET_SECRET": "truth",
        }, {"sandbox": ["--recorded", str(RECORDINGS)]})
        self.environment["MARQUEE_KOBIS_URL"] = f"{self.page('sandbox')}/kobisopenapi/webservice/rest"

    def request(self, cases):
        """Requests all, and waits until each has ended."""
        for case in cases:
            case.id, case.began = f"truth-{len(self.cases)}", self.clock.now()
            self.cases.append(case)
            self.client.request(case.topic, id=case.id, refresh=True, **case.body)
        for case in cases:
            ended = self.client.ended(case.id)
            if ended["type"] != "marquee.request.done.v1":
                raise Failure(f"a recorded response led to {ended['data']}")
        for case in cases:
            case.ended = self.clock.now()


# MARK: What is recorded


class Recorded:
    """Reads the recorded files, and knows which it has given out."""

    def __init__(self):
        self.left = {str(path.relative_to(RECORDINGS)) for path in RECORDINGS.rglob("*.json*")}
        self.left = {name for name in self.left if not name.startswith((*NO_EVENTS, "kakao/image/"))}

    def files(self, pattern):
        """Yields name and responses of each file."""
        for path in sorted(RECORDINGS.glob(pattern)):
            name = str(path.relative_to(RECORDINGS))
            self.left.discard(name)
            yield name, [line for line in path.read_text().splitlines() if line]

    def charts(self):
        """Yields for each chart a time when it was known, its market and filters, and its body."""
        korea, hour = mapping.KOREA, datetime.timedelta(hours=1)
        for name, bodies in self.files("kobis/daily/*.json"):
            day = datetime.datetime.strptime(pathlib.Path(name).stem, "%Y%m%d").replace(tzinfo=korea)
            yield day + 24.75 * hour, "all", {}, mapping.parse(bodies[0])
        for name, bodies in self.files("kobis/revisions/*/*.json"):
            known = datetime.datetime.strptime(pathlib.Path(name).stem + "+0000", "%Y%m%dT%H%M%SZ%z")
            yield known + hour / 60, "all", {}, mapping.parse(bodies[0])
        for pattern in "kobis/daily-2*/*.jsonl", "kobis/weekly/*.json", "kobis/daily-variants/*.jsonl":
            for name, bodies in self.files(pattern):
                market, fields = next((MARKETS[part] for part in MARKETS if f".{part}." in name), ("all", {}))
                for body in bodies:
                    yield START, market, fields, mapping.parse(body)


def chart_case(market, fields, body, known, titles):
    """The request for a chart. `known` has the newest revision of each chart, `titles` those of all movies by code."""
    first = body["boxOfficeResult"]["showRange"][:8]
    span = mapping.SPANS.get(body["boxOfficeResult"]["boxofficeType"])
    topic = "fetch.week" if span else "fetch.day"
    key = (first, span, market)

    def expected(case):
        topic, data = mapping.chart(body, market, known.get(key), case.began)
        known[key] = data
        titles.update((entry["movieCode"], entry["title"]) for entry in data["entries"])
        return [(topic, data)]

    return Case(topic, {"date": first, **({"span": span} if span else {}), **fields}, expected)


def movie_case(body, upstream, titles):
    """The request for a movie and its poster."""
    topic, facts = mapping.movie(body)

    def expected(_):
        query = mapping.query(facts, [title for code, title in titles.items() if code != facts["code"]])
        titles[facts["code"]] = facts["title"]
        return [(topic, facts), mapping.poster(facts, query, upstream.searches.get(query, (None, None, None))[:3])]

    return Case("fetch.movie", {"code": facts["code"]}, expected)


def market_case(name, body, upstream, known):
    """The request for a recorded page or product of the shop, which the upstream plays from now on."""
    value = mapping.parse(body)
    if "id" in value:
        topic, data, path = f"product.{value['id']}", mapping.product(value), f"/{value['id']}"
        case = Case("fetch.product", {"product": value["id"]}, None)
    else:
        topic, data = mapping.products(value)
        path = f"?page_no={data['pageNo']}&items_per_page={data['itemsPerPage']}"
        case = Case("fetch.products", {"page": data["pageNo"], "perPage": data["itemsPerPage"]}, None)
    upstream.market[f"/openmarket/v3/api/products{path}"] = body.encode()

    def expected(_):
        # The same again, in another form of dates: nothing has changed.
        if known.get(topic) == data:
            return []
        known[topic] = data
        return [(topic, data)]

    case.expected, case.name = expected, name
    return case


# MARK: Comparison


def compare(site, counts):
    """Compares all events in the worker's log with those that the cases expect; yields the differences."""
    by_request, places, newest = {}, {}, {}
    ids, epochs = set(), set()
    for stream in "request", "ranking", "movie", "poster", "products", "product", "anomaly":
        for number, (topic, body) in enumerate(site.client.replay(stream)[0], 1):
            event = mapping.parse(body)
            by_request.setdefault(event["correlationid"], []).append((topic, event))
            place = {"topic": topic, "stream": stream, "sequence": f"{number:016}"}
            frame = {
                "specversion": "1.0", "source": "/marquee/worker", "datacontenttype": "application/json",
                "type": f"marquee.{kind(topic)}.v1", "stream": stream, "sequence": place["sequence"],
                "previous": places.get(topic, {}).get("sequence", BEFORE_FIRST),
            }
            for name, value in frame.items():
                yield from mapping.differences(event.get(name), value, f"{topic}: {name}")
            places[topic] = place
            newest[topic, place["sequence"]] = place
            ids.add(event["id"])
            epochs.add(event["epoch"])
            if kind(topic) == "ranking.day":
                yield from mapping.differences(event["subject"], "/".join(topic.split(".")[2:]), f"{topic}: subject")
            counts[kind(topic)] += 1
    if len(epochs) != 1 or len(ids) != sum(map(len, by_request.values())):
        yield "the epoch is not one, or an event's id is not its own"
    seen = {}
    for case in site.cases:
        events = by_request.pop(case.id, [])
        kinds = [kind(topic) for topic, _ in events]
        if kinds[:1] != ["request.accepted"] or kinds.count("request.done") != 1:
            yield f"{case.topic} {case.body}: its events are {kinds}"
            continue
        for topic, event in events:
            if not case.began - datetime.timedelta(seconds=2) <= mapping.Moment(event["time"]).instant() <= case.ended:
                yield f"{topic}: time {event['time']} is not between {case.began} and {case.ended}"
        yield from answer(case, events, seen)
    for request, events in by_request.items():
        yield f"{request}: {len(events)} events of a request that was not made"


def answer(case, events, seen):
    """Compares the events of a request with those that it expects; `seen` has the newest place of each topic."""
    by_kind = {kind(topic): event for topic, event in events}
    accepted, done = by_kind["request.accepted"]["data"], by_kind["request.done"]["data"]
    for name, value in case.body.items():
        # A date may be written in two ways.
        wanted = mapping.day(value) if name == "date" else value
        yield from mapping.differences(accepted["request"].get(name), wanted, f"{case.topic} {case.body}: {name}")
    yield from mapping.differences(accepted["topic"], case.topic, f"{case.topic}: topic")
    expected = case.expected(case)
    found = [(topic, event) for topic, event in events if not topic.startswith("request.")]
    if [topic for topic, _ in found] != [topic for topic, _ in expected]:
        yield f"{case.topic} {case.body}: {[topic for topic, _ in found]} in place of {[topic for topic, _ in expected]}"
        return
    for (topic, event), (_, data) in zip(found, expected):
        yield from mapping.differences(event["data"], data, topic)
        seen[topic] = {"topic": topic, "stream": event["stream"], "sequence": event["sequence"]}
    answered = [seen[topic] for topic, _ in expected] or [seen[case_topic(case)]]
    yield from mapping.differences(
        done, {"topic": case.topic, "events": answered, "from": "upstream", "problems": []}, f"{case.topic} {case.body}")


def case_topic(case):
    """The topic of a page or product that had not changed."""
    body = case.body
    return f"product.{body['product']}" if "product" in body else f"products.{body['page']}.{body['perPage']}"


def kind(topic):
    """The part of a topic that names the kind of event."""
    words = topic.split(".")
    return ".".join(words[:2]) if words[0] in ("ranking", "request") else words[0]


# MARK: Run


def run(program, folder):
    """Requests everything, compares everything; returns the numbers of events by kind, and the differences."""
    recorded, upstream, known, titles = Recorded(), Upstream(RECORDINGS), {}, {}
    counts, found = collections.Counter(), []
    shop = {}
    with Site(program, folder / "site", upstream) as site:
        site.start("sandbox", "worker")
        for name, (body, *_) in recorded.files("openmarket/v3/*.json"):
            site.request([market_case(name, body, upstream, shop)])
        stops = collections.defaultdict(list)
        for at, market, fields, body in recorded.charts():
            stops[at].append(chart_case(market, fields, body, known, titles))
        for at in sorted(stops):
            site.clock.set(at)
            site.request(stops[at])
        # One after another: which titles the log knows decides what is searched.
        for _, (body, *_) in recorded.files("kobis/movie/*.json"):
            site.request([movie_case(mapping.parse(body), upstream, titles)])
        found += compare(site, counts)
    upstream.close()
    found += [f"Tests/Recordings/{name}: nothing requests it" for name in sorted(recorded.left)]
    found += [f"no event {name} was compared" for name in sorted(KINDS - counts.keys())]
    if not any(document for document, *_ in upstream.searches.values()):
        found.append("no poster was found")
    return counts, found


def test():
    began = time.monotonic()
    with suite_folder("marquee-truth-") as folder:
        counts, found = run(pathlib.Path(sys.argv[1]).resolve(), folder)
    for text in found[:100]:
        print(f"FAIL {text}")
    for name, number in sorted(counts.items()):
        print(f"{number:6} {name}")
    print(f"{mapping.differences.compared} fields of {counts.total()} events compared in {time.monotonic() - began:.0f} s")
    checks.passed += counts.total()
    checks.failed += len(found)


checks.run("truth", test)
checks.end()
