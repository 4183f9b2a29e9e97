"""A disk that can lose power: keeps apart what a process has written and what it has synced.

`disk.c`, preloaded into the processes, journals their calls below a folder. From the journal a `Disk` makes what the
folder holds after a power loss: all that was synced, and of everything else what the random numbers leave, torn into
sectors and out of order. Names are lost in order, as on every file system with a journal: of the creations, renames and
removals that no sync of their folder followed, the first few are done.
"""

import dataclasses
import mmap
import os
import pathlib
import shutil
import struct
import subprocess

HERE = pathlib.Path(__file__).parent
RECORD = struct.Struct("=IIQqIIQ")
CONTROL = struct.Struct("=5i44s16s")
CREATE, WRITE, TRUNCATE, SYNC, FAILED_SYNC, RENAME, LINK, UNLINK, MAKE_FOLDER, UNDO = range(1, 11)
PENDING, DURABLE, ABANDONED = range(3)
FOLDER = object()  # what the name of a folder stands for


class RigError(Exception):
    """The folder holds what the journal does not explain: a call went past the rig."""


@dataclasses.dataclass
class Change:
    """A write at an offset, or a new size, and whether it is on the disk."""

    place: int  # in the journal
    offset: int
    data: bytes | None  # None: the file is cut or extended to `offset` bytes
    state: int = PENDING

    def apply(self, content):
        if self.data is None:
            content[self.offset:] = bytes(max(0, self.offset - len(content)))
        else:
            put(content, self.offset, self.data)


class File:
    """The content of a file at the last power loss, and all changes since."""

    def __init__(self, content=b""):
        self.content = content
        self.changes = []

    def settle(self, before, state):
        """Takes what was written before a place in the journal as on the disk, or as never written to it."""
        for change in self.changes:
            if change.state == PENDING and change.place < before:
                change.state = state

    def now(self):
        """Returns what a process reads."""
        content = bytearray(self.content)
        for change in self.changes:
            change.apply(content)
        return bytes(content)

    def after_power_loss(self, fate):
        content = bytearray(self.content)
        for change in self.changes:
            if change.state == DURABLE:
                change.apply(content)
            else:
                fate.apply(change, content)
        return bytes(content)


