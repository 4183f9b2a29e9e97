"""Clients that send requests continuously, record the answers, and retry without an answer."""

import asyncio
import base64
import collections
import datetime
import json

import zmq
import zmq.asyncio

from waiting import PATIENCE, Wait

ANSWER_TIME = 1.5  # and twice as long for each further try, up to LONGEST
LONGEST = 24
PRODUCT_NAME = "혼돈 {}"
# A picture of one grey pixel.
IMAGE = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAADUlEQVR4AQECAP3/AIAAggCBw24l4AAAAABJRU5ErkJggg==")


class Requests:
    """A seeded stream of requests of all kinds, and a record of their results."""

    def __init__(self, rng, films, first_day, recent_days):
        self.rng = rng
        self.films = films
        self.day = first_day
        self.recent_days = recent_days
        self.number = 0
        self.products = []  # those that this stream registered, as far as their events have arrived
        self.sent = {}  # id: (topic, body and images), for every good request
        self.receipted = set()
        self.published = set()  # sent without a receipt
        self.hopeless = set()  # published, and such that they can only fail
        self.repeated = self.conflicts = self.unanswered = 0
        self.postponed = collections.Counter()  # by the code of the error
        self.problems = []

    def next_id(self):
        self.number += 1
        return f"r{self.number}"

    def good(self, recent=True):
        """Returns the id, topic and frames of a new valid request."""
        rng = self.rng
        request = {"id": self.next_id()}
        images = []
        kind = rng.random()
        if recent and rng.random() < 0.12:
            topic = self.order(request, images)
        elif kind < 0.2:
            self.day += datetime.timedelta(days=1)
            topic, request["date"] = "fetch.day", f"{self.day}"
        elif kind < 0.5:
            topic, request["date"] = "fetch.day", f"{self.day - datetime.timedelta(days=rng.randrange(12))}"
            request["refresh"] = rng.random() < 0.8
        elif recent and kind < 0.6:
            # Of one nation only: were they national, no older day would fire an alert any more.
            topic, request["date"] = "fetch.day", f"{rng.choice(self.recent_days)}"
            request["nation"], request["refresh"] = "K", True
        elif kind < 0.66:
            topic, request["date"] = "fetch.day", f"{self.day - datetime.timedelta(days=rng.randrange(30))}"
            request["nation"] = rng.choice("KF")
        elif kind < 0.7:
            topic, request["date"] = "fetch.week", f"{self.day - datetime.timedelta(days=rng.randrange(7, 60))}"
            request["span"], request["refresh"] = rng.choice(["week", "weekend", "weekdays"]), rng.random() < 0.5
        else:
            topic, request["code"] = "fetch.movie", rng.choice(self.films + ["19000000"])
            request["poster"] = rng.random() < 0.4
            request["refresh"] = rng.random() < 0.2
        if rng.random() < 0.2 and topic.startswith("fetch."):
            request["priority"] = "backfill"
        frames = json.dumps(request).encode(), *images
        self.sent[request["id"]] = topic, frames
        return request["id"], topic, frames

    def order(self, request, images):
        """Makes a request to the shop of it, and returns the topic. Every product has a name of its own."""
        choice = self.rng.random()
        if choice < 0.2:
            request["page"] = 1
            return "fetch.products"
        if choice < 0.7 or not self.products:
            request |= {
                "name": PRODUCT_NAME.format(request["id"]), "description": "따뜻하고 가벼운 외투입니다", "price": 15_000,
                "stock": 3}
            images += [IMAGE] * self.rng.randint(1, 2)
            return "product.register"
        if choice < 0.85:
            request |= {"product": self.rng.choice(self.products), "stock": self.rng.randrange(100)}
            return "product.modify"
        request["product"] = self.products.pop(self.rng.randrange(len(self.products)))
        return "product.remove"


