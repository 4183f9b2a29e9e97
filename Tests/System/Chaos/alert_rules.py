"""The thirteen alert rules about movies, implemented from docs/contract.md (section 3) and docs/rules.md alone.

Everything is computed anew from all known charts whenever a chart comes; nothing is remembered but what has fired.
"""

import collections
import datetime
import json
import sqlite3
import subprocess
import sys

ONE_DAY = datetime.timedelta(days=1)
WEEK = datetime.timedelta(days=7)  # how long before the newest day a chart still fires
OPEN = datetime.timedelta(days=35)  # how long corrections count
FULL_TOTALS = "2011-01-01"  # totals of movies that opened before are incomplete

# The rules that are on without a rule file.
CONTRACT = {"entered": {}, "left": {}, "rose": {"by": 3}, "fell": {"by": 3}, "lead": {}}


class Known:
    """The last revision of each known day's chart, and the days and lines of each movie."""

    def __init__(self, events=()):
        self.events = {}
        self.charts = {}
        self.movies = collections.defaultdict(dict)
        for event in events:
            self.insert(event)

    def insert(self, event):
        day = day_of(event)
        for code in self.lines(day):
            del self.movies[code][day]
        self.events[day], self.charts[day] = event, {}
        for line in sorted(event["data"]["entries"], key=lambda line: line["line"]):
            self.charts[day].setdefault(line["movieCode"], line)
        for code, line in self.lines(day).items():
            self.movies[code][day] = line

    def lines(self, day):
        """Returns the movies of a day in the order of their lines; none if the day is not known."""
        return self.charts.get(day, {})

    def leader(self, day):
        return next((line for line in self.lines(day).values() if line["line"] == 1), None)

    def lacks_movies(self, day):
        """Whether a chart has fewer movies than its revision before, or than the day before."""
        if day not in self.events:
            return False
        corrections = self.events[day]["data"].get("corrections", [])
        came = [line["before"] is None for line in corrections if line["field"] == "entry"]
        return came.count(False) > came.count(True) or len(self.lines(day)) < len(self.lines(day - ONE_DAY))

    def are_known(self, first, end):
        """Whether all days from `first` on and before `end` are known."""
        return all(first + ONE_DAY * number in self.events for number in range((end - first).days))

    def reign(self, day):
        """Returns the first day of the leader's run up to `day`; None if it may have begun before what is known."""
        leader, first = self.leader(day), day
        if leader is None:
            return None
        while (other := self.leader(first - ONE_DAY)) and other["movieCode"] == leader["movieCode"]:
            first -= ONE_DAY
        return first if first - ONE_DAY in self.events else None

    def past(self, code, day):
        """Returns a movie's days before `day` and its lines on them, in order."""
        return sorted((before, line) for before, line in self.movies[code].items() if before < day)


def are_same(line, other):
    """Whether two lines are of one movie: of one code, or of one title and opening day."""
    return line["movieCode"] == other["movieCode"] or (
        line["title"] == other["title"] and line["openDate"] is not None and line["openDate"] == other["openDate"])


