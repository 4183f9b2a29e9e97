"""The page of a movie, and the history of all movies."""

from xml.sax.saxutils import escape

from selenium.webdriver.common.keys import Keys

import recordings
from harness import Site, check, eventually, read
from browser import DAY, PAGES, BrowserSession
from shop import ShopSession, with_shop


def test_movie(harness, _):
    """A movie's facts, run, table and poster; opened from a line of the chart, and by its address."""
    with BrowserSession(harness) as browser:
        browser.open_chart()
        browser.click(".lines li:first-child a.title")
        browser.ready("movie")
        check("/movie/" in browser.url, "a click on a line opens the movie")
        browser.open_page("movie", browser.url.removeprefix(f"{harness.url}/"))
        names = browser.run("return [...document.querySelectorAll('.facts dt')].map((name) => name.textContent)")
        check(names == ["감독", "제작연도", "개봉일", "상영시간", "관람등급", "제작국가", "장르", "출연", "참여영화사"], f"all facts have a row: {names}")
        check(browser.one(".drawing .rankLine") and len(browser.all(".drawing .column")) >= 3, "its run is drawn")
        browser.click(".wide details summary")
        check(len(browser.all("table.data tbody tr")) == len(browser.all(".drawing .column")), "the table has as many days as the drawing")
        browser.shows(lambda: browser.run("const i = document.querySelector('.movie .poster img'); return i && i.complete && i.naturalWidth > 100"),
                    "the poster is there")
        source = browser.run("return document.querySelector('.movie .poster img').src")
        check(source.startswith(f"{harness.url}/api/v1/posters/"), "it comes from the board")


@with_shop
def test_wrong_poster(harness, _):
    """Who is signed in rejects a poster, and puts the image at an address in its place."""
    with ShopSession(harness) as browser:
        browser.sign_in()
        browser.open_chart()
        browser.click(".lines li:first-child a.title")
        browser.ready("movie")
        picture = ".movie .poster img"
        first = browser.attribute(picture, "src")
        browser.click(".posterEditor summary")
        origin = lambda: browser.text(".posterEditor p")
        browser.shows(lambda: "영화 포스터" in origin() and "번째 결과" in origin(), "the page says what was searched")
        browser.click(".posterEditor button")
        browser.shows(lambda: browser.attribute(picture, "src") != first, "a rejected poster is replaced")
        code = browser.url.rpartition("/")[2]
        browser.one(".posterEditor input").send_keys(f"{harness.page('sandbox')}/thumbnails/{code}-1.jpg", Keys.ENTER)
        browser.shows(lambda: "운영자가 지정한" in browser.text(".posterEditor p"), "the image at an address takes its place")


def test_alerts_about_it(harness, _):
    """The page of a movie has the alerts about it."""
    movies = lambda: [alert["alert"].get("movieCode") for alert in harness.api("alerts?limit=200")["alerts"]]
    movie = eventually(movies, "there are alerts")[0]
    with BrowserSession(harness) as browser:
        browser.open_page("movie", f"movie/{movie}")
        # The notifier may still send some.
        browser.shows(lambda: len(browser.all(".alert")) == movies().count(movie), "the page of a movie has the alerts about it")


def test_posters(harness, _):
    """A poster has a loading state; without a poster the page shows the first letter of the title."""
    with BrowserSession(harness) as browser:
        browser.record(".poster.loading")
        browser.open("day/2018-08-08")
        browser.shows(lambda: browser.all(".poster img") and not browser.all(".poster.loading"), "posters come")
        check(browser.seen(".poster.loading"), "a poster that is being fetched has a loading state")
    with BrowserSession(harness) as browser:
        harness.control(images={"dead": 1})
        browser.open_chart("day/2018-03-03")
        browser.shows(lambda: browser.run("return [...document.querySelectorAll('.poster')].every((place) => place.querySelector('.initial'))"),
                    "a poster that cannot be fetched is replaced by the first letter of the title")
        harness.control()


