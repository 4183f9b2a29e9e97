"""The alert rules of the contract, section 4's table, written from the page alone: what a log of charts must lead to."""

import datetime


def expected_alerts(rankings, threshold=3):
    """The alerts that ranking events, in the log's order, lead to: each once, as the fields that the contract fixes."""
    known, newest, alerts, fired = {}, None, [], set()
    for event in rankings:
        chart = event["data"]
        if chart["market"] != "all":
            continue
        day = datetime.date.fromisoformat(chart["date"])
        known[day] = event
        if newest and day < newest:
            continue
        newest = day
        for alert in of_day(event, known.get(day - datetime.timedelta(days=1)), threshold):
            key = alert["rule"], alert["movieCode"], alert["date"]
            if key not in fired:
                fired.add(key)
                alerts.append(alert)
    return alerts


def of_day(event, event_before, threshold):
    """What fires for a chart beside that of the day before, which may be unknown."""
    lines = in_order(event)
    before = in_order(event_before) if event_before else []
    date = event["data"]["date"]
    both = [place(event)] + ([place(event_before)] if event_before else [])

    def alert(rule, film, rank, evidence):
        return {"rule": rule, "date": date, "movieCode": film["movieCode"], "title": film["title"], "rank": rank,
                "evidence": evidence}

    for film in lines:
        change = film["rankChange"]
        if film["isNew"]:
            yield alert("entered", film, film["rank"], both[:1])
        elif change is not None and change >= threshold:
            yield alert("rose", film, film["rank"], both[:1])
        elif change is not None and change <= -threshold:
            yield alert("fell", film, film["rank"], both[:1])
        leaders_before = [other["movieCode"] for other in before if other["line"] == 1]
        if film["line"] == 1 and leaders_before and leaders_before != [film["movieCode"]]:
            yield alert("lead", film, film["rank"], both)
    here = {film["movieCode"] for film in lines}
    for film in before:
        if film["movieCode"] not in here:
            yield alert("left", film, None, both) | {"previousRank": film["rank"]}


def in_order(event):
    return sorted(event["data"]["entries"], key=lambda entry: entry["line"])


def place(event):
    return {"stream": event["stream"], "sequence": event["sequence"]}