class Fate:
    """Decides what a power loss leaves of what was not synced."""

    def __init__(self, rng, kind=None):
        self.rng = rng
        self.kind = kind or rng.choice(["nothing", "nothing", "everything", "some", "torn", "torn"])
        self.sector = rng.choice([512, 4096])
        self.dropped = self.kept = 0

    def apply(self, change, content):
        """Applies a change that was not synced, a part of it, or nothing."""
        if change.data is None or self.kind != "torn":
            if self.survives():
                change.apply(content)
            return
        end = change.offset + len(change.data)
        start = change.offset
        while start < end:
            stop = min(end, (start // self.sector + 1) * self.sector)
            if self.survives():
                put(content, start, change.data[start - change.offset:stop - change.offset])
            start = stop

    def survives(self):
        kept = {"nothing": False, "everything": True}.get(self.kind, self.rng.random() < 0.5)
        self.kept += kept
        self.dropped += not kept
        return kept

    def names_left(self, count):
        """Returns how many of the changes of names that were not synced are done."""
        return {"nothing": 0, "everything": count}.get(self.kind, self.rng.randint(0, count))


def put(content, offset, data):
    if offset > len(content):
        content.extend(bytes(offset - len(content)))
    content[offset:offset + len(data)] = data


class State:
    """What a journal says: the names as processes see them, and as they are on the disk."""

    def __init__(self, files, inodes):
        self.now = dict(files)  # name: File or FOLDER
        self.on_disk = dict(files)
        self.inodes = dict(inodes)
        self.pending = []  # (place, folders, function that changes names), in order

    def file(self, inode):
        return self.inodes.setdefault(inode, File())

    def change_names(self, place, names, change):
        change(self.now)
        self.pending.append((place, {parent(name) for name in names}, change))

    def sync_folder(self, name, before):
        kept = []
        for place, folders, change in self.pending:
            if place < before and name in folders:
                change(self.on_disk)
            else:
                kept.append((place, folders, change))
        self.pending = kept

    def take(self, place, kind, inode, offset, name, other, data):
        """Applies a record."""
        if kind == CREATE:
            file = self.inodes[inode] = File()
            self.change_names(place, [name], lambda names: names.update({name: file}))
        elif kind in (WRITE, TRUNCATE):
            self.file(inode).changes.append(Change(place, offset, data if kind == WRITE else None))
        elif kind in (SYNC, FAILED_SYNC) and (name == "." or self.now.get(name) is FOLDER):
            if kind == SYNC:
                self.sync_folder(name, before=offset)
        elif kind in (SYNC, FAILED_SYNC):
            # After a failed sync the kernel takes the pages for clean: no later sync writes them.
            self.file(inode).settle(before=offset, state=DURABLE if kind == SYNC else ABANDONED)
        elif kind == RENAME:
            self.change_names(place, [name, other], lambda names: move(names, name, other))
        elif kind == LINK:
            self.change_names(place, [other], lambda names: names.update({other: names[name]}))
        elif kind == UNLINK:
            self.change_names(place, [name], lambda names: names.pop(name, None))
        elif kind == MAKE_FOLDER:
            self.change_names(place, [name], lambda names: names.update({name: FOLDER}))

    def after_power_loss(self, fate):
        """Returns the content of each name, with None for folders."""
        names = dict(self.on_disk)
        for _, _, change in self.pending[:fate.names_left(len(self.pending))]:
            change(names)
        return {
            name: None if file is FOLDER else file.after_power_loss(fate) for name, file in sorted(names.items())
            if parent(name) == "." or names.get(parent(name)) is FOLDER}


def move(names, name, other):
    if name in names:  # else its creation was lost
        names[other] = names.pop(name)


def parent(name):
    return name.rpartition("/")[0] or "."


class Disk:
    """A folder whose processes write through `disk.c`, and the faults of its disk."""

    def __init__(self, folder, library):
        self.folder = folder.resolve()
        self.library = library
        self.ignored_syncs = ""
        self.journal = folder.with_name(f"{folder.name}.journal")
        self.control_path = folder.with_name(f"{folder.name}.control")
        self.control_path.write_bytes(bytes(CONTROL.size))
        with open(self.control_path, "r+b") as file:
            self.control = mmap.mmap(file.fileno(), CONTROL.size)
        self.begin()

    def environment(self):
        variables = {"LD_PRELOAD": self.library, "DISK_FOLDER": self.folder, "DISK_JOURNAL": self.journal,
                     "DISK_CONTROL": self.control_path}
        return {name: str(value) for name, value in variables.items()}

    def begin(self):
        """Takes all that the folder holds as written and synced. No process may use it."""
        self.files, self.inodes = {}, {}
        for path in self.paths():
            if path.is_dir():
                self.files[self.name(path)] = FOLDER
            else:
                self.files[self.name(path)] = self.inodes[path.stat().st_ino] = File(path.read_bytes())
        self.journal.write_bytes(b"")

    def paths(self):
        return sorted(path for path in self.folder.rglob("*") if not path.name.endswith("-shm"))

    def name(self, path):
        return str(path.relative_to(self.folder))

    # Faults

    def set_faults(self, write_error=0, sync_error=0, sync_delay=0, count=-1, names="*"):
        """Lets writes or syncs of files with such names fail with an `errno`, or delays syncs by seconds.

        So many calls fail; all if the count is negative.
        """
        self.control[:] = CONTROL.pack(
            write_error, count if write_error else 0, sync_error, count if sync_error else 0, int(sync_delay * 1000),
            names.encode(), self.ignored_syncs.encode())

    def failed_syncs(self, count):
        """Returns how many of the syncs that were to fail, `count` in all, have failed."""
        return count - CONTROL.unpack(self.control)[3]

    def ignore_syncs(self, names):
        """Lets syncs of files, or folders, with such names succeed from now on without being made."""
        self.ignored_syncs = names
        self.set_faults()

    # Crashes

    def records(self):
        """Returns the records of the journal, without those that were taken back."""
        data, place, records, last = self.journal.read_bytes(), 0, [], {}
        while place < len(data):
            kind, process, inode, offset, *lengths = RECORD.unpack_from(data, place)
            parts, start = [], place + RECORD.size
            for length in lengths:
                parts.append(data[start:start + length])
                start += length
            if kind == UNDO:
                records[last[process]] = None
            else:
                last[process] = len(records)
                records.append((place, kind, inode, offset, parts[0].decode(), parts[1].decode(), parts[2]))
            place = start
        return [record for record in records if record]

    def state(self):
        """Returns the state after all records, and checks it against the folder. All processes must be dead.

        The last call may be in the journal and not made.
        """
        records = self.records()
        # A copy of each file, because a second try starts over.
        for count in (len(records), len(records) - 1):
            copies = {id(file): File(file.content) for file in self.files.values() if file is not FOLDER}
            state = State({name: copies.get(id(file), FOLDER) for name, file in self.files.items()},
                          {inode: copies[id(file)] for inode, file in self.inodes.items() if id(file) in copies})
            for record in records[:count]:
                state.take(*record)
            difference = self.difference(state)
            if difference is None:
                return state, records[:count]
        raise RigError(f"{self.folder}: {difference}")

    def difference(self, state):
        """Returns how the folder differs from a state; None if it does not."""
        there = {self.name(path): path for path in self.paths()}
        for name in there.keys() - state.now.keys():
            if there[name].is_dir() or there[name].stat().st_size > 0:  # else it was just created
                return f"{name} is not in the journal"
        for name, file in state.now.items():
            if name not in there:
                return f"{name} is in the journal and not in the folder"
            if file is not FOLDER and there[name].read_bytes() != file.now():
                return f"{name} differs from the journal"
        return None

    def lose_process(self):
        """Called after the death of the processes: the kernel goes on, and keeps what was not synced."""
        made, records = self.state()[1], self.records()
        if made and len(records) > len(made):
            # The last call was not made.
            os.truncate(self.journal, records[-1][0])

    def lose_power(self, fate):
        """Replaces the folder's content by what a power loss leaves of it."""
        state, _ = self.state()
        content = state.after_power_loss(fate)
        for path in self.folder.iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        for name, data in content.items():
            path = self.folder / name
            if data is None:
                path.mkdir(mode=0o700)
            else:
                path.touch(mode=0o600)
                path.write_bytes(data)
        self.begin()


def build_library(folder):
    library = folder / "disk.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-O2", "-o", library, HERE / "disk.c"], check=True)
    return library
