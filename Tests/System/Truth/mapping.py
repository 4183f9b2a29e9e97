"""What the contract says of an upstream's response: a mapping of its own, written from docs/contract.md.

It shares nothing with the program. Decimal numbers are exact, so a figure that was rounded on the way differs.
"""

import datetime
import decimal
import json
import re
import unicodedata

KOREA = datetime.timezone(datetime.timedelta(hours=9))

COUNTS = {
    "line": "rnum", "rank": "rank", "rankChange": "rankInten", "sales": "salesAmt", "salesDelta": "salesInten",
    "salesTotal": "salesAcc", "audience": "audiCnt", "audienceDelta": "audiInten", "audienceTotal": "audiAcc",
    "screens": "scrnCnt", "showings": "showCnt",
}
PERCENTS = {"salesShare": "salesShare", "salesChange": "salesChange", "audienceChange": "audiChange"}
SPANS = {"주간 박스오피스": "week", "주말 박스오피스": "weekend", "주중 박스오피스": "weekdays"}


class Moment(str):
    """A time in RFC 3339, equal to each other way to write it."""

    def instant(self):
        return datetime.datetime.fromisoformat(self.replace("Z", "+00:00"))

    def __eq__(self, other):
        return bool(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)", other)) \
            and self.instant() == Moment(other).instant()

    __hash__ = str.__hash__


def parse(text):
    """Reads JSON; numbers with a point are exact decimals."""
    return json.loads(text, parse_float=decimal.Decimal)


# MARK: Values


def printable(value):
    """Returns the text with a blank in place of each control character but the line feed."""
    return "".join(" " if unicodedata.category(letter) == "Cc" and letter != "\n" else letter for letter in value)


def text(value):
    """Returns the text without blanks at its ends; None if nothing is left."""
    return printable(value or "").replace("\n", " ").strip() or None


def count(value):
    """Returns a whole number."""
    return None if text(value) is None else int(text(value))


def percent(value):
    """Returns an exact decimal."""
    return None if text(value) is None else decimal.Decimal(text(value))


def day(value):
    """Returns a day with hyphens, as the contract has it; movie facts come without."""
    return None if text(value) is None else re.sub(r"^(\d{4})-?(\d\d)-?(\d\d)$", r"\1-\2-\3", text(value))


