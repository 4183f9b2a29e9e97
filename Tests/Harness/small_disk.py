"""A disk of a few megabytes, which a suite can fill."""

import contextlib
import subprocess


@contextlib.contextmanager
def small_disk(folder, megabytes=24):
    """Mounts one on a folder; lends the folder, or None without the rights of root."""
    folder.mkdir(exist_ok=True)
    mount = ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "marquee-small", folder]
    if subprocess.run(mount, stderr=subprocess.DEVNULL).returncode != 0:
        yield None
        return
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)
