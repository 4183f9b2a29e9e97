"""Charts delivered to 1,000 browsers by the board, and by a Python server on aiohttp, from the same worker. The browsers are in C."""
import datetime, json, subprocess
from bench import (
    FOLDER, PEERS, PYTHON, free_address, in_turn, line, memory, note_memory, seconds_of, settings, spawn, start, stop)
import zmq

BROWSERS, CHARTS = 1_000, 240
sandbox, ready = start("sandbox", settings("sandbox"))
values = settings("board", ready["address"])
worker, _ = start("worker", values)
requests = zmq.Context.instance().socket(zmq.DEALER)
requests.connect(values["MARQUEE_COMMANDS"])
days = iter(datetime.date(2005, 1, 1) + datetime.timedelta(days=number) for number in range(7_000))
efficiency = {"marquee": [], "Python": []}


def watch(name, process, port, path):
    """Deliveries a second."""
    at_rest = memory(process)
    command = [FOLDER / "browsers", str(port), path, str(BROWSERS), str(CHARTS), "chart"]
    browsers = spawn(command, stdout=subprocess.PIPE, text=True)
    assert browsers.stdout.readline() == "ready\n"
    before = seconds_of(process)
    for _ in range(CHARTS):
        requests.send_multipart([b"fetch.day", json.dumps({"date": next(days).isoformat()}).encode()])
    rate = float(browsers.stdout.readline())
    efficiency[name].append(BROWSERS * CHARTS / (seconds_of(process) - before))
    note_memory("board, 1,000 browsers", name, at_rest, memory(process, "VmHWM"))
    stop(process)
    return rate


def marquee():
    board, ready = start("board", values | {
        # All browsers of this row have one address.
        "MARQUEE_BOARD_CLIENT_LIVE": "1000",
        "MARQUEE_DATA": str(FOLDER / f"board-{len(efficiency['marquee'])}")})
    return watch("marquee", board, ready["http"].rsplit(":", 1)[1], "/api/v1/live")


def python():
    port = free_address().rsplit(":", 1)[1]
    server = spawn([*PYTHON, f"{PEERS}/board.py", port, values["MARQUEE_EVENTS"]], stdout=subprocess.PIPE)
    server.stdout.readline()
    return watch("Python", server, port, "/live")


rates = in_turn({"marquee": marquee, "Python": python})
line("board, 1,000 browsers: Python", rates["Python"], unit="deliveries/s")
line("board, 1,000 browsers", rates["marquee"], ("Python", rates["Python"], "≥", 1.0))
line("board, per CPU second: Python", efficiency["Python"])
line("board, per CPU second", efficiency["marquee"], ("Python", efficiency["Python"], "≥", 1.0))
stop(worker, sandbox)
