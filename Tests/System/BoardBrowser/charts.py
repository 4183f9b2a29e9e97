"""The chart: its lines, orders and filters, the calendar, refreshing, and each error."""

import base64
import datetime
import re

from selenium.webdriver.common.keys import Keys

from harness import Site, check, eventually
from clock import TODAY
from browser import DAY, BrowserSession, fits_dialog
from shop import ShopSession, with_shop

FAR = 14 * 86_400


def korean_day(offset=0):
    """A day in Korea, from today on."""
    return str(TODAY + datetime.timedelta(days=offset))


def test_first_page(harness, _):
    """Yesterday's chart comes first, and little is loaded for it."""
    with BrowserSession(harness) as browser:
        browser.open_chart("")
        check(browser.all(".chip.provisional"), "yesterday's chart is requested and shown, and says that it is provisional")
        check(browser.run("return document.title.includes('marquee')"), "the page has a title")
    with BrowserSession(harness) as browser:  # its cache is empty
        browser.open_chart("")
        outside = browser.run("return performance.getEntriesByType('resource').map(e => e.name)"
                            ".filter(name => !name.startsWith(location.origin))")
        check(outside == [], "everything is loaded from the board")
        weight = browser.run("return [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]"
                           ".filter(e => !e.name.includes('/api/')).reduce((sum, e) => sum + e.transferSize, 0)")
        check(weight < 60_000, f"the whole first page is {weight} bytes on the wire, head lines included")


def test_lines(harness, _):
    """The figures of a line."""
    with BrowserSession(harness) as browser:
        browser.open_chart()
        check("2024년 6월 4일 화요일" in browser.text("h1"), "the day is the title")
        entries = harness.api(f"days/{DAY}")["chart"]["entries"]
        shown = browser.run("return [...document.querySelectorAll('.lines li')].map((line) => line.innerText)")
        for entry, line in zip(entries, shown):
            figures = [f"{entry[name]:,}" for name in ("rank", "audience", "audienceTotal", "screens")]
            share = f"{entry['salesShare']:.1f}%"
            check(all(word in line for word in [entry["title"], share, *figures]),
                  f"a line has rank, title, figures with separators, share and screens: {entry['title']}")
        moves = {("new" if entry["isNew"] else "rose" if entry["rankChange"] > 0 else "fell" if entry["rankChange"] < 0 else "same"):
                 entry for entry in entries}
        texts = {"new": "NEW", "rose": "▲{}", "fell": "▼{}", "same": "-"}
        for kind, entry in moves.items():
            text = browser.text(f".move.{kind} [aria-hidden]")
            check(text[0] == texts[kind][0], f"a movie that is {kind} has a glyph: {text}")
        colours = {kind: browser.run("return getComputedStyle(document.querySelector(arguments[0])).color", f".move.{kind}")
                   for kind in ("rose", "fell") if kind in moves}
        red, blue = (list(map(int, colours[kind][4:-1].split(","))) for kind in ("rose", "fell"))
        check(max(red) == red[0] and max(blue) == blue[2], f"up is red, down is blue: {colours}")


def test_namesakes(harness, _):
    """Movies of one title in a chart are told apart by year, in one year by day, and at last by code."""
    with BrowserSession(harness) as browser:
        browser.open_chart()
        titles = browser.wait("""const { lines } = await import(new URL('parts/lines.js', document.baseURI));
            const movies = [['20060001', '2006-07-27'], ['20230001', '2023-11-29'], ['20230002', '2023-02-01'], ['20240001', null]];
            const entries = movies.map(([movieCode, openDate], index) => ({ line: index + 1, rank: index + 1, movieCode, openDate, title: '괴물' }));
            const drawn = (entries) => [...lines({ entries, posters: {}, day: given[0], mode: 'list' }).querySelectorAll('.title')].map((title) => title.textContent);
            return [drawn(entries), drawn(entries.slice(0, 1))]""", DAY)
        check(titles == [["괴물 (2006)", "괴물 (2023-11-29)", "괴물 (2023-02-01)", "괴물 (20240001)"], ["괴물"]], f"namesakes are told apart: {titles}")


