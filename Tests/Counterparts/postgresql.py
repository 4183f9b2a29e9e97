"""A PostgreSQL server of its own in a folder, reached by a socket there. Prints its port, and ends with its parent.

    python3 postgresql.py FOLDER
"""

import glob
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

PORT = 5432

folder = pathlib.Path(sys.argv[1])
programs = max(glob.glob("/usr/lib/postgresql/*/bin"), key=lambda path: int(path.split("/")[-2]))
# The server refuses to run as root.
user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] if os.geteuid() == 0 else ["setpriv"]
data = folder / "data"
if not folder.exists():
    folder.mkdir()
    if os.geteuid() == 0:
        subprocess.run(["chown", "postgres", folder], check=True)
    subprocess.run(
        [*user, f"{programs}/initdb", "--pgdata", data, "--auth", "trust", "--username", "marquee", "--encoding", "UTF8",
         "--locale", "C", "--no-sync", "--no-instructions"], check=True, stdout=subprocess.DEVNULL)
server = subprocess.Popen(
    [*user, "--pdeathsig=QUIT", f"{programs}/postgres", "-D", data, "-p", str(PORT), "-k", folder, "-c", "listen_addresses=",
     "-c", "max_connections=300", "-c", "log_min_messages=panic"], stdin=subprocess.DEVNULL)
while subprocess.run([f"{programs}/pg_isready", "-q", "-h", folder, "-p", str(PORT)]).returncode != 0:
    if server.poll() is not None:
        sys.exit(server.returncode)
    time.sleep(0.02)
print(PORT, flush=True)
parent = os.getppid()
while os.getppid() == parent and server.poll() is None:
    time.sleep(0.1)
server.send_signal(signal.SIGQUIT)
server.wait()
shutil.rmtree(folder.parent, ignore_errors=True)
