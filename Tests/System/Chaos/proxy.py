"""A TCP proxy between a client and a process that delays connections, cuts them or leaves them half open."""

import asyncio
import socket


class Proxy:
    """Forwards connections to an address, with the faults that are set."""

    def __init__(self, target):
        self.target = int(target.rsplit(":", 1)[1])
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        self.address = f"tcp://127.0.0.1:{self.port}"
        self.server = self.socket  # until it is started
        self.delay = 0
        self.is_shut = False
        self.connections = set()

    async def start(self):
        self.server = await asyncio.start_server(self._accept, sock=self.socket)

    def cut(self):
        """Closes all connections and discards the data in transit."""
        for connection in self.connections:
            connection.cut()

    def half_open(self):
        """Blocks the present connections without closing them; new connections work."""
        for connection in self.connections:
            connection.is_dead = True

    def heal(self):
        self.delay = 0
        self.is_shut = False

    def close(self):
        self.server.close()
        self.cut()

    def connect(self, *sides):
        return Connection(self, *sides)

    async def _accept(self, reader, writer):
        if self.is_shut:
            return writer.transport.abort()
        try:
            far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self.target)
        except OSError:
            return writer.transport.abort()
        connection = self.connect(writer, far_writer)
        self.connections.add(connection)
        try:
            await asyncio.gather(connection.pump(reader, far_writer), connection.pump(far_reader, writer))
        finally:
            connection.cut()
            self.connections.discard(connection)


class Connection:
    """The two sides of a connection through a proxy."""

    def __init__(self, proxy, *sides):
        self.proxy = proxy
        self.sides = sides
        self.is_dead = False

    def cut(self):
        for side in self.sides:
            side.transport.abort()

    def record(self, chunk, destination):
        """Is called with everything that arrives."""

    async def pump(self, source, destination):
        try:
            while chunk := await source.read(65_536):
                self.record(chunk, destination)
                if self.proxy.delay:
                    await asyncio.sleep(self.proxy.delay)
                if not self.is_dead:
                    destination.write(chunk)
                    await destination.drain()
        except OSError:
            pass  # one side has gone: so does the other
        if not self.is_dead:
            self.cut()
