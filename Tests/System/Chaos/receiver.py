"""The receiver of the notifier's webhook: accepts some letters, rejects others, and records both."""

import base64
import collections
import hashlib
import hmac
import itertools

from server import Server

SECRET = "chaos-of-one-s-own"
REJECTED, UNANSWERED = 0.06, 0.12  # below which of the random numbers


class Receiver(Server):
    """A webhook.

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
        super().__init__()

    def answer(self, request):
        key, body = request.headers["webhook-id"], request.body
        self.attempts += 1
        if not is_genuine(request.headers, body):
            self.problems.append(f"the letter {key} has a wrong signature")
        chance = next(self.chances) if self.is_flaky and key not in self.bodies else 1
        if self.bodies.setdefault(key, body) != body:
            self.problems.append(f"the letter {key} came twice with different bodies")
        if chance < REJECTED:
            self.rejected += 1
            return 503, {}, b""
        self.accepted[key] += 1
        if chance < UNANSWERED:  # the notifier cannot know that it was accepted
            self.unanswered += 1
            return None
        return 204, {}, b""


def is_genuine(headers, body):
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    code = base64.b64encode(hmac.digest(SECRET.encode(), signed, hashlib.sha256)).decode()
    return hmac.compare_digest(f"v1,{code}", headers["webhook-signature"])
