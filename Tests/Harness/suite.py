"""A suite leaves nothing behind: its processes end with it, and its folder is deleted."""

import contextlib
import pathlib
import signal
import sys
import tempfile

# Before a command: the process is killed when the thread that started it ends, however that happens.
WITH_SUITE = ["setpriv", "--pdeathsig", "KILL", "--"]


@contextlib.contextmanager
def suite_folder(prefix):
    """Lends a temporary folder for the files of a suite. SIGTERM ends the suite as a failure does."""
    signal.signal(signal.SIGTERM, end_by_signal)
    # A process that was killed may still be writing its last file.
    with tempfile.TemporaryDirectory(prefix=prefix, ignore_cleanup_errors=True) as folder:
        yield pathlib.Path(folder)


def end_by_signal(*_):
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    sys.exit("ended by SIGTERM")
