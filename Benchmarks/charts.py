"""Decoding of a recorded chart, and of the same chart as an event of the log: marquee, Foundation, Python.

Times are the processor's, which neighbours do not lengthen.
"""
import pathlib, subprocess, sys
from bench import FOLDER, PEERS, PYTHON, THROUGHPUT, in_turn, line

RECORDING = pathlib.Path("Tests/Recordings/kobis/daily/20240604.json")
COUNT, SLICES = 2_000, 5  # in short turns, because other processes on the core also lengthen the processor time
if not RECORDING.exists():
    sys.exit(f"no recorded response at {RECORDING.absolute()}")
others = {}


def python():
    return float(subprocess.check_output([*PYTHON, f"{PEERS}/chart.py", RECORDING, str(COUNT)]))


def marquee():
    command = [THROUGHPUT, "charts", RECORDING, RECORDING.stem, FOLDER]
    figures = dict(text.split("\t")[:2] for text in subprocess.check_output(command, text=True).splitlines())
    for name, microseconds in figures.items():
        others.setdefault(name, []).append(float(microseconds))
    return others["recorded"][-1]


times = {"marquee": [], "Python": []}
for _ in range(SLICES):
    for name, values in in_turn({"marquee": marquee, "Python": python}).items():
        times[name] += values
speeds = {name: [1e6 / value for value in values] for name, values in times.items()}
line(f"a recorded chart of {RECORDING.stat().st_size:,} B: Python, orjson", times["Python"], unit="µs", digits=1)
line("Foundation's decoder", others["recorded, Foundation"], unit="µs", digits=1)
line("marquee", times["marquee"], unit="µs", digits=1)
line("logged, marquee", others["logged"], unit="µs", digits=1)
line("received, marquee", others["received"], unit="µs", digits=1)
line("reading a recorded chart", speeds["marquee"], ("Python", speeds["Python"], "≥", 1.0), unit="charts/s")
