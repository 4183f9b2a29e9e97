"""The operations page, processes that stop and restart, and the board with encryption and below a base path."""

import re
import tempfile

from harness import Failure, Site, check, eventually
from browser import DAY, BrowserSession


def card(browser, heading):
    """The text of a card of the operations page."""
    return browser.run("""return [...document.querySelectorAll('.card')].find((card) => card.querySelector('h2').textContent === arguments[0])
        ?.innerText ?? ''""", heading)


def test_operations(_, options):
    """Log positions, queue, quota, next runs, backfill, failures and deliveries, in words."""
    # Nothing listens on this port: each delivery is a dead letter after its first attempt.
    rules = f"""rules: {{lead: , entered: , left: , rose: , fell: }}
sinks:
  diary: {{kind: file, path: {tempfile.gettempdir()}/alerts.jsonl}}
  nobody: {{kind: webhook, url: 'http://127.0.0.1:9/', secret: whsec_c2VjcmV0, attempts: 1}}
"""
    with Site(options.program, settings={"MARQUEE_SCHEDULE": "on"}, rules=rules) as harness, BrowserSession(harness) as browser:
        harness.ask_days("2024-06-03", DAY)
        harness.ask("fetch.movie", code="ZZZZZZZZ")
        browser.open_page("operations")

        def shows(heading, holds, what):
            try:
                browser.shows(lambda: holds(card(browser, heading)), what)
            except Failure as failure:
                raise Failure(f"{failure}: {card(browser, heading)!r}") from failure

        shows("수집 서버", lambda text: "정상" in text and "가동 시간" in text, "the state and uptime of the worker are shown")
        shows("알림 서버", lambda text: "정상" in text, "the state of the notifier is shown")
        shows("스트림별 이벤트 번호", lambda text: all(word in text for word in ("박스오피스", "요청", "알림")), "the log positions of both are shown, with the names of their streams")
        shows("대기열", lambda text: "실시간 요청" in text and "과거 데이터 수집" in text, "the queue is shown")
        shows("오늘의 API 호출 한도", lambda text: re.search(r"영화진흥위원회\s+[\d,]+회 중 [\d,]+회 남음", text), "the remaining quota is shown")
        shows("다음 실행 예정", lambda text: "박스오피스" in text and not re.search(r"\b(day|week|weekend|weekdays|movie)\.", text),
              "the worker's next requests are shown in words")
        shows("최근 실패", lambda text: "영화 ZZZZZZZZ" in text, "recent failures are shown")
        shows("알림 발송", lambda text: re.search(r"diary\s+[1-9]", text), "delivered alerts are counted for each sink")
        shows("알림 발송", lambda text: re.search(r"nobody\s+0\s+0\s+[1-9]", text) and "notify retry" in text, "dead letters are counted, with the command to retry them")
        harness.must("backfill", "2024-05-01..2024-05-10", "--detach")
        shows("과거 데이터 수집", lambda text: "2024년 5월 1일" in text and "10일" in text, "the backfill has a bar")
        eventually(lambda: "완료" in card(browser, "과거 데이터 수집"), "the backfill ends")
        check(browser.run("const bar = [...document.querySelectorAll('.card')].find((card) => card.querySelector('h2').textContent === '과거 데이터 수집').querySelector('progress'); return bar.value === bar.max"),
              "the bar of a finished backfill is full")
        check("operations." not in browser.run("return document.body.innerText"), "no text is missing")
        hour = browser.run("""const time = document.querySelector('.card time[datetime]');
            const shown = new Intl.DateTimeFormat('ko', { timeZone: 'Asia/Seoul', dateStyle: 'medium', timeStyle: 'short' }).format(new Date(time.dateTime));
            return time.textContent === shown""")
        check(hour, "times are Korean time")


def test_browsers(_, options):
    """All pages of a browser count once, also those that it has left."""
    with Site(options.program) as harness, BrowserSession(harness) as browser:
        count = lambda: harness.api("status")["board"]["browsers"]
        for path in ("alerts", f"day/{DAY}", "history", "operations", "shop", "operations"):
            browser.open(path)
            browser.one(".lamp[data-state=open]")
        check(count() == 1, "a browser that opens six pages is one browser")
        browser.driver.switch_to.new_window("tab")
        browser.open("alerts")
        browser.one(".lamp[data-state=open]")
        check(count() == 1, "so is a browser with two windows")
        with BrowserSession(harness) as other:
            other.open("operations")
            other.one(".lamp[data-state=open]")
            other.shows(lambda: "접속 중인 브라우저\n2" in card(other, "보드"), "another one is a second browser")


def test_lost_connection(_, options):
    """The board stops and restarts; the page misses nothing."""
    with Site(options.program) as harness, BrowserSession(harness) as browser:
        harness.ask_days("2024-06-03", "2024-06-04")
        browser.open_page("alerts")
        before = len(browser.all(".alert"))
        harness.stop("board")
        browser.shows(lambda: browser.all(".lamp[data-state=lost]") and browser.all(".warning"), "a lost connection is reported in words")
        harness.start("board")
        harness.ask_days("2024-06-05", "2024-06-06")
        eventually(lambda: browser.all(".lamp[data-state=open]") and not browser.all(".warning"), "the connection is back")
        browser.shows(lambda: len(browser.all(".alert")) > before, "the page reconnects by itself, and missed alerts follow")


def test_stopped_worker(harness, _):
    """A worker that stops is reported on every page until it runs again."""
    with BrowserSession(harness) as browser:
        browser.open_page("operations")
        browser.shows(lambda: len(browser.all(".card .lamp.up")) == 3, "three processes run")
        harness.stop("worker")
        browser.shows(lambda: browser.all(".card .lamp.down") and browser.all(".warning"), "a stopped worker is reported on every page")
        check(browser.all("#lamp[data-state=partial]") and "일부 중단" in browser.text("#lamp"), "and the lamp is not green")
        browser.open_chart()
        check(browser.one(".warning"), "known charts are still shown")
        harness.start("worker")
        eventually(lambda: not browser.all(".warning"), "heartbeats of the worker arrive again")


def test_keys_and_a_base_path(_, options):
    """With CURVE and a base path the board works the same; with a rejected key it reports that no heartbeats arrive."""
    site = Site(options.program, {"MARQUEE_CURVE_CLIENT": "board"}, base="/films/")
    site.encrypt(notifier="read,replay", client="read,request,replay,shop,operate", board="read,request,replay,shop")
    with site as harness, BrowserSession(harness) as browser:
        browser.open_chart()
        check(True, "with CURVE an unknown chart is fetched")
        harness.ask_days("2024-06-03", "2024-06-05")
        browser.click("nav a[data-name=alerts]")
        browser.shows(lambda: browser.all(".alert"), "with CURVE alerts arrive")
        check("/films/alerts" in browser.url, "every address stays below the base path")
        browser.driver.refresh()
        browser.shows(lambda: browser.all(".alert") and browser.all(".lamp[data-state=open]"), "a deep link below the base path works")
        harness.stop("board")
        (harness.folder / "keys" / "clients" / "board.key").unlink()
        harness.start("board")
        browser.open_chart()
        browser.shows(lambda: len(browser.all(".warning")) == 2, "a board with a rejected key shows its data, and reports that no heartbeats arrive")
        check(harness.fetch("board", "/readyz")[0] == 503, "a board without heartbeats is not ready")