def test_a_long_cast_and_a_milestone(_, options):
    """Long lists are folded, and the millionth visitor is marked; with recorded figures."""
    with Site(options.program, recorded=recordings.corrected()) as harness, BrowserSession(harness) as browser:
        browser.open_page("movie", f"movie/{recordings.LEADER}")
        shown = lambda: [name.text for name in browser.all(".names:first-of-type li") if name.is_displayed()]
        check(shown()[:8] == recordings.CAST[:8] and len(shown()) < 12, "a long cast is folded")
        button = ".facts button[aria-expanded]"
        check("22" in browser.text(button), f"a button says how many more: {browser.text(button)}")
        browser.click(button)
        check(all(name in browser.text(".facts") for name in recordings.CAST), "it unfolds them")
        check(browser.attribute(button, "aria-expanded") == "true", "and says that it did")
        browser.click(button)
        check(recordings.CAST[-1] not in browser.text(".facts"), "and folds them again")
        harness.ask_days(recordings.BEFORE, recordings.DAY)
        browser.shows(lambda: "6월 4일" in browser.text(".marks") and "100만 관객 돌파" in browser.text(".marks"), "the day of the millionth visitor is named")
        check(browser.text(".drawing .flagText") == "100만", "and marked in the drawing")


# Returns texts of drawings that lie over each other, or reach beyond the drawing.
OVERLAPS = """
return [...document.querySelectorAll('svg.drawing')].flatMap((drawing) => {
    const { width, height } = drawing.viewBox.baseVal;
    const texts = [...drawing.querySelectorAll('text')].map((text) => ({ text: text.textContent, box: text.getBBox() }));
    const out = texts.filter(({ box }) => box.x < -1 || box.y < -1 || box.x + box.width > width + 1 || box.y + box.height > height + 2);
    const over = texts.flatMap(({ text, box }, index) => texts.slice(index + 1).filter(({ box: other }) =>
        Math.min(box.x + box.width, other.x + other.width) - Math.max(box.x, other.x) > 1
        && Math.min(box.y + box.height, other.y + other.height) - Math.max(box.y, other.y) > 3).map((other) => `${text} / ${other.text}`));
    return [...out.map(({ text }) => `${text} is cut off`), ...over];
});"""


def test_labels_of_milestones(_, options):
    """Milestones that follow each other have labels that can be read, on a desktop and on a phone."""
    with Site(options.program, recorded=recordings.hit()) as harness:
        harness.ask_days(*recordings.HIT_DAYS)
        for language, texts in (("ko", ["100만", "200만", "300만", "500만", "800만", "천만", "1,500만"]), ("en", ["1M", "2M", "3M", "5M", "8M", "10M", "15M"])):
            with BrowserSession(harness, language=language) as browser:
                for width in (1280, 390, 320):
                    browser.resize(width)
                    browser.open(f"movie/{recordings.HIT}")
                    browser.one(".flagText")
                    shown = browser.run("return [...document.querySelectorAll('.flagText')].map((text) => text.textContent)")
                    check(shown == texts, f"each milestone has its label: {texts}")
                    overlaps = browser.run(OVERLAPS)
                    check(overlaps == [], f"no label lies over another at {width} pixels, {language} {overlaps or ''}")


def test_labels_of_the_history(harness, _):
    """No label of the history's drawings lies over another or is cut off."""
    for language in ("ko", "en"):
        with BrowserSession(harness, language=language) as browser:
            for width in (1280, 390, 320):
                browser.resize(width)
                for path in (PAGES["history"], f"history?from=2003-11-11&to={DAY}"):
                    browser.open_page("history", path)
                    overlaps = browser.run(OVERLAPS)
                    check(overlaps == [], f"{path}, {width} pixels, {language}: labels can be read {overlaps or ''}")


