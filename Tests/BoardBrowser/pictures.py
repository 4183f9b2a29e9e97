"""Takes the README's pictures of the board.

Use: /usr/bin/python3 Tests/BoardBrowser/pictures.py PROGRAM FOLDER
"""

import base64
import os
import pathlib
import sys
import tempfile

from stage import Stage, wait_until
from visit import DAY, Visit

DAYS = [f"2024-05-{day:02}" for day in range(6, 32)] + [f"2024-06-{day:02}" for day in range(1, 5)]
QUALITY = 82  # about 50 kB a picture


def take(visit, folder, name):
    """Takes what the browser shows, once its pictures are there and nothing moves."""
    wait_until(lambda: visit.run("""return [...document.images].every((image) => image.complete || image.loading === 'lazy' && image.getBoundingClientRect().top > innerHeight)
        && !document.querySelector('.poster.loading:not(:has(img))') && document.fonts.status === 'loaded'"""), f"the pictures of {name}")
    answer = visit.driver.execute_cdp_cmd("Page.captureScreenshot", {"format": "webp", "quality": QUALITY})
    path = pathlib.Path(folder, f"board-{name}.webp")
    path.write_bytes(base64.b64decode(answer["data"]))
    print(f"{path}: {path.stat().st_size} bytes")


def liveliest(stage):
    """The film whose rank changed most, of those with the longest runs."""
    films = stage.api(f"history?from={DAYS[0]}&to={DAYS[-1]}")["films"]
    longest = sorted(films, key=lambda film: -len(film["points"]))[:4]
    return max(longest, key=lambda film: len({point[1] for point in film["points"]}))["code"]


def main(program, folder):
    with tempfile.TemporaryDirectory() as rules:
        path = pathlib.Path(rules) / "rules.yml"
        path.write_text(f"rules: {{lead: , entered: , left: , rose: , fell: }}\nsinks:\n  newsroom: {{kind: file, path: {rules}/alerts}}\n")
        with Stage(program, settings={"MARQUEE_SCHEDULE": "on", "MARQUEE_RULES": str(path)}) as stage:
            stage.ask_days(*DAYS)
            with Visit(stage, width=1280, height=860) as visit:
                visit.open(f"day/{DAY}")
                visit.lines()
                wait_until(lambda: len(visit.all(".poster img")) == 10, "posters")
                take(visit, folder, "chart")
                visit.resize(1280, 1_000)
                visit.open(f"movie/{liveliest(stage)}")
                visit.ready("movie")
                wait_until(lambda: visit.all(".film .poster img"), "the poster")
                take(visit, folder, "movie")
                stage.marquee("backfill", f"2003-11-11..{DAY}", "--detach")
                visit.open("operations")
                wait_until(lambda: visit.run("const bar = document.querySelector('.backfill progress'); return bar.value / bar.max > 0.1"), "a tenth of the backfill")
                take(visit, folder, "operations")
            with Visit(stage, width=1280, height=860, dark=True, language="en") as visit:
                visit.open(f"history?from={DAYS[0]}&to={DAYS[-1]}")
                visit.ready("history")
                take(visit, folder, "history")
                visit.open("alerts")
                visit.ready("alerts")
                take(visit, folder, "alerts")
            with Visit(stage, width=390, height=844) as visit:
                visit.open(f"day/{DAY}")
                visit.lines()
                visit.click(".modes button:nth-child(2)")
                wait_until(lambda: len(visit.all(".poster.large img")) == 10, "posters")
                take(visit, folder, "phone")


main(os.path.abspath(sys.argv[1]), sys.argv[2])
