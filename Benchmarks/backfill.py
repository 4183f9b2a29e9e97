"""Backfills the sandbox's 23 years with limits off, and tells how many days a second that was.

usage: backfill.py MARQUEE FOLDER [FIRST]
"""
import atexit, json, os, re, subprocess, sys, threading, time

MARQUEE, FOLDER = sys.argv[1], sys.argv[2]
FIRST = sys.argv[3] if len(sys.argv) > 3 else "2003-11-11"
LIMIT = "1000000"


def start(role, settings):
    """Starts a process and returns it and what it says when it is ready."""
    process = subprocess.Popen([MARQUEE, role], env={**os.environ, **settings}, stderr=subprocess.PIPE, text=True)
    atexit.register(lambda: process.poll() is None and process.kill())  # however this ends
    for line in process.stderr:
        fields = json.loads(line)
        if fields["message"] == f"{role} ready":
            threading.Thread(target=process.stderr.read, daemon=True).start()
            return process, fields
    sys.exit(f"the {role} did not start")


def seconds_of(process):
    """The processor's seconds that a process has taken."""
    with open(f"/proc/{process.pid}/stat") as stat:
        fields = stat.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


settings = {"MARQUEE_LOG_FORMAT": "json", "MARQUEE_SANDBOX_HTTP": "127.0.0.1:0"}
sandbox, ready = start("sandbox", settings)
settings |= {
    "MARQUEE_KOBIS_URL": f"http://{ready['address']}/kobisopenapi/webservice/rest",
    "MARQUEE_KOBIS_KEY": "0123456789abcdef0123456789abcdef", "MARQUEE_KOBIS_DAILY_LIMIT": LIMIT,
    "MARQUEE_QUOTA_RESERVE": "0", "MARQUEE_DATA": f"{FOLDER}/backfill", "MARQUEE_WORKER_HTTP": "127.0.0.1:0",
}
for name in "REQUESTS", "COMMANDS", "EVENTS":
    settings[f"MARQUEE_{name}"] = f"ipc://{FOLDER}/backfill.{name.lower()}"
worker, _ = start("worker", settings)

began = time.perf_counter()
done = subprocess.run(
    [MARQUEE, "backfill", f"{FIRST}..yesterday"], env={**os.environ, **settings}, stdout=subprocess.PIPE, text=True)
elapsed = time.perf_counter() - began
days = int(re.findall(r"^([\d,]+) of", done.stdout, re.M)[-1].replace(",", ""))
size = sum(entry.stat().st_size for entry in os.scandir(f"{FOLDER}/backfill") if entry.name.startswith("worker.db"))
with open(f"/proc/{worker.pid}/smaps_rollup") as rollup:
    memory = next(int(line.split()[1]) for line in rollup if line.startswith("Rss:")) / 1024
print(f"{days} days in {elapsed:.1f} s: {days / elapsed:.0f} days a second")
print(f"processor: worker {seconds_of(worker):.1f} s, sandbox {seconds_of(sandbox):.1f} s; worker's memory {memory:.0f} MB")
print(f"database: {size / 1e6:.0f} MB, {size / days / 1000:.1f} kB a day")
for process in worker, sandbox:
    process.terminate()
    process.wait()
sys.exit(done.returncode)
