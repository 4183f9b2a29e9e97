"""A control group that bounds the memory of one process and its children, as the container engine makes it."""

import os
import pathlib
import sys

from waiting import eventually


def give_up(reason):
    """Ends the suite, which cannot be run here."""
    print(f"limits: {reason}")
    sys.exit(75)


class MemoryGroup:
    """A group of cgroup v1 or v2. `limit` is in bytes; there is no swap."""

    def __init__(self, name, limit):
        kinds = [line.split()[1:4] for line in pathlib.Path("/proc/mounts").read_text().splitlines()]
        tops = {kind: pathlib.Path(place) for place, kind, options in kinds
                if kind == "cgroup2" or kind == "cgroup" and "memory" in options.split(",")}
        self.is_first_version = "cgroup" in tops
        top = tops.get("cgroup", tops.get("cgroup2"))
        if not top:
            give_up("no hierarchy of control groups is mounted")
        self.folder = top / f"marquee-limits-{os.getpid()}-{name}"
        try:
            if not self.is_first_version:
                control = top / "cgroup.subtree_control"
                if "memory" not in control.read_text().split():
                    control.write_text("+memory")
            self.folder.mkdir()
        except OSError as error:
            give_up(f"cannot make {self.folder}: {error.strerror}; run this as root, and not in a container whose control "
                    "groups are read-only")
        try:
            if self.is_first_version:
                (self.folder / "memory.limit_in_bytes").write_text(str(limit))
                self.write_if_there("memory.memsw.limit_in_bytes", str(limit))
            else:
                (self.folder / "memory.max").write_text(str(limit))
                self.write_if_there("memory.swap.max", "0")
        except OSError as error:
            self.remove()
            give_up(f"cannot limit {self.folder}: {error.strerror}")

    def write_if_there(self, name, text):
        """Writes to a file that a kernel without swap does not have."""
        if (path := self.folder / name).exists():
            path.write_text(text)

    def command(self, words):
        """Returns a command that runs another in this group, under the same process id."""
        return ["sh", "-c", 'echo $$ > "$0" && exec "$@"', f"{self.folder}/cgroup.procs", *words]

    def kills(self):
        """Returns how many processes the kernel has killed because the group was full."""
        name = "memory.oom_control" if self.is_first_version else "memory.events"
        fields = dict(line.split() for line in (self.folder / name).read_text().splitlines())
        return int(fields["oom_kill"])

    def remove(self):
        """Removes the group, once its last process has ended."""
        eventually(lambda: self.folder.rmdir() or True, f"the processes of {self.folder} end")
