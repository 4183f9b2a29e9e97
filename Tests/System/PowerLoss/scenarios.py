"""Two courses of events that chance seldom plays: a checkpoint whose sync fails, and a restore before a power loss."""

import asyncio
import errno
import functools
import signal
import sqlite3

import checker
from installation import query
from waiting import eventually_async

FRAME = 4096 + 24  # a page in the write-ahead log
CHECKPOINT_PAGES = 1_000  # Connection.checkpointPages
SYNCS = 1_000_000  # that fail: all


async def fail_a_checkpoint(round):
    """Lets the sync of a checkpoint fail after an earlier checkpoint that copied a part of the log, without a sync.

    The first part is not copied again by SQLite, and after the failed sync no later one writes it.
    """
    name, disk = "worker", round.machine.disks["worker"]
    log = disk.folder / "worker.db-wal"
    await round.crash([name], has_power=True)
    await round.start(name)  # which empties the log
    await eventually_async(lambda: log.stat().st_size > 300 * FRAME, "300 pages in the log")
    reader = sqlite3.connect(f"file:{disk.folder}/worker.db?mode=ro", uri=True, isolation_level=None)
    reader.execute("begin")
    reader.execute("select count(*) from event").fetchone()
    # Each commit from here on tries a checkpoint, which stops where the reader reads.
    await eventually_async(lambda: log.stat().st_size > (CHECKPOINT_PAGES + 100) * FRAME, "a checkpoint behind a reader")
    generation = log.read_bytes()[12:24]
    disk.set_faults(sync_error=errno.EIO, names="*.db", count=SYNCS)
    reader.close()
    await eventually_async(lambda: disk.failed_syncs(SYNCS), "the sync of a checkpoint fails")
    await round.until_written(name)
    round.findings.require(log.read_bytes()[12:24] == generation, "the log starts again though its checkpoint failed")
    disk.set_faults()
    await eventually_async(lambda: log.read_bytes()[12:24] != generation, "the log to start again")
    await round.until_written(name)
    await round.crash([name], has_power=False, leaves="nothing")
    await round.start(name)


async def make_a_backup(round):
    """Makes the backup for ``restore_a_backup`` while the worker works."""
    await eventually_async(lambda: len(round.log("worker").rows) > 100, "a hundred events")
    await run(round, round.machine.command("backup", backup(round)))


async def restore_a_backup(round):
    """Restores a backup, takes the power as soon as the command has ended, and starts the worker on what is left.

    Before, the number of commits in the lock file is on the disk, and is greater than that of the backup.
    """
    machine, worker = round.machine, round.machine.worker
    await round.crash(["worker"], has_power=False, leaves="everything")
    await round.start("worker")
    worker.signal(signal.SIGTERM)
    status = await worker.ended_async()
    round.findings.require(status == 0, f"the worker, asked to stop, ended with {status}")
    ids = {event["id"] for event in checker.Log("backup", functools.partial(query, backup(round))).events}
    await run(round, machine.command("restore", backup(round)))
    await asyncio.to_thread(machine.disks["worker"].lose_power, round.fate("nothing"))
    round.last = "a restore and a power loss"
    await round.start("worker")
    round.findings.require(
        ids <= {event["id"] for event in round.log("worker").events}, "the restored log lacks events of the backup")


def backup(round):
    return round.machine.worker_data / "backups" / "early.db"


async def run(round, command):
    command.start()
    status = await command.ended_async()
    if status != 0:
        round.fail(f"{' '.join(command.command[1:])} ended with {status}: {command.log_tail()}")
