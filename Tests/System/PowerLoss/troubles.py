"""Disks that fail or are slow: what their processes say, and what is there afterwards."""

import asyncio
import collections
import errno
import re
import time

from waiting import eventually_async

TROUBLES = {
    "writes fail with EIO": {"write_error": errno.EIO},
    "writes fail with ENOSPC": {"write_error": errno.ENOSPC},
    "syncs fail with EIO": {"sync_error": errno.EIO},
    "syncs fail with ENOSPC": {"sync_error": errno.ENOSPC},
    "syncs take 3 s": {"sync_delay": 3},
    # The syncs of checkpoints; commits sync the write-ahead log.
    "syncs of the database fail with EIO": {"sync_error": errno.EIO, "names": "*.db"},
}
# What the log must say of the file. After a checkpoint that failed, SQLite knows the system's words, too.
DESCRIPTIONS = {
    "writes fail with EIO": "disk I/O error: ([^:]*: )?a write failed",
    "writes fail with ENOSPC": "database or disk is full",
    "syncs fail with EIO": "disk I/O error: ([^:]*: )?a sync failed",
    "syncs fail with ENOSPC": "disk I/O error: ([^:]*: )?a sync failed",
}
# What follows a trouble before the disk is well again. A process that dies with power leaves to the next one what the
# kernel holds and did not write.
ENDS = ["it lives", "it lives", "it dies", "power is lost"]


async def trouble_disks(round):
    """Lets each disk fail in each way, and then recover with its process, or with the next one, or lose power."""
    for name in round.machine.disks:
        for trouble, switches in TROUBLES.items():
            await trouble_disk(round, name, trouble, switches)
            round.figures["troubles"] += 1


async def trouble_disk(round, name, trouble, switches):
    machine, process, disk = round.machine, round.machine.processes[name], round.machine.disks[name]
    end = round.rng.choice(ENDS)
    round.trace(f"{name}: {trouble}, {end}")
    # A start on a disk that fails ends with a line; here the process is at work.
    await machine.until_ready(name)
    await round.until_written(name)
    errors_before = len(errors_of(round, name))
    began = time.monotonic()
    disk.set_faults(**switches)
    if "names" not in switches:  # else commits do not fail
        reason = await machine.until_ready(name, wanted=503)
        round.findings.require(reason.startswith("database: "), f"{name}, {trouble}: /readyz says {reason!r}")
    await asyncio.sleep(round.rng.uniform(0.3, 1.2))
    if expected := DESCRIPTIONS.get(trouble):
        await eventually_async(
            lambda: any(re.search(f"{name}.db: {expected}", line) for line in errors_of(round, name)[errors_before:]),
            f"{name}, {trouble}: a line that says so")
    if not process.is_running:
        round.fail(f"{name}, {trouble}: ended with {process.child.returncode}: {process.log_tail()}")
    if end == "it lives":
        disk.set_faults()
    else:
        await round.crash([name], has_power=end == "it dies")
        disk.set_faults()
        await round.start(name)
    await machine.until_ready(name)
    seconds, errors = time.monotonic() - began, errors_of(round, name)[errors_before:]
    round.trace(f"{name}, {trouble}: {len(errors)} lines in {seconds:.1f} s, e.g. {errors[:2]}")
    round.figures["lines about troubles"] += len(errors)
    # A line comes again at most once a second (`RateLimitedLogger`), or after pauses that double from 0.25 s (`RetryLoop`).
    line, count = collections.Counter(map(without_details, errors)).most_common(1)[0] if errors else ("", 0)
    round.findings.require(count <= 4 + seconds, f"{name}, {trouble}: {count} times in {seconds:.1f} s: {line}")
    await asyncio.sleep(round.rng.uniform(0.5, 1))
    # Of the writes whose sync failed nothing may be on the disk, though the process after this one has read them.
    await round.crash([name], has_power=False, leaves="nothing" if end == "it dies" else None)
    await round.start(name)


def errors_of(round, name):
    """Returns the lines in which a process has logged an error."""
    return [line for line in round.machine.processes[name].log().splitlines() if f" error   {name}: " in line]


def without_details(line):
    """Returns a line without its time, counts and error, so that all lines of one origin are equal."""
    return re.sub(r"^\S+ | (dropped|count)=\d+| error=.*", "", line)
