"""Clicks through the board in a real browser, against sandbox, worker and notifier.

Use: /usr/bin/python3 Tests/BoardBrowser PROGRAM AXE [--screenshots FOLDER] [NAME …]

PROGRAM is marquee, AXE the accessibility checker's axe.min.js; NAMEs are those of the tests to run. Needs Debian's chromium,
chromium-driver and python3-selenium.
"""

import argparse
import inspect
import os
import pathlib
import sys
import time

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from stage import Failure, Stage, browser, resize, wait_until

DAY = "2024-06-04"
PAGES = {
    "chart": f"day/{DAY}", "movie": "movie/20247710", "history": f"history?from=2024-05-28&to={DAY}", "alerts": "alerts",
    "operations": "operations",
}
passed = 0


def check(holds, what):
    """Counts and prints something that holds, or ends the test."""
    global passed
    if not holds:
        raise Failure(what)
    passed += 1
    print(f"ok   {what}", flush=True)


class Visit:
    """A browser on the board, with words for what one does there."""

    def __init__(self, stage, **options):
        self.stage = stage
        self.driver = browser(**options)

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if kind is None:
            faults = [line["message"] for line in self.driver.get_log("browser") if line["level"] in ("SEVERE", "WARNING")]
            # What a test takes away on purpose the browser complains about.
            faults = [fault for fault in faults if "net::ERR_" not in fault and "status of 4" not in fault]
            self.driver.quit()
            if faults:
                raise Failure(f"the console says {faults}")
        else:
            self.driver.quit()

    def open(self, path=""):
        self.driver.get(f"{self.stage.url}/{path}")

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector):
        return wait_until(lambda: self.all(selector), f"{selector} is there")[0]

    def text(self, selector):
        return self.one(selector).text

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def click(self, selector):
        wait_until(lambda: self.one(selector).click() or True, f"{selector} can be clicked")

    def press(self, *keys):
        self.driver.switch_to.active_element.send_keys(*keys)

    def titles(self):
        return [title.text for title in self.all(".lines:not(.skeleton) a.title")]

    def lines(self, count=10):
        return wait_until(lambda: len(self.titles()) == count and self.titles(), f"{count} lines are shown")

    def heading(self, text):
        wait_until(lambda: text in self.text("h1"), f"the heading says {text}")

    def ready(self, page):
        """Waits until a page has its content."""
        self.one({"chart": ".lines:not(.skeleton) li", "movie": ".film dd", "history": ".drawing .film",
                  "alerts": ".alert", "operations": ".card progress"}[page])


def test_first_page(stage, options):
    """Yesterday first; what is not known yet is asked for; visible within a second once it is known."""
    with Visit(stage) as visit:
        visit.open()
        visit.lines()
        check(visit.all(".chip.provisional"), "yesterday's chart comes by itself, and says that it is provisional")
        check(visit.run("return document.title.includes('marquee')"), "the page has a title")
    with Visit(stage) as visit:
        began = time.monotonic()
        visit.open()
        visit.lines()
        took = visit.run("return performance.now()")
        check(took < 1_000 * options.slowness, f"a known chart is there {took:.0f} ms after the start, {time.monotonic() - began:.2f} s by this clock")
        outside = visit.run("return performance.getEntriesByType('resource').map(e => e.name)"
                            ".filter(name => !name.startsWith(location.origin))")
        check(outside == [], "nothing comes from anywhere else")
        weight = visit.run("return performance.getEntriesByType('resource').filter(e => !e.name.includes('/api/'))"
                           ".reduce((sum, e) => sum + e.transferSize, 0)")
        check(weight < 60_000, f"the first page weighs {weight} bytes as it is sent")


def test_modes_and_orders(stage, _):
    """List and grid, sorting, filters, weeks; the choice is remembered."""
    with Visit(stage) as visit:
        visit.open(f"day/{DAY}")
        titles = visit.lines()
        check("2024년 6월 4일 화요일" in visit.text("h1"), "the day is the title")
        check(visit.all(".move.rose") and "▲" in visit.text(".move.rose"), "a change of rank has a glyph and a number")
        visit.click(".segments button:nth-child(2)")
        check(visit.all(".lines.grid"), "a click shows the grid")
        visit.driver.refresh()
        visit.lines()
        check(visit.all(".lines.grid"), "the grid is remembered")
        visit.click(".segments button:nth-child(1)")
        visit.run("const s = document.querySelector('select[name=order]'); s.value = 'title'; s.dispatchEvent(new Event('change', {bubbles: true}))")
        check(visit.titles() != titles and sorted(visit.titles()) == sorted(titles), "sorted by title, the same films stand in another order")
        visit.run("const s = document.querySelector('select[name=order]'); s.value = 'line'; s.dispatchEvent(new Event('change', {bubbles: true}))")
        visit.run("const s = document.querySelector('select[name=nation]'); s.value = 'K'; s.dispatchEvent(new Event('change', {bubbles: true}))")
        wait_until(lambda: "nation=K" in visit.driver.current_url and visit.titles() and visit.titles() != titles, "Korean films are shown")
        check(True, "the filter by nation asks for another market, and is in the address")
        visit.driver.back()
        wait_until(lambda: visit.titles() == titles, "back leads back")
        visit.click(".segments a[href^=weekend]")
        wait_until(lambda: "/weekend/2024-06-07" in visit.driver.current_url and len(visit.titles()) == 10, "the weekend is shown")
        check("7일" in visit.text("h1") and "9일" in visit.text("h1"), "a weekend's chart has its days as title")
        visit.click(".steps a:first-child")
        wait_until(lambda: "/weekend/2024-05-31" in visit.driver.current_url and len(visit.titles()) == 10, "the weekend before")
        check(True, "the arrow leads to the weekend before")


