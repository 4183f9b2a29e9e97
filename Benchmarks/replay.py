"""23 years of charts read from the log page by page: a worker, and a ROUTER in Python over the same database."""
import subprocess, time
from bench import (
    PEERS, PYTHON, THROUGHPUT, free_address, in_turn, line, memory, note_memory, read_charts, seconds_of, settings,
    spawn, start, stop)
import zmq

DAYS, PASSES = 8_411, 3
values = settings("replay")
subprocess.run([THROUGHPUT, "fill", values["MARQUEE_DATA"], str(DAYS)], check=True)
worker, _ = start("worker", values)
address = free_address()
peer = spawn([*PYTHON, f"{PEERS}/replay.py", address, f"{values['MARQUEE_DATA']}/worker.db"], stdout=subprocess.PIPE)
peer.stdout.readline()
servers = {"marquee": (worker, values["MARQUEE_COMMANDS"]), "Python": (peer, address)}
efficiency = {name: [] for name in servers}
at_rest = {name: memory(process) for name, (process, _) in servers.items()}


def read(name):
    """Returns events a second, until a new reader has all of them."""
    process, address = servers[name]
    reader = zmq.Context.instance().socket(zmq.DEALER)
    reader.connect(address)
    before, began, count = seconds_of(process), time.perf_counter(), 0
    for _ in range(PASSES):
        count += read_charts(reader)
    assert count == DAYS * PASSES, count
    rate = count / (time.perf_counter() - began)
    efficiency[name].append(count / max(seconds_of(process) - before, 0.01))
    reader.close(0)
    return rate


rates = in_turn({name: lambda name=name: read(name) for name in servers})
line("replay: Python", rates["Python"], unit="events/s")
line("replay", rates["marquee"], ("Python", rates["Python"], "≥", 1.0))
line("replay, per CPU second: Python", efficiency["Python"])
line("replay, per CPU second", efficiency["marquee"], ("Python", efficiency["Python"], "≥", 1.0))
for name, (process, _) in servers.items():
    note_memory("replay", name, at_rest[name], memory(process, "VmHWM"))
stop(worker, peer)
