"""The notifier over 23 years of charts: reading them as a baseline, firing alerts, and a dry run of new rules.

Takes a worker's database with one national chart a day, or makes one of the sandbox's days, with all limits off.
"""
import datetime, pathlib, subprocess, time
from bench import FOLDER, MARQUEE, settings, start, stop
import zmq

FIRST, DAYS = datetime.date(2003, 11, 11), 8_411
RULES = pathlib.Path("Examples/rules.yml")


def fill():
    """Requests every day from a worker, several hundred at a time, until all are answered."""
    requests = zmq.Context.instance().socket(zmq.DEALER)
    requests.connect(values["MARQUEE_COMMANDS"])
    events = zmq.Context.instance().socket(zmq.SUB)
    events.connect(values["MARQUEE_EVENTS"])
    events.subscribe("request.done.")
    events.subscribe("heartbeat.worker")
    events.recv_multipart()  # the subscription is in force
    done = asked = 0
    while done < DAYS:
        while asked < DAYS and asked - done < 200:
            day = FIRST + datetime.timedelta(days=asked)
            requests.send_multipart([b"fetch.day", b'{"date":"%s"}' % day.isoformat().encode()])
            asked += 1
        done += events.recv_multipart()[0].startswith(b"request.done.")


def notifier(name, settings={}, words=()):
    """Prints charts a second, from the start of a notifier until it has read the log."""
    data = f"{FOLDER}/{name}"
    process, _ = start("notifier", values | settings | {"MARQUEE_DATA": data}, words)
    begin = time.monotonic()
    while "all charts are read" not in pathlib.Path(f"{data}.notifier.log").read_text():
        time.sleep(0.001)
    seconds = time.monotonic() - begin
    stop(process)
    print(f"| {name} | {DAYS / seconds:,.0f} charts/s |", flush=True)


sandbox, ready = start("sandbox", settings("sandbox"))
values = settings("alerts", ready["address"])
worker, _ = start("worker", values)
begin = time.monotonic()
fill()
print(f"{DAYS:,} days from the sandbox in {time.monotonic() - begin:.0f} s\n", flush=True)
rules, since = {"MARQUEE_RULES": str(RULES)}, ["--since", FIRST.isoformat()]
notifier("the notifier learns")
notifier("the notifier learns, all rules", rules)
notifier("the notifier decides, the contract's rules", {}, since)
notifier("the notifier decides, all rules", rules, since)
for name, words in [("replay --dry-run, all rules", ["--rules", str(RULES), "--dry-run"]), ("replay, the contract's rules", [])]:
    begin = time.monotonic()
    lines = subprocess.run([MARQUEE, "replay", *words], env=values, stdout=subprocess.PIPE, check=True).stdout.count(b"\n")
    print(f"| {name} | {time.monotonic() - begin:.2f} s, {lines:,} lines |", flush=True)
stop(worker, sandbox)
