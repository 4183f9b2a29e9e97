"""A chart as KOBIS sends it, made numbers and days: chart.py FILE COUNT prints the microseconds of processor time for one."""
import datetime, pathlib, re, sys, time
import orjson

control = re.compile(r"[\x00-\x1f\x7f-\x9f]")
movie_code = re.compile(r"[0-9A-Z]{8}")


def whole(text):
    text = text.strip()
    return int(text) if text and text != "-" else None


def percent(text):
    text = text.strip()
    return float(text) if text and text != "-" else None


def day(text):
    text = text.strip()
    return datetime.date.fromisoformat(text) if text else None


def code(text):
    if not movie_code.fullmatch(text):
        raise ValueError(f"{text!r} is no code of a movie")
    return text


def title(text):
    text = control.sub(" ", text).strip()
    if not text:
        raise ValueError("a movie without a title")
    return text


def entry(line):
    return {
        "line": whole(line["rnum"]), "rank": whole(line["rank"]), "rankChange": whole(line["rankInten"]),
        "isNew": line["rankOldAndNew"] == "NEW", "movieCode": code(line["movieCd"]), "title": title(line["movieNm"]),
        "openDate": day(line["openDt"]), "sales": whole(line["salesAmt"]), "salesShare": percent(line["salesShare"]),
        "salesDelta": whole(line["salesInten"]), "salesChange": percent(line["salesChange"]),
        "salesTotal": whole(line["salesAcc"]), "audience": whole(line["audiCnt"]),
        "audienceDelta": whole(line["audiInten"]), "audienceChange": percent(line["audiChange"]),
        "audienceTotal": whole(line["audiAcc"]), "screens": whole(line["scrnCnt"]), "showings": whole(line["showCnt"])}


def entries(answer):
    return [entry(line) for line in answer["boxOfficeResult"]["dailyBoxOfficeList"]]


if __name__ == "__main__":
    body, count = pathlib.Path(sys.argv[1]).read_bytes(), int(sys.argv[2])
    began = time.process_time()
    for _ in range(count):
        lines = entries(orjson.loads(body))
    assert len(lines) == 10
    print((time.process_time() - began) / count * 1e6)