def of_day(known, day, rules):
    """Yields the alerts of a day, in the contract's order, but for those about corrections."""
    if day not in known.events:
        return
    lines, before = known.lines(day), known.lines(day - ONE_DAY)
    has_before = day - ONE_DAY in known.events
    here = [place(known.events[day])]
    both = here + ([place(known.events[day - ONE_DAY])] if has_before else [])

    def alert(rule, line, evidence, values=None, previous=None, change=None, severity=None, rank=None):
        ranks = [number for number in (rank, previous) if number is not None]
        best = min(ranks, default=99)
        return {
            "rule": rule, "date": day.isoformat(), "movieCode": line["movieCode"], "title": line["title"],
            "rank": rank, "previousRank": previous, "change": change,
            "severity": severity or ("major" if best <= 1 else "notable" if best <= 3 else "info"),
            "values": values or {}, "evidence": evidence}

    for code, line in lines.items():
        rank, change = line["rank"], line["rankChange"]
        rank_before = None if line["isNew"] or change is None or rank + change < 1 else rank + change
        if "entered" in rules and line["isNew"]:
            yield alert("entered", line, here, rank=rank)
        for rule, moved in (("rose", change), ("fell", None if change is None else -change)):
            if rule in rules and not line["isNew"] and moved is not None and moved >= rules[rule]["by"]:
                inside = rules[rule].get("inside", 99)
                if ((rank if rule == "rose" else rank_before) or 0) <= inside:
                    yield alert(rule, line, here, {"threshold": rules[rule]["by"]}, rank_before, change, rank=rank)
        leader = known.leader(day - ONE_DAY)
        if "lead" in rules and line["line"] == 1 and leader and not are_same(leader, line):
            first = known.reign(day - ONE_DAY)
            yield alert("lead", line, both, {
                "previousLeader": leader["movieCode"], "previousLeaderTitle": leader["title"],
                "reignDays": (day - first).days if first else None,
            }, rank_before or (before[code]["rank"] if code in before else None), None if line["isNew"] else change,
                rank=rank)
    for code, line in before.items():
        if "left" in rules and not known.lacks_movies(day) and not any(are_same(line, other) for other in lines.values()):
            yield alert("left", line, both, previous=line["rank"])

    for code, line in lines.items():
        rank, change, past = line["rank"], line["rankChange"], known.past(code, day)
        previous = before[code]["rank"] if code in before else None
        is_opening = line["isNew"] or line["openDate"] == day.isoformat()
        if ("reentered" in rules and has_before and past and code not in before and not is_opening
                and not known.lacks_movies(day - ONE_DAY)):
            last = past[-1][0]
            away = (day - last).days - 1
            if away >= rules["reentered"]["after"] and known.are_known(last, day):
                yield alert("reentered", line, both, {"daysAway": away, "lastDay": last.isoformat()}, rank=rank)
        if "opening" in rules and line["openDate"] == day.isoformat():
            yield alert("opening", line, here, rank=rank)
        if "streak" in rules and line["line"] == 1 and (first := known.reign(day)) and first < day:
            days = (day - first).days + 1
            if days in rules["streak"]["days"]:
                yield alert("streak", line, both, {"streakDays": days, "firstDay": first.isoformat()}, previous, change,
                            "major" if days >= 30 else "notable", rank=rank)
        if "milestone" in rules and (number := milestone(known, day, line, past, rules["milestone"]["totals"])):
            yield alert("milestone", line, here, {"milestone": number}, rank=rank,
                        severity="major" if number >= 10_000_000 else "notable")
        if "best" in rules and past and line["openDate"] and line["audience"] is not None:
            opened = datetime.date.fromisoformat(line["openDate"])
            audiences = [(old["audience"], -date.toordinal()) for date, old in past if old["audience"] is not None]
            most, when = max(audiences, default=(None, None))
            if (most is not None and most < line["audience"] and (day - past[0][0]).days >= rules["best"]["after"]
                    and opened < day and known.are_known(opened, day)):
                yield alert("best", line, here, {
                    "previousBest": most, "previousBestDay": datetime.date.fromordinal(-when).isoformat(),
                }, severity="notable", rank=rank)
        if "screens" in rules and code in before and None not in (line["screens"], before[code]["screens"]):
            fewer, more = sorted((line["screens"], before[code]["screens"]))
            if more >= rules["screens"]["from"] and 0 < fewer * rules["screens"]["factor"] <= more:
                yield alert("screens", line, both, {"previousScreens": before[code]["screens"]}, previous, change,
                            rank=rank)