class Requester:
    """A client of ROUTER endpoints that sends one request at a time and retries it, anywhere, until it has an answer."""

    def __init__(self, context, addresses, requests):
        self.context = context
        self.addresses = addresses
        self.requests = requests
        self.socket = None
        self.is_asked_to_stop = False

    def connect(self):
        if self.socket:
            self.socket.close(linger=0)
        self.socket = self.context.socket(zmq.DEALER)
        self.socket.setsockopt(zmq.RECONNECT_IVL, 50)
        self.socket.connect(self.requests.rng.choice(self.addresses))

    async def run(self, pause):
        """Sends requests until it is stopped; a request that was started is finished."""
        requests, rng = self.requests, self.requests.rng
        self.connect()
        while not self.is_asked_to_stop:
            await asyncio.sleep(rng.uniform(0, pause))
            if len(self.addresses) > 1:
                self.connect()
            choice = rng.random()
            if choice < 0.1 and requests.receipted | requests.published:
                id = rng.choice(sorted(requests.receipted | requests.published))
                requests.repeated += 1
                await self.expect("accepted", id, *requests.sent[id])
            elif choice < 0.16 and requests.receipted:
                id = rng.choice(sorted(requests.receipted))
                requests.conflicts += 1
                body = json.dumps({"id": id, "code": "19999999"}).encode()
                await self.expect("conflict", id, "fetch.movie", [body])
            elif choice < 0.2:
                id = requests.next_id()
                body = {"id": id, "date": rng.choice(["1999-01-01", "2999-01-01"])}
                await self.expect("dateOutOfRange", id, "fetch.day", [json.dumps(body).encode()])
            else:
                await self.expect("accepted", *requests.good())
        self.socket.close(linger=0)

    async def expect(self, expected, id, topic, frames):
        """Sends a request until it is answered, and records an unexpected answer."""
        seconds = ANSWER_TIME
        while True:
            answer = await self.ask(topic, frames, seconds)
            if answer is None:
                seconds = min(2 * seconds, LONGEST)
                self.requests.unanswered += 1
                self.connect()  # an answer that comes late must not be taken for the next one's
                continue
            word, value = answer
            told = word if word == "accepted" else value["code"]
            if told in ("overloaded", "internal") or (told == "dateOutOfRange" and expected == "accepted"):
                # The disk is full, or the clock is behind: the contract says to come again.
                self.requests.postponed[told] += 1
                await asyncio.sleep(0.3)
                self.connect()
                continue
            if told != expected or (word == "accepted" and value["id"] != id):
                self.requests.problems.append(f"{topic} {frames[0]} was answered {word} {value}, not {expected}")
            elif told == "accepted":
                self.requests.receipted.add(id)
            return

    async def ask(self, topic, frames, seconds):
        await self.socket.send_multipart([topic.encode(), *frames])
        if not await self.socket.poll(seconds * 1000):
            return None
        word, value = await self.socket.recv_multipart()
        return word.decode(), json.loads(value)


class Announcer:
    """A client that publishes requests and gets no answers; some requests always fail."""

    def __init__(self, context, addresses, requests, has_come):
        self.requests, self.has_come = requests, has_come
        self.socket = context.socket(zmq.PUB)
        for address in addresses:
            self.socket.connect(address)
        self.is_asked_to_stop = False

    async def run(self, pause):
        requests, rng = self.requests, self.requests.rng
        while not self.is_asked_to_stop:
            await asyncio.sleep(rng.uniform(0, 4 * pause))
            if rng.random() < 0.8:
                id, topic, frames = requests.good(recent=False)
                requests.published.add(id)
            else:
                _, topic, frames = self.hopeless()
            for _ in range(rng.choice([1, 1, 2])):
                await self.socket.send_multipart([topic.encode(), *frames])
        # One more behind all others, again and again until it has come: then none of them is still on its way. The worker
        # writes those that fail at once behind the good ones that it receives together with them.
        id, topic, frames = self.hopeless()
        wait = Wait("the last request without a receipt has come", PATIENCE)
        while not wait.look(lambda: self.has_come(id)):
            await self.socket.send_multipart([topic.encode(), *frames])
            await asyncio.sleep(0.1)
        self.socket.close(linger=0)

    def hopeless(self):
        """Returns the id, topic and frames of a new request that always fails."""
        id = self.requests.next_id()
        self.requests.hopeless.add(id)
        return id, "fetch.day", [json.dumps({"id": id, "date": "1999-01-01"}).encode()]
