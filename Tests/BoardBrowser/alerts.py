"""Alerts: live, filtered, taken back, outside the page."""

import datetime
import pathlib
import re
import tempfile

import recordings
from stage import Stage, check, wait_until
from visit import Visit


def test_live_alerts(stage, _):
    """Alerts come live, and can be filtered."""
    with Visit(stage) as visit:
        visit.open("alerts")
        visit.ready("alerts")
        before = len(visit.all(".alert"))
        stage.ask_days("2024-06-05", "2024-06-06")
        wait_until(lambda: len(visit.all(".alert")) > before, "an alert arrives")
        check(visit.all(".alert.fresh"), "an alert arrives while one looks")
        rule = visit.run("return [...document.querySelectorAll('select[name=rule] option')].at(-1).value")
        visit.choose("rule", rule)
        wait_until(lambda: set(visit.run("return [...document.querySelectorAll('.alert .rule')].map((item) => item.className)")) == {f"rule {rule}"}, "only that rule")
        check(f"rule={rule}" in visit.url, f"the filter by rule shows {rule} alone, and is in the address")
        visit.choose("rule", "")
        title = next(alert["alert"]["title"] for alert in stage.api("alerts")["alerts"] if alert["alert"].get("title"))
        film = visit.one("input[name=film]")
        film.send_keys(title)
        visit.shows(lambda: visit.all(".alert") and all(title in item.text for item in visit.all(".alert .title")), f"the filter by film shows {title} alone")
        film.send_keys(" that there is not")
        visit.shows(lambda: not visit.all(".alert") and visit.all(".notice"), "a filter that nothing matches says so")


def test_retraction(_, options):
    """A correction takes an alert back, live: it is struck through, and the page says why."""
    night = datetime.datetime.fromisoformat("2024-06-05T01:00+09:00")
    with tempfile.TemporaryDirectory() as folder:
        with Stage(options.program, {"sandbox": ["--recorded", recordings.write(folder)]}) as stage, Visit(stage) as visit:
            stage.control(clockOffset=int((night - datetime.datetime.now(datetime.UTC)).total_seconds()))
            stage.ask_days(recordings.BEFORE, recordings.DAY)
            visit.open("alerts?rule=lead")
            visit.shows(lambda: visit.all(".alert .rule.lead") and not visit.all("del"), "an alert stands")
            stage.control()
            stage.ask("fetch.day", date=recordings.DAY, refresh=True)
            visit.shows(lambda: visit.all(".alert.retracted del"), "a correction strikes it through while one looks")
            struck = visit.one(".alert.retracted")
            check("취소됨" in struck.text and "line-through" in visit.run("return getComputedStyle(document.querySelector('.retracted del')).textDecoration"),
                  f"in words, too: {struck.text!r}")
            check("정정으로 취소" in visit.run("return document.querySelector('.alerts').innerText"), "what takes it back is an alert as well")
            visit.open(f"movie/{recordings.FOLLOWER}")
            check(visit.one(".alert.retracted del"), "on the film's page it is struck through, too")


def test_product_alerts(_, options):
    """An alert about a product leads to the product, and its day to no chart."""
    with tempfile.TemporaryDirectory() as folder:
        rules = pathlib.Path(folder) / "rules.yml"
        rules.write_text("rules: {newProduct: }\n")
        with Stage(options.program, settings={"MARQUEE_RULES": str(rules)}) as stage, Visit(stage) as visit:
            stage.ask("fetch.products", perPage=100)
            wait_until(lambda: stage.api("products?page=1&perPage=100"), "the board knows the shop")
            picture = pathlib.Path(__file__).resolve().parents[2] / "docs/images/board-shop.png"
            stage.marquee("product", "register", str(picture), "--name", "겨울 외투", "--description", "두껍고 따뜻한 외투", "--price", "15000", "--stock", "3")
            visit.open("alerts")
            visit.shows(lambda: visit.all(".alert .rule.newProduct"), "an alert about a product stands with the others")
            place = visit.one(".alert a.title").get_attribute("href")
            check(re.search(r"/shop/\d+$", place), f"it leads to the product: {place}")
            check(not visit.all(".alert .when a"), "and its day to no chart")
            visit.one(".alert a.title").click()
            visit.shows(lambda: "겨울 외투" in visit.one("h1").text, "there it is")


def test_notifications(stage, _):
    """Whoever agrees is told of alerts outside the page, while nobody looks at it."""
    with Visit(stage) as visit:
        visit.open("alerts")
        visit.ready("alerts")
        visit.run("""window.told = []; window.asked = 0;
            window.Notification = class { static permission = 'default';
                static async requestPermission() { asked += 1; return (this.permission = 'granted'); }
                constructor(title, { body }) { told.push(body); } };""")
        check(visit.run("return asked") == 0, "nobody is asked unbidden")
        visit.click(".head button[aria-pressed]")
        wait_until(lambda: visit.attribute(".head button[aria-pressed]", "aria-pressed") == "true", "they are on")
        check(visit.run("return asked") == 1, "whoever presses the button is asked, once")
        visit.run("Object.defineProperty(document, 'hidden', { get: () => true });")
        stage.ask_days("2024-06-09", "2024-06-10")
        told = wait_until(lambda: visit.run("return told"), "a notification")
        check(len(told[0]) > 5, f"a notification says: {told[0]}")
