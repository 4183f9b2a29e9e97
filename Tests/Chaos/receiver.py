"""The receiver of the notifier's webhook: accepts some letters, rejects others, and records both."""

import base64
import collections
import hashlib
import hmac
import http.server
import itertools
import threading

SECRET = "chaos-of-one-s-own"
REJECTED, UNANSWERED = 0.06, 0.12  # below which of the random numbers


class Receiver:
    """A webhook on its own port.

    `is_flaky` makes it reject some letters, beginning with the first, and close some connections without a response,
    beginning with the second; never twice for a letter, because the notifier's pauses double.
    """

    def __init__(self, rng, is_flaky):
        self.chances = itertools.chain([REJECTED / 2, (REJECTED + UNANSWERED) / 2], iter(rng.random, None))
        self.is_flaky = is_flaky
        self.bodies = {}  # key: the body that came first with it
        self.accepted = collections.Counter()  # by key, how often
        self.rejected = self.unanswered = 0
        self.attempts = 0
        self.problems = []
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                receiver.take(self)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.server.handle_error = lambda *_: None  # the notifier was killed
        self.url = f"http://127.0.0.1:{self.server.server_port}/alerts"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def take(self, handler):
        body = handler.rfile.read(int(handler.headers["Content-Length"]))
        key = handler.headers["webhook-id"]
        self.attempts += 1
        if not is_genuine(handler.headers, body):
            self.problems.append(f"the letter {key} has a wrong signature")
        chance = next(self.chances) if self.is_flaky and key not in self.bodies else 1
        if self.bodies.setdefault(key, body) != body:
            self.problems.append(f"the letter {key} came twice with different bodies")
        if chance < REJECTED:
            self.rejected += 1
            return self.answer(handler, 503)
        self.accepted[key] += 1
        if chance < UNANSWERED:  # the notifier cannot know that it was accepted
            self.unanswered += 1
            handler.close_connection = True
            return handler.connection.close()
        self.answer(handler, 204)

    def answer(self, handler, status):
        handler.send_response(status)
        handler.send_header("Content-Length", "0")
        handler.end_headers()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


def is_genuine(headers, body):
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    code = base64.b64encode(hmac.digest(SECRET.encode(), signed, hashlib.sha256)).decode()
    return hmac.compare_digest(f"v1,{code}", headers["webhook-signature"])
