"""The operations page, what happens when a process goes, and the board behind keys and a proxy."""

import json
import pathlib
import re
import tempfile

from stage import Failure, Stage, check, wait_until
from visit import DAY, Visit


def card(visit, heading):
    """The text of a card of the operations page."""
    return visit.run("""return [...document.querySelectorAll('.card')].find((card) => card.querySelector('h2').textContent === arguments[0])
        ?.innerText ?? ''""", heading)


def test_operations(_, options):
    """Positions, queue, quota, next runs, backfill, failures and deliveries, in words."""
    with tempfile.TemporaryDirectory() as folder:
        rules = pathlib.Path(folder) / "rules.yml"
        # Nobody listens at this port: a letter is dead after its first attempt.
        rules.write_text(f"""rules: {{lead: , entered: , left: , rose: , fell: }}
sinks:
  diary: {{kind: file, path: {folder}/alerts.jsonl}}
  nobody: {{kind: webhook, url: 'http://127.0.0.1:9/', secret: whsec_c2VjcmV0, attempts: 1}}
""")
        with Stage(options.program, settings={"MARQUEE_RULES": str(rules), "MARQUEE_SCHEDULE": "on"}) as stage, Visit(stage) as visit:
            stage.ask_days("2024-06-03", DAY)
            stage.ask("fetch.movie", code="ZZZZZZZZ")
            visit.open("operations")
            visit.ready("operations")

            def shows(heading, holds, what):
                try:
                    visit.shows(lambda: holds(card(visit, heading)), what)
                except Failure as failure:
                    raise Failure(f"{failure}: {card(visit, heading)!r}") from failure

            shows("수집기", lambda text: "작동 중" in text and "가동 시간" in text, "the worker runs, and since when")
            shows("알림기", lambda text: "작동 중" in text, "the notifier runs")
            shows("기록 위치", lambda text: all(word in text for word in ("차트", "요청", "알림")), "the positions of both are told, by their streams' names")
            shows("대기열", lambda text: "바로 할 요청" in text and "과거 채우기" in text, "the queue is told")
            shows("오늘의 호출 한도", lambda text: re.search(r"영화진흥위원회\s+[\d,]+ / [\d,]+ 남음", text), "the quota that is left is told")
            shows("다음 실행", lambda text: "차트" in text and not re.search(r"\b(day|week|weekend|weekdays|movie)\.", text),
                  "what the worker asks for next is told in words")
            shows("최근 실패", lambda text: "영화 ZZZZZZZZ" in text, "recent failures are told")
            shows("알림 보내기", lambda text: re.search(r"diary\s+[1-9]", text), "how many alerts each sink got")
            shows("알림 보내기", lambda text: re.search(r"nobody\s+0\s+0\s+[1-9]", text) and "notify retry" in text, "and how many were given up, and what to do")
            stage.marquee("backfill", "2024-05-01..2024-05-10", "--detach")
            shows("과거 채우기", lambda text: re.search(r"2024-05-01 – 2024-05-10", text) and "/" not in text, "the backfill has a bar")
            wait_until(lambda: "끝남" in card(visit, "과거 채우기"), "the backfill ends")
            check(visit.run("const bar = [...document.querySelectorAll('.card')].find((card) => card.querySelector('h2').textContent === '과거 채우기').querySelector('progress'); return bar.value === bar.max"),
                  "a backfill that is over fills it")
            check("operations." not in visit.run("return document.body.innerText"), "everything has its word")
            hour = visit.run("""const time = document.querySelector('.card time[datetime]');
                const shown = new Intl.DateTimeFormat('ko', { timeZone: 'Asia/Seoul', dateStyle: 'medium', timeStyle: 'short' }).format(new Date(time.dateTime));
                return time.textContent === shown""")
            check(hour, "times are Korea's")


def test_lost_connection(stage, _):
    """The board goes and comes back; nothing is missed."""
    with Visit(stage) as visit:
        visit.open("alerts")
        visit.ready("alerts")
        before = len(visit.all(".alert"))
        stage.stop("board")
        visit.shows(lambda: visit.all(".lamp[data-state=lost]") and visit.all(".warning"), "a lost connection is told in words")
        stage.start("board")
        stage.ask_days("2024-06-07", "2024-06-08")
        wait_until(lambda: visit.all(".lamp[data-state=open]") and not visit.all(".warning"), "the connection is back")
        visit.shows(lambda: len(visit.all(".alert")) > before, "it comes back by itself, and what was missed follows")
    with Visit(stage) as visit:
        visit.open("operations")
        visit.ready("operations")
        check(visit.run("return document.querySelectorAll('.card .lamp.up').length") == 3, "three processes run")
        stage.stop("worker")
        visit.shows(lambda: visit.all(".card .lamp.down") and visit.all(".warning"), "a worker that is gone is told on every page")
        visit.open(f"day/{DAY}")
        visit.lines()
        check(visit.one(".warning"), "and what is known can still be seen")
        stage.start("worker")
        wait_until(lambda: not visit.all(".warning"), "the worker is heard again")


def test_keys_and_a_base_path(_, options):
    """With CURVE, and below another site's path, the board does the same; with a key that nobody knows it says that it hears nobody."""
    with tempfile.TemporaryDirectory() as keys:
        settings = {"MARQUEE_CURVE": "on", "MARQUEE_CURVE_KEYS": keys}
        maker = lambda *words: Stage.command(options.program, settings, "keys", "new", *words)
        maker("server", "server")
        maker("client", "notifier", "--roles", "read,operate")
        maker("client", "client", "--roles", "read,request,operate")
        maker("client", "board", "--roles", "read,request,operate")
        settings |= {"MARQUEE_CURVE_CLIENT": "board"}
        with Stage(options.program, {"board": ["--base-path", "/films/"]}, settings, base="/films") as stage, Visit(stage) as visit:
            visit.open(f"day/{DAY}")
            visit.lines()
            check(True, "with keys a chart that is not known comes")
            stage.ask_days("2024-06-03", "2024-06-05")
            visit.click("nav a[data-name=alerts]")
            visit.shows(lambda: visit.all(".alert"), "and so do alerts")
            check("/films/alerts" in visit.url, "below another site's path every address stays there")
            visit.driver.refresh()
            visit.shows(lambda: visit.all(".alert") and visit.all(".lamp[data-state=open]"), "a deep link below the path works, too")
            stage.stop("board")
            pathlib.Path(keys, "clients", "board.key").unlink()
            stage.start("board")
            visit.open(f"day/{DAY}")
            visit.lines()
            visit.shows(lambda: len(visit.all(".warning")) == 2, "a board whose key nobody knows shows what it has, and says that it hears nobody")
            try:
                stage.fetch(f"http://127.0.0.1:{stage.ports['board']}/readyz")
                raise Failure("a board that hears nobody is ready")
            except OSError:
                check(True, "and is not ready")