def moment(value):
    """Returns a time of the market, which names no zone: Korea's."""
    date, hour, fraction = re.fullmatch(r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(\.\d+)?", value).groups()
    return Moment(f"{date}T{hour}{(fraction or '.0')[:4].ljust(4, '0')}+09:00")


# MARK: KOBIS


def entry(line):
    """Returns a line of a chart."""
    return {
        **{name: count(line[key]) for name, key in COUNTS.items()},
        **{name: percent(line[key]) for name, key in PERCENTS.items()},
        "isNew": text(line["rankOldAndNew"]) == "NEW", "movieCode": text(line["movieCd"]), "title": text(line["movieNm"]),
        "openDate": day(line["openDt"]),
    }


def chart(body, market, earlier, now):
    """Returns topic and data of a chart; `earlier` is the data of the revision before, `now` the time of the request."""
    result = body["boxOfficeResult"]
    first, last = map(day, result["showRange"].split("~"))
    is_settled = now >= datetime.datetime.fromisoformat(last).replace(tzinfo=KOREA) + datetime.timedelta(days=4)
    data = {
        "date": first, "market": market, "state": "settled" if is_settled else "provisional",
        "revision": earlier["revision"] + 1 if earlier else 1,
        "entries": [entry(line) for line in result.get("dailyBoxOfficeList") or result["weeklyBoxOfficeList"]],
    }
    if earlier:
        data["corrections"] = corrections(earlier["entries"], data["entries"])
    if "dailyBoxOfficeList" in result:
        return f"ranking.day.{market}.{first}", data
    span = SPANS[result["boxofficeType"]]
    data |= {"span": span, "firstDay": first, "lastDay": last, "yearWeek": text(result["yearWeekTime"])}
    return f"ranking.week.{market}.{span}.{first}", data


def corrections(before, after):
    """Returns the differences between two charts, without an order."""
    before, after = ({line["movieCode"]: line for line in lines} for lines in (before, after))
    found = []
    for code in before.keys() | after.keys():
        old, new = before.get(code), after.get(code)
        if old is None or new is None:
            found.append({"movieCode": code, "field": "entry", "before": old, "after": new})
        else:
            found += [
                {"movieCode": code, "field": name, "before": old[name], "after": new[name]}
                for name in new if old[name] != new[name]]
    return Unordered(found)


class Unordered(list):
    """A list whose order the contract does not promise."""


def movie(body):
    """Returns topic and data of a movie's facts."""
    info = body["movieInfoResult"]["movieInfo"]

    def rows(key, **fields):
        return [{name: text(row.get(source)) for name, source in fields.items()} for row in info[key]]

    people = {"name": "peopleNm", "nameEnglish": "peopleNmEn"}
    data = {
        "code": text(info["movieCd"]), "title": text(info["movieNm"]), "titleEnglish": text(info["movieNmEn"]),
        "titleOriginal": text(info["movieNmOg"]), "runtimeMinutes": count(info["showTm"]),
        "productionYear": count(info["prdtYear"]), "openDate": day(info["openDt"]), "status": text(info["prdtStatNm"]),
        "type": text(info["typeNm"]), "nations": [text(row["nationNm"]) for row in info["nations"]],
        "genres": [text(row["genreNm"]) for row in info["genres"]], "directors": rows("directors", **people),
        "actors": rows("actors", **people, role="cast", roleEnglish="castEn"),
        "showTypes": rows("showTypes", group="showTypeGroupNm", name="showTypeNm"),
        "companies": rows("companys", code="companyCd", name="companyNm", nameEnglish="companyNmEn", part="companyPartNm"),
        "ratings": rows("audits", number="auditNo", grade="watchGradeNm"),
        "staff": rows("staffs", **people, role="staffRoleNm"),
    }
    return f"movie.{data['code']}", data


# MARK: Kakao


def letters(title):
    """Returns a title without blanks and signs, in small letters."""
    return "".join(sign for sign in title.lower() if sign.isalnum()) or title


def query(facts, titles):
    """Returns the search for a movie's poster; `titles` are those of the other movies that the log knows."""
    own = letters(facts["title"])
    year = facts["productionYear"] or (facts["openDate"] and facts["openDate"][:4])
    known = (year, *[person["name"] for person in facts["directors"][:1]])
    words = [f"{word}" for word in known if word] if any(letters(title).startswith(own) for title in titles) else []
    return " ".join([facts["title"], *words, "영화 포스터"])


def poster(facts, query, found):
    """Returns topic and data of a movie's poster: `found` is the hit of the search, its number, and the picture."""
    document, number, image = found
    data = {"code": facts["code"], "title": facts["title"], "query": query, "found": document is not None}
    if document:
        data |= {
            "hit": number, "imageURL": document["image_url"], "thumbnailURL": document["thumbnail_url"],
            "width": image.width, "height": image.height, "site": text(document["display_sitename"]),
            "pageURL": text(document["doc_url"]), "source": "kakao", "contentType": "image/png",
            "bytes": len(image.bytes), "sha256": image.sha256,
        }
    return f"poster.{facts['code']}", data


# MARK: Open Market


def product(item, is_listed=False):
    """Returns the data of a product; lists leave out the images, and early ones more."""
    vendor = item.get("vendors") or {"id": item["vendor_id"], "name": None}
    images = [
        {"id": image["id"], "url": image["url"], "thumbnailUrl": image["thumbnail_url"]} for image in item.get("images", [])]
    return {
        "id": item["id"], "vendorId": item["vendor_id"], "vendors": {"id": vendor["id"], "name": vendor["name"]},
        "name": text(item["name"]), "description": item.get("description") and printable(item["description"]),
        "thumbnail": item["thumbnail"],
        "currency": item["currency"], "price": decimal.Decimal(item["price"]),
        "discountedPrice": decimal.Decimal(item["discounted_price"]),
        "bargainPrice": decimal.Decimal(item["bargain_price"]), "stock": item["stock"],
        "createdAt": moment(item["created_at"]), "issuedAt": moment(item["issued_at"]),
        "images": None if is_listed else images,
    }


def products(page):
    """Returns topic and data of a page; its own fields are in snake case."""
    fields = ("pageNo", "itemsPerPage", "totalCount", "offset", "limit", "lastPage", "hasNext", "hasPrev")
    snake = {name: re.sub(r"[A-Z]", lambda capital: "_" + capital[0].lower(), name) for name in fields}
    data = {name: page[snake[name]] for name in fields}
    data["pages"] = [product(item, is_listed=True) for item in page["pages"]]
    return f"products.{data['pageNo']}.{data['itemsPerPage']}", data


# MARK: Comparison


def differences(found, expected, path=""):
    """Yields the differences between two values, and counts the compared ones in `differences.compared`."""
    if isinstance(expected, Unordered):
        def in_order(rows):
            return sorted(rows, key=lambda row: (row["movieCode"], row["field"]))
        found, expected = in_order(found), in_order(expected)
    if isinstance(expected, dict) and isinstance(found, dict):
        for name in sorted(expected.keys() | found.keys()):
            if name not in found or name not in expected:
                yield f"{path}.{name}: {'missing' if name in expected else 'more than is expected'}"
            else:
                yield from differences(found[name], expected[name], f"{path}.{name}")
    elif isinstance(expected, list) and isinstance(found, list):
        if len(found) != len(expected):
            yield f"{path}: {len(found)} in place of {len(expected)}"
        for number, (one, other) in enumerate(zip(found, expected)):
            yield from differences(one, other, f"{path}[{number}]")
    else:
        differences.compared += 1
        # A decimal may be written as a whole number, a count never with a point; and True is no 1.
        kind = (int, decimal.Decimal) if isinstance(expected, decimal.Decimal) else type(expected)
        if isinstance(expected, Moment):
            kind = str
        if not isinstance(found, kind) or isinstance(found, bool) != isinstance(expected, bool) or not expected == found:
            yield f"{path}: {found!r} in place of {expected!r}"


differences.compared = 0
