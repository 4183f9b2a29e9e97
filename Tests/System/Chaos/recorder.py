"""A proxy before the sandbox that records what it answered, so that the log can be compared with it."""

import http.client
import io
import types
import zlib

from proxy import Connection, Proxy


class RecordingProxy(Proxy):
    """Forwards connections unchanged, and keeps the bytes of both directions."""

    def __init__(self, target):
        super().__init__(target)
        self.records = []

    def connect(self, *sides):
        connection = RecordedConnection(self, *sides)
        self.records.append(connection)
        return connection

    def answers(self):
        """Returns the target and the body of each complete answer with status 200 to a GET, in the order of each connection."""
        return [answer for connection in self.records for answer in connection.answers()]


class RecordedConnection(Connection):
    """The two sides of a connection, and the bytes that each has sent."""

    def __init__(self, proxy, *sides):
        super().__init__(proxy, *sides)
        self.sent = {side: bytearray() for side in sides}

    def record(self, chunk, destination):
        self.sent[destination] += chunk

    def answers(self):
        near, far = self.sides
        requests, responses = io.BufferedReader(io.BytesIO(self.sent[far])), Unclosable(io.BytesIO(self.sent[near]))
        while line := requests.readline():
            method, target, _ = line.decode().split(" ", 2)
            headers = http.client.parse_headers(requests)
            requests.read(int(headers.get("Content-Length", 0)))
            # All that it needs of a socket.
            response = http.client.HTTPResponse(types.SimpleNamespace(makefile=lambda _: responses), method=method)
            try:
                response.begin()
                body = response.read()
                if response.getheader("Content-Encoding") == "gzip":
                    body = zlib.decompress(body, wbits=31)
            except (OSError, http.client.HTTPException, zlib.error):
                return  # cut off by a fault or a crash: the rest has no answer
            if response.status == 200 and method == "GET":
                yield target, body


class Unclosable(io.BufferedReader):
    """HTTPResponse closes its file at the end of a response; all responses of a connection read from one."""

    def close(self):
        pass
