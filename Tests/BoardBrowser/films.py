"""A film's page, and the history of all."""

import tempfile

from selenium.webdriver.common.keys import Keys

import recordings
from stage import Stage, check
from visit import DAY, PAGES, Visit


def test_movie(stage, _):
    """A film: facts, run, table, milestones, alerts; from a line of the chart, and by its address."""
    with Visit(stage) as visit:
        visit.open(f"day/{DAY}")
        visit.lines()
        visit.click(".lines li:first-child a.title")
        visit.ready("movie")
        check("/movie/" in visit.url, "a click on a line leads to the film")
        visit.open(visit.url.removeprefix(f"{stage.url}/"))
        visit.ready("movie")
        names = visit.run("return [...document.querySelectorAll('.facts dt')].map((name) => name.textContent)")
        check(names == ["감독", "제작 연도", "개봉일", "상영 시간", "관람 등급", "제작 국가", "장르", "출연", "참여사"], f"all facts have a row: {names}")
        check(visit.one(".drawing .rankLine") and len(visit.all(".drawing .column")) >= 3, "its run is drawn")
        visit.click("details summary")
        check(len(visit.all("table.data tbody tr")) == len(visit.all(".drawing .column")), "the table has as many days as the drawing")
        visit.shows(lambda: visit.run("const i = document.querySelector('.film .poster img'); return i && i.complete && i.naturalWidth > 100"),
                    "the poster is there")
        source = visit.run("return document.querySelector('.film .poster img').src")
        check(source.startswith(f"{stage.url}/api/v1/posters/"), "it comes from the board")


def test_alerts_about_it(stage, _):
    """The alerts about a film stand on its page."""
    about = [alert["alert"].get("movieCode") for alert in stage.api("alerts?limit=200")["alerts"]]
    with Visit(stage) as visit:
        visit.open(f"movie/{about[0]}")
        visit.ready("movie")
        check(len(visit.all(".alert")) == about.count(about[0]), f"the alerts about a film stand on its page: {about.count(about[0])}")


def test_posters(stage, _):
    """A poster has its own loading state; one that is not to be had leaves the film's first letter."""
    with Visit(stage) as visit:
        stage.control(images={"latency": 3_000})
        visit.open("movie/20247710" if not stage.api("movies/20247710") else "day/2018-08-08")
        visit.shows(lambda: visit.all(".poster.loading"), "a poster that is under way says so")
        stage.control()
        visit.shows(lambda: visit.all(".poster img") and not visit.all(".poster.loading"), "and then it is there")
    with Visit(stage) as visit:
        stage.control(images={"dead": 1})
        visit.open("day/2018-03-03")
        visit.lines()
        visit.shows(lambda: visit.run("return [...document.querySelectorAll('.poster')].every((place) => place.querySelector('.initial'))"),
                    "a poster that is not to be had leaves the film's first letter")
        stage.control()


def test_a_long_cast_and_a_milestone(_, options):
    """Long lists fold, and a million is marked; on recorded figures."""
    with tempfile.TemporaryDirectory() as folder:
        with Stage(options.program, {"sandbox": ["--recorded", recordings.write(folder)]}) as stage, Visit(stage) as visit:
            visit.open(f"movie/{recordings.LEADER}")
            visit.ready("movie")
            shown = lambda: [name.text for name in visit.all(".names:first-of-type li") if name.is_displayed()]
            check(shown()[:8] == recordings.CAST[:8] and len(shown()) < 12, "a long cast is folded")
            button = ".facts button[aria-expanded]"
            check("22" in visit.text(button), f"a button says how many more: {visit.text(button)}")
            visit.click(button)
            check(all(name in visit.text(".facts") for name in recordings.CAST), "it unfolds them")
            check(visit.attribute(button, "aria-expanded") == "true", "and says that it did")
            visit.click(button)
            check(recordings.CAST[-1] not in visit.text(".facts"), "and folds them again")
            stage.ask_days(recordings.BEFORE, recordings.DAY)
            visit.shows(lambda: "6월 4일" in visit.text(".marks") and "1,000,000명 돌파" in visit.text(".marks"), "the day of the millionth visitor is told")
            check(visit.text(".drawing .flagText") == "100만", "and marked in the drawing")