def test_unknown_figures(harness, _):
    """A figure that is unknown is a dash and no 0, and a sum over such figures says what it counts."""
    with BrowserSession(harness) as browser:
        browser.open_chart()
        total, sums, days = browser.wait("""const load = (path) => import(new URL(path, document.baseURI));
            const [{ lines }, { weekSums, dayTotals }] = [await load('parts/lines.js'), await load('parts/weeks.js')];
            const entry = { line: 1, rank: 1, movieCode: '20240001', title: '괴물', audience: 7, audienceTotal: null };
            const card = lines({ entries: [entry], posters: {}, day: given[0], mode: 'grid' });
            const days = ['2024-06-03', '2024-06-04'];
            const movies = [{ code: '20240001', title: '괴물', points: [[0, 1, null], [1, 1, 7]] }, { code: '20240002', title: '용', points: [[0, 2, null]] }];
            const history = { from: days[0], to: days[1], days, movies };
            return [card.textContent, weekSums(history).layers.map(({ sums }) => sums[0]), [...dayTotals(history)]]""", DAY)
        check("–" in total and "누적관객수0" not in total, f"an unknown total is a dash: {total}")
        check(sums == [7, None, 0] and days == [["2024-06-03", None], ["2024-06-04", 7]], f"sums are of what is known: {sums}, {days}")


def test_modes_and_orders(harness, _):
    """List and grid, sorting, filters, weeks; the choice is remembered."""
    with BrowserSession(harness) as browser:
        titles = browser.open_chart()
        browser.click(".segments button:nth-child(2)")
        check(browser.all(".lines.grid"), "a click shows the grid")
        browser.driver.refresh()
        browser.lines()
        check(browser.all(".lines.grid .poster.large"), "the grid is remembered")
        browser.click(".segments button:nth-child(1)")
        browser.choose("order", "title")
        check(browser.titles() != titles and sorted(browser.titles()) == sorted(titles), "sorted by title, the same movies are in another order")
        browser.choose("order", "audienceTotal")
        totals = [int(text.replace(",", "")) for text in browser.run(
            "return [...document.querySelectorAll('.lines .figure:nth-child(2) .value')].map((value) => value.textContent)")]
        check(totals == sorted(totals, reverse=True), "sorted by total audience, the totals fall")
        browser.choose("order", "line")
        for name, value in (("nation", "K"), ("films", "diverse"), ("area", "0105001")):
            browser.choose(name, value)
            browser.shows(lambda: f"{name}={value}" in browser.url and browser.titles() not in ([], titles),
                        f"the filter {name}={value} requests another market, and is in the address")
            browser.driver.back()
            eventually(lambda: browser.titles() == titles, "back leads back")
        browser.choose("area", "0105011")
        browser.shows(lambda: browser.run("return document.querySelector('select[name=area]').selectedOptions[0].textContent") == "부산시",
                    "areas have names")
        browser.choose("area", "")
        browser.click(".segments a[href^=weekend]")
        eventually(lambda: "/weekend/2024-06-07" in browser.url and len(browser.titles()) == 10, "the weekend is shown")
        check("7일" in browser.text("h1") and "9일" in browser.text("h1"), "a weekend's chart has its days as title")
        browser.click(".steps a:first-child")
        browser.shows(lambda: "/weekend/2024-05-31" in browser.url and len(browser.titles()) == 10, "the arrow leads to the weekend before")
        browser.click(".segments a[href^='week/']")
        browser.shows(lambda: "/week/2024-05-27" in browser.url and len(browser.titles()) == 10, "a week has a chart, too")


