"""The alert rules in section 4 of the contract, implemented from that page alone."""

import datetime

ONE_DAY = datetime.timedelta(days=1)
WEEK = datetime.timedelta(days=7)  # how long before the newest day a chart still fires
OPEN = datetime.timedelta(days=35)  # how long corrections count


def expected_alerts(rankings, threshold=3):
    """Returns the alerts for ranking events in the order of the log: each once, with the fields that the contract defines.

    A live chart of the newest eight days fires what it makes true, of its day and later ones. A chart that replaces
    another one first takes back what no longer holds.
    """
    known, newest, alerts, fired, standing = {}, None, [], set(), []

    def of_days(days):
        return [alert for day in days if day in known
                for alert in of_day(known[day], known.get(day - ONE_DAY), threshold)]

    for event in rankings:
        chart = event["data"]
        if chart["market"] != "all":
            continue
        day = datetime.date.fromisoformat(chart["date"])
        newest = max(newest or day, day)
        is_live = event.get("priority") != "backfill"
        firing = [day + ONE_DAY * offset for offset in range((newest - day).days + 1)] if newest - day <= WEEK else []
        before = set(map(key, of_days(firing)))
        is_revision = day in known
        known[day] = event
        open_alerts = [alert for alert in standing if day <= date_of(alert) and date_of(alert) > newest - OPEN]
        for alert in sorted(open_alerts, key=date_of) if is_revision and day >= newest - OPEN else ():
            if key(alert) not in map(key, of_days([date_of(alert)])):
                standing.remove(alert)
                alerts.append(alert | {"retracts": identifier(alert), "evidence": [place(event)]})
        for alert in of_days(firing) if is_live else ():
            if key(alert) not in before | fired:
                fired.add(key(alert))
                standing.append(alert)
                alerts.append(alert)
    return alerts


def key(alert):
    """Returns the identity of an alert; an alert that withdraws another has the same identity."""
    return alert["rule"], alert["movieCode"], alert["date"]


def identifier(alert):
    return ".".join(key(alert)) + ".all"


def date_of(alert):
    return datetime.date.fromisoformat(alert["date"])


def of_day(event, event_before, threshold):
    """Returns the alerts for a chart and the chart of the day before, which may be unknown."""
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
