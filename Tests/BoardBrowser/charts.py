"""The chart: what it shows, how it is arranged, the calendar, refreshing, and each way in which it can fail."""

import time

from selenium.webdriver.common.keys import Keys

from stage import Stage, check, wait_until
from visit import DAY, Visit

KST = 9 * 3_600
FAR = 14 * 86_400


def korean_day(offset=0):
    """A day in Korea, from today on."""
    return time.strftime("%Y-%m-%d", time.gmtime(time.time() + KST + offset * 86_400))


def test_first_page(stage, options):
    """Yesterday first; what is not known yet is asked for; visible within a second once it is known."""
    with Visit(stage) as visit:
        visit.open()
        visit.lines()
        check(visit.all(".chip.provisional"), "yesterday's chart comes by itself, and says that it is provisional")
        check(visit.run("return document.title.includes('marquee')"), "the page has a title")
    with Visit(stage) as visit:
        visit.before("""new MutationObserver((_, observer) => {
            if (!document.querySelector('.lines:not(.skeleton) li')) return;
            observer.disconnect();
            requestAnimationFrame(() => { window.chartAt = performance.now(); });
        }).observe(document, { childList: true, subtree: true });""")
        visit.open()
        visit.lines()
        took = visit.wait("while (!window.chartAt) await new Promise(requestAnimationFrame); return chartAt")
        check(took < 1_000 * options.slowness, f"a known chart is there {took:.0f} ms after the start, from a cold cache")
        outside = visit.run("return performance.getEntriesByType('resource').map(e => e.name)"
                            ".filter(name => !name.startsWith(location.origin))")
        check(outside == [], "nothing comes from anywhere else")
        weight = visit.run("return [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]"
                           ".filter(e => !e.name.includes('/api/')).reduce((sum, e) => sum + e.transferSize, 0)")
        check(weight < 60_000, f"the whole first page is {weight} bytes on the wire, head lines included")


def test_lines(stage, _):
    """What a line says, in both modes."""
    with Visit(stage) as visit:
        visit.open(f"day/{DAY}")
        visit.lines()
        check("2024년 6월 4일 화요일" in visit.text("h1"), "the day is the title")
        entries = stage.api(f"days/{DAY}")["chart"]["entries"]
        shown = visit.run("return [...document.querySelectorAll('.lines li')].map((line) => line.innerText)")
        for entry, line in zip(entries, shown):
            figures = [f"{entry[name]:,}" for name in ("rank", "audience", "audienceTotal", "screens")]
            share = f"{entry['salesShare']:.1f}%"
            check(all(word in line for word in [entry["title"], share, *figures]),
                  f"a line has rank, title, figures with separators, share and screens: {entry['title']}")
        moves = {("new" if entry["isNew"] else "rose" if entry["rankChange"] > 0 else "fell" if entry["rankChange"] < 0 else "same"):
                 entry for entry in entries}
        texts = {"new": "신작", "rose": "▲{}", "fell": "▼{}", "same": "-"}
        for kind, entry in moves.items():
            text = visit.text(f".move.{kind} [aria-hidden]")
            check(text[0] == texts[kind][0], f"a film that is {kind} has a glyph: {text}")
        colours = {kind: visit.run("return getComputedStyle(document.querySelector(arguments[0])).color", f".move.{kind}")
                   for kind in ("rose", "fell") if kind in moves}
        red, blue = (list(map(int, colours[kind][4:-1].split(","))) for kind in ("rose", "fell"))
        check(max(red) == red[0] and max(blue) == blue[2], f"up is red, down is blue: {colours}")


