"""A notifier that applies the contract's five rules to 23 years of charts, the same in Python, and one that only reads."""
import json, sqlite3, subprocess, time
from bench import (
    FOLDER, MARQUEE, PEERS, PYTHON, THROUGHPUT, in_turn, line, memory, note_memory, seconds_of, settings, spawn, start,
    stop)

DAYS = 8_411
values = settings("charts")
subprocess.run([THROUGHPUT, "fill", values["MARQUEE_DATA"], str(DAYS)], check=True)
worker, _ = start("worker", values)
efficiency = {"learns": [], "decides": [], "Python": []}


def ledger(folder):
    return sqlite3.connect(f"file:{folder}/notifier.db?mode=ro", uri=True)


def run(how, command):
    """Returns charts a second, from the ready line until all their alerts are on disk."""
    folder = FOLDER / f"{how}-{len(efficiency[how])}"
    folder.mkdir()
    command = [word.format(folder=folder) for word in command]
    process = spawn(
        command, env=values | {"MARQUEE_DATA": str(folder)}, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    began = before = None
    for text in process.stderr:
        if '"notifier ready"' in text:
            began, before, at_rest = time.perf_counter(), seconds_of(process), memory(process)
        if '"all charts are read"' in text:
            break
    else:
        raise SystemExit(f"{how}: the notifier ended before it had read the charts")
    rate = DAYS / (time.perf_counter() - began)
    efficiency[how].append(DAYS / (seconds_of(process) - before))
    alerts = dict(ledger(folder).execute("select id, body from event"))
    said[how] = {id: json.loads(body)["data"] for id, body in alerts.items()}
    note_memory(f"notifier {how}", how if how == "Python" else "marquee", at_rest, memory(process, "VmHWM"))
    stop(process)
    return rate


said = {}
rates = in_turn({
    "learns": lambda: run("learns", [MARQUEE, "notifier"]),
    "decides": lambda: run("decides", [MARQUEE, "notifier", "--since", "2003-11-11"]),
    "Python": lambda: run(
        "Python",
        [*PYTHON, f"{PEERS}/notifier.py", values["MARQUEE_COMMANDS"], "{folder}/notifier.db", str(DAYS)])})
# Both must publish the same alerts, word for word; the notifier that only reads a baseline publishes none.
assert said["decides"] == said["Python"] and len(said["decides"]) > DAYS, [len(alerts) for alerts in said.values()]
assert not said["learns"]
print(f"{len(said['decides']):,} alerts")
line("notifier, charts: Python decides", rates["Python"], unit="charts/s")
for how in "learns", "decides":
    line(f"notifier {how}", rates[how], ("Python", rates["Python"], "≥", 1.0))
line("notifier, per CPU second: Python", efficiency["Python"])
for how in "learns", "decides":
    line(f"notifier {how}, per CPU second", efficiency[how], ("Python", efficiency["Python"], "≥", 1.0))
stop(worker)
