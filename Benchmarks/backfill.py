"""Backfills the sandbox's 23 years without rate limits, and prints the days a second."""
import os, re, subprocess, sys, time
from bench import FOLDER, MARQUEE, memory, seconds_of, settings, start, stop

sandbox, ready = start("sandbox", settings("sandbox"))
values = settings("backfill", ready["address"], MARQUEE_QUOTA_RESERVE="0")
worker, _ = start("worker", values)

began = time.perf_counter()
done = subprocess.run(
    [MARQUEE, "backfill", "2003-11-11..yesterday"], env={**os.environ, **values}, stdout=subprocess.PIPE, text=True)
elapsed = time.perf_counter() - began
days = int(re.findall(r"^([\d,]+) of", done.stdout, re.M)[-1].replace(",", ""))
size = sum(entry.stat().st_size for entry in os.scandir(f"{FOLDER}/backfill") if entry.name.startswith("worker.db"))
print(f"{days} days in {elapsed:.1f} s: {days / elapsed:.0f} days a second")
print(f"processor: worker {seconds_of(worker):.1f} s, sandbox {seconds_of(sandbox):.1f} s; worker's memory {memory(worker):.0f} MB")
print(f"database: {size / 1e6:.0f} MB, {size / days / 1000:.1f} kB a day")
stop(worker, sandbox)
sys.exit(done.returncode)
