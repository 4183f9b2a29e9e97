"""A worker in Python: requests on a ROUTER become durable receipts, fetched days and logged events.

It does what marquee's does for a day: a request is checked and normalized, known again by its id, answered from the log if that has
the day, and else fetched, with its call booked some ahead; the chart is compared with the one before it in the log and with the day
before's, and ends the request once. Inbox, quota, checks, log and end are in SQLite with `synchronous=full`, commits are shared by who
waits and counted, each event has a checksum, and events are published after their commit. A client may send so many a second and
have so many waiting, and what happens is counted and timed for the metrics.
worker.py COMMANDS EVENTS KOBIS KEY DATABASE IN_FLIGHT; says `ready`.
"""
import asyncio, bisect, collections, datetime, re, sqlite3, sys, time, uuid, zlib
import aiohttp, orjson, zmq, zmq.asyncio
from chart import entries

COMMANDS, EVENTS, KOBIS, KEY, PATH, WIDTH = sys.argv[1:]
KOREA = datetime.timezone(datetime.timedelta(hours=9))
FIRST_CHART = datetime.date(2003, 11, 11)
DAILY_LIMIT, AHEAD, ROOM = 100_000_000, 16, 10_000
LARGEST_CORRECTION = 100
A_SECOND, BURST, ROOM_EACH = 20_000, 5, 5_000  # the limits of one client
EPOCH = str(uuid.uuid4())
request_id = re.compile(r"[!-~]{1,128}")
context = zmq.asyncio.Context()
router, publisher = context.socket(zmq.ROUTER), zmq.Context.shadow(context.underlying).socket(zmq.XPUB)
publisher.sndhwm = 10_000
router.bind(COMMANDS)
publisher.bind(EVENTS)
database = sqlite3.connect(PATH, isolation_level=None, check_same_thread=False)
database.executescript("""
    pragma journal_mode = wal; pragma synchronous = full;
    create table event (
        number integer primary key, stream text, sequence integer, topic text, id text, body blob, checksum integer);
    create unique index place on event (stream, sequence, topic);
    create unique index event_id on event (id) where id is not null;
    create table stream (stream text primary key, newest integer) without rowid;
    create table topic (topic text primary key, stream text, newest integer) without rowid;
    create table inbox (
        number integer primary key, id text unique, topic text, body blob, request blob, accepted_at text, state integer);
    create index waiting on inbox (number) where state = 0;
    create table checked (topic text primary key, at integer) without rowid;
    create table quota (day text primary key, used integer) without rowid;
    create table commits (count integer);
    insert into commits values (0);
""")
pending, wanted = [], asyncio.Event()
allowances, waiting, counts = {}, collections.Counter(), collections.Counter()
flights, made, booked = {}, 0, 0


class Refused(Exception):
    """What a client is told of a request that cannot be done."""

    def __init__(self, code, message, field=None):
        super().__init__(message)
        self.answer = {"code": code, "message": message, "retryable": False, "retryAfter": None, "field": field, "upstream": None}


class Histogram:
    bounds = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300)

    def __init__(self):
        self.counts, self.sum = [0] * (len(self.bounds) + 1), 0

    def observe(self, seconds):
        self.counts[bisect.bisect_left(self.bounds, seconds)] += 1
        self.sum += seconds


durations, call_durations = Histogram(), Histogram()


def admit(client):
    """Takes one of the requests that a client may send now."""
    moment = time.monotonic()
    left, since = allowances.get(client, (BURST * A_SECOND, moment))
    left = min(BURST * A_SECOND, left + (moment - since) * A_SECOND)
    if left < 1:
        raise Refused("overloaded", f"more than {A_SECOND} requests a second")
    allowances[client] = left - 1, moment
    if waiting[client] >= ROOM_EACH:
        raise Refused("overloaded", f"{ROOM_EACH} requests of one client are waiting")


def now():
    return datetime.datetime.now(datetime.timezone.utc)


def timestamp():
    return now().isoformat(timespec="milliseconds").replace("+00:00", "Z")