def test_calendar(harness, _):
    """The calendar by keyboard; its bounds; deep links."""
    with BrowserSession(harness) as browser:
        browser.open_chart()
        browser.click(".steps .calendar")
        check(browser.attribute("button.chosen", "data-day") == DAY, "the chosen day is chosen")
        eventually(lambda: browser.all("dialog .known"), "days with charts are marked")
        known = {day["date"] for day in harness.api("calendar/2024")["days"] if day["date"].startswith("2024-06")}
        marked = set(browser.run("return [...document.querySelectorAll('dialog .known')].map((day) => day.dataset.day)"))
        check(marked == known, "the days with charts are marked, and no others")
        focused = lambda: browser.run("return document.activeElement.dataset.day")
        check(focused() == DAY, "it has the focus")
        for key, day in ((Keys.ARROW_LEFT, "2024-06-03"), (Keys.ARROW_DOWN, "2024-06-10"), (Keys.PAGE_UP, "2024-05-10"),
                         (Keys.END, "2024-05-12"), (Keys.HOME, "2024-05-06")):
            browser.press(key)
            check(focused() == day, f"the key leads to {day}")
        browser.press(Keys.ENTER)
        eventually(lambda: "/day/2024-05-06" in browser.url and len(browser.titles()) == 10, "the day is shown")
        check(not browser.all("dialog"), "Enter chooses, and closes the calendar")
        browser.open("day/2003-11-12")
        browser.click(".steps .calendar")
        eventually(lambda: browser.all("dialog td button"), "the first month")
        check(browser.attribute("[data-day='2003-11-10']", "disabled") is not None, "no day before the first chart can be chosen")
        browser.press(Keys.ARROW_LEFT, Keys.ARROW_LEFT)
        check(focused() == "2003-11-11", "the keys stop at the first chart")
        browser.press(Keys.ESCAPE)
        eventually(lambda: not browser.all("dialog"), "Escape closes it")
        yesterday = korean_day(-1)
        browser.open_chart(f"day/{yesterday}")
        browser.click(".steps .calendar")
        browser.one(f"[data-day='{yesterday}']")
        browser.press(Keys.ARROW_RIGHT, Keys.ARROW_DOWN, Keys.PAGE_DOWN)
        check(focused() == yesterday, "the keys stop at yesterday")
        later = browser.run("return [...document.querySelectorAll('dialog td button')].filter((day) => day.dataset.day > arguments[0] && !day.disabled).length", yesterday)
        check(later == 0 and browser.all(".steps [aria-disabled=true]"), "no day after yesterday can be chosen")


def test_calendar_on_small_phones(harness, _):
    """On the smallest phones the calendar is whole, in both languages."""
    for language in ("ko", "en"):
        with BrowserSession(harness, language=language) as browser:
            for width in (340, 320):
                browser.resize(width, 640)
                browser.open_chart()
                browser.click(".steps .calendar")
                browser.one("dialog .known")
                cut = fits_dialog(browser)
                check(cut == [], f"the calendar is whole at {width} pixels, {language} {cut or ''}")
                check(browser.run("return document.querySelectorAll('dialog thead th').length") == 7, "with all days of the week")


def test_days_out_of_range(harness, _):
    """An address of a day that can have no chart says so, and shows no other day's chart."""
    today = korean_day()
    with BrowserSession(harness) as browser:
        for path, title in (("day/2030-01-01", "2030년 1월 1일"), (f"day/{today}", f"{int(today[5:7])}월 {int(today[8:])}일"), ("day/2001-01-01", "2001년 1월 1일"),
                            ("weekend/2030-01-04", "2030년 1월 4일"), (f"history?from=2001-01-01&to={DAY}", "추이"), ("history?from=2024-06-01&to=2030-01-01", "추이")):
            browser.open(path)
            browser.one(".failed[data-code=dateOutOfRange]")
            check("2003년 11월 11일부터 어제까지" in browser.text(".failed p") and not browser.all(".lines") and not browser.all(".drawing"),
                  f"{path}: {browser.text('.failed p')}")
            check(title in browser.text("h1") and browser.url.endswith(path), f"{path} keeps its address and its title")
        for path, arrow, day in (("day/2030-01-01", "first", korean_day(-1)), ("day/2001-01-01", "last", "2003-11-11")):
            browser.open(path)
            check(browser.attribute(f".steps > :{arrow}-child", "href") == f"day/{day}", f"from {path} an arrow leads to the nearest chart")
        browser.open("day/2030-01-01")
        browser.click(".failed a.primary")
        browser.lines()
        check(browser.url == f"{harness.url}/", "its button leads to the newest chart")


