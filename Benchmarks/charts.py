"""A recorded chart and an event of the log are read by marquee, by Foundation's decoder and by Python in turn.

Python is what runs this file: with orjson if that is installed for it, else with its own json; which, is printed.
"""
import datetime, pathlib, statistics, subprocess, sys, time
try:
    import orjson as reader
except ImportError:
    import json as reader

THROUGHPUT, FOLDER = sys.argv[1], sys.argv[2]
RECORDING = pathlib.Path("../shared/data/kobis/daily/20240604.json")
ROUNDS, COUNT = 9, 2_000


def whole(text):
    text = text.strip()
    return int(text) if text and text != "-" else None


def percent(text):
    text = text.strip()
    return float(text) if text and text != "-" else None


def day(text):
    text = text.strip()
    return datetime.date.fromisoformat(text) if text else None


def entry(line):
    return {
        "line": whole(line["rnum"]), "rank": whole(line["rank"]), "rankChange": whole(line["rankInten"]),
        "isNew": line["rankOldAndNew"] == "NEW", "movieCode": line["movieCd"], "title": line["movieNm"].strip(),
        "openDate": day(line["openDt"]), "sales": whole(line["salesAmt"]), "salesShare": percent(line["salesShare"]),
        "salesDelta": whole(line["salesInten"]), "salesChange": percent(line["salesChange"]),
        "salesTotal": whole(line["salesAcc"]), "audience": whole(line["audiCnt"]),
        "audienceDelta": whole(line["audiInten"]), "audienceChange": percent(line["audiChange"]),
        "audienceTotal": whole(line["audiAcc"]), "screens": whole(line["scrnCnt"]), "showings": whole(line["showCnt"])}


def peer(body):
    """The microseconds of processor time that Python takes for one chart."""
    began = time.process_time()
    for _ in range(COUNT):
        entries = [entry(line) for line in reader.loads(body)["boxOfficeResult"]["dailyBoxOfficeList"]]
    assert len(entries) == 10
    return (time.process_time() - began) / COUNT * 1e6


if not RECORDING.exists():
    print(f"left out: there is no {RECORDING}")
    sys.exit()
body = RECORDING.read_bytes()
python = f"recorded, Python and {reader.__name__}"
times = {python: []}
for number in range(ROUNDS):  # in turn, so that all meet the same noise
    command = [THROUGHPUT, "charts", RECORDING, RECORDING.stem, FOLDER]
    for line in subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines():
        name, microseconds, _ = line.split("\t")
        times.setdefault(name, []).append(float(microseconds))
    times[python].append(peer(body))

print(f"{f'a chart of {len(body):,} bytes, median of {ROUNDS}':44} {'µs':>9} {'a second':>10} {'of Python':>10}")
peers = statistics.median(times[python])
for name, values in times.items():
    median = statistics.median(values)
    print(f"{name:44} {median:9.1f} {1e6 / median:10,.0f} {peers / median:10.2f}")