def test_modes_and_orders(stage, _):
    """List and grid, sorting, filters, weeks; the choice is remembered."""
    with Visit(stage) as visit:
        visit.open(f"day/{DAY}")
        titles = visit.lines()
        visit.click(".segments button:nth-child(2)")
        check(visit.all(".lines.grid"), "a click shows the grid")
        visit.driver.refresh()
        visit.lines()
        check(visit.all(".lines.grid .poster.large"), "the grid is remembered")
        visit.click(".segments button:nth-child(1)")
        visit.choose("order", "title")
        check(visit.titles() != titles and sorted(visit.titles()) == sorted(titles), "sorted by title, the same films stand in another order")
        visit.choose("order", "audienceTotal")
        totals = [int(text.replace(",", "")) for text in visit.run(
            "return [...document.querySelectorAll('.lines .figure:nth-child(2) .value')].map((value) => value.textContent)")]
        check(totals == sorted(totals, reverse=True), "sorted by total admissions, the totals fall")
        visit.choose("order", "line")
        for name, value in (("nation", "K"), ("films", "diverse"), ("area", "0105001")):
            visit.choose(name, value)
            visit.shows(lambda: f"{name}={value}" in visit.url and visit.all(".lines:not(.skeleton) li") and visit.titles() != titles,
                        f"the filter {name}={value} asks for another market, and is in the address")
            visit.driver.back()
            wait_until(lambda: visit.titles() == titles, "back leads back")
        visit.choose("area", "0105011")
        visit.shows(lambda: visit.run("return document.querySelector('select[name=area]').selectedOptions[0].textContent") == "부산시",
                    "areas have names")
        visit.choose("area", "")
        visit.click(".segments a[href^=weekend]")
        wait_until(lambda: "/weekend/2024-06-07" in visit.url and len(visit.titles()) == 10, "the weekend is shown")
        check("7일" in visit.text("h1") and "9일" in visit.text("h1"), "a weekend's chart has its days as title")
        visit.click(".steps a:first-child")
        visit.shows(lambda: "/weekend/2024-05-31" in visit.url and len(visit.titles()) == 10, "the arrow leads to the weekend before")
        visit.click(".segments a[href^='week/']")
        visit.shows(lambda: "/week/2024-05-27" in visit.url and len(visit.titles()) == 10, "a week has a chart, too")


def test_calendar(stage, _):
    """The calendar by keyboard; its bounds; deep links."""
    with Visit(stage) as visit:
        visit.open(f"day/{DAY}")
        visit.lines()
        visit.click(".steps .calendar")
        check(visit.attribute("button.chosen", "data-day") == DAY, "the chosen day is chosen")
        wait_until(lambda: visit.all("dialog .known"), "days with charts are marked")
        known = {day["date"] for day in stage.api("calendar/2024")["days"] if day["date"].startswith("2024-06")}
        marked = set(visit.run("return [...document.querySelectorAll('dialog .known')].map((day) => day.dataset.day)"))
        check(marked == known, "the days with charts are marked, and no others")
        focused = lambda: visit.run("return document.activeElement.dataset.day")
        check(focused() == DAY, "it has the focus")
        for key, day in ((Keys.ARROW_LEFT, "2024-06-03"), (Keys.ARROW_DOWN, "2024-06-10"), (Keys.PAGE_UP, "2024-05-10"),
                         (Keys.END, "2024-05-12"), (Keys.HOME, "2024-05-06")):
            visit.press(key)
            check(focused() == day, f"the key leads to {day}")
        visit.press(Keys.ENTER)
        wait_until(lambda: "/day/2024-05-06" in visit.url and len(visit.titles()) == 10, "the day is shown")
        check(not visit.all("dialog"), "Enter chooses, and closes the calendar")
        visit.open("day/2003-11-12")
        visit.click(".steps .calendar")
        wait_until(lambda: visit.all("dialog td button"), "the first month")
        check(visit.attribute("[data-day='2003-11-10']", "disabled") is not None, "no day before the first chart can be chosen")
        visit.press(Keys.ARROW_LEFT, Keys.ARROW_LEFT)
        check(focused() == "2003-11-11", "the keys stop at the first chart")
        visit.press(Keys.ESCAPE)
        wait_until(lambda: not visit.all("dialog"), "Escape closes it")
        yesterday = korean_day(-1)
        visit.open(f"day/{yesterday}")
        visit.lines()
        visit.click(".steps .calendar")
        visit.one(f"[data-day='{yesterday}']")
        visit.press(Keys.ARROW_RIGHT, Keys.ARROW_DOWN, Keys.PAGE_DOWN)
        check(focused() == yesterday, "the keys stop at yesterday")
        later = visit.run("return [...document.querySelectorAll('dialog td button')].filter((day) => day.dataset.day > arguments[0] && !day.disabled).length", yesterday)
        check(later == 0 and visit.all(".steps [aria-disabled=true]"), "no day after yesterday can be chosen")


def test_corrections(stage, _):
    """A correction shows by a badge that opens what changed."""
    with Visit(stage) as visit:
        visit.open()
        visit.lines()
        address = visit.url
        stage.control(clockOffset=40 * 3600)
        visit.click(".head .title > .plain")
        wait_until(lambda: visit.all(".chip.corrected"), "the badge is there")
        check("정정" in visit.text(".chip.corrected") and visit.url == address, "refreshing keeps the day and brings the correction")
        visit.click(".chip.corrected")
        rows = wait_until(lambda: visit.all("dialog tbody tr"), "the corrections are listed")
        check(len(rows) > 0 and visit.all("dialog del") and visit.all("dialog ins"), "it opens what changed, before and after")
        revisions = stage.api(f"days/{korean_day(-1)}")["revisions"]
        films = sum(len({correction["movieCode"] for correction in revision["corrections"]}) for revision in revisions)
        check(0 < films == len(visit.all("dialog .film")), f"film by film: {films}")
        stage.control()


