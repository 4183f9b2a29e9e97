"""PostgreSQL servers of a suite, which keep what they acknowledge as a real one does."""

import glob
import json
import os
import pathlib
import select
import shutil
import signal
import subprocess

from ports import reserve_port
from process import Process
from waiting import Failure, eventually

PROGRAMS = max(glob.glob("/usr/lib/postgresql/*/bin"), key=lambda path: int(path.split("/")[-2]))
# The server refuses to run as root.
IS_ROOT = os.geteuid() == 0
USER = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] if IS_ROOT else ["setpriv"]


class PostgreSQLServer(Process):
    """A server with a folder of its own, whose data outlives `kill`, on a port of 127.0.0.1.

    With `primary` it is its synchronous standby, with `is_local` it has a socket in the folder instead of a port.
    """

    def __init__(self, folder, primary=None, is_local=False):
        self.folder, self.port = pathlib.Path(folder), 5432 if is_local else reserve_port()
        self.data = self.folder / "data"
        self.folder.mkdir(parents=True, exist_ok=True)
        if is_local:
            options = ["listen_addresses=", f"unix_socket_directories={self.folder}", "max_connections=300"]
        else:
            options = ["listen_addresses=127.0.0.1", "unix_socket_directories="]
        super().__init__(
            "postgresql",
            # A change of user clears the signal that `Process` has set.
            [*USER, "--pdeathsig=QUIT", f"{PROGRAMS}/postgres", "-D", self.data, "-p", self.port,
             *(word for option in options for word in ("-c", option))],
            {**os.environ, "LC_ALL": "C"}, self.folder / "log")
        if IS_ROOT:
            shutil.chown(self.folder, "postgres")
            for parent in self.folder.parents:  # a temporary folder lets nobody else through
                if not (mode := parent.stat().st_mode) & 1:
                    parent.chmod(mode | 1)
        if primary:
            return self.follow(primary)
        if not self.data.exists():
            self.run("initdb", "--pgdata", self.data, "--auth", "trust", "--username", "marquee", "--encoding", "UTF8",
                     "--locale", "C", "--no-sync", "--no-instructions")
        self.start()

    def follow(self, primary):
        """Begins anew as the synchronous standby of another server; nothing is left of its own data."""
        shutil.rmtree(self.data, ignore_errors=True)
        self.run("pg_basebackup", "--pgdata", self.data, "--checkpoint", "fast", "--write-recovery-conf",
                 "--dbname", f"host=127.0.0.1 port={primary.port} user=marquee")
        self.start()
        primary.wait_for_standby()

    def start(self):
        """Starts the server, and waits until it can be used."""
        super().start()
        eventually(self.is_ready, "the server of PostgreSQL is ready")

    def is_ready(self):
        self.check_runs()
        return "system is ready to accept" in self.log(self.began)

    def wait_for_standby(self):
        """From now on no commit is acknowledged that a standby does not have."""
        self.query("alter system set synchronous_standby_names = '*'")
        self.query("select pg_reload_conf()")
        eventually(lambda: self.query("select sync_state from pg_stat_replication") == "sync", "the standby has all commits")

    def promote(self):
        """Makes a primary of a standby. Returns at once; clients can write when it has done so."""
        self.run("pg_ctl", "promote", "--no-wait", "--pgdata", self.data)

    def kill(self):
        """Ends all of its processes at once with SIGKILL, as the end of its machine would."""
        children = []
        if self.is_running:
            self.signal(signal.SIGSTOP)  # it starts no more
            names = pathlib.Path(f"/proc/{self.child.pid}/task/{self.child.pid}/children").read_text().split()
            children = [os.pidfd_open(int(name)) for name in names]
        for child in children:
            signal.pidfd_send_signal(child, signal.SIGKILL)
        super().kill()
        for child in children:  # a new server is refused the folder until the last one has ended
            select.select([child], [], [])
            os.close(child)

    def stop(self):
        """Ends the server, whoever is connected."""
        self.signal(signal.SIGINT)
        super().stop()

    def query(self, sql):
        """Returns what a statement printed: a line for each row, with `|` between the columns."""
        return self.run("psql", "-XAtq", "--set=ON_ERROR_STOP=1", "--command", sql, address(self))

    def rows(self, schema, sql):
        """Returns rows of a schema's tables, as SQLite would."""
        lines = self.query(f"set search_path = {schema}; select row_to_json(line) from ({sql}) line")
        return [tuple(map(plain, json.loads(line).values())) for line in lines.split("\n") if line]

    def run(self, program, *words):
        done = subprocess.run([*USER, f"{PROGRAMS}/{program}", *map(str, words)], cwd=self.folder, text=True,
                              stdin=subprocess.DEVNULL, capture_output=True)
        if done.returncode != 0:
            raise Failure(f"{program} ended with {done.returncode}: {done.stderr.strip()}")
        return done.stdout.strip()


def address(*servers):
    """Returns the URL of a database; of several servers the one that takes writes is used."""
    hosts = ",".join(f"127.0.0.1:{server.port}" for server in servers)
    return f"postgresql://marquee@{hosts}/postgres" + ("?target_session_attrs=read-write" if len(servers) > 1 else "")


def plain(value):
    """Returns bytes as such, which are in JSON as PostgreSQL writes them."""
    return bytes.fromhex(value[2:]) if isinstance(value, str) and value.startswith("\\x") else value