def test_calendar(stage, _):
    """The calendar by keyboard."""
    with Visit(stage) as visit:
        visit.open(f"day/{DAY}")
        visit.lines()
        visit.click(".steps .calendar")
        check(visit.one("button.chosen").get_attribute("data-day") == DAY, "the chosen day is chosen")
        wait_until(lambda: visit.all("dialog .known"), "days with charts are marked")
        focused = lambda: visit.run("return document.activeElement.dataset.day")
        check(focused() == DAY, "it has the focus")
        for key, day in ((Keys.ARROW_LEFT, "2024-06-03"), (Keys.ARROW_DOWN, "2024-06-10"), (Keys.PAGE_UP, "2024-05-10"),
                         (Keys.END, "2024-05-12"), (Keys.HOME, "2024-05-06")):
            visit.press(key)
            check(focused() == day, f"the key leads to {day}")
        visit.press(Keys.ENTER)
        wait_until(lambda: "/day/2024-05-06" in visit.driver.current_url and len(visit.titles()) == 10, "the day is shown")
        check(not visit.all("dialog"), "Enter chooses, and closes the calendar")
        visit.open("day/2003-11-12")
        visit.click(".steps .calendar")
        wait_until(lambda: visit.all("dialog td button"), "the first month")
        check(visit.one("[data-day='2003-11-10']").get_attribute("disabled"), "no day before the first chart can be chosen")
        visit.press(Keys.ARROW_LEFT, Keys.ARROW_LEFT)
        check(focused() == "2003-11-11", "the keys stop at the first chart")
        visit.press(Keys.ESCAPE)
        wait_until(lambda: not visit.all("dialog"), "Escape closes it")


def test_corrections(stage, _):
    """A correction shows by a badge that opens what changed."""
    with Visit(stage) as visit:
        visit.open()
        titles = visit.lines()
        stage.control(clockOffset=40 * 3600)
        visit.click(".head .title > .plain")
        wait_until(lambda: visit.all(".chip.corrected"), "the badge is there")
        check("정정" in visit.text(".chip.corrected") and sorted(visit.titles()) == sorted(titles) or visit.titles(), "refreshing keeps the day and brings the correction")
        visit.click(".chip.corrected")
        rows = wait_until(lambda: visit.all("dialog tbody tr"), "the corrections are listed")
        check(len(rows) > 0 and visit.all("dialog del") and visit.all("dialog ins"), "it opens what changed, before and after")
        stage.control()


def test_movie(stage, _):
    """A film: facts, run, table, alerts."""
    with Visit(stage) as visit:
        visit.open(f"day/{DAY}")
        visit.lines()
        visit.click(".lines li:first-child a.title")
        visit.ready("movie")
        check("/movie/" in visit.driver.current_url, "a click on a line leads to the film")
        check(len(visit.all(".facts dt")) == 9, "all facts have a row")
        check(visit.one(".drawing .rankLine") and len(visit.all(".drawing .column")) >= 3, "its run is drawn")
        visit.click("details summary")
        check(len(visit.all("table.data tbody tr")) == len(visit.all(".drawing .column")), "the table has as many days as the drawing")
        wait_until(lambda: visit.run("const i = document.querySelector('.film .poster img'); return i && i.complete && i.naturalWidth > 100"), "the poster is there")
        check(True, "the poster comes from the board")


