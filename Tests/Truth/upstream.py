"""Plays the recorded pages of Kakao's image search and of the Open Market, which the sandbox does not.

Each search gets a page of recorded hits with one whose picture can be fetched, at one of the first three places; which hit
that is goes round, so that every recorded hit is a movie's poster once there are enough movies. The page that shows the
picture has the query as its title; all other pages are gone.
"""

import functools
import hashlib
import html
import http.server
import json
import struct
import threading
import urllib.parse
import zlib

from mapping import parse


class Picture:
    """A PNG of one colour; each number makes another one."""

    def __init__(self, number):
        self.width = 20 + number % 50
        self.height = self.width * 7 // 5
        row = b"\0" + bytes([number % 256, number // 256, 7]) * self.width
        head = struct.pack(">IIBBBBB", self.width, self.height, 8, 2, 0, 0, 0)
        self.bytes = b"\x89PNG\r\n\x1a\n" + b"".join(
            struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
            for kind, body in ((b"IHDR", head), (b"IDAT", zlib.compress(row * self.height)), (b"IEND", b"")))
        self.sha256 = hashlib.sha256(self.bytes).hexdigest()


class Upstream:
    """The server. `searches` holds for each query the hit that has a picture, and the picture; None twice for no hit."""

    def __init__(self, recordings):
        self.pages = [parse((recordings / "kakao/image" / f"{name}.json").read_text())
                      for name in ("movie-poster-80", "last-page-28", "page-of-30", "page-of-3")]
        self.empty = parse((recordings / "kakao/image/empty.json").read_text())
        self.searches, self.pictures, self.titles, self.market, self.lock = {}, {}, {}, {}, threading.Lock()
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, self))
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def search(self, query):
        """Returns the page for a query, the same each time."""
        with self.lock:
            number = len(self.searches)
            hits = [(page, place) for page in self.pages for place in range(len(page["documents"]))]
            # One search in twenty finds nothing.
            if number % 20 == 19:
                self.searches.setdefault(query, (None, None, self.empty))
            elif query not in self.searches:
                page, place = hits[(number - number // 20) % len(hits)]
                first = max(0, place - number % 3)
                documents = [
                    document | {
                        "image_url": f"{self.url}/picture/{number}-{at}", "thumbnail_url": f"{self.url}/small/{number}-{at}",
                        "doc_url": f"{self.url}/page/{number}-{at}"}
                    for at, document in enumerate(page["documents"][first:])]
                chosen = documents[place - first]
                picture = self.pictures[f"/picture/{number}-{place - first}"] = Picture(number)
                self.titles[f"/page/{number}-{place - first}"] = query
                # Of the form of a poster, and not older than the movie.
                chosen |= {"width": picture.width, "height": picture.height, "datetime": "2026-01-01T00:00:00.000+09:00"}
                self.searches[query] = chosen, picture, page | {"documents": documents}
            return self.searches[query][2]

    def close(self):
        self.server.shutdown()


class Handler(http.server.BaseHTTPRequestHandler):
    """Answers one request."""

    protocol_version = "HTTP/1.1"

    def __init__(self, upstream, *arguments):
        self.upstream = upstream
        super().__init__(*arguments)

    def do_GET(self):
        path, _, query = self.path.partition("?")
        if path == "/v2/search/image":
            page = self.upstream.search(urllib.parse.parse_qs(query)["query"][0])
            self.answer(200, "application/json", json.dumps(page, default=float).encode())
        elif path in self.upstream.pictures:
            self.answer(200, "image/png", self.upstream.pictures[path].bytes)
        elif path in self.upstream.titles:
            title = html.escape(self.upstream.titles[path])
            self.answer(200, "text/html; charset=utf-8", f"<html><head><title>{title}</title></head></html>".encode())
        elif self.path in self.upstream.market:
            self.answer(200, "application/json", self.upstream.market[self.path])
        else:
            self.answer(404, "text/plain", self.path.encode())

    def answer(self, status, kind, body):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        """Prints nothing."""
