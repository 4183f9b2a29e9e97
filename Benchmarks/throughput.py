"""Plain C, marquee and Python send and receive in turn over TCP on this machine; ratios are to C on both ends."""
import itertools, os, socket, statistics, subprocess, sys

MARQUEE, PEER = sys.argv[1], sys.argv[2]
SENDERS = {"C": [PEER], "marquee": [MARQUEE], "Python": ["/usr/bin/python3", "Benchmarks/peer.py"]}
PAIRS = [("C", "C"), ("C", "marquee"), ("marquee", "C"), ("marquee", "marquee"), ("C", "Python"), ("Python", "C")]
ROUNDS = 5


def free_address():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"tcp://127.0.0.1:{probe.getsockname()[1]}"


def measure(sender, receiver, count, size):
    address = free_address()
    publish = subprocess.Popen([*SENDERS[sender], "publish", address, str(count), str(size)], stdout=subprocess.DEVNULL)
    try:
        rate = subprocess.check_output([*SENDERS[receiver], "subscribe", address, str(count)], text=True, timeout=120)
    except subprocess.TimeoutExpired:
        sys.exit(f"{sender} to {receiver}, {size} B: not all {count} messages arrived")
    finally:
        publish.kill()
    return float(rate)


print(f"{'messages a second, median of ' + str(ROUNDS) + ' (of C to C)':44} {'200 B':>20} {'2 kB':>20}")
rates = {}
sizes = {200: 400_000, 2000: 150_000}
for _, size, pair in itertools.product(range(ROUNDS), sizes, PAIRS):
    rates.setdefault((pair, size), []).append(measure(*pair, sizes[size], size))
for pair in PAIRS:
    row = f"{pair[0] + ' sends, ' + pair[1] + ' receives':44}"
    for size in sizes:
        rate = statistics.median(rates[pair, size])
        row += f"{rate:13,.0f} ({rate / statistics.median(rates[('C', 'C'), size]):.2f})"
    print(row)
