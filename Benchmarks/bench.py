"""The parts that all rows share: rounds, medians, ratios and their goals, and the measured processes."""
import json, math, os, pathlib, signal, statistics, subprocess, sys, time

sys.path.insert(0, "Tests/Harness")
from ports import reserve_port
from process import Process, memory
from suite import WITH_SUITE

MARQUEE = ".build/release/marquee"
THROUGHPUT = ".build/release/Throughput"
PEERS = "Benchmarks/peers"
PYTHON = [sys.executable, "-B"]
FOLDER = pathlib.Path(os.environ["BENCH_FOLDER"])
PEER = str(FOLDER / "peer")
ROUNDS = int(os.environ.get("ROUNDS", 5))
KEY = "0123456789abcdef0123456789abcdef"

if os.nice(0) != 0:
    # libdispatch sets the niceness of each thread that it makes, and Swift's with it: only the peers would be nice.
    sys.exit("run the benchmark without `nice`: only the peers would run at the lower priority")


def rounds(enough, least=ROUNDS):
    """Yields the round numbers: at least ROUNDS, more until the result is clear, at most three times as many."""
    for number in range(3 * least):
        if number >= least and enough():
            return
        yield number


def in_turn(ways, turns=ROUNDS, first=0, enough=lambda figures: True):
    """Measures each variant once a round, in changing order, so that none always follows the same other one.

    Returns the figures of each; runs more rounds if these are not enough."""
    figures = {name: [] for name in ways}
    names = list(ways)
    for number in rounds(lambda: enough(figures), turns):
        number += first
        place = number % len(names)
        order = names[place:] + names[:place]
        for name in reversed(order) if number // len(names) % 2 else order:
            figures[name].append(ways[name]())
    return figures


def ratios(values, others):
    """Returns the sorted ratios of the rounds; each round measured both under the same load."""
    return sorted(value / other for value, other in zip(values, others))


def interval(values, others):
    """Returns the 95 % confidence interval of the median ratio, by a sign test, which assumes no distribution.

    With fewer than six rounds the confidence is lower, and the interval is the whole range."""
    sample = ratios(values, others)
    beyond = 0
    while 40 * sum(math.comb(len(sample), heads) for heads in range(beyond + 2)) <= 2 ** len(sample):
        beyond += 1
    return sample[beyond], sample[-1 - beyond]


def tells(values, *goals):
    """Returns whether the rounds decide for each goal whether the ratio meets it; goals are those of `line`."""
    for _, others, sign, wanted in goals:
        low, high = interval(values, others)
        if sign and low < wanted < high:
            return False
    return True


def miss(text):
    """Records a missed goal; the run ends with the list of them."""
    with open(FOLDER / "missed", "a") as missed:
        missed.write(text + "\n")


def line(name, values, *goals, unit="", digits=0, noisy=False):
    """Prints a row's median and its ratios, with their intervals; a goal is (who, their figures, "≥" or "≤" or "", how much).

    Where less is better, ours does all that the peer does and more: a ratio well below 1 says that the peer was measured
    wrongly, and meets no goal. Nor does any ratio to a `noisy` peer.
    """
    text = f"{name:44} {statistics.median(values):12,.{digits}f} {unit:12}"
    for who, others, sign, wanted in goals:
        is_ratio = statistics.median(ratios(values, others))
        text += f"  {is_ratio:.2f} of {who}"
        if sign:
            text += ", {:.2f} to {:.2f}".format(*interval(values, others))
            is_met = is_ratio >= wanted if sign == "≥" else is_ratio <= wanted
            doubt = "NOT JUDGED, the machine is too busy" if noisy else ""
            if sign == "≤" and is_ratio < 0.9:
                doubt = "NOT BELIEVED"
            verdict = doubt or ("" if is_met else "MISSED")
            text += f" ({sign} {wanted:.2f}{': ' + verdict if verdict else ''})"
            if verdict:
                miss(f"{name}: {is_ratio:.2f} of {who}, wanted {sign} {wanted:.2f}: {verdict}")
    print(text, flush=True)