def test_scale_of_the_year(harness, _):
    """The scale beside the year has the colours of its days in both themes, and no sentence is true in one theme alone."""
    for language, dark in (("ko", False), ("ko", True), ("en", True)):
        with BrowserSession(harness, dark=dark, language=language) as browser:
            browser.open_page("history")
            colours = browser.run("""const fill = (square) => getComputedStyle(square).fill;
                const days = [...document.querySelectorAll('a .day[class*=level]')];
                return [[...document.querySelectorAll('.scale .day')].map(fill), days.map((day) => [Number(day.classList[1].slice(5)), fill(day)])]""")
            scale, days = colours
            check(len(scale) == len(set(scale)) == 5 and all(scale[level] == colour for level, colour in days), "the scale has the colours of the days")
            totals = [sum(entry["audience"] or 0 for entry in harness.api(f"days/{day['date']}")["chart"]["entries"]) for day in harness.api("calendar/2024")["days"]]
            text = browser.run("return document.querySelector('.scale').textContent")
            most = f"{max(totals) / 1e4:.1f}".removesuffix(".0") + "만명" if language == "ko" else f"{max(totals) / 1e3:.1f}".removesuffix(".0") + "K"
            check(text.startswith("0") and most in text, f"with the largest audience at its end: {text}")
            page = browser.run("return document.querySelector('main').innerText")
            check(not any(word in page for word in ("진할수록", "어두울수록", "Darker", "darker")), "no text says that dark means many")


def test_part_weeks(harness, _):
    """Weeks with unknown days are hatched, those that the range cuts are pale, and both say of how many days they are."""
    with BrowserSession(harness) as browser:
        text = lambda: browser.run("return document.querySelector('main').textContent")
        titles = lambda: browser.run("return [...new Set([...document.querySelectorAll('.layer title')].map((title) => title.textContent.split(' · ')[0]))]")
        weeks = lambda: (len(browser.all(".partWeek")), len(browser.all(".cutWeek")))
        browser.open_page("history")  # a week of six days, and one of two
        check(weeks() == (0, 2) and "흐린 막대" in text() and "빗금" not in text(), "weeks that the range cuts are pale, and the page says why")
        check("기간 내 6일" in titles()[0] and "기간 내 2일" in titles()[1] and "6일 중 6일" in text(), f"they are not told as partly fetched: {titles()}")
        browser.open_page("history", f"history?from=2024-05-27&to={DAY}")
        check(weeks() == (1, 1) and "빗금" in text() and "7일 중 6일 수집" in titles()[0], f"a week with an unknown day is hatched: {titles()}")
        harness.ask_days("2024-05-27")
        browser.open_page("history", f"history?from=2024-05-27&to={DAY}")
        check(weeks() == (0, 1), "a whole week is neither")
        browser.open_page("history", f"history?from=2003-11-11&to={DAY}")
        known = harness.api(f"history?from=2003-11-11&to={DAY}")["knownDays"]
        check(weeks() == (sum(days < 7 for days in known[:-1]), 1) and known[-1] == 2, f"over twenty years, too: {weeks()}")