def test_newest_known_chart(_, options):
    """Until yesterday's chart comes, the first page shows the newest that is known, and says so and why in a line above it."""
    with Site(options.program) as harness, BrowserSession(harness) as browser:
        older, newest = ([int(part) for part in korean_day(offset).split("-")] for offset in (-2, -1))
        harness.ask_days(korean_day(-2))

        def shows(*words):
            for word in words:
                browser.shows(lambda: word in browser.text(".instead"), f"the line says: {word}")
            titles = browser.lines()
            check(f"{older[1]}월 {older[2]}일" in browser.text("h1") and len(titles) == 10 and not browser.all(".failed"), "the newest known chart is shown")
            check(f"{newest[1]}월 {newest[2]}일" in browser.text(".instead") and browser.url == f"{harness.url}/", "the line names the missing day, and the address stays")

        harness.control(clockOffset=-FAR)  # two weeks ago nothing of yesterday had been published
        browser.open()
        shows("아직 집계되지 않아")
        harness.control(kobis={"errors": {"503": 1}})
        browser.click(".instead button")
        shows("가져오지 못해", "영화진흥위원회 서비스가 점검 중")
        check(browser.all(".lamp[data-state=open]"), "this is no fault of the board")
        harness.stop("worker")
        browser.one(".lamp[data-state=partial]")
        browser.click(".instead button")
        shows("수집 서버가 응답하지 않습니다")
        check("영화진흥위원회" not in browser.text(".instead"), "a worker that does not answer is not told as the council")
        browser.open("day/2015-03-01")
        browser.one(".failed[data-code=worker]")
        check("수집 서버가 응답하지 않습니다" in browser.text(".failed p"), "nor for another day")
        harness.start("worker")
        harness.control()
        browser.open()
        browser.shows(lambda: f"{newest[1]}월 {newest[2]}일" in browser.text("h1") and not browser.all(".instead"), "once yesterday's chart comes, it takes the place by itself")
        browser.lines()


