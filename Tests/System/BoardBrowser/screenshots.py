"""Takes the screenshots of the board for the README.

Use: /usr/bin/python3 Tests/System/BoardBrowser/screenshots.py PROGRAM FOLDER
"""

import base64
import os
import pathlib
import sys
import tempfile

from harness import Site, eventually, suite
from browser import DAY, BrowserSession

DAYS = [f"2024-05-{day:02}" for day in range(6, 32)] + [f"2024-06-{day:02}" for day in range(1, 5)]
QUALITY = 82  # about 50 kB an image


def take_screenshot(browser, folder, name, kind="webp"):
    """Takes a screenshot once all images and fonts are loaded."""
    eventually(lambda: browser.run("""return [...document.images].every((image) => image.complete || image.loading === 'lazy' && image.getBoundingClientRect().top > innerHeight)
        && !document.querySelector('.poster.loading:not(:has(img))') && document.fonts.status === 'loaded'"""), f"the images of {name}")
    answer = browser.driver.execute_cdp_cmd("Page.captureScreenshot", {"format": kind} | ({"quality": QUALITY} if kind == "webp" else {}))
    path = pathlib.Path(folder, f"board-{name}.{kind}")
    path.write_bytes(base64.b64decode(answer["data"]))
    print(f"{path}: {path.stat().st_size} bytes")


def movie_with_most_ranks(harness):
    """Of the four movies with the longest runs, the one with the most different ranks."""
    movies = harness.api(f"history?from={DAYS[0]}&to={DAYS[-1]}")["movies"]
    longest = sorted(movies, key=lambda movie: -len(movie["points"]))[:4]
    return max(longest, key=lambda movie: len({point[1] for point in movie["points"]}))["code"]


def main(program, folder):
    rules = f"""rules: {{lead: , entered: , left: , rose: , fell: }}
sinks: {{screenshots: {{kind: file, path: {tempfile.gettempdir()}/alerts}}}}"""
    with Site(program, settings={"MARQUEE_SCHEDULE": "on"}, rules=rules) as harness:
        harness.ask_days(*DAYS)
        with BrowserSession(harness, width=1280, height=860) as browser:
            browser.open_chart()
            eventually(lambda: browser.all(".poster img") and not browser.all(".poster.loading"), "posters")
            take_screenshot(browser, folder, "chart")
            browser.resize(1280, 1_000)
            browser.open_page("movie", f"movie/{movie_with_most_ranks(harness)}")
            eventually(lambda: browser.all(".movie .poster img"), "the poster")
            take_screenshot(browser, folder, "movie")
            harness.must("backfill", f"2003-11-11..{DAY}", "--detach")
            browser.open("operations")
            eventually(lambda: browser.run("const bar = document.querySelector('.backfill progress'); return bar.value / bar.max > 0.1"), "a tenth of the backfill")
            take_screenshot(browser, folder, "operations")
        with BrowserSession(harness, width=1280, height=860, dark=True, language="en") as browser:
            browser.open_page("history", f"history?from={DAYS[0]}&to={DAYS[-1]}")
            take_screenshot(browser, folder, "history")
            browser.open_page("alerts")
            take_screenshot(browser, folder, "alerts")
        with BrowserSession(harness, width=390, height=844) as browser:
            browser.open_chart()
            browser.click(".modes button:nth-child(2)")
            eventually(lambda: browser.all(".poster.large img") and not browser.all(".poster.large.loading"), "posters")
            take_screenshot(browser, folder, "phone")
    with Site(program, settings={"MARQUEE_BOARD_PASSWORD": "correct-horse-7"}) as harness, BrowserSession(harness, width=1280, height=900) as browser:
        browser.open_page("shop")
        eventually(lambda: browser.all(".unlock"), "the button to sign in")
        # A PNG, because tests upload it as a product's image.
        take_screenshot(browser, folder, "shop", kind="png")


with suite():
    main(os.path.abspath(sys.argv[1]), sys.argv[2])
