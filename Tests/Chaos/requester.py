"""Clients that ask all the time, remember what they were told, and ask again when they hear nothing."""

import asyncio
import datetime
import json

import zmq
import zmq.asyncio

ANSWER_TIME = 1.5


class Requests:
    """A seeded stream of requests of every sort, and the record of what became of them."""

    def __init__(self, dice, films, first_day, recent_days):
        self.dice = dice
        self.films = films
        self.day = first_day
        self.recent_days = recent_days
        self.number = 0
        self.sent = {}  # id: (topic, body), for every good request
        self.receipted = set()
        self.published = set()  # sent without a receipt
        self.hopeless = set()  # published, and such that they can only fail
        self.repeated = self.conflicts = self.refused = self.unanswered = self.postponed = 0
        self.problems = []

    def next_id(self):
        self.number += 1
        return f"r{self.number}"

    def good(self, recent=True):
        """A new request that can be read: its id, topic and body."""
        dice = self.dice
        request = {"id": self.next_id()}
        kind = dice.random()
        if kind < 0.2:
            self.day += datetime.timedelta(days=1)
            topic, request["date"] = "fetch.day", f"{self.day}"
        elif kind < 0.5:
            topic, request["date"] = "fetch.day", f"{self.day - datetime.timedelta(days=dice.randrange(12))}"
            request["refresh"] = dice.random() < 0.8
        elif recent and kind < 0.6:
            # Of one nation only: were they national, no older day would fire an alert any more.
            topic, request["date"] = "fetch.day", f"{dice.choice(self.recent_days)}"
            request["nation"], request["refresh"] = "K", True
        elif kind < 0.7:
            topic, request["date"] = "fetch.day", f"{self.day - datetime.timedelta(days=dice.randrange(30))}"
            request["nation"] = dice.choice("KF")
        else:
            topic, request["code"] = "fetch.movie", dice.choice(self.films + ["19000000"])
            request["poster"] = dice.random() < 0.4
            request["refresh"] = dice.random() < 0.2
        if dice.random() < 0.2:
            request["priority"] = "backfill"
        body = json.dumps(request)
        self.sent[request["id"]] = topic, body
        return request["id"], topic, body


class Requester:
    """One client: asks on the ROUTER endpoint, one request at a time, until it has an answer."""

    def __init__(self, context, address, requests):
        self.context = context
        self.address = address
        self.requests = requests
        self.socket = None
        self.is_asked_to_stop = False

    def connect(self):
        if self.socket:
            self.socket.close(linger=0)
        self.socket = self.context.socket(zmq.DEALER)
        self.socket.setsockopt(zmq.RECONNECT_IVL, 50)
        self.socket.connect(self.address)

    async def run(self, pause):
        """Asks until told to stop; each request that was begun is asked to its end."""
        requests, dice = self.requests, self.requests.dice
        self.connect()
        while not self.is_asked_to_stop:
            await asyncio.sleep(dice.uniform(0, pause))
            choice = dice.random()
            if choice < 0.1 and requests.receipted | requests.published:
                id = dice.choice(sorted(requests.receipted | requests.published))
                requests.repeated += 1
                await self.expect("accepted", id, *requests.sent[id])
            elif choice < 0.16 and requests.receipted:
                id = dice.choice(sorted(requests.receipted))
                requests.conflicts += 1
                await self.expect("conflict", id, "fetch.movie", json.dumps({"id": id, "code": "19999999"}))
            elif choice < 0.2:
                id = requests.next_id()
                body = {"id": id, "date": dice.choice(["1999-01-01", "2999-01-01"])}
                requests.refused += 1
                await self.expect("dateOutOfRange", id, "fetch.day", json.dumps(body))
            else:
                await self.expect("accepted", *requests.good())
        self.socket.close(linger=0)

    async def expect(self, expected, id, topic, body):
        """Sends a request until it is answered, and notes an answer that is not the expected one."""
        while True:
            answer = await self.ask(topic, body)
            if answer is None:
                self.requests.unanswered += 1
                self.connect()  # an answer that comes late must not be taken for the next one's
                continue
            word, value = answer
            told = word if word == "accepted" else value["code"]
            if told in ("overloaded", "internal") or (told == "dateOutOfRange" and expected == "accepted"):
                # The disk is full, or the clock is behind: the contract says to come again.
                self.requests.postponed += 1
                await asyncio.sleep(0.3)
                continue
            if told != expected or (word == "accepted" and value["id"] != id):
                self.requests.problems.append(f"{topic} {body} was answered {word} {value}, not {expected}")
            elif told == "accepted":
                self.requests.receipted.add(id)
            return

    async def ask(self, topic, body):
        await self.socket.send_multipart([topic.encode(), body.encode()])
        if not await self.socket.poll(ANSWER_TIME * 1000):
            return None
        word, value = await self.socket.recv_multipart()
        return word.decode(), json.loads(value)


class Announcer:
    """One client that publishes requests and hears nothing; some of them can only fail."""

    def __init__(self, context, address, requests):
        self.requests = requests
        self.socket = context.socket(zmq.PUB)
        self.socket.connect(address)
        self.is_asked_to_stop = False

    async def run(self, pause):
        requests, dice = self.requests, self.requests.dice
        while not self.is_asked_to_stop:
            await asyncio.sleep(dice.uniform(0, 4 * pause))
            if dice.random() < 0.8:
                id, topic, body = requests.good(recent=False)
                requests.published.add(id)
            else:
                id, topic = requests.next_id(), "fetch.day"
                body = json.dumps({"id": id, "date": "1999-01-01"})
                requests.hopeless.add(id)
            for _ in range(dice.choice([1, 1, 2])):
                await self.socket.send_multipart([topic.encode(), body.encode()])
        self.socket.close(linger=0)
