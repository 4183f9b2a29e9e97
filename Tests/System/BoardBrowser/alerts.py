"""Alerts: live updates, filters, retractions, notifications."""

import datetime
import pathlib
import re

import recordings
from harness import Site, check, clock, eventually
from browser import BrowserSession


def test_live_alerts(_, options):
    """Alerts arrive live, and can be filtered."""
    with Site(options.program) as harness, BrowserSession(harness) as browser:
        harness.ask_days("2024-06-03", "2024-06-04")
        browser.open_page("alerts")
        before = len(browser.all(".alert"))
        harness.ask_days("2024-06-05", "2024-06-06")
        eventually(lambda: len(browser.all(".alert")) > before, "an alert arrives")
        check(browser.all(".alert.fresh"), "an alert arrives while the page is open")
        rule, name = browser.run("""const last = [...document.querySelectorAll('select[name=rule] option')].at(-1);
            return [last.value, last.text]""")
        check(name and name != rule, f"the rule {rule} is shown in words: {name}")
        browser.choose("rule", rule)
        eventually(lambda: set(browser.run("return [...document.querySelectorAll('.alert .rule')].map((item) => item.dataset.rule)")) == {rule}, "only that rule")
        check(f"rule={rule}" in browser.url, f"the filter by rule shows only {rule}, and is in the address")
        browser.choose("rule", "")
        title = next(alert["alert"]["title"] for alert in harness.api("alerts")["alerts"] if alert["alert"].get("title"))
        field = browser.one("input[name=movie]")
        field.send_keys(title)
        browser.shows(lambda: browser.all(".alert") and all(title in item.text for item in browser.all(".alert .title")), f"the filter by movie shows only {title}")
        field.send_keys(" that there is not")
        browser.shows(lambda: not browser.all(".alert") and browser.all(".notice"), "a filter without matches says so")


def test_retraction(_, options):
    """A correction retracts an alert live: it is struck through, and the page says why."""
    night = datetime.datetime.fromisoformat("2024-06-05T01:00+09:00")
    with Site(options.program, recorded=recordings.corrected()) as harness, BrowserSession(harness) as browser:
        harness.control(clockOffset=int((night - clock().now()).total_seconds()))
        harness.ask_days(recordings.BEFORE, recordings.DAY)
        browser.open("alerts?rule=lead")
        browser.shows(lambda: browser.all(".alert [data-rule=lead]") and not browser.all("del"), "an alert is shown")
        harness.control()
        harness.must("request", "day", recordings.DAY, "--refresh")
        browser.shows(lambda: browser.all(".alert.retracted del"), "a correction strikes it through while the page is open")
        struck = browser.text(".alert.retracted")
        check("취소됨" in struck and "line-through" in browser.run("return getComputedStyle(document.querySelector('.retracted del')).textDecoration"),
              f"in words, too: {struck!r}")
        browser.shows(lambda: "앞선 알림 취소" in browser.text(".alerts"), "the retraction is an alert as well")
        browser.open(f"movie/{recordings.FOLLOWER}")
        check(browser.one(".alert.retracted del"), "it is struck through on the movie's page, too")


def test_product_alerts(_, options):
    """An alert about a product links to the product, and its day has no link to a chart."""
    with Site(options.program, rules="rules: {newProduct: }") as harness, BrowserSession(harness) as browser:
        harness.ask("fetch.products", perPage=100)
        eventually(lambda: harness.api("products?page=1&perPage=100"), "the board knows the shop")
        image = pathlib.Path(__file__).resolve().parents[3] / "docs/images/board-shop.png"
        harness.must("product", "register", str(image), "--name", "겨울 외투", "--description", "두껍고 따뜻한 외투", "--price", "15000", "--stock", "3")
        browser.open("alerts")
        browser.shows(lambda: browser.all(".alert [data-rule=newProduct]"), "an alert about a product is in the list")
        link = browser.one(".alert a.title").get_attribute("href")
        check(re.search(r"/shop/\d+$", link), f"it links to the product: {link}")
        check(not browser.all(".alert .when a"), "its day has no link to a chart")
        browser.one(".alert a.title").click()
        browser.shows(lambda: "겨울 외투" in browser.one("h1").text, "the link opens the product")


def test_notifications(_, options):
    """A visitor who agrees gets notifications of alerts while the page is hidden."""
    with Site(options.program) as harness, BrowserSession(harness) as browser:
        harness.ask_days("2024-06-03", "2024-06-04")
        browser.open_page("alerts")
        browser.run("""window.shown = []; window.asked = 0;
            window.Notification = class { static permission = 'default';
                static async requestPermission() { asked += 1; return (this.permission = 'granted'); }
                constructor(title, { body }) { shown.push(body); } };""")
        check(browser.run("return asked") == 0, "the page does not ask for permission by itself")
        browser.click(".head button[aria-pressed]")
        eventually(lambda: browser.attribute(".head button[aria-pressed]", "aria-pressed") == "true", "they are on")
        check(browser.run("return asked") == 1, "the button asks for permission, once")
        browser.run("Object.defineProperty(document, 'hidden', { get: () => true });")
        harness.ask_days("2024-06-05", "2024-06-06")
        shown = eventually(lambda: browser.run("return shown"), "a notification")
        check(len(shown[0]) > 5, f"a notification says: {shown[0]}")