def milestone(known, day, line, past, totals):
    """Returns the highest number that a movie passed on a day, or None."""
    total, audience = line["audienceTotal"], line["audience"]
    if total is None or day.isoformat() < FULL_TOTALS or (line["openDate"] or FULL_TOTALS) < FULL_TOTALS:
        return None
    # What it had the day before, as this line says.
    earlier = total if audience is None else total - audience
    highest = max((old["audienceTotal"] for _, old in past if old["audienceTotal"] is not None), default=None)
    if highest is not None:
        is_first = known.are_known(past[-1][0], day)
        earlier = highest if is_first else max(highest, earlier)
    return max((number for number in totals if earlier < number <= total), default=None)


def corrections(known, event, earlier, rules):
    """Yields the alerts about what a chart corrects of an earlier revision."""
    if "correction" not in rules or earlier is None:
        return
    old = {line["movieCode"]: line for line in earlier["data"]["entries"]}
    for code, line in known.lines(day_of(event)).items():
        before, after = old.get(code, {}).get("audience"), line["audience"]
        if not before or after is None or abs(after - before) < rules["correction"]["from"]:
            continue
        tenths = abs(after - before) * 1000 // before
        if tenths >= 10 * rules["correction"]["percent"]:
            yield {
                "rule": "correction", "date": event["data"]["date"], "movieCode": code, "title": line["title"],
                "rank": line["rank"], "previousRank": None, "change": None,
                "severity": "notable" if tenths >= 200 else "info", "evidence": [place(event)],
                "values": {"before": before, "percent": (1 if after > before else -1) * tenths / 10}}


def still_holds(alert, known, rules):
    """Whether an alert holds after a correction: the rule fires for the day, with the same count of days."""
    if alert["rule"] == "correction":
        return True
    if alert["rule"] == "milestone":
        line = known.lines(date_of(alert)).get(alert["movieCode"])
        return line is not None and (line["audienceTotal"] or 0) >= alert["values"]["milestone"]
    counts = {"streak": "streakDays", "reentered": "daysAway"}.get(alert["rule"])
    return any(
        key(other) == key(alert) and (counts is None or other["values"][counts] == alert["values"][counts])
        for other in of_day(known, date_of(alert), rules))


def expected_alerts(rankings, rules=CONTRACT):
    """Returns the alerts for ranking events in the order of the log, as a notifier decides them that was there.

    A live chart fires what it makes true of the newest eight days. A chart that replaces another one first takes back
    what no longer holds.
    """
    known, newest, alerts, fired, standing = Known(), None, [], set(), []

    def of_days(days):
        return [alert for day in days for alert in of_day(known, day, rules)]

    for event in rankings:
        if not is_national_day(event):
            continue
        day = day_of(event)
        newest = max(newest or day, day)
        is_live = event.get("priority") != "backfill"
        first = max(day, newest - WEEK)
        firing = [first + ONE_DAY * offset for offset in range((newest - first).days + 1)] if is_live else []
        before = set(map(key, of_days(firing)))
        earlier = known.events.get(day)
        known.insert(event)
        if earlier and day >= newest - OPEN:
            for alert in sorted(standing, key=date_of):
                days = day, date_of(alert) - ONE_DAY, date_of(alert)
                if day <= date_of(alert) and not any(map(known.lacks_movies, days)) and not still_holds(alert, known, rules):
                    standing.remove(alert)
                    alerts.append(alert | {"retracts": identifier(alert), "evidence": [place(event)]})
        new = [alert for alert in of_days(firing) if key(alert) not in before]
        if is_live and day >= newest - OPEN:
            new += corrections(known, event, earlier, rules)
        for alert in new:
            if key(alert) not in fired and not stands(alert, standing):
                fired.add(key(alert))
                standing.append(alert)
                alerts.append(alert)
    return alerts


def expected_history(rankings, rules=CONTRACT):
    """Returns the alerts of all days in their order, with their charts as they stand at the end."""
    known, alerts = Known(filter(is_national_day, rankings)), []
    for day in sorted(known.events):
        alerts += [alert for alert in of_day(known, day, rules) if not stands(alert, alerts)]
    return alerts