def pull(visit):
    """Pulls the page down with a finger."""
    for kind, points in (("touchStart", [200]), ("touchMove", [300]), ("touchMove", [420]), ("touchEnd", [])):
        visit.driver.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": 180, "y": y} for y in points]})


def test_phone(stage, _):
    """A phone: pulling refreshes, and keeps the day."""
    with Visit(stage, width=360) as visit:
        visit.open(f"day/{DAY}")
        titles = visit.lines()
        pull(visit)
        wait_until(lambda: visit.all(".toast"), "pulling refreshes")
        check(visit.titles() == titles and DAY in visit.url, "pulling the chart down refreshes it, and keeps the day")
        stage.control(kobis={"errors": {"503": 1}})
        pull(visit)
        visit.shows(lambda: visit.all(".trouble .failed[data-code=maintenance]") and visit.titles() == titles and DAY in visit.url,
                    "a refresh that fails says so, and the chart stays")
        stage.control()
        visit.click(".trouble .primary")
        visit.shows(lambda: visit.all(".toast") and not visit.all(".trouble .failed"), "what it says to do helps")


def test_skeleton(stage, _):
    """While a chart is under way there are its outlines."""
    with Visit(stage) as visit:
        stage.control(kobis={"latency": 3_000})
        visit.open("day/2019-05-05")
        visit.shows(lambda: visit.all(".lines.skeleton .bone"), "a chart that is under way has its outlines")
        stage.control()
        visit.lines()
        check(not visit.all(".skeleton"), "and then its lines")


def told(visit, code, place=".failed"):
    """Waits for an error's sentence, which must say more than that there is one."""
    wait_until(lambda: visit.all(f"{place}[data-code={code}]"), f"{code} is told")
    sentence = visit.text(f"{place} p")
    check(len(sentence) > 25 and visit.all(f"{place} button"), f"{code}: {sentence}")


def test_errors(_, options):
    """A clear sentence for each error, and what to do. On a stage of its own: a worker without quota asks no more that day."""
    with Stage(options.program) as stage, Visit(stage, language="en") as visit:
        visit.open("day/tomorrow")
        check(visit.one(".failed[data-code=badRequest]"), "an address that is no day says so")
        visit.open("nowhere")
        check(visit.one(".failed[data-code=notFound]"), "an address that is nothing says so")

        # Two weeks ago nothing of yesterday had been published.
        stage.control(clockOffset=-FAR)
        yesterday = korean_day(-1)
        visit.open(f"day/{yesterday}")
        told(visit, "notPublished")
        stage.control()
        visit.click(".failed button")
        visit.shows(lambda: len(visit.titles()) == 10, "the same button shows it once it is published")

        visit.open(f"day/{DAY}")
        titles = visit.lines()
        stage.stop("board")
        visit.click(".head .title > .plain")
        told(visit, "offline", ".trouble .failed")
        check(visit.titles() == titles, "without a connection the chart that was there stays")
        visit.click(".steps a:first-child")
        told(visit, "offline", ".body .failed")
        stage.start("board")
        visit.click(".body .failed button")
        visit.shows(lambda: len(visit.titles()) == 10 and "/day/2024-06-03" in visit.url, "with it the day comes")

        stage.control(kobis={"faults": {"320010": 1}})
        visit.open("day/2015-03-01")
        told(visit, "unauthorized")
        stage.control(kobis={"faults": {"320011": 1}})
        visit.open("day/2015-03-02")
        told(visit, "quotaExhausted")
        visit.open(f"day/{DAY}")
        visit.lines()
        check(True, "what is known can be seen without any quota")
        visit.click(".head .title > .plain")
        told(visit, "quotaExhausted", ".trouble .failed")
        check(len(visit.titles()) == 10 and DAY in visit.url, "a refresh without quota keeps the chart and the day")
        visit.open("operations")
        wait_until(lambda: len(visit.all("table.data tbody tr")) >= 2, "failures are listed")
        check("quotaExhausted" in visit.run("return document.body.innerText"), "failures stand on the operations page")