def test_history(stage, _):
    """Ranks, weeks, the year; keyboard, table, exports; any range."""
    with Visit(stage) as visit:
        visit.open(PAGES["history"])
        visit.ready("history")
        check(len(visit.all(".drawing .film")) >= 10 and visit.all(".layer") and visit.all(".day.level4"), "ranks, weeks and the year are drawn")
        visit.run("document.querySelector('.drawing .film.tint0').focus()")
        visit.press(Keys.ENTER)
        check(visit.all(".picking .drawing .film.picked") and visit.all(".picking .layer.picked"), "a film is picked by the keyboard, in its weeks, too")
        visit.press(Keys.ENTER)
        check(not visit.all(".picking"), "and let go again")
        columns = visit.run("return new Set([...document.querySelectorAll('.layer')].map((part) => part.getAttribute('x'))).size")
        check(columns == 2, "a week has one column")
        visit.run("for (const details of document.querySelectorAll('details')) details.open = true")
        rows = visit.run("return [...document.querySelectorAll('table.data')].map((table) => table.tBodies[0].rows.length)")
        check(rows[0] == len(visit.all(".drawing .film")), "the table has as many films as the drawing")
        check(rows[1:] == [2, len(stage.api("calendar/2024")["days"])], "weeks and days have tables, too")
        week = visit.run("return [...document.querySelectorAll('table.data')][1].rows[1].innerText.replaceAll(',', '').split(/\\s+/).slice(-10).map(Number)")
        check(week[0] == sum(week[1:]) > 0, "a week's films add up to it")
        visit.run("""scrollTo(0, 0); window.saved = []; URL.createObjectURL = (blob) => { saved.push(blob); return 'blob:none'; };
            HTMLAnchorElement.prototype.click = function () { saved.push(this.download); };""")
        visit.click(".card header .chip")
        check(visit.run("return saved.some(s => s.type === 'image/svg+xml') && saved.some(s => String(s).endsWith('.svg'))"), "a drawing is saved as SVG")
        link = visit.attribute("a[download$='.csv']", "href")
        table = stage.fetch(link).decode("utf-8-sig").splitlines()
        check(table[0].startswith("date,line,rank") and len(table) == 1 + 10 * 8, "the range is saved as CSV")
        visit.run("const input = document.querySelector('input[name=from]'); input.value = '2024-06-02'; input.dispatchEvent(new Event('change', {bubbles: true}))")
        visit.shows(lambda: "from=2024-06-02" in visit.url and "3일 가운데 3일" in visit.text(".state"), "any range can be chosen, and is in the address")
        visit.open(f"history?from=2003-11-11&to={DAY}")
        visit.ready("history")
        weeks = len(stage.api(f"history?from=2003-11-11&to={DAY}")["days"])
        check(f"{weeks}주" in visit.text(".state") and len(visit.all(".drawing .film")) >= 10, f"twenty years are drawn by weeks: {weeks}")
        table = stage.fetch(visit.attribute("a[download$='.csv']", "href")).decode("utf-8-sig").splitlines()
        check(table[0].startswith("week,rank") and len(table) > 20, "and saved by weeks")
        visit.open("history?from=2005-01-01&to=2005-02-01")
        check("모릅니다" in visit.text(".notice"), "a range of which nothing is known says what to do")
    with Visit(stage) as visit:
        visit.open(PAGES["history"])
        visit.ready("history")
        size = visit.wait("""const { png, standalone } = await import(new URL('parts/drawing.js', document.baseURI));
            const drawing = document.querySelector('.drawing');
            const picture = await createImageBitmap(await png(drawing));
            const text = await standalone(drawing).text();
            return [picture.width, drawing.viewBox.baseVal.width, text.includes('class='), text.includes('stroke=')]""")
        check(size[0] == 2 * size[1], f"a drawing is saved as PNG, of twice its size: {size[0]} pixels wide")
        check(size[2:] == [False, True], "a saved drawing needs no style sheet")