def judge(name, value, sign, wanted, unit=""):
    """Prints a figure whose goal is a figure, too."""
    figure = f"{value:,}" if isinstance(value, int) else f"{value:,.{2 if value < 100 else 0}f}"
    verdict = "" if (value >= wanted if sign == "≥" else value <= wanted) else ": MISSED"
    print(f"{name:60} {figure:>12} {unit:12}  ({sign} {wanted:,}{verdict})", flush=True)
    if verdict:
        miss(f"{name}: {figure} {unit}, wanted {sign} {wanted:,}")


def free_address():
    return f"tcp://127.0.0.1:{reserve_port()}"


def spawn(command, **settings):
    """A process that ends with this one at the latest."""
    return subprocess.Popen([*WITH_SUITE, *command], **settings)


def start(role, settings, arguments=()):
    """Starts a process of marquee, and returns it with its ready line. Its log is beside its data."""
    log = f"{settings['MARQUEE_DATA']}.{role}.log"
    process = Process(role, [MARQUEE, role, *arguments], {**os.environ, **settings}, log)
    process.start()
    while not process.is_ready():
        time.sleep(0.001)
    lines = process.log(process.began).splitlines()
    return process.child, next(json.loads(text) for text in lines if f"{role} ready" in text)


def start_workers(count, values):
    """Starts workers that share a database, with the same ports of 127.0.0.1, 127.0.0.2 … Returns them and their settings."""
    workers = []
    for number in range(1, count + 1):
        own = {name: value.replace("tcp://127.0.0.1:", f"tcp://127.0.0.{number}:") for name, value in values.items()}
        own["MARQUEE_DATA"] += f"-{number}"
        workers.append((start("worker", own)[0], own))
    return workers


def request_day(values, date):
    """Requests a day from a worker as an operator does. Returns the exit status once it has the outcome."""
    return subprocess.run([*WITH_SUITE, MARQUEE, "request", "day", date], env={**os.environ, **values},
                          stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL).returncode


def stop(*processes):
    for process in processes:
        process.send_signal(signal.SIGTERM)
    for process in processes:
        process.wait()


def settings(name, sandbox=None, **more):
    """Returns the environment of processes in a new folder; with a sandbox, that is their upstream."""
    data = FOLDER / name
    values = {"MARQUEE_LOG_FORMAT": "json", "MARQUEE_DATA": str(data), "MARQUEE_SCHEDULE": "off",
              # All of a benchmark's browsers have one address.
              "MARQUEE_BOARD_CLIENT_LIVE": "4000", "MARQUEE_BOARD_CLIENT_RATE": "10000"}
    for role in "WORKER", "NOTIFIER", "SANDBOX", "BOARD":
        values[f"MARQUEE_{role}_HTTP"] = "127.0.0.1:0"
    for endpoint in "REQUESTS", "COMMANDS", "EVENTS", "ALERTS", "ALERT_COMMANDS":
        values[f"MARQUEE_{endpoint}"] = free_address()
    if sandbox:
        values |= {
            "MARQUEE_KOBIS_URL": f"http://{sandbox}/kobisopenapi/webservice/rest", "MARQUEE_KOBIS_KEY": KEY,
            "MARQUEE_KAKAO_URL": f"http://{sandbox}", "MARQUEE_KAKAO_KEY": KEY, "MARQUEE_PRIVATE_IMAGES": "allow",
            "MARQUEE_KOBIS_DAILY_LIMIT": "100000000", "MARQUEE_KAKAO_DAILY_LIMIT": "100000000"}
    return values | more


def read_charts(reader):
    """Reads all logged charts page by page, like a new subscriber. Returns their number."""
    count, fields, more = 0, {"stream": "ranking", "limit": 500, "after": ""}, True
    while more:
        reader.send_multipart([b"replay", json.dumps(fields).encode()])
        word, header, *frames = reader.recv_multipart()
        assert word == b"events", header
        answer = json.loads(header)
        fields["after"], more = answer["position"], answer["more"]
        count += len(frames) // 2
    return count


def seconds_of(process):
    """Returns the processor time of a process, in seconds."""
    with open(f"/proc/{process.pid}/stat") as stat:
        fields = stat.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def note_memory(row, who, at_rest, highest):
    """Records a figure for the table of memory at the end."""
    with open(FOLDER / "memory", "a") as notes:
        notes.write(f"{row:32} {who:12} {at_rest:8.1f} {highest:8.1f}\n")
