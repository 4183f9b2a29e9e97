"""Passes a PostgreSQL server's connections on by a socket in a folder. While the folder has a file `cut`, it keeps the answer to
the next commit for itself, hangs up, and removes the file. Prints its port first, and `cut` when it has hung up.

    python3 postgresql_proxy.py SOCKET FOLDER
"""

import os
import socket
import sys
import threading

server_path, folder = sys.argv[1:]
os.mkdir(folder)
cut = f"{folder}/cut"


def forward(source, target, connection, is_answer):
    """Passes bytes on until one side ends; `connection` is shared by both directions."""
    try:
        while data := source.recv(65536):
            if is_answer and connection["commits"]:
                print("cut", flush=True)
                break
            if not is_answer and data[0:1] == b"Q" and data[5:] == b"commit\0" and os.path.exists(cut):
                os.unlink(cut)
                connection["commits"] = True
            target.sendall(data)
    except OSError:
        pass
    for end in (source, target):
        try:
            end.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass


listener = socket.socket(socket.AF_UNIX)
listener.bind(f"{folder}/.s.PGSQL.5432")
listener.listen()
print(5432, flush=True)
while True:
    client, _ = listener.accept()
    server = socket.socket(socket.AF_UNIX)
    server.connect(server_path)
    connection = {"commits": False}
    threading.Thread(target=forward, args=(client, server, connection, False), daemon=True).start()
    threading.Thread(target=forward, args=(server, client, connection, True), daemon=True).start()