def read(topic, body):
    """The request's id, day and fields, or why it is none."""
    if topic != b"fetch.day":
        raise Refused("badRequest", "unknown request", "topic")
    try:
        fields = orjson.loads(body)
        date = datetime.date.fromisoformat(fields["date"])
    except (ValueError, TypeError, KeyError):
        raise Refused("badRequest", "date must be YYYY-MM-DD, YYYYMMDD or yesterday", "date") from None
    if not FIRST_CHART <= date < datetime.datetime.now(KOREA).date():
        raise Refused("dateOutOfRange", f"charts reach from {FIRST_CHART} to yesterday in Korea", "date")
    id = fields.get("id") or str(uuid.uuid4())
    if not request_id.fullmatch(id):
        raise Refused("badRequest", "id has 1 to 128 printable ASCII characters without blanks", "id")
    return id, date, {"date": date.isoformat(), "id": id}


def append(topic, type, subject, correlation, data, id=None):
    stream = topic[:topic.index(".")]
    sequence = database.execute(
        "insert into stream values (?, 1) on conflict do update set newest = newest + 1 returning newest", (stream,)).fetchone()[0]
    row = database.execute("select newest from topic where topic = ?", (topic,)).fetchone()
    body = orjson.dumps({
        "specversion": "1.0", "id": id or f"{EPOCH}/{stream}/{sequence:016}", "source": "/python/worker", "type": type,
        "subject": subject, "time": timestamp(), "datacontenttype": "application/json",
        "stream": stream, "epoch": EPOCH, "sequence": f"{sequence:016}", "previous": f"{row[0] if row else 0:016}",
        "correlationid": correlation, "data": data})
    database.execute(
        "insert into topic values (?, ?, ?) on conflict do update set newest = excluded.newest", (topic, stream, sequence))
    name = topic.encode()
    database.execute(
        "insert into event (stream, sequence, topic, id, body, checksum) values (?, ?, ?, ?, ?, ?)",
        (stream, sequence, topic, id, body, zlib.crc32(body, zlib.crc32(name))))
    return name, body, sequence


def latest(topic):
    """The newest event of a topic, and its data."""
    row = database.execute(
        "select sequence, body from topic join event using (stream, topic) where topic = ? and sequence = newest",
        (topic,)).fetchone()
    return row and ((topic.encode(), row[1], row[0]), orjson.loads(row[1])["data"])


def answer(date):
    """The event of a day that needs no look at the source, if it is in the log."""
    topic = f"ranking.day.all.{date}"
    known = latest(topic)
    if known is None:
        return None
    event, data = known
    if data["state"] == "settled":
        return event
    row = database.execute("select at from checked where topic = ?", (topic,)).fetchone()
    return event if row and 0 <= now().timestamp() * 1000 - row[0] < 600_000 else None


def end(id):
    """Ends a request once."""
    return database.execute("update inbox set state = 1 where id = ? and state = 0 returning number", (id,)).fetchone()


def done(id, answers, source):
    return append(f"request.done.{id}", "marquee.request.done.v1", id, id, {
        "topic": "fetch.day", "from": source, "problems": [],
        "events": [{"topic": topic.decode(), "stream": "ranking", "sequence": f"{sequence:016}"} for topic, _, sequence in answers]})


def accept(id, date, fields, body):
    """Takes a request in: True and its events, whether it is to be fetched, or why it is refused."""
    earlier = database.execute("select topic, body from inbox where id = ?", (id,)).fetchone()
    if earlier:
        if earlier != ("fetch.day", body):
            raise Refused("conflict", "this id was used for another request", "id")
        return [], False
    if database.execute("select count(*) from inbox where state = 0").fetchone()[0] >= ROOM:
        raise Refused("overloaded", f"{ROOM} requests are waiting")
    database.execute(
        "insert into inbox (id, topic, body, request, accepted_at, state) values (?, 'fetch.day', ?, ?, ?, 0)",
        (id, body, orjson.dumps(fields), timestamp()))
    events = [append(f"request.accepted.{id}", "marquee.request.accepted.v1", id, id, {"topic": "fetch.day", "request": fields})]
    known = answer(date)
    if known is None:
        return events, True
    end(id)
    return [*events, known, done(id, [known], "log")], False