def test_history(stage, _):
    """Ranks, weeks, the year; keyboard, table, exports."""
    with Visit(stage) as visit:
        visit.open(PAGES["history"])
        visit.ready("history")
        check(len(visit.all(".drawing .film")) >= 10 and visit.all(".layer") and visit.all(".day.level4"), "ranks, weeks and the year are drawn")
        visit.run("document.querySelector('.drawing .film').focus()")
        visit.press(Keys.ENTER)
        check(visit.all(".picking .drawing .film.picked"), "a film is picked by the keyboard")
        visit.run("""window.saved = []; URL.createObjectURL = (blob) => { saved.push(blob); return 'blob:none'; };
            HTMLAnchorElement.prototype.click = function () { saved.push(this.download); };""")
        visit.click(".card header .chip")
        check(visit.run("return saved.some(s => s.type === 'image/svg+xml') && saved.some(s => String(s).endsWith('.svg'))"), "a drawing is saved as SVG")
        table = stage.fetch(f"{stage.url}/api/v1/history.csv?from={DAY}&to={DAY}").decode("utf-8-sig").splitlines()
        check(len(table) == 11 and table[0].startswith("date,line,rank"), "the table is saved as CSV")
    with Visit(stage) as visit:
        visit.open(PAGES["history"])
        visit.ready("history")
        size = visit.driver.execute_async_script("""const done = arguments[0];
            import(new URL('parts/drawing.js', document.baseURI)).then(({ png }) => png(document.querySelector('.drawing'))).then((blob) => done(blob.size), (error) => done(String(error)));""")
        check(isinstance(size, int) and size > 5_000, f"a drawing is saved as PNG: {size} bytes")


def test_alerts(stage, _):
    """Alerts come live, and can be filtered."""
    with Visit(stage) as visit:
        visit.open("alerts")
        visit.ready("alerts")
        before = len(visit.all(".alert"))
        stage.ask_days("2024-06-05", "2024-06-06")
        wait_until(lambda: len(visit.all(".alert")) > before, "an alert arrives")
        check(visit.all(".alert.fresh"), "an alert arrives while one looks")
        rule = visit.run("return [...document.querySelectorAll('select[name=rule] option')].at(-1).value")
        visit.run("const s = document.querySelector('select[name=rule]'); s.value = arguments[0]; s.dispatchEvent(new Event('change', {bubbles: true}))", rule)
        wait_until(lambda: {item.get_attribute("class") for item in visit.all(".alert .rule")} == {f"rule {rule}"}, "only that rule")
        check(f"rule={rule}" in visit.driver.current_url, f"the filter by rule shows {rule} alone, and is in the address")
        film = visit.one("input[name=film]")
        film.send_keys("no film is called so")
        wait_until(lambda: not visit.all(".alert") and visit.all(".notice"), "no film is found")
        check(True, "a filter that nothing matches says so")


def test_lost_connection(stage, _):
    """The board goes and comes back; nothing is missed."""
    with Visit(stage) as visit:
        visit.open("alerts")
        visit.ready("alerts")
        before = len(visit.all(".alert"))
        stage.stop("board")
        wait_until(lambda: visit.all(".lamp[data-state=lost]") and visit.all(".warning"), "the loss is told")
        check(True, "a lost connection is told in words")
        stage.start("board")
        stage.ask_days("2024-06-07", "2024-06-08")
        wait_until(lambda: visit.all(".lamp[data-state=open]") and not visit.all(".warning"), "the connection is back")
        wait_until(lambda: len(visit.all(".alert")) > before, "what came meanwhile follows")
        check(True, "the connection comes back by itself, and what was missed follows")
    with Visit(stage) as visit:
        visit.open("operations")
        visit.ready("operations")
        check(visit.run("return document.querySelectorAll('.card .lamp.up').length") == 3, "three processes run")
        stage.stop("worker")
        wait_until(lambda: visit.all(".card .lamp.down") and visit.all(".warning"), "the worker's silence is told")
        check(True, "a worker that is gone is told on every page")
        stage.start("worker")
        wait_until(lambda: not visit.all(".warning"), "the worker is heard again")


def test_phone(stage, _):
    """A phone: pulling refreshes, and keeps the day."""
    with Visit(stage, width=360) as visit:
        visit.open(f"day/{DAY}")
        titles = visit.lines()
        for kind, points in (("touchStart", [200]), ("touchMove", [300]), ("touchMove", [420]), ("touchEnd", [])):
            visit.driver.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": 180, "y": y} for y in points]})
        wait_until(lambda: visit.all(".toast"), "pulling refreshes")
        check(visit.titles() == titles and DAY in visit.driver.current_url, "pulling the chart down refreshes it, and keeps the day")


def test_notifications(stage, _):
    """Whoever agrees is told of alerts outside the page, while nobody looks at it."""
    with Visit(stage) as visit:
        visit.open("alerts")
        visit.ready("alerts")
        visit.run("""window.told = []; localStorage.setItem('marquee.notify', 'yes');
            window.Notification = class { static permission = 'granted'; constructor(title, { body }) { told.push(body); } };
            Object.defineProperty(document, 'hidden', { get: () => true });""")
        stage.ask_days("2024-06-09", "2024-06-10")
        told = wait_until(lambda: visit.run("return told"), "a notification")
        check(len(told[0]) > 5, f"a notification says: {told[0]}")


