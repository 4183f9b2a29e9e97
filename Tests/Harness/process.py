"""A process under test: it is started, looked at and ended, as often as a suite wants."""

import asyncio
import os
import pathlib
import re
import signal
import subprocess
import time

from suite import WITH_SUITE
from waiting import PATIENCE, Failure


class Process:
    """A program that dies with its suite at the latest. What it prints is added to one file."""

    def __init__(self, name, command, environment, log):
        self.name, self.command, self.environment = name, [str(word) for word in command], environment
        self.role = name.split()[0]  # of several with a role, each has a number
        self.log_file, self.child, self.began = pathlib.Path(log), None, 0

    def start(self, *arguments):
        with open(self.log_file, "ab") as log:
            self.began = log.tell()
            self.child = subprocess.Popen([*WITH_SUITE, *self.command, *arguments], env=self.environment,
                                          stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def is_ready(self):
        """Whether it has said so since it was started; fails if it has ended."""
        self.check_runs()
        return f"{self.role} ready" in self.log(self.began)

    @property
    def is_running(self):
        return self.child is not None and self.child.poll() is None

    def check_runs(self):
        if not self.is_running:
            raise Failure(f"the {self.name} ended with {self.child and self.child.returncode}: {self.log_tail()}")

    def ended(self, within=PATIENCE):
        """Returns the exit status (negative for a signal), or None if it still runs after `within` seconds."""
        try:
            return self.child.wait(within)
        except subprocess.TimeoutExpired:
            return None

    async def ended_async(self, within=PATIENCE):
        """Does what `ended` does, while other tasks go on."""
        deadline = time.monotonic() + within
        while self.child.poll() is None and time.monotonic() < deadline:
            await asyncio.sleep(0.005)
        return self.child.returncode

    def signal(self, number):
        if self.is_running:
            self.child.send_signal(number)

    def stop(self):
        """Asks it to end; fails if it does not, or with another status than 0."""
        self.signal(signal.SIGTERM)
        if (status := self.ended()) != 0:
            what = "did not end" if status is None else f"ended with {status}"
            raise Failure(f"the {self.name}, asked to stop, {what}: {self.log_tail()}")
        self.child = None

    def kill(self):
        if self.child:
            self.child.kill()
            self.child.wait()
            self.child = None

    def log(self, since=0):
        """Returns what the process and those before it have printed."""
        return self.log_file.read_bytes()[since:].decode(errors="replace") if self.log_file.exists() else ""

    def log_tail(self):
        return self.log()[-2_000:]

    def memory(self, field="VmRSS"):
        return memory(self.child, field)

    def processor_time(self):
        """Returns the seconds that processors have worked for it."""
        fields = pathlib.Path(f"/proc/{self.child.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def reset_peak(self):
        reset_peak(self.child)

    def descriptors(self):
        """Returns how many files and sockets are open."""
        return len(os.listdir(f"/proc/{self.child.pid}/fd"))


def memory(process, field="VmRSS"):
    """Returns the resident memory of a process in MB, or with `VmHWM` the highest that it was."""
    status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
    return int(re.search(rf"^{field}:\s+(\d+)", status, re.M)[1]) / 1024


def reset_peak(process):
    pathlib.Path(f"/proc/{process.pid}/clear_refs").write_text("5")
