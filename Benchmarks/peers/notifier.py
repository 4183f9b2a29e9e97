"""The notifier's job in Python: the contract's five rules on a worker's charts: notifier.py COMMANDS DATABASE DAYS.

As marquee's with `--since`: charts come in any order; a correction takes back what no longer holds; what is known, where
it stands and each alert's event are one transaction a page; alerts are published and logged after it. Says `notifier
ready` and `all charts are read` as that does, and the alerts in between.
"""
import datetime, sqlite3, sys, uuid, zlib
import orjson, zmq

COMMANDS, PATH, DAYS = sys.argv[1], sys.argv[2], int(sys.argv[3])
THRESHOLD = 3
SCHEMA = """
    pragma journal_mode = wal; pragma synchronous = full;
    create table event (number integer primary key, stream text not null, sequence integer not null, topic text not null,
        id text, body blob not null, checksum integer) strict;
    create unique index event_place on event (stream, sequence, topic);
    create unique index event_id on event (id) where id is not null;
    create table event_topic (topic text primary key, newest integer not null) strict, without rowid;
    create table open_chart (date text primary key, sequence integer not null, chart blob not null) strict, without rowid;
    create table decision (id text primary key, date text not null, standing integer not null) strict, without rowid;
    create index decision_day on decision (date);
    create table reading (id integer primary key, epoch text, after text) strict;
"""


def particle(word):
    """을 or 를, by the last sound of a word."""
    last = word.rstrip("〉〈)]\"' ")[-1:]
    if "가" <= last <= "힣":
        return "을" if (ord(last) - 0xAC00) % 28 else "를"
    if last.isdigit():
        return "을" if last in "013678" else "를"
    return "을(를)"


def day_after(date, days=1):
    return (datetime.date.fromisoformat(date) + datetime.timedelta(days=days)).isoformat()


def severity(*ranks):
    best = min((rank for rank in ranks if rank is not None), default=99)
    return "major" if best <= 1 else "notable" if best <= 3 else "info"


def found(rule, chart, entry, rank, previous, change, values, ko, en, evidence):
    """An alert and its id."""
    date, code = chart["date"], entry["movieCode"]
    values |= {"audienceTotal": entry["audienceTotal"]}
    return f"{rule}.{code}.{date}.all", {
        "rule": rule, "date": date, "movieCode": code, "title": entry["title"], "rank": rank, "previousRank": previous,
        "change": change, "severity": severity(rank, previous), "values": values, "text": {"ko": ko, "en": en},
        "evidence": [{"stream": "ranking", "sequence": f"{place:016}"} for place in evidence]}