def test_print(harness, _):
    """A day's chart prints on one page of A4, as a list and as a grid, in a dark theme too: without menus, with source and address."""
    shown = """return [...document.querySelectorAll('nav, .tools, .top, footer, select, button:not(.chip)')].filter((part) => part.checkVisibility()).length"""
    for dark in (False, True):
        with BrowserSession(harness, dark=dark) as browser:
            for mode in (1, 2):
                browser.open_chart()
                browser.click(f".modes button:nth-child({mode})")
                browser.run("document.querySelectorAll('img').forEach((image) => { image.loading = 'eager' })")
                paper = base64.b64decode(browser.driver.execute_cdp_cmd("Page.printToPDF", {"preferCSSPageSize": True})["data"])
                boxes = re.findall(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", paper)
                check(len(boxes) == 1 and abs(float(boxes[0][0]) - 595) < 2, f"one page of A4: {boxes}")
                browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
                check(browser.run(shown) == 0, "no menu is printed")
                line = browser.text(".printed")
                check("영화진흥위원회" in line and f"{harness.url}/day/{DAY}" in line, f"source and address are: {line}")
                colours = browser.run("const [paper, ink] = [document.body, document.querySelector('h1')].map((part) => getComputedStyle(part)); return [paper.backgroundColor, ink.color]")
                check(max(map(int, re.findall(r"\d+", colours[1])[:3])) < 60, f"dark ink: {colours}")
                browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
            browser.run("localStorage.clear()")


def test_failures_say_what_failed(harness, _):
    """A failure has a sentence of its own, and not one about the page."""
    for language, sentences in (
        ("ko", {"movie/99999999": "등록되지 않은 영화 코드", "movie/xyz": "숫자와 영문 대문자 8자리", f"day/{DAY}?area=0105999": "없는 지역 코드",
                f"day/{DAY}?nation=X": "국적, 영화 구분 또는 지역", "day/2024-13-01": "올바른 날짜가 아닙니다", "history?from=yesterday": "시작일이 올바르지",
                "nowhere": "페이지를 찾을 수 없습니다"}),
        ("en", {"movie/99999999": "no movie with this code", "movie/xyz": "not a movie code", f"day/{DAY}?area=0105999": "no region with this code",
                f"day/{DAY}?nation=X": "country, type or region", "day/2024-13-01": "not a date", "history?from=yesterday": "first day is not valid",
                "nowhere": "no such page"})):
        with BrowserSession(harness, language=language) as browser:
            for path, words in sentences.items():
                browser.open(path)
                sentence = browser.text(".failed p")
                check(words in sentence and browser.all(".failed a.primary") and not browser.all(".failed button"), f"{path}: {sentence}")
            browser.click(".failed a.primary")
            browser.lines()
            check(browser.url == f"{harness.url}/", "a page that is not there leads home")
            browser.open("operations")
            browser.shows(lambda: sentences["movie/99999999"] in browser.text(".failures"), "the operations page says the same")


@with_shop
def test_corrections(harness, _):
    """A correction has a badge, which opens the list of changes."""
    with ShopSession(harness) as browser:
        browser.sign_in()  # a visitor cannot have a known day fetched again
        browser.open_chart("")
        address = browser.url
        harness.control(clockOffset=40 * 3600)
        browser.click(".head .title > .plain")
        eventually(lambda: browser.all(".chip.corrected"), "the badge is there")
        check("정정" in browser.text(".chip.corrected") and browser.url == address, "refreshing keeps the day and brings the correction")
        browser.click(".chip.corrected")
        rows = eventually(lambda: browser.all("dialog tbody tr"), "the corrections are listed")
        check(len(rows) > 0 and browser.all("dialog del") and browser.all("dialog ins"), "it opens what changed, before and after")
        revisions = harness.api(f"days/{korean_day(-1)}")["revisions"]
        movies = sum(len({correction["movieCode"] for correction in revision["corrections"]}) for revision in revisions)
        check(0 < movies == len(browser.all("dialog .movie")), f"grouped by movie: {movies}")
        harness.control()


@with_shop
def test_visitor(harness, _):
    """A visitor who wants known figures fetched again is asked to sign in, and sees less of the operations page."""
    with ShopSession(harness) as browser:
        browser.record(".toast")
        browser.open("operations")
        eventually(lambda: "운영자에게만" in browser.text(".forOperator"), "the page says what it does not show")
        check(not browser.run("return [...document.querySelectorAll('.quota, .sinks, .failures')].some((card) => !card.hidden)"),
              "a visitor sees neither quota nor sinks nor failures")
        titles = browser.open_chart()
        browser.click(".head .title > .plain")
        eventually(lambda: browser.all("#password"), "the visitor is asked for the password")
        check("운영자만" in browser.text("#passwordWhy"), "the dialog says why")
        browser.unlock()
        browser.shows(lambda: any("변경된 내용이 없습니다" in text for text in browser.seen(".toast")), "signed in, the chart is fetched again")
        check(browser.titles() == titles, "the chart stays")
        browser.open("operations")
        eventually(lambda: browser.run("return !document.querySelector('.quota').hidden"), "the operator sees the quota")


def pull(browser):
    """Pulls the page down with a finger."""
    for kind, points in (("touchStart", [200]), ("touchMove", [300]), ("touchMove", [420]), ("touchEnd", [])):
        browser.driver.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": 180, "y": y} for y in points]})


@with_shop
def test_phone(harness, _):
    """A phone: pulling refreshes, and keeps the day."""
    with ShopSession(harness, width=360) as browser:
        browser.sign_in()  # a visitor's refresh is answered from what is known
        browser.record(".toast")
        titles = browser.open_chart()
        pull(browser)
        eventually(lambda: browser.seen(".toast"), "pulling refreshes")
        check(browser.titles() == titles and DAY in browser.url, "pulling the chart down refreshes it, and keeps the day")
        harness.control(kobis={"errors": {"503": 1}})
        pull(browser)
        browser.shows(lambda: browser.all(".trouble .failed[data-code=maintenance]") and browser.titles() == titles and DAY in browser.url,
                    "a refresh that fails says so, and the chart stays")
        harness.control()
        browser.click(".trouble .primary")
        browser.shows(lambda: len(browser.seen(".toast")) == 2 and not browser.all(".trouble .failed"), "what it says to do helps")


def test_skeleton(harness, _):
    """While a chart is being fetched, the page shows placeholders."""
    with BrowserSession(harness) as browser:
        browser.record(".lines.skeleton .bone", ".body:not(:has(.lines))")
        browser.open_chart("day/2019-05-05")
        check(browser.seen(".lines.skeleton .bone"), "a chart that is being fetched has placeholders")
        check(not browser.seen(".body:not(:has(.lines))") and not browser.all(".skeleton"), "they stay until its lines replace them")


def shows_error(browser, code, parent=".failed"):
    """Waits for an error's sentence, which must be long enough to say what to do, and have a button."""
    eventually(lambda: browser.all(f"{parent}[data-code={code}]"), f"{code} is shown")
    sentence = browser.text(f"{parent} p")
    check(len(sentence) > 25 and browser.all(f"{parent} button"), f"{code}: {sentence}")


@with_shop
def test_errors(harness, _):
    """A sentence for each error, and what to do. With processes of its own, because a worker without quota fetches no more that day."""
    with ShopSession(harness, language="en") as browser:
        browser.open("day/tomorrow")
        check(browser.one(".failed[data-code=badRequest]"), "an address with an invalid day says so")
        browser.open("nowhere")
        check(browser.one(".failed[data-code=notFound]"), "an unknown address says so")

        # Two weeks ago nothing of yesterday had been published.
        harness.control(clockOffset=-FAR)
        yesterday = korean_day(-1)
        browser.open(f"day/{yesterday}")
        shows_error(browser, "notPublished")
        harness.control()
        browser.click(".failed button")
        browser.shows(lambda: len(browser.titles()) == 10, "the same button shows it once it is published")

        titles = browser.open_chart()
        harness.stop("board")
        browser.click(".head .title > .plain")
        shows_error(browser, "offline", ".trouble .failed")
        check(browser.titles() == titles, "without a connection the chart stays")
        browser.click(".steps a:first-child")
        shows_error(browser, "offline", ".body .failed")
        harness.start("board")
        browser.click(".body .failed button")
        browser.shows(lambda: len(browser.titles()) == 10 and "/day/2024-06-03" in browser.url, "with a connection the button loads the day")

        browser.sign_in()  # only who is signed in may refresh
        harness.control(kobis={"faults": {"320010": 1}})
        browser.open("day/2015-03-01")
        shows_error(browser, "unauthorized")
        harness.control(kobis={"faults": {"320011": 1}})
        browser.open("day/2015-03-02")
        shows_error(browser, "quotaExhausted")
        browser.open_chart()
        check(True, "known charts are shown without quota")
        browser.click(".head .title > .plain")
        shows_error(browser, "quotaExhausted", ".trouble .failed")
        check(len(browser.titles()) == 10 and DAY in browser.url, "a refresh without quota keeps the chart and the day")
        browser.open("operations")
        eventually(lambda: len(browser.all("table.data tbody tr")) >= 2, "failures are listed")
        check("API calls are used up" in browser.run("return document.body.innerText"), "the operations page lists failures")
