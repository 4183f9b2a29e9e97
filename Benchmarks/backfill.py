"""Backfills the sandbox's 23 years without rate limits, and prints the days a second."""
import os, re, subprocess, sys, time
from bench import FOLDER, KEY, MARQUEE, memory, seconds_of, start, stop

LIMIT = "1000000"

settings = {"MARQUEE_LOG_FORMAT": "json", "MARQUEE_SANDBOX_HTTP": "127.0.0.1:0"}
sandbox, ready = start("sandbox", settings)
settings |= {
    "MARQUEE_KOBIS_URL": f"http://{ready['address']}/kobisopenapi/webservice/rest",
    "MARQUEE_KOBIS_KEY": KEY, "MARQUEE_KOBIS_DAILY_LIMIT": LIMIT,
    "MARQUEE_QUOTA_RESERVE": "0", "MARQUEE_DATA": f"{FOLDER}/backfill", "MARQUEE_WORKER_HTTP": "127.0.0.1:0",
}
for name in "REQUESTS", "COMMANDS", "EVENTS":
    settings[f"MARQUEE_{name}"] = f"ipc://{FOLDER}/backfill.{name.lower()}"
worker, _ = start("worker", settings)

began = time.perf_counter()
done = subprocess.run(
    [MARQUEE, "backfill", "2003-11-11..yesterday"], env={**os.environ, **settings}, stdout=subprocess.PIPE, text=True)
elapsed = time.perf_counter() - began
days = int(re.findall(r"^([\d,]+) of", done.stdout, re.M)[-1].replace(",", ""))
size = sum(entry.stat().st_size for entry in os.scandir(f"{FOLDER}/backfill") if entry.name.startswith("worker.db"))
print(f"{days} days in {elapsed:.1f} s: {days / elapsed:.0f} days a second")
print(f"processor: worker {seconds_of(worker):.1f} s, sandbox {seconds_of(sandbox):.1f} s; worker's memory {memory(worker):.0f} MB")
print(f"database: {size / 1e6:.0f} MB, {size / days / 1000:.1f} kB a day")
stop(worker, sandbox)
sys.exit(done.returncode)