class ChartHistory:
    """The known charts, and the alerts that follow from them."""

    def __init__(self):
        self.charts = {}  # by date: the sequence and the event
        self.read = {}  # the charts of the last days, decoded
        self.leaders = {}
        self.standing = {}
        self.ids = set()

    def chart(self, date):
        if date not in self.charts:
            return None, None
        if date not in self.read:
            place, event = self.charts[date]
            self.keep(date, place, orjson.loads(event)["data"])
        return self.read[date]

    def keep(self, date, place, chart):
        while len(self.read) > 1:
            del self.read[next(iter(self.read))]
        self.read[date] = place, chart

    def learn(self, chart, place, event):
        date, entries = chart["date"], chart["entries"]
        self.charts[date] = place, event
        self.read.pop(date, None)
        self.keep(date, place, chart)
        self.leaders[date] = next((entry["movieCode"] for entry in entries if entry["line"] == 1), None)

    def reign(self, date):
        """How many days in a row the leader of a day has led; None if it is not known when that began."""
        leader, days = self.leaders.get(date), 0
        while leader and self.leaders.get(date) == leader:
            date, days = day_after(date, -1), days + 1
        return days or None if date in self.leaders else None

    def alerts(self, date):
        """What a day fires, in the contract's order."""
        place, chart = self.chart(date)
        if not chart:
            return
        earlier = day_after(date, -1)
        place_before, before = self.chart(earlier)
        entries = sorted(chart["entries"], key=lambda entry: entry["line"])
        old = {entry["movieCode"]: entry for entry in before["entries"]} if before else {}
        leader = next((entry for entry in old.values() if entry["line"] == 1), None)
        for entry in entries:
            code, title, rank, change = entry["movieCode"], entry["title"], entry["rank"], entry["rankChange"]
            figures = {"audience": entry["audience"]}
            previous = rank + change if rank and change is not None and not entry["isNew"] else None
            if previous is not None and previous < 1:
                previous = None
            if entry["isNew"]:
                yield found(
                    "entered", chart, entry, rank, None, None, figures | {"openDate": entry["openDate"]},
                    f"〈{title}〉 {rank}위로 신규 진입", f"{title} is new at No. {rank}", [place])
            elif change is not None and abs(change) >= THRESHOLD:
                ranks = abs(change)
                places = "place" if ranks == 1 else "places"
                yield found(
                    "rose" if change > 0 else "fell", chart, entry, rank, previous, change,
                    figures | {"threshold": THRESHOLD},
                    f"〈{title}〉 {previous}위→{rank}위 {'▲' if change > 0 else '▼'}{ranks}",
                    f"{title} is {'up' if change > 0 else 'down'} {ranks} {places} to No. {rank} (from No. {previous})",
                    [place])
            if entry["line"] == 1 and leader and leader["movieCode"] != code:
                mark = "" if entry["isNew"] else f"▲{change}" if change > 0 else f"▼{-change}" if change else ""
                admissions = "admission" if entry["audience"] == 1 else "admissions"
                last = old.get(code)
                yield found(
                    "lead", chart, entry, rank, previous or (last["rank"] if last else None),
                    None if entry["isNew"] else change,
                    figures | {
                        "previousLeader": leader["movieCode"], "previousLeaderTitle": leader["title"],
                        "reignDays": self.reign(earlier)},
                    f"〈{title}〉, 〈{leader['title']}〉{particle(leader['title'])} 제치고 1위"
                    f"{f'({mark})' if mark else ''}, 일일 관객수 {entry['audience']:,}명",
                    f"{title} takes No. 1 from {leader['title']}, with {entry['audience']:,} {admissions} "
                    "on the day", [place, place_before])
        new = {entry["movieCode"] for entry in entries}
        for entry in sorted(old.values(), key=lambda entry: entry["line"]):
            if entry["movieCode"] not in new:
                rank, title = entry["rank"], entry["title"]
                yield found(
                    "left", chart, entry, None, rank, None, {}, f"〈{title}〉 10위권 이탈(전날 {rank}위)",
                    f"{title} has left the top ten (No. {rank} the day before)", [place, place_before])

    def take(self, chart, place, event):
        """The decisions that follow from a chart: ids and alerts."""
        date, is_known = chart["date"], chart["date"] in self.charts
        self.learn(chart, place, event)
        after = day_after(date)
        if is_known or after in self.standing:
            for day in sorted(day for day in self.standing if day >= date):
                holds = {id for id, _ in self.alerts(day)}
                for id, alert in list(self.standing[day].items()):
                    if id not in holds:
                        del self.standing[day][id]
                        texts = alert["text"]
                        yield f"{id}.retracted", alert | {
                            "retracts": id, "evidence": [{"stream": "ranking", "sequence": f"{place:016}"}],
                            "text": {"ko": f"[정정] 앞선 알림 취소: {texts['ko']}", "en": f"Taken back after a correction: {texts['en']}"}}
        for day in (date, after):
            for id, alert in self.alerts(day):
                if id not in self.ids:
                    self.ids.add(id)
                    self.standing.setdefault(day, {})[id] = alert
                    yield id, alert


def now():
    return datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="milliseconds").removesuffix("+00:00") + "Z"


