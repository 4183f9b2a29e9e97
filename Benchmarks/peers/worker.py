"""A worker in Python: requests on a ROUTER become durable receipts, fetched days and logged events.

It does what marquee's does for a day: inbox, quota, log and end in SQLite with `synchronous=full`, commits shared by who waits,
events published after them. worker.py COMMANDS EVENTS KOBIS KEY DATABASE IN_FLIGHT; says `ready`.
"""
import asyncio, datetime, sqlite3, sys
import aiohttp, orjson, zmq, zmq.asyncio
from chart import entries

COMMANDS, EVENTS, KOBIS, KEY, PATH, WIDTH = sys.argv[1:]
context = zmq.asyncio.Context()
router, publisher = context.socket(zmq.ROUTER), zmq.Context.shadow(context.underlying).socket(zmq.XPUB)
publisher.sndhwm = 10_000
router.bind(COMMANDS)
publisher.bind(EVENTS)
database = sqlite3.connect(PATH, isolation_level=None, check_same_thread=False)
database.executescript("""
    pragma journal_mode = wal; pragma synchronous = full;
    create table event (number integer primary key, stream text, sequence integer, topic text, body blob);
    create unique index place on event (stream, sequence);
    create table stream (stream text primary key, newest integer);
    create table topic (topic text primary key, newest integer);
    create table inbox (id text primary key, topic text, body blob, state integer);
    create table quota (day text primary key, used integer);
""")
pending, wanted = [], asyncio.Event()


def append(topic, type, subject, correlation, data):
    stream = topic.split(".")[0]
    sequence = database.execute(
        "insert into stream values (?, 1) on conflict do update set newest = newest + 1 returning newest", (stream,)).fetchone()[0]
    row = database.execute("select newest from topic where topic = ?", (topic,)).fetchone()
    body = orjson.dumps({
        "specversion": "1.0", "id": f"epoch/{stream}/{sequence:016}", "source": "/python/worker", "type": type,
        "subject": subject, "time": datetime.datetime.now(datetime.timezone.utc).isoformat(), "datacontenttype": "application/json",
        "stream": stream, "epoch": "epoch", "sequence": f"{sequence:016}", "previous": f"{row[0] if row else 0:016}",
        "correlationid": correlation, "data": data})
    database.execute("insert into topic values (?, ?) on conflict do update set newest = excluded.newest", (topic, sequence))
    database.execute(
        "insert into event (stream, sequence, topic, body) values (?, ?, ?, ?)", (stream, sequence, topic, body))
    return topic.encode(), body


def accept(id, topic, body):
    database.execute("insert into inbox values (?, ?, ?, 0)", (id, topic, body))
    return [append(f"request.accepted.{id}", "marquee.request.accepted.v1", id, id, {"topic": topic})]


def book(day):
    database.execute("insert into quota values (?, 1) on conflict do update set used = used + 1", (day,))
    return []


def settle(id, date, lines):
    database.execute("update inbox set state = 1 where id = ? and state = 0", (id,))
    chart = append(f"ranking.day.all.{date}", "marquee.ranking.day.v1", f"all/{date}", id, {"date": date, "entries": lines})
    return [chart, append(f"request.done.{id}", "marquee.request.done.v1", id, id, {"events": [date]})]


def commit(writes):
    database.execute("begin immediate")
    events = [write() for write in writes]
    database.execute("commit")
    return [event for some in events for event in some]


async def write(action, *arguments):
    """Runs it in the next commit, and returns when that is on disk."""
    done = asyncio.get_running_loop().create_future()
    pending.append((lambda: action(*arguments), done))
    wanted.set()
    await done


async def writer():
    while True:
        await wanted.wait()
        wanted.clear()
        group, pending[:] = pending[:], []
        for event in await asyncio.to_thread(commit, [action for action, _ in group]):
            publisher.send_multipart(event)
        for _, done in group:
            done.set_result(None)


async def finish(session, places, id, date):
    async with places:
        await write(book, datetime.date.today().isoformat())
        url = f"{KOBIS}/boxoffice/searchDailyBoxOfficeList.json?key={KEY}&targetDt={date.replace('-', '')}"
        async with session.get(url) as answer:
            lines = entries(orjson.loads(await answer.read()))
    await write(settle, id, date, lines)


async def request(session, places, peer, topic, body):
    fields = orjson.loads(body)
    await write(accept, fields["id"], topic.decode(), body)
    await router.send_multipart([peer, b"accepted", orjson.dumps({"id": fields["id"]})])
    await finish(session, places, fields["id"], fields["date"])


async def main():
    running, places = set(), asyncio.Semaphore(int(WIDTH))
    asyncio.create_task(writer())
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=int(WIDTH))) as session:
        print("ready", flush=True)
        while True:
            task = asyncio.create_task(request(session, places, *await router.recv_multipart()))
            running.add(task)
            task.add_done_callback(running.discard)


asyncio.run(main())
