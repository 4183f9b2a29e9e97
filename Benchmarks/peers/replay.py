"""Answers `replay` from a worker's database: replay.py ADDRESS DATABASE; prints `ready`."""
import sqlite3, sys
import orjson, zmq

socket = zmq.Context().socket(zmq.ROUTER)
socket.bind(sys.argv[1])
database = sqlite3.connect(f"file:{sys.argv[2]}?mode=ro", uri=True)
print("ready", flush=True)
while True:
    peer, _, body = socket.recv_multipart()
    fields = orjson.loads(body)
    newest = database.execute("select max(sequence) from event where stream = ?", (fields["stream"],)).fetchone()[0]
    rows = database.execute(
        "select topic, sequence, body from event where stream = ? and sequence > ? order by sequence limit ?",
        (fields["stream"], int(fields["after"] or 0), fields["limit"])).fetchall()
    last = rows[-1][1] if rows else int(fields["after"] or 0)
    header = orjson.dumps({"stream": fields["stream"], "position": f"{last:016}", "more": last < newest})
    frames = [frame for topic, _, event in rows for frame in (topic.encode(), event)]
    socket.send_multipart([peer, b"events", header, *frames])
