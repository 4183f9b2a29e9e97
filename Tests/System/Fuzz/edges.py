"""Values, lengths and texts at the edges, which mutations of bytes reach by chance alone."""

import json
import re
import time
import urllib.parse

import zmq
import zmtp
from waiting import PATIENCE, Failure, eventually

QUIET_TIME = 31  # seconds without a connection, one more than a server gives a silent client
# Around the bounds of the machine's numbers, of the domain's, and of a calendar.
NUMBERS = sorted({
    bound + step for step in (-1, 0, 1)
    for bound in [0, 2**15, 2**31, 2**32, 2**53, 2**63, 2**64, -2**31, -2**63, 10**4, 10**9, 10**12, 1_880, 2_200, 9_999]})
EXTREMES = [2**63 - 1, -(2**63)]  # of the numbers that a process counts with
# Around the bounds of docs/operations/limits.md and the sizes at which buffers grow, in bytes or in parts.
LENGTHS = [1, 16, 20, 64, 100, 128, 160, 200, 255, 300, 500, 1_000, 1_024, 5_000, 16 << 10, 64 << 10, 1 << 20, 8 << 20,
           16 << 20]
GRAPHEMES = [60, 120, 600, 2_000, 14 << 10, 60_000, 500_000, 15 << 20]  # bytes of combining marks on one letter
SETTINGS = ["KOBIS_DAILY_LIMIT", "KAKAO_DAILY_LIMIT", "QUOTA_RESERVE", "CALLS_AT_ONCE", "CLIENT_RATE", "CLIENT_QUEUE",
            "CLIENT_DAILY_MB", "DISK_RESERVE_MB", "REQUEST_DAYS", "HISTORY_DAYS", "MEMORY"]
NUMERIC = re.compile(r"-?\d+(\.\d+)?")


def number(rng):
    """Returns a number at an edge."""
    return rng.choice(rng.choice([EXTREMES, NUMBERS]))


def edge_numbers(text, rng, most=0):
    """Returns a text with a number at an edge: of JSON those of one field, in one object or in all."""
    value, fields = parse(text, is_number)
    if not fields:
        return edge_digits(text, rng)
    name, edge = rng.choice(fields)[1], number(rng)
    chosen = [place for place in fields if place[1] == name]
    for holder, key in chosen if rng.random() < 0.5 else [rng.choice(chosen)]:
        holder[key] = str(edge) if isinstance(holder[key], str) else edge
    return json.dumps(value, ensure_ascii=False).encode()


def edge_digits(text, rng):
    """Returns bytes with one of the numbers in them, or each, at an edge."""
    found = list(re.finditer(rb"\d+", text))
    if not found:
        return text
    edge = str(number(rng)).encode()
    if rng.random() < 0.2:
        return re.sub(rb"\d+", edge, text)
    match = rng.choice(found)
    return text[:match.start()] + edge + text[match.end():]


