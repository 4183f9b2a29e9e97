"""Decides the contract's five rules on all charts of a worker's log: notifier.py COMMANDS DATABASE DAYS; prints charts a second.

A page of the log is one transaction of the ledger: what the charts fired, how far it has come, and the last chart.
"""
import sqlite3, sys, time
import orjson, zmq

COMMANDS, PATH, DAYS = sys.argv[1], sys.argv[2], int(sys.argv[3])
database = sqlite3.connect(PATH, isolation_level=None)
database.executescript("""
    pragma journal_mode = wal; pragma synchronous = full;
    create table alert (id text primary key, body blob);
    create table position (id integer primary key, after text, chart blob);
""")


def alerts(before, after):
    """What a chart says against the one of the day before."""
    old = {entry["movieCode"]: entry for entry in before["entries"]}
    new = {entry["movieCode"]: entry for entry in after["entries"]}
    for code, entry in new.items():
        if code not in old:
            yield "entered", code, None, entry["rank"]
        elif entry["rank"] != old[code]["rank"]:
            yield "rose" if entry["rank"] < old[code]["rank"] else "fell", code, old[code]["rank"], entry["rank"]
        if entry["rank"] == 1 and (code not in old or old[code]["rank"] != 1):
            yield "lead", code, None, 1
    for code in old.keys() - new.keys():
        yield "left", code, old[code]["rank"], None


socket = zmq.Context().socket(zmq.DEALER)
socket.connect(COMMANDS)
began, count, after, more, last = time.perf_counter(), 0, "", True, None
while more:
    socket.send_multipart([b"replay", orjson.dumps({"stream": "ranking", "limit": 500, "after": after})])
    word, header, *frames = socket.recv_multipart()
    answer = orjson.loads(header)
    after, more = answer["position"], answer["more"]
    database.execute("begin immediate")
    for body in frames[1::2]:
        chart = orjson.loads(body)["data"]
        for rule, code, was, now in alerts(last, chart) if last else ():
            text = orjson.dumps({"rule": rule, "movieCode": code, "date": chart["date"], "before": was, "after": now})
            database.execute("insert or ignore into alert values (?, ?)", (f"{rule}/{code}/{chart['date']}", text))
        last, count = chart, count + 1
    database.execute("insert or replace into position values (1, ?, ?)", (after, orjson.dumps(last)))
    database.execute("commit")
assert count == DAYS, count
print(count / (time.perf_counter() - began), time.process_time())
