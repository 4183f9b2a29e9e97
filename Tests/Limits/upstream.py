"""Stands between worker or board and the sandbox, and can answer with bombs, or late."""

import http.server
import itertools
import threading
import urllib.error
import urllib.request
import zlib

import bombs
from harness import PATIENCE


class QuietServer(http.server.ThreadingHTTPServer):
    def handle_error(self, request, client_address):
        pass  # a client that closes its connection in the middle of an answer


class Upstream:
    """`answers` is what it does: `plain`, `images` (bombs for images), `bodies` (bombs for all else) or `hang`."""

    def __init__(self):
        self.answers = "plain"
        self.count = 0
        self.released = threading.Event()

    def __call__(self, sandbox):
        upstream, turn = self, itertools.count()

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                upstream.count += 1
                is_image = any(self.path.startswith(name) for name in ("/posters/", "/thumbnails/", "/openmarket/media/"))
                packed = {}
                if upstream.answers == "hang":
                    upstream.released.wait()
                if upstream.answers == "images" and is_image:
                    # The image of an address stays the same, as the caches expect.
                    status, kind, body = 200, "image/jpeg", bombs.IMAGES[zlib.crc32(self.path.encode()) % len(bombs.IMAGES)]
                elif upstream.answers == "bodies" and not is_image:
                    status, kind, body = 200, "application/json", bombs.BODIES[next(turn) % len(bombs.BODIES)]
                    packed = {"Content-Encoding": "gzip"}
                else:
                    status, kind, body = self.ask()
                self.send_response(status)
                for name, value in ({"Content-Type": kind, "Content-Length": str(len(body))} | packed).items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            def ask(self):
                """Returns the sandbox's answer, with addresses that lead here again."""
                names = {name: self.headers[name] for name in ("Authorization",) if self.headers[name]}
                try:
                    with urllib.request.urlopen(urllib.request.Request(sandbox + self.path, headers=names), timeout=PATIENCE) as answer:
                        status, kind, body = answer.status, answer.headers["Content-Type"] or "", answer.read()
                except urllib.error.HTTPError as error:
                    status, kind, body = error.code, error.headers["Content-Type"] or "", error.read()
                if "json" in kind:
                    body = body.replace(sandbox.encode(), upstream.url.encode())
                    body = body.replace(sandbox.replace("/", "\\/").encode(), upstream.url.encode())
                return status, kind, body

            def log_message(self, *_):
                pass

        server = QuietServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{server.server_port}"
        threading.Thread(target=server.serve_forever, daemon=True).start()
        return self.url