def book(day, number):
    row = database.execute(
        "insert into quota values (?, ?) on conflict do update set used = excluded.used where used < ? returning used",
        (day, min(number + AHEAD - 1, DAILY_LIMIT), number)).fetchone()
    return [], row and row[0]


def anomalies(date, lines, before):
    """What is hard to believe of a chart, beside that of the day before if that is known: kind and text."""
    found = []
    if before and len(lines) < len(before):
        found.append(("missing", f"has {len(lines)} lines, and the day before has {len(before)}"))
    totals = {line["movieCode"]: line["audienceTotal"] for line in before or ()}
    worst = LARGEST_CORRECTION
    shrunk = None
    for line in lines:
        total, earlier = line["audienceTotal"], totals.get(line["movieCode"])
        if total is not None and earlier is not None and earlier - total > worst:
            worst = earlier - total
            shrunk = ("shrunk", f"takes {worst:,} from the admissions so far of {line['title']}, which were {earlier:,}")
    if shrunk:
        found.append(shrunk)
    if len(lines) >= 3 and len({(line["sales"], line["audience"], line["audienceTotal"]) for line in lines}) == 1:
        found.append(("repeated", "has the same figures on each of its lines"))
    elif before and len(lines) >= 3 and [(line["movieCode"], line["sales"], line["audience"]) for line in lines] == [
            (line["movieCode"], line["sales"], line["audience"]) for line in before]:
        found.append(("repeated", "has the same figures as that of the day before"))
    return [(kind, f"the chart of {date} {text}") for kind, text in found]


def settle(id, date, lines, asked_at):
    """Ends a request with what was fetched, if that is news."""
    if not end(id):
        return [], None
    topic = f"ranking.day.all.{date}"
    known = latest(topic)
    checked = database.execute("select at from checked where topic = ?", (topic,)).fetchone()
    if known and checked and asked_at < checked[0]:
        return [known[0], done(id, [known[0]], "upstream")], None
    database.execute("insert into checked values (?, ?) on conflict do update set at = excluded.at", (topic, asked_at))
    settled = (datetime.datetime.now(KOREA).date() - date).days >= 4
    data = {
        "date": date.isoformat(), "market": "all", "state": "settled" if settled else "provisional", "revision": 1, "entries": lines}
    if known:
        earlier = known[1]
        lines = data["entries"] = orjson.loads(orjson.dumps(lines))  # days as texts, to compare
        if (data["state"], lines) == (earlier["state"], earlier["entries"]):
            return [known[0], done(id, [known[0]], "upstream")], None
        data["revision"] = earlier["revision"] + 1
        data["corrections"] = corrections(earlier["entries"], lines)
    before = latest(f"ranking.day.all.{date - datetime.timedelta(days=1)}")
    found = anomalies(date, lines, before and before[1]["entries"])
    chart = append(topic, "marquee.ranking.day.v1", f"all/{date}", id, data)
    events = [chart]
    for kind, text in found:
        name = f"anomaly.{kind}.{date}.all"
        if not database.execute("select 1 from event where id = ?", (name,)).fetchone():
            events.append(append(
                f"anomaly.{kind}.{date}", "marquee.anomaly.v1", f"{kind}/{date}", id,
                {"kind": kind, "date": date.isoformat(), "market": "all", "text": text}, name))
    return [*events, done(id, [chart], "upstream")], None


def corrections(before, after):
    """What differs between two charts of a day."""
    before, after = ({line["movieCode"]: line for line in lines} for lines in (before, after))
    changes = []
    for code in before | after:
        old, new = before.get(code), after.get(code)
        if old is None or new is None:
            changes.append({"movieCode": code, "field": "entry", "before": old, "after": new})
        else:
            changes += [{"movieCode": code, "field": name, "before": old[name], "after": new[name]} for name in new if old[name] != new[name]]
    return changes


def fail(id, fields, error):
    if not end(id):
        return [], None
    data = {"topic": "fetch.day", "request": fields, "error": error}
    return [append(f"request.failed.{id}", "marquee.request.failed.v1", id, id, data)], None


def commit(writes):
    """Runs writes in one transaction: the events of all, and what each returns or is refused with."""
    events, results = [], []
    database.execute("begin immediate")
    for write in writes:
        try:
            some, result = write()
            events += some
        except Refused as refusal:  # thrown before anything is written
            result = refusal
        results.append(result)
    database.execute("update commits set count = count + 1")
    database.execute("commit")
    return events, results