def test_history(harness, _):
    """Ranks, weeks, the year; keyboard, table, exports; any range."""
    with BrowserSession(harness) as browser:
        browser.open_page("history")
        check(len(browser.all(".drawing .movie")) >= 10 and browser.all(".layer") and browser.all(".day.level4"), "ranks, weeks and the year are drawn")
        browser.run("document.querySelector('.drawing .movie.tint0').focus()")
        browser.press(Keys.ENTER)
        check(browser.all(".picking .drawing .movie.picked") and browser.all(".picking .layer.picked"), "the keyboard selects a movie, in its weeks, too")
        browser.press(Keys.ENTER)
        check(not browser.all(".picking"), "and deselects it")
        columns = browser.run("return new Set([...document.querySelectorAll('.layer')].map((part) => part.getAttribute('x'))).size")
        check(columns == 2, "a week has one column")
        browser.run("for (const details of document.querySelectorAll('details')) details.open = true")
        rows = browser.run("return [...document.querySelectorAll('table.data')].map((table) => table.tBodies[0].rows.length)")
        check(rows[0] == len(browser.all(".drawing .movie")), "the table has as many movies as the drawing")
        check(rows[1:] == [2, len(harness.api("calendar/2024")["days"])], "weeks and days have tables, too")
        totals = browser.run("return Object.fromEntries([...document.querySelector('table.data').tBodies[0].rows].map((row) => [row.querySelector('a').pathname.slice(-8), row.cells[4].textContent]))")
        newest = {code: [day for day in harness.api(f"movies/{code}")["run"] if day["date"] <= DAY][-1]["audienceTotal"] for code in totals}
        check(totals == {code: f"{total:,}" for code, total in newest.items()}, "a movie's total is that of its newest day, and no sum of days")
        week = browser.run("return [...document.querySelectorAll('table.data')][1].rows[1].innerText.replaceAll(',', '').split(/\\s+/).slice(-10).map(Number)")
        check(week[0] == sum(week[1:]) > 0, "the audience of a week's movies adds up to the week's")
        browser.run("""scrollTo(0, 0); window.saved = []; URL.createObjectURL = (blob) => { saved.push(blob); return 'blob:none'; };
            HTMLAnchorElement.prototype.click = function () { saved.push(this.download); };""")
        browser.click(".card header .chip")
        browser.shows(lambda: browser.run("return saved.some(s => s.type === 'image/svg+xml') && saved.some(s => String(s).endsWith('.svg'))"),
                      "a drawing is saved as SVG")
        link = browser.attribute("a[download$='.csv']", "href")
        table = read(link).decode("utf-8-sig").splitlines()
        check(table[0].startswith("date,line,rank") and len(table) == 1 + 10 * 8, "the range is saved as CSV")
        browser.click("button[name=from]")
        eventually(lambda: browser.all("dialog .known"), "the calendar")
        browser.click("[data-day='2024-05-30']")
        browser.shows(lambda: "from=2024-05-30" in browser.url and "6일 중 6일" in browser.text(".state"), "any range can be chosen, and is in the address")
        browser.open_page("history", f"history?from=2003-11-11&to={DAY}")
        weeks = len(harness.api(f"history?from=2003-11-11&to={DAY}")["days"])
        check(f"{weeks}주" in browser.text(".state") and len(browser.all(".drawing .movie")) >= 10, f"twenty years are drawn by weeks: {weeks}")
        table = read(browser.attribute("a[download$='.csv']", "href")).decode("utf-8-sig").splitlines()
        check(table[0].startswith("week,rank") and len(table) > 20, "and saved by weeks")
        browser.open("history?from=2005-01-01&to=2005-02-01")
        check("수집되지 않았습니다" in browser.text(".notice"), "a range without known charts says what to do")
    with BrowserSession(harness) as browser:
        browser.open_page("history")
        size = browser.wait("""const { png, standalone } = await import(new URL('parts/drawing.js', document.baseURI));
            const drawing = document.querySelector('.drawing');
            const frame = { title: 'Title', period: 'Period', keys: [{ kind: 'tint0', text: 'Key' }] };
            const picture = await createImageBitmap(await png(drawing, frame));
            const text = await standalone(drawing, frame).text();
            return [picture.width, Number(/width="([0-9]+)"/.exec(text)[1]), text.includes('class='), text.includes('stroke=')]""")
        check(size[0] == 2 * size[1], f"a drawing is saved as PNG, of twice its size: {size[0]} pixels wide")
        check(size[2:] == [False, True], "a saved drawing needs no style sheet")


def test_saved_pictures(harness, _):
    """A picture that is saved says what it shows: title, period, the movies of its colours, and the source."""
    with BrowserSession(harness) as browser:
        for width in (1280, 390):
            browser.resize(width)
            browser.open_page("history")
            titles = browser.run("""window.saved = []; URL.createObjectURL = (blob) => { saved.push(blob); return 'blob:none'; };
                HTMLAnchorElement.prototype.click = () => {};
                for (const button of document.querySelectorAll('.exports .chip:first-child')) button.click();
                return [...document.querySelectorAll('.card h2')].map((title) => title.textContent)""")
            pictures = eventually(lambda: len(saved := browser.wait("return Promise.all(saved.map((blob) => blob.text()))")) == 3 and saved, "three pictures")
            movies = [escape(movie["title"]) for movie in harness.api(PAGES["history"])["movies"][:8]]
            for picture, title, period, keys in zip(pictures, titles, ("2024년 5월 28일", "2024년 5월 28일", "2024년 1월 1일"), (movies, [*movies, "기타"], [])):
                check(all(text in picture for text in (title, period, "영화진흥위원회", *keys)), f"{title}, {width} pixels: the picture has title, period, keys and source")
