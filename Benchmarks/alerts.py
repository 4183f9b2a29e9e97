"""The notifier over 23 years of charts: reading them as a baseline, firing alerts, and a dry run of new rules.

Takes a worker's database with one national chart a day, or makes one of the sandbox's days, with all limits off.
"""
import datetime, os, pathlib, signal, subprocess, sys, tempfile, time
from bench import MARQUEE, reserve_port, spawn
import zmq

FOLDER = pathlib.Path(tempfile.mkdtemp())
FIRST, DAYS = datetime.date(2003, 11, 11), 8_411
RULES = pathlib.Path("Examples/rules.yml")


def environment(data):
    names = ["REQUESTS", "COMMANDS", "EVENTS", "ALERTS", "ALERT_COMMANDS"]
    addresses = {f"MARQUEE_{name}": f"ipc://{FOLDER}/{name.lower()}" for name in names}
    http = {f"MARQUEE_{name}_HTTP": f"127.0.0.1:{reserve_port()}" for name in ["WORKER", "NOTIFIER", "SANDBOX"]}
    limits = {"MARQUEE_KOBIS_DAILY_LIMIT": "1000000", "MARQUEE_KAKAO_DAILY_LIMIT": "1000000"}
    return {"PATH": os.environ["PATH"], "MARQUEE_DATA": str(data)} | addresses | http | limits


def start(words, settings, awaited):
    process = spawn([MARQUEE, *words], env=settings, stderr=subprocess.PIPE, text=True)
    wait(process, awaited)
    return process


def wait(process, awaited):
    for line in process.stderr:
        if awaited in line:
            return
    sys.exit(f"{process.args} ended before it printed {awaited!r}")


def stop(*processes):
    for process in processes:
        process.send_signal(signal.SIGTERM)
        process.communicate()


def fill(settings):
    """Requests every day from a worker, several hundred at a time, until all are answered."""
    requests = zmq.Context.instance().socket(zmq.DEALER)
    requests.connect(settings["MARQUEE_COMMANDS"])
    events = zmq.Context.instance().socket(zmq.SUB)
    events.connect(settings["MARQUEE_EVENTS"])
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


def notifier(name, settings, *words):
    """Returns charts a second, from the start of a notifier until it has read the log."""
    data = pathlib.Path(tempfile.mkdtemp(dir=FOLDER))
    process = start(["notifier", *words], settings | {"MARQUEE_DATA": str(data)}, "notifier ready")
    begin = time.monotonic()
    wait(process, "all charts are read")
    seconds = time.monotonic() - begin
    stop(process)
    print(f"| {name} | {DAYS / seconds:,.0f} charts/s |", flush=True)


settings = environment(FOLDER)
sandbox = start(["sandbox"], settings, "ready")
worker = start(["worker", "--sandbox"], settings, "worker ready")
begin = time.monotonic()
fill(settings)
print(f"{DAYS:,} days from the sandbox in {time.monotonic() - begin:.0f} s\n", flush=True)
notifier("the notifier learns", settings)
rules = {"MARQUEE_RULES": str(RULES)}
notifier("the notifier learns, all rules", settings | rules)
notifier("the notifier decides, the contract's rules", settings, "--since", FIRST.isoformat())
notifier("the notifier decides, all rules", settings | rules, "--since", FIRST.isoformat())
for name, words in [("replay --dry-run, all rules", ["--rules", str(RULES), "--dry-run"]), ("replay, the contract's rules", [])]:
    begin = time.monotonic()
    lines = subprocess.run([MARQUEE, "replay", *words], env=settings, stdout=subprocess.PIPE, check=True).stdout.count(b"\n")
    print(f"| {name} | {time.monotonic() - begin:.2f} s, {lines:,} lines |", flush=True)
stop(worker, sandbox)