async def write(action, *arguments):
    """Runs it in the next commit, and returns when that is on disk."""
    done = asyncio.get_running_loop().create_future()
    pending.append((lambda: action(*arguments), done))
    wanted.set()
    result = await done
    if isinstance(result, Refused):
        raise result
    return result


async def writer():
    while True:
        await wanted.wait()
        wanted.clear()
        group, pending[:] = pending[:], []
        events, results = await asyncio.to_thread(commit, [action for action, _ in group])
        for topic, body, _ in events:
            publisher.send_multipart((topic, body))
        for (_, done), result in zip(group, results):
            done.set_result(result)


async def take_call():
    """Takes the next of today's calls, booked before it is made."""
    global made, booked
    if made >= DAILY_LIMIT:
        raise Refused("quotaExhausted", "today's calls are used up")
    made += 1
    if made > booked:
        up_to = await write(book, datetime.datetime.now(KOREA).date().isoformat(), made)
        booked = max(booked, up_to or 0)


async def fetch(session, date):
    """The lines of a day, and when they were asked for; what fails in passing is tried again."""
    day = date.strftime("%Y%m%d")
    for attempt in range(4):
        await take_call()
        asked_at = int(now().timestamp() * 1000)
        began, outcome = time.monotonic(), "unavailable"
        try:
            async with session.get(f"{KOBIS}/boxoffice/searchDailyBoxOfficeList.json", params={"key": KEY, "targetDt": day}) as answer:
                body = orjson.loads(await answer.read())
            if answer.status == 200 and "faultInfo" not in body:
                outcome = "ok"
                break
        except (aiohttp.ClientError, asyncio.TimeoutError, ValueError):
            pass
        finally:
            counts["call", outcome] += 1
            call_durations.observe(time.monotonic() - began)
        await asyncio.sleep(0.25 * 2 ** attempt)
    else:
        raise Refused("upstreamUnavailable", "no answer came")
    if body["boxOfficeResult"]["showRange"] != f"{day}~{day}":
        raise Refused("upstreamInvalid", "answered with another chart", "showRange")
    lines = entries(body)
    if not lines:
        raise Refused("notPublished", f"there are no figures of {date}")
    return lines, asked_at


async def finish(session, places, id, date, fields):
    try:
        async with places:
            # Requests for the same day share one call.
            if date not in flights:
                flights[date] = asyncio.create_task(fetch(session, date))
                flights[date].add_done_callback(lambda _: flights.pop(date))
            lines, asked_at = await flights[date]
    except Refused as refusal:
        counts["failed", refusal.answer["code"]] += 1
        return await write(fail, id, fields, refusal.answer)
    await write(settle, id, date, lines, asked_at)
    counts["done", "upstream"] += 1


async def request(session, places, peer, topic, body):
    began = time.monotonic()
    try:
        admit(peer)
        id, date, fields = read(topic, body)
        must_fetch = await write(accept, id, date, fields, body)
    except Refused as refusal:
        counts["refused", refusal.answer["code"]] += 1
        return await router.send_multipart([peer, b"refused", orjson.dumps(refusal.answer)])
    await router.send_multipart([peer, b"accepted", orjson.dumps({"id": id})])
    counts["accepted"] += 1
    if must_fetch:
        waiting[peer] += 1
        await finish(session, places, id, date, fields)
        waiting[peer] -= 1
    durations.observe(time.monotonic() - began)


async def main():
    global made, booked
    row = database.execute("select used from quota where day = ?", (datetime.datetime.now(KOREA).date().isoformat(),)).fetchone()
    made = booked = row[0] if row else 0
    running, places = set(), asyncio.Semaphore(int(WIDTH))
    asyncio.create_task(writer())
    timeout = aiohttp.ClientTimeout(total=30)
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=int(WIDTH)), timeout=timeout) as session:
        print("ready", flush=True)
        while True:
            task = asyncio.create_task(request(session, places, *await router.recv_multipart()))
            running.add(task)
            task.add_done_callback(running.discard)


asyncio.run(main())
