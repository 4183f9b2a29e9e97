"""Days fetched with 200 requests in flight from a sandbox with a latency of 50 ms: marquee and a worker in Python.

The ideal is 200 requests each 50 ms, or what the sandbox gives to a C program that throws its answers away, if that is less.
"""
import datetime, json, subprocess
from bench import (
    FOLDER, KEY, PEERS, PYTHON, free_address, in_turn, line, memory, note_memory, seconds_of, settings, spawn, start,
    stop, tells)
import zmq

IN_FLIGHT, LATENCY, COUNT = 200, 0.05, 6_000
IDEAL = IN_FLIGHT / LATENCY
sandbox, ready = start("sandbox", settings("sandbox"), ["--fault", f"kobis.latency={LATENCY * 1000:.0f}"])
kobis = f"http://{ready['address']}/kobisopenapi/webservice/rest"
numbers = iter(range(1_000))
per_cpu_second = {"marquee": [], "Python": []}
goal = "Python", per_cpu_second["Python"], "≥", 1.0


def load(process, commands, events):
    """Returns requests a second, from the first to the end of the last; enough wait to keep 200 in flight."""
    context = zmq.Context()
    requests, done = context.socket(zmq.DEALER), context.socket(zmq.SUB)
    done.rcvhwm = 0
    done.subscribe("request.done.")
    done.connect(events)
    requests.connect(commands)
    poller = zmq.Poller()
    poller.register(requests, zmq.POLLIN)
    poller.register(done, zmq.POLLIN)
    asked = ended = 0
    first = datetime.date(2003, 11, 11)
    at_rest, before, began = memory(process), seconds_of(process), datetime.datetime.now()
    while ended < COUNT:
        while asked < COUNT and asked - ended < 2 * IN_FLIGHT:
            date = (first + datetime.timedelta(days=asked)).isoformat()
            requests.send_multipart([b"fetch.day", json.dumps({"date": date, "id": f"day-{asked}"}).encode()])
            asked += 1
        for socket, _ in poller.poll(60_000) or exit("no answer within a minute"):
            while socket.poll(0):
                frames = socket.recv_multipart()
                assert socket is done or frames[0] == b"accepted", frames
                ended += socket is done
    seconds = (datetime.datetime.now() - began).total_seconds()
    context.destroy(0)
    return COUNT / seconds, COUNT / (seconds_of(process) - before), at_rest


def marquee():
    values = settings(f"worker-{next(numbers)}", ready["address"], MARQUEE_CALLS_AT_ONCE=str(IN_FLIGHT))
    worker, _ = start("worker", values)
    rate, efficiency, at_rest = load(worker, values["MARQUEE_COMMANDS"], values["MARQUEE_EVENTS"])
    note_memory("worker, 200 in flight", "marquee", at_rest, memory(worker, "VmHWM"))
    stop(worker)
    per_cpu_second["marquee"].append(efficiency)
    return rate


def python():
    commands, events = free_address(), free_address()
    command = [*PYTHON, f"{PEERS}/worker.py", commands, events, kobis, KEY, str(FOLDER / f"python-{next(numbers)}.db"), str(IN_FLIGHT)]
    worker = spawn(command, stdout=subprocess.PIPE)
    worker.stdout.readline()
    rate, efficiency, at_rest = load(worker, commands, events)
    note_memory("worker, 200 in flight", "Python", at_rest, memory(worker, "VmHWM"))
    stop(worker)
    per_cpu_second["Python"].append(efficiency)
    return rate


def bare():
    return min(IDEAL, float(subprocess.check_output([FOLDER / "http", kobis, KEY, str(COUNT), str(IN_FLIGHT)])))


rates = in_turn(
    {"bare": bare, "marquee": marquee, "Python": python},
    enough=lambda rates: tells(per_cpu_second["marquee"], goal))
line("200 in flight: ideal, or the sandbox's limit", rates["bare"], unit="requests/s")
line("200 in flight: Python", rates["Python"], ("ideal", rates["bare"], "", 0))
line("200 in flight", rates["marquee"], ("ideal", rates["bare"], "≥", 0.9), ("Python", rates["Python"], "", 0))
line("200 in flight, per CPU second: Python", per_cpu_second["Python"])
line("200 in flight, per CPU second", per_cpu_second["marquee"], goal)
stop(sandbox)
