"""A subscription that checks every event's sequence and repairs gaps, beside plain receivers without checks.

Who sends is C each time: 2 kB an event, in the worker's envelope and with its sequences.
"""
import subprocess
from bench import PEER, PEERS, PYTHON, THROUGHPUT, free_address, in_turn, line, spawn

COUNT, SIZE = 200_000, 2000
RECEIVERS = {
    "C": [PEER, "subscribe"], "marquee": [THROUGHPUT, "read"], "Python": [*PYTHON, f"{PEERS}/subscription.py"]}


def measure(receiver):
    """Returns events a second."""
    address = free_address()
    publisher = spawn([PEER, "events", address, str(COUNT), str(SIZE)], stdout=subprocess.DEVNULL)
    extra = ["1"] if receiver == "C" else []
    try:
        return float(subprocess.check_output([*RECEIVERS[receiver], address, str(COUNT), *extra], timeout=120))
    finally:
        publisher.kill()
        publisher.wait()


rates = in_turn({name: lambda name=name: measure(name) for name in RECEIVERS})
line("subscription, 2,000 B: C, checks nothing", rates["C"], unit="events/s")
line("subscription, 2,000 B: Python, checks places", rates["Python"], ("C", rates["C"], "", 0))
line("subscription, 2,000 B", rates["marquee"], ("C", rates["C"], "≥", 0.8), ("Python", rates["Python"], "≥", 1.0))
