"""23 years of charts: a notifier that decides the contract's five rules on them, and one in Python that decides much less.

Python's knows no corrections, no order of arrival and no texts; marquee's writes each alert into its log as an event.
"""
import json, sqlite3, subprocess, time
from bench import (
    FOLDER, MARQUEE, PEERS, PYTHON, THROUGHPUT, in_turn, line, memory, note_memory, seconds_of, settings, spawn, start,
    stop)

DAYS = 8_411
values = settings("charts")
subprocess.run([THROUGHPUT, "fill", values["MARQUEE_DATA"], str(DAYS)], check=True)
worker, _ = start("worker", values)
efficiency = {"learns": [], "decides": [], "Python": []}


def marquee(how, *words):
    """Charts a second from a notifier's being ready to its having read them all."""
    folder = FOLDER / f"{how}-{len(efficiency[how])}"
    environment = values | {"MARQUEE_DATA": str(folder)}
    process = spawn([MARQUEE, "notifier", *words], env=environment, stderr=subprocess.PIPE, text=True)
    began = before = None
    for text in process.stderr:
        message = json.loads(text)["message"]
        if message == "notifier ready":
            began, before, at_rest = time.perf_counter(), seconds_of(process), memory(process)
        if message == "all charts are read":
            break
    else:
        raise SystemExit("the notifier ended before it had read the charts")
    rate = DAYS / (time.perf_counter() - began)
    # Who cannot read the charts is quick, too: deciding on them has to have said something, learning nothing.
    ledger = sqlite3.connect(f"file:{folder}/notifier.db?mode=ro", uri=True)
    alerts = ledger.execute("select count(*) from event").fetchone()[0]
    assert (alerts > 1_000) == (how == "decides"), f"{how}: {alerts} alerts"
    efficiency[how].append(DAYS / (seconds_of(process) - before))
    note_memory(f"notifier {how}", "marquee", at_rest, memory(process, "VmHWM"))
    stop(process)
    return rate


def python():
    path = FOLDER / f"ledger-{len(efficiency['Python'])}.db"
    command = [*PYTHON, f"{PEERS}/notifier.py", values["MARQUEE_COMMANDS"], path, str(DAYS)]
    rate, seconds = map(float, subprocess.check_output(command).split())
    efficiency["Python"].append(DAYS / seconds)
    return rate


rates = in_turn({
    "learns": lambda: marquee("learns"), "decides": lambda: marquee("decides", "--since", "2003-11-11"), "Python": python})
line("notifier, charts: Python decides", rates["Python"], unit="charts/s")
for how in "learns", "decides":
    line(f"notifier {how}", rates[how], ("Python", rates["Python"], "≥", 1.0))
line("notifier, per CPU second: Python", efficiency["Python"])
for how in "learns", "decides":
    line(f"notifier {how}, per CPU second", efficiency[how], ("Python", efficiency["Python"], "≥", 1.0))
stop(worker)