def stands(alert, standing):
    """Whether a milestone has been announced already, on whichever day."""
    return alert["rule"] == "milestone" and any(
        other["rule"] == "milestone" and other["movieCode"] == alert["movieCode"]
        and other["values"] == alert["values"] for other in standing)


def expected_anomalies(anomalies):
    """Returns the alerts about the worker's anomalies of live charts."""
    return [
        {"rule": "anomaly", "date": event["data"]["date"], "movieCode": None, "title": event["data"]["title"],
         "rank": None, "previousRank": None, "change": None, "severity": "notable", "evidence": [place(event)],
         "values": {"kind": event["data"]["kind"], "found": event["data"]["found"]}}
        for event in anomalies if event.get("priority") != "backfill" and event["data"]["market"] == "all"]


def key(alert):
    """Returns the identity of an alert; an alert that withdraws another has the same identity."""
    return alert["rule"], alert["movieCode"], alert["date"]


def identifier(alert):
    subject = alert["movieCode"] or alert["values"]["kind"]
    return f"{alert['rule']}.{subject}.{alert['date']}.all"


def date_of(alert):
    return datetime.date.fromisoformat(alert["date"])


def day_of(event):
    return datetime.date.fromisoformat(event["data"]["date"])


def is_national_day(event):
    return event["data"]["market"] == "all" and "span" not in event["data"]


def place(event):
    return {"stream": event["stream"], "sequence": event["sequence"]}


# Comparing


def differing(expected, found):
    """Returns the fields in which an alert differs from what was expected; it may have more values than we know."""
    fields = [field for field in expected if field != "values" and expected[field] != found.get(field)]
    return fields + [name for name, value in expected["values"].items() if found["values"].get(name) != value]


def differences(expected, found):
    """Returns what differs between the alerts of a log and those that were expected, in their order."""
    for number, (alert, data) in enumerate(zip(expected, found)):
        if fields := differing(alert, data):
            yield f"alert {number} differs in {fields}: expected {alert}, found {data}"
    names = [{(alert.get("retracts"), *key(alert)) for alert in alerts} for alerts in (expected, found)]
    for name in names[0] ^ names[1]:
        yield f"{'missing' if name in names[0] else 'not expected'}: {name}"
    if len(expected) != len(found):
        yield f"{len(found)} alerts instead of {len(expected)}"


def logged(database):
    """The topics and bodies of charts and anomalies in a worker's log, which is a file or at `postgresql://…`."""
    wanted = "where stream in ('ranking', 'anomaly') order by sequence"
    if database.startswith("postgresql://"):
        query = f"select json_build_array(topic, convert_from(body, 'UTF8')) from worker.event {wanted}"
        lines = subprocess.run(
            ["psql", "--dbname", database, "-At", "--command", query], check=True, capture_output=True).stdout
        return [json.loads(line) for line in lines.splitlines()]
    with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as connection:
        return connection.execute(f"select topic, body from event {wanted}").fetchall()


def main(database, rules, mode):
    """Compares lines of `marquee replay` on standard input with what a worker's log leads to: `live` or as `history`."""
    rows = logged(database)
    rules = json.loads(rules)
    rankings = [json.loads(body) for topic, body in rows if topic.startswith("ranking.day.")]
    anomalies = [json.loads(body) for topic, body in rows if topic.startswith("anomaly.")]
    found = [json.loads(line)["data"] for line in sys.stdin]
    of_charts = [alert for alert in found if alert["rule"] != "anomaly"]
    expected = expected_alerts(rankings, rules) if mode == "live" else expected_history(rankings, rules)
    problems = list(differences(expected, of_charts))
    expected_others = expected_anomalies(anomalies) if mode == "live" and "anomaly" in rules else []
    problems += differences(expected_others, [alert for alert in found if alert["rule"] == "anomaly"])
    for problem in problems:
        print(problem)
    counts = collections.Counter(("not " if "retracts" in alert else "") + alert["rule"] for alert in found)
    print(f"{len(problems)} differences, {len(found)} alerts:", *(f"{name} {counts[name]}" for name in sorted(counts)))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