def edge_lengths(text, rng, most=16 << 20):
    """Returns a text as long as a bound, or of JSON with a text or a list that is; one below, at, or above."""
    length = rng.choice([most, rng.choice([bound for bound in LENGTHS if bound < most])]) + rng.choice([-1, 0, 1])
    value, parts = parse(text, lambda part: isinstance(part, (str, list)))
    if parts and rng.random() < 0.8:
        holder, key = rng.choice(parts)
        part = holder[key]
        if isinstance(part, list):
            length = min(length, 5_001)
            holder[key] = (part * (length // len(part) + 1))[:length] if part else [1] * length
        else:
            holder[key] = (part + rng.choice("x가 ") * length).encode()[:length].decode(errors="ignore")
        text = json.dumps(value, ensure_ascii=False).encode()
        return text if len(text) <= most + 1 else text[:most]
    # Blanks after JSON leave it valid.
    return (text + rng.choice([b" ", b"x"]) * length)[:length]


def graphemes(text, rng, most=16 << 20):
    """Returns one letter with many combining marks, alone, after a text, or in place of a text of JSON."""
    mark = rng.choice(["\u0301", "\u20dd", "\u200d"])
    grapheme = "e" + mark * (rng.choice([size for size in GRAPHEMES if size < most]) // len(mark.encode()))
    value, parts = parse(text, lambda part: isinstance(part, str))
    if not parts:
        return rng.choice([b"", text + b" ", text]) + grapheme.encode()
    holder, key = rng.choice(parts)
    holder[key] = rng.choice(["", holder[key]]) + grapheme
    return json.dumps(value, ensure_ascii=False).encode()


def parse(text, holds):
    """Returns a JSON value, and container and key of each part for which a condition holds; of other texts none."""
    try:
        value = json.loads(text)
    except ValueError:
        return None, []
    return value, [place for place in places(value) if holds(place[0][place[1]])]


def places(value):
    """Yields container and key of each part of a JSON value."""
    for key in list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else []:
        yield value, key
        yield from places(value[key])


def is_number(value):
    return isinstance(value, (int, float)) or isinstance(value, str) and NUMERIC.fullmatch(value) is not None


def edge_frames(seeds, rng, change, most):
    """Returns a seed's frames, one of them changed, or with as many frames as a bound allows."""
    message = list(rng.choice(seeds))
    if change is edge_lengths and rng.random() < 0.2:
        return message + [rng.choice([b"", b"x"])] * max(0, rng.choice([5, 64, 200]) + rng.choice([-1, 0, 1]) - len(message))
    place = rng.randrange(len(message))
    message[place] = change(message[place], rng, most)
    return message


def edge_request(request, rng, change):
    """Returns an HTTP request with its target, its head or its body changed."""
    first, _, rest = request.partition(b"\r\n")
    words = first.split(b" ")
    if change is edge_numbers:
        return edge_digits(request, rng)
    if rng.random() < 0.5 and len(words) > 1:
        separator = b"" if b"?" in words[1] else b"?rule="
        words[1] += separator + urllib.parse.quote(change(b"", rng, most=20 << 10)).encode()
        return b" ".join(words) + b"\r\n" + rest
    return first + b"\r\nX-Edge: " + change(b"", rng, most=20 << 10).replace(b"\n", b"") + b"\r\n" + rest


def own_ids(harness, rng, until):
    """Requests under ids as the worker itself makes them; none may be accepted."""
    sent = 0
    while time.monotonic() < until:
        day = f"2024-06-{rng.randrange(1, 30):02}"
        own = rng.choice(["schedule.", "schedule.day.", "backfill.1.", "backfill."]) + day
        word, answer = harness.client.ask(b"fetch.day", {"id": own, "date": day})
        if word != b"refused":
            raise Failure(f"a client has taken an id of the worker's own, {own}: {word} {answer}")
        sent += 1
    return sent


def settings(harness, rng, until):
    """Starts a worker with a setting at an edge: it must refuse the setting, or run and answer a request."""
    worker, starts = harness.processes["worker"], 0
    while starts == 0 or time.monotonic() < until:
        name, edge = f"MARQUEE_{rng.choice(SETTINGS)}", str(number(rng))
        worker.environment[name] = edge
        try:
            worker.start()
            eventually(lambda: not worker.is_running or worker.is_ready(), "the worker is ready or has ended")
            if worker.is_running:
                word, body = harness.client.ask(b"fetch.day", {"date": f"2024-06-{rng.randrange(1, 30):02}"})
                if word == b"accepted":
                    harness.client.ended(json.loads(body)["id"])
                harness.client.ask(b"status", {})
                worker.stop()
            elif worker.child.returncode < 0:
                worker.check_runs()
        except Failure as failure:
            raise Failure(f"{name}={edge}: {failure}; the worker: {worker.child.poll()}") from None
        del worker.environment[name]
        starts += 1
    return starts


def quiet(harness, rng, until):
    """Connects after a time without any connection: the first clients must be answered, and stay connected."""
    harness.start("worker")
    rounds = 0
    while rounds == 0 or time.monotonic() < until:
        time.sleep(QUIET_TIME)
        for name, kind, frames in [("commands", b"DEALER", [b"status", b"{}"]), ("events", b"SUB", [b"\1heartbeat."])]:
            try:
                with zmtp.ZMTPClient(harness.address(name), timeout=PATIENCE) as client:
                    client.handshake(kind)
                    for _ in range(3):
                        client.send(*frames)
                        client.receive()
                        time.sleep(1)
            except (OSError, zmtp.HandshakeError) as error:
                raise Failure(f"the first client of {name} after a quiet time was cut off: {error}") from None
        rounds += 1
    harness.stop("worker")
    return rounds


def read_back(harness, rng):
    """Reads some of what is stored with the pages and commands that count with it."""
    topics = harness.rows("worker.db", "select distinct topic from event where stream in ('ranking', 'movie') order by topic")
    for (topic,) in rng.sample(topics, min(5, len(topics))):
        subject = topic.rsplit(".", 1)[1]
        paths = [f"movies/{subject}"] if topic.startswith("movie.") else [
            f"days/{subject}", f"history?from={subject}&to=2023-12-31", f"history.csv?from=2010-01-01&to={subject}"]
        for path in paths:
            def answer():
                status, _, body = harness.fetch("board", f"/api/v1/{path}")
                if status == 500:
                    raise Failure(f"the board answers {path} with {body[:300]!r}")
                return status != 503
            eventually(answer, f"the board answers {path}")
        words = ["history", "movie" if topic.startswith("movie.") else "day", subject]
        run(harness, *words)
    run(harness, "replay", "--dry-run")


def run(harness, *words):
    """Runs a command, which must not end by a signal."""
    status, printed = harness.marquee(*words)
    if status < 0:
        raise Failure(f"marquee {' '.join(words)} ended with {status}: {printed[-500:]}")


def compare_cost(harness):
    """Sends names of letters and of one letter with combining marks; the second must not cost many times as much."""
    def cost(name):
        before = harness.processes["worker"].processor_time()
        with harness.client.open(zmq.DEALER, "commands") as client:
            for _ in range(4):
                client.send_multipart([name, b"{}"])
                client.poll(1000 * PATIENCE)
        return harness.processes["worker"].processor_time() - before
    letters, marks = cost(b"x" * (15 << 20)), cost(b"x" + "\u0301".encode() * (15 << 19))
    # Both are copied as often; a second is more than everything else that the worker does meanwhile.
    if marks > 10 * letters + 1:
        raise Failure(f"names of 15 MB cost {letters:.1f} s of letters, and {marks:.1f} s of combining marks")
