"""Plays the recorded pages of Kakao's image search and of the Open Market, which the sandbox does not.

Each search gets a page of recorded hits with one whose picture can be fetched, at one of the first three places; which hit
that is goes round, so that every recorded hit is a movie's poster once there are enough movies.
"""

import hashlib
import json
import threading
import urllib.parse

from mapping import parse
from png import png
from server import Server


class Picture:
    """A PNG of one colour; each number makes another one."""

    def __init__(self, number):
        self.width = 20 + number % 50
        self.height = self.width * 7 // 5
        row = b"\0" + bytes([number % 256, number // 256, 7]) * self.width
        self.bytes = png(self.width, self.height, row * self.height)
        self.sha256 = hashlib.sha256(self.bytes).hexdigest()


class Upstream(Server):
    """The server. `searches` holds for each query the hit that has a picture, its number, and the picture; None for no hit."""

    def __init__(self, recordings):
        self.pages = [parse((recordings / "kakao/image" / f"{name}.json").read_text())
                      for name in ("movie-poster-80", "last-page-28", "page-of-30", "page-of-3")]
        self.empty = parse((recordings / "kakao/image/empty.json").read_text())
        self.searches, self.pictures, self.market, self.lock = {}, {}, {}, threading.Lock()
        super().__init__()

    def search(self, query):
        """Returns the page for a query, the same each time."""
        with self.lock:
            number = len(self.searches)
            hits = [(page, place) for page in self.pages for place in range(len(page["documents"]))]
            # One search in twenty finds nothing.
            if number % 20 == 19:
                self.searches.setdefault(query, (None, None, None, self.empty))
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
                chosen |= {"width": picture.width, "height": picture.height}
                self.searches[query] = chosen, place - first + 1, picture, page | {"documents": documents}
            return self.searches[query][3]

    def answer(self, request):
        path, _, query = request.path.partition("?")
        status, kind = 200, "application/json"
        if path == "/v2/search/image":
            body = json.dumps(self.search(urllib.parse.parse_qs(query)["query"][0]), default=float).encode()
        elif path in self.pictures:
            kind, body = "image/png", self.pictures[path].bytes
        elif request.path in self.market:
            body = self.market[request.path]
        else:
            status, kind, body = 404, "text/plain", request.path.encode()
        return status, {"Content-Type": kind}, body
