"""The calendar clock of the processes under test: a Wednesday morning in Korea, whatever day it is on this machine.

Midnight in Korea, where yesterday's chart appears, is fourteen hours away; no week or month ends. Calendar time goes on
from there, and a suite can move it. Monotonic clocks are the machine's.
"""

import datetime
import math
import pathlib
import struct
import subprocess

KOREA = datetime.timezone(datetime.timedelta(hours=9))
START = datetime.datetime(2026, 6, 10, 10, tzinfo=KOREA)
TODAY = START.date()
SOURCE = pathlib.Path(__file__).with_name("clock.c")


class Clock:
    """A clock for the processes that are started with `environment`. Needs a C compiler."""

    def __init__(self, folder):
        self.file = pathlib.Path(folder) / "clock"
        library = pathlib.Path(folder) / "clock.so"
        subprocess.run(["cc", "-shared", "-fPIC", "-O2", "-o", library, SOURCE], check=True)
        self.start = START - datetime.datetime.now(datetime.UTC)
        self.file.write_bytes(bytes(8))
        self.move(0)
        self.environment = {"LD_PRELOAD": str(library), "TEST_CLOCK": str(self.file)}

    def move(self, seconds):
        """Sets the clock so many seconds away from where it would be had nobody moved it."""
        self.offset = math.ceil(self.start.total_seconds() + seconds)
        # In place: the processes have mapped the file.
        with open(self.file, "r+b", buffering=0) as file:
            file.write(struct.pack("=q", self.offset))

    def set(self, instant):
        """Sets the clock to an instant, or at most a second after it."""
        self.move((instant - datetime.datetime.now(datetime.UTC) - self.start).total_seconds())

    def now(self):
        """Returns what the processes take for now."""
        return datetime.datetime.now(KOREA) + datetime.timedelta(seconds=self.offset)