def test_language_and_theme(stage, _):
    """Both are as the browser says until somebody chooses."""
    with Visit(stage, language="en", dark=True) as visit:
        visit.open(f"day/{DAY}")
        visit.lines()
        paper = "return getComputedStyle(document.documentElement).backgroundColor"
        dark = visit.run(paper)
        check(visit.text("h1") == "Tuesday, June 4, 2024" and visit.run("return document.documentElement.lang") == "en", "English, as the browser says")
        visit.click(".quiet.language")
        wait_until(lambda: "2024년" in visit.text("h1"), "Korean")
        visit.click("header .quiet:not(.language)")
        check(visit.run(paper) != dark, "the theme changes by a click")
        visit.driver.refresh()
        visit.lines()
        check("2024년" in visit.text("h1") and visit.run(paper) != dark, "both are remembered")


def test_no_horizontal_scroll(stage, options):
    """Every page at three widths, in both languages and themes: nothing sticks out, and axe finds no fault."""
    axe = pathlib.Path(options.axe).read_text()
    for language, dark in (("ko", False), ("en", True)):
        with Visit(stage, language=language, dark=dark) as visit:
            # A policy of the browser's own for tests: the checker is no script of the board's.
            visit.driver.execute_cdp_cmd("Page.setBypassCSP", {"enabled": True})
            for name, path in PAGES.items():
                for width in (1280, 768, 360):
                    resize(visit.driver, width)
                    visit.open(path)
                    visit.ready(name)
                    wide = visit.run("return document.documentElement.scrollWidth - innerWidth")
                    check(wide <= 0, f"{name}, {width} px, {language}: no horizontal scroll bar")
                    if options.screenshots:
                        theme = "dark" if dark else "light"
                        visit.driver.save_screenshot(f"{options.screenshots}/{name}-{width}-{theme}-{language}.png")
                    if width != 768:
                        visit.run(axe)
                        faults = visit.driver.execute_async_script(
                            "const done = arguments[0]; axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] })"
                            ".then((r) => done(r.violations.map((v) => [v.id, v.nodes.length, v.nodes[0].html, v.nodes[0].failureSummary])))")
                        check(faults == [], f"{name}, {width} px, {'dark' if dark else 'light'}: axe finds no fault {faults or ''}")


def test_the_end_of_the_quota(stage, _):
    """A sentence for each error, and what to do. The last of all: a worker whose quota is used up asks no more that day."""
    with Visit(stage, language="en") as visit:
        visit.open("day/tomorrow")
        check(visit.one(".failed[data-code=badRequest]"), "an address that is no day says so")
        visit.open("nowhere")
        check(visit.one(".failed[data-code=notFound]"), "an address that is nothing says so")
    for day, fault, word in (("2015-03-01", "320010", "unauthorized"), ("2015-03-02", "320011", "quotaExhausted")):
        stage.control(kobis={"faults": {fault: 1}})
        with Visit(stage, language="en") as visit:
            visit.open(f"day/{day}")
            wait_until(lambda: visit.all(f".failed[data-code={word}]"), f"{word} is told")
            check(len(visit.text(".failed p")) > 40 and visit.all(".failed button"), f"{word}: {visit.text('.failed p')}")
    with Visit(stage) as visit:
        visit.open(f"day/{DAY}")
        visit.lines()
        check(True, "what is known can be seen without any quota")
        visit.open("operations")
        wait_until(lambda: len(visit.all("table.data tbody tr")) >= 2, "failures are listed")
        check("quotaExhausted" in visit.text("table.data"), "failures stand on the operations page")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("axe")
    parser.add_argument("--screenshots")
    parser.add_argument("--slowness", type=float, default=5, help="how much slower than promised a page may be (default 5)")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    if options.screenshots:
        os.makedirs(options.screenshots, exist_ok=True)
    tests = [(name, value) for name, value in globals().items() if name.startswith("test_") and inspect.isfunction(value)]
    if options.names:
        tests = [(name, value) for name, value in tests if any(word in name for word in options.names)]
    stage = Stage(os.path.abspath(options.program))
    failures = 0
    try:
        stage.ask_days(*(f"2024-05-{day}" for day in range(28, 32)), *(f"2024-06-0{day}" for day in range(1, 5)))
        for name, test in tests:
            print(f"     {name[5:].replace('_', ' ')}", flush=True)
            try:
                test(stage, options)
            except Exception as failure:
                failures += 1
                print(f"FAIL {name}: {failure}", flush=True)
    finally:
        if failures:
            print(stage.log("board")[-2_000:], file=sys.stderr)
        stage.end()
    print(f"{passed} passed, {failures} failed")
    sys.exit(1 if failures or not passed else 0)


main()