def say(message, **fields):
    line = {"time": now(), "level": "info", "label": "notifier", "message": message, **fields}
    sys.stderr.buffer.write(orjson.dumps(line) + b"\n")


class Log:
    """The log of alerts, by the positions of its stream and its topics."""

    def __init__(self, database):
        self.database = database
        self.epoch = str(uuid.uuid4())
        self.newest = database.execute("select coalesce(max(sequence), 0) from event").fetchone()[0]
        self.topics = dict(database.execute("select topic, newest from event_topic"))

    def append(self, decisions):
        """Writes decisions as events, and returns them as they are published."""
        events, rows, topics, time = [], [], {}, now()
        for id, alert, cause, *_ in decisions:
            self.newest += 1
            topic = f"alert.{alert['rule']}.{alert['movieCode']}.{alert['date']}"
            body = orjson.dumps({
                "specversion": "1.0", "id": id, "source": "/marquee/notifier", "type": "marquee.alert.v1",
                "subject": f"{alert['movieCode']}/{alert['date']}", "time": time, "datacontenttype": "application/json",
                "stream": "alert", "epoch": self.epoch, "sequence": f"{self.newest:016}",
                "previous": f"{self.topics.get(topic, 0):016}", "correlationid": cause, "data": alert})
            self.topics[topic] = topics[topic] = self.newest
            name = topic.encode()
            rows.append(("alert", self.newest, topic, id, body, zlib.crc32(body, zlib.crc32(name))))
            events.append((name, body))
        self.database.executemany(
            "insert into event (stream, sequence, topic, id, body, checksum) values (?, ?, ?, ?, ?, ?)", rows)
        self.database.executemany("insert or replace into event_topic values (?, ?)", topics.items())
        return events


database = sqlite3.connect(PATH, isolation_level=None)
database.executescript(SCHEMA)
context = zmq.Context()
alerts = context.socket(zmq.XPUB)
alerts.bind_to_random_port("tcp://127.0.0.1")
commands = context.socket(zmq.DEALER)
commands.connect(COMMANDS)
log, book = Log(database), ChartHistory()
say("notifier ready")
sys.stderr.flush()


def ask(after):
    commands.send_multipart([b"replay", orjson.dumps({"stream": "ranking", "limit": 500, "after": after})])


count, after, more = 0, "", True
ask(after)
while more:
    word, header, *frames = commands.recv_multipart()
    answer = orjson.loads(header)
    place, decisions, charts = int(after or 0), [], []
    after, more = answer["position"], answer["more"]
    if more:
        ask(after)  # the worker reads the next page while this one is decided on
    for topic, body in zip(frames[::2], frames[1::2]):
        event = orjson.loads(body)
        place += 1
        assert int(event["sequence"]) == place and event["epoch"] == answer["epoch"], event["sequence"]
        chart = event["data"]
        charts.append((chart["date"], place, body[body.index(b',"data":') + 8:-1]))
        cause = event.get("correlationid")
        decisions += ((id, alert, cause, topic, place) for id, alert in book.take(chart, place, body))
        count += 1
    database.execute("begin immediate")
    database.executemany("insert or replace into open_chart values (?, ?, ?)", charts)
    events = log.append(decisions)
    database.executemany(
        "insert or replace into decision values (?, ?, ?)",
        ((alert.get("retracts", id), alert["date"], "retracts" not in alert) for id, alert, *_ in decisions))
    database.execute("insert or replace into reading values (1, ?, ?)", (answer["epoch"], after))
    database.execute("commit")
    for event in events:
        alerts.send_multipart(event)
    for id, alert, _, topic, place in decisions:
        say("alert", topic=topic.decode(), sequence=f"{place:016}", alert=id, text=alert["text"]["ko"])
    sys.stderr.flush()
assert count == DAYS, count
say("all charts are read")
sys.stderr.flush()
sys.stdin.read()  # keeps running until it has been measured
