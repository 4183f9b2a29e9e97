"""A PostgreSQL server of its own in a folder, reached by a socket there. Prints its port, and ends with its parent.

    python3 postgresql.py FOLDER
"""

import os
import pathlib
import shutil
import signal
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Harness"))
from postgresql import PostgreSQLServer  # noqa: E402, the path comes first

server = PostgreSQLServer(sys.argv[1], is_local=True)
print(server.port, flush=True)
parent = os.getppid()
while os.getppid() == parent and server.is_running:
    time.sleep(0.1)
server.signal(signal.SIGQUIT)
server.ended()
shutil.rmtree(server.folder.parent, ignore_errors=True)
