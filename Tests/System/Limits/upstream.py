"""Stands between worker or board and the sandbox, and can answer with bombs, or late."""

import itertools
import threading
import zlib

import bombs
from server import Server, forward


class Upstream(Server):
    """`answers` is what it does: `plain`, `images` (bombs for images), `bodies` (bombs for all else) or `hang`."""

    def __init__(self):
        self.answers, self.sandbox = "plain", None
        self.count, self.turn = 0, itertools.count()
        self.released = threading.Event()
        super().__init__()

    def answer(self, request):
        self.count += 1
        is_image = any(request.path.startswith(name) for name in ("/posters/", "/thumbnails/", "/openmarket/media/"))
        if self.answers == "hang":
            self.released.wait()
        if self.answers == "images" and is_image:
            # The image of an address stays the same, as the caches expect.
            bomb = bombs.IMAGES[zlib.crc32(request.path.encode()) % len(bombs.IMAGES)]
            return 200, {"Content-Type": "image/jpeg"}, bomb
        if self.answers == "bodies" and not is_image:
            body = bombs.BODIES[next(self.turn) % len(bombs.BODIES)]
            return 200, {"Content-Type": "application/json", "Content-Encoding": "gzip"}, body
        status, headers, body = forward(request, self.sandbox)
        if "json" in headers["Content-Type"]:
            # Addresses in it lead here again.
            for old, new in (self.sandbox, self.url), (self.sandbox.replace("/", "\\/"), self.url.replace("/", "\\/")):
                body = body.replace(old.encode(), new.encode())
        return status, headers, body
