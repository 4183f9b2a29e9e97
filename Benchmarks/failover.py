"""Three workers on PostgreSQL with a synchronous standby, and clients that ask all the time: what ends, and who notices.

First the primary is killed, and the standby promoted after a while; then a worker is killed while commands wait for it.
"""
import collections, concurrent.futures, datetime, itertools, json, threading, time, uuid
from bench import FOLDER, ROUNDS, judge, request_day, settings, start, start_workers, stop
from client import Client
from postgresql import PostgreSQLServer, address
from waiting import eventually
import zmq

WORKERS, CLIENTS = 3, 6
OUTAGE = 5  # seconds until somebody promotes the standby
COMMANDS, PAUSE = 30, 0.1  # half of them before a worker is killed, half after
DATE = "2024-06-04"
LATENCY = 1_000  # of the upstream, so that requests wait


class Reader(threading.Thread):
    """Asks for a day of the log again and again; asks another worker what one does not answer within a second."""

    def __init__(self, values):
        super().__init__(daemon=True)
        self.values, self.ends = collections.deque(values), False
        self.accepted, self.errors = {}, 0  # when each id was; answers that are not to be tried again

    def run(self):
        socket = self.connect()
        while not self.ends:
            id = str(uuid.uuid4())
            while id not in self.accepted and not self.ends:
                socket.send_multipart([b"fetch.day", json.dumps({"date": DATE, "id": id}).encode()])
                if not socket.poll(1_000):
                    socket.close()
                    self.values.rotate(-1)
                    socket = self.connect()
                    continue
                word, body = socket.recv_multipart()
                answer = json.loads(body)
                if word == b"accepted":
                    self.accepted[answer["id"]] = time.perf_counter()
                else:
                    self.errors += not answer["retryable"]
                    time.sleep(0.02)
            time.sleep(0.005)
        socket.close()

    def connect(self):
        return Client(self.values[0]).open(zmq.DEALER, "commands")

    def since(self, moment):
        """Returns when it got receipts after a moment."""
        return [when for when in list(self.accepted.values()) if when > moment]


def command(values, index):
    """Requests a day that is not in the log. Returns the exit status, and when there was an outcome."""
    hosts = ",".join(f"127.0.0.{number + 1}" for number in range(WORKERS))
    date = datetime.date(2023, 1, 1) + datetime.timedelta(days=index)
    return request_day(values | {"MARQUEE_WORKERS": hosts}, date.isoformat()), time.perf_counter()


def run(number):
    """Returns the figures of a round, by their names."""
    primary = PostgreSQLServer(FOLDER / f"primary-{number}")
    standby = PostgreSQLServer(FOLDER / f"standby-{number}", primary)
    values = settings(f"failover-{number}", ready["address"], MARQUEE_DATABASE=address(primary, standby),
                      MARQUEE_CALLS_AT_ONCE=str(COMMANDS))
    workers = start_workers(WORKERS, values)
    assert request_day(values, DATE) == 0
    each = [own for _, own in workers]
    clients = [Reader(each[first % WORKERS:] + each[:first % WORKERS]) for first in range(CLIENTS)]
    for client in clients:
        client.start()
    time.sleep(2)

    primary.kill()
    time.sleep(OUTAGE)
    promoted = time.perf_counter()
    standby.promote()
    # Its own time to become a primary is PostgreSQL's.
    eventually(lambda: standby.query("select pg_is_in_recovery()") == "f", "the standby is a primary")
    is_primary = time.perf_counter()
    first = eventually(lambda: min(sum((client.since(promoted) for client in clients), []), default=None), "a receipt")
    time.sleep(2)

    with concurrent.futures.ThreadPoolExecutor(COMMANDS) as pool:
        commands = []
        for index in range(COMMANDS):
            if index == COMMANDS // 2:
                others = [client for client in clients if client.values[0] is not each[0]]
                workers[0][0].kill()
                killed = time.perf_counter()
            commands.append(pool.submit(command, values, index))
            time.sleep(PAUSE)
        outcomes = [command.result() for command in commands]
    for client in clients:
        client.ends = True
        client.join()

    accepted = {id for client in clients for id in client.accepted}
    eventually(lambda: standby.query("select count(*) from worker.inbox where state = 0") == "0", "all requests have ended")
    ends = collections.Counter(standby.query("select topic from worker.event where topic like 'request.done.%'").split())
    stop(*(worker for worker, _ in workers[1:]))
    standby.stop()
    return {
        "promotion": max(0, first - is_primary),
        "accepted": len(accepted),
        "lost": len(accepted - {topic.removeprefix("request.done.") for topic in ends}),
        "doubled": sum(count > 1 for count in ends.values()),
        "errors": sum(status != 0 for status, _ in outcomes) + sum(client.errors for client in clients),
        "outcome": max(moment for _, moment in outcomes) - killed,
        "others": max(later - earlier for client in others
                      for earlier, later in itertools.pairwise([killed, *client.since(killed)])),
    }


sandbox, ready = start("sandbox", settings("sandbox"), ["--fault", f"kobis.latency={LATENCY}"])
rounds = [run(number) for number in range(ROUNDS)]
worst = {name: max(figures[name] for figures in rounds) for name in rounds[0]}
print(f"{sum(figures['accepted'] for figures in rounds):,} requests were accepted in {ROUNDS} rounds")
judge("from the promotion to the first receipt, longest", worst["promotion"], "≤", 2, "s")
judge("accepted requests that are lost or ended twice", sum(f["lost"] + f["doubled"] for f in rounds), "≤", 0)
judge("errors that clients see, with a worker killed", sum(f["errors"] for f in rounds), "≤", 0)
judge("from that to the last outcome, longest", worst["outcome"], "≤", 20, "s")
judge("to a receipt of another worker meanwhile, longest", worst["others"], "≤", 1, "s")
stop(sandbox)
