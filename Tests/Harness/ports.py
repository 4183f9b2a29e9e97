"""Ports that must be known before a process binds them: of restarts, and of proxies.

Wherever the program can choose, it does (`tcp://127.0.0.1:*`, `127.0.0.1:0` and the ready line), or the socket is a file
(`ipc://`). Tests/TestSupport/ReservedPort.swift is the same registry for Swift.
"""

import contextlib
import fcntl
import os
import pathlib
import socket

REGISTRY = pathlib.Path("/tmp/marquee-ports")
FIRST = 15_000
held = []  # open files, whose locks end with this process


def reserve_port():
    """Returns a TCP port of 127.0.0.1 that no other test gets until this process ends.

    It lies below the ports that the system gives to `bind(0)` and to outgoing connections, so that it is still free when a
    process is started again.
    """
    REGISTRY.mkdir(exist_ok=True)
    with contextlib.suppress(OSError):
        REGISTRY.chmod(0o777)  # for other users, too
    end = int(pathlib.Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    for port in range(FIRST, end):
        lock = None
        try:
            # Only for reading, which suffices for a lock: the file may be another user's.
            lock = os.open(REGISTRY / str(port), os.O_CREAT | os.O_RDONLY | os.O_CLOEXEC, 0o666)
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            with socket.socket() as probe:
                # As servers do: connections of the process that had the port before may still be closing.
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                probe.bind(("127.0.0.1", port))
        except OSError:
            if lock is not None:
                os.close(lock)
            continue
        held.append(lock)
        return port
    raise OSError(f"no free port from {FIRST} to {end}")
