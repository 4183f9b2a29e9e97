"""A browser session on the board, with methods for what a visitor does."""

import functools
import json
import os
import pathlib
import re
import tempfile

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from harness import PATIENCE, WITH_SUITE, Failure, Process, check, children, clock, eventually

DAY = "2024-06-04"
PAGES = {
    "chart": f"day/{DAY}", "movie": "movie/20247710", "history": f"history?from=2024-05-28&to={DAY}", "alerts": "alerts",
    "operations": "operations", "shop": "shop", "product": "shop/44",
}
# A selector for each page that matches once the page has its content.
CONTENT = {"chart": ".lines:not(.skeleton) li", "movie": ".movie dd", "history": ".drawing .movie", "alerts": ".alert",
           "operations": ".card progress", "shop": ".products [data-product]", "product": ".product .strip"}
# Failures that tests cause on purpose; what the board does not know yet is no failure.
CAUSED = r"net::ERR_|status of (40[0-39]|4[12]|503)|/(posters|images)/\S+ .*status of 404|/nowhere\S* .*status of 404"

# Keeps all elements that matched a selector at some moment, also those that have left the page.
RECORDER = """
window.seen = Object.fromEntries(SELECTORS.map((selector) => [selector, new Set()]));
new MutationObserver(() => {
    for (const selector of SELECTORS) for (const element of document.querySelectorAll(selector)) seen[selector].add(element);
}).observe(document, { attributes: true, childList: true, subtree: true });"""

# Keeps back all requests for an address until `release()` is called.
HOLDER = """
const { promise, resolve } = Promise.withResolvers();
const fetched = window.fetch;
window.release = resolve;
window.fetch = async (...given) => {
    if (String(given[0]).endsWith(ADDRESS)) await promise;
    return fetched(...given);
};"""


class RunningDriver(Service):
    """A chromedriver that several browsers have in common; selenium starts and ends none."""

    def start(self):
        pass

    def stop(self):
        pass


@functools.cache
def chromedriver():
    """Starts chromedriver with the suite's clock, which its browsers inherit, and waits until it takes commands."""
    folder = pathlib.Path(tempfile.gettempdir())
    chromium = folder / "chromium"
    # A browser does not end by itself when its chromedriver does.
    chromium.write_text(f'#!/bin/sh\nexec {" ".join(WITH_SUITE)} /usr/bin/chromium "$@"\n')
    chromium.chmod(0o755)
    # It chooses a port by itself.
    driver = Process("chromedriver", ["/usr/bin/chromedriver", "--port=0"], os.environ | clock().environment,
                     folder / "chromedriver.log")
    children.append(driver)
    driver.start()

    def port():
        driver.check_runs()
        return re.search(r"successfully on port (\d+)", driver.log())
    return RunningDriver("/usr/bin/chromedriver", int(eventually(port, "chromedriver has started")[1]))


def make_driver(width, height, dark, language, motion):
    """A headless Chromium that prefers a language and a theme; as root it runs without a sandbox of its own."""
    options = webdriver.ChromeOptions()
    service = chromedriver()
    options.binary_location = f"{tempfile.gettempdir()}/chromium"
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--hide-scrollbars", "--disable-gpu",
                     f"--lang={language}", f"--accept-lang={language}"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=service)
    driver.set_page_load_timeout(PATIENCE)
    driver.set_script_timeout(PATIENCE)
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {
        "features": [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
                     {"name": "prefers-reduced-motion", "value": "no-preference" if motion else "reduce"}]})
    return driver


class BrowserSession:
    """A browser on the harness's board; fails at its end if the console has warnings or errors."""

    def __init__(self, harness, width=1280, height=900, dark=False, language="ko", motion=False):
        self.harness = harness
        self.driver = make_driver(width, height, dark, language, motion)
        self.resize(width, height)

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        try:
            messages = [] if kind else self.driver.get_log("browser")
        finally:
            self.driver.quit()
        faults = [line["message"] for line in messages if line["level"] in ("SEVERE", "WARNING")]
        if faults := [fault for fault in faults if not re.search(CAUSED, fault)]:
            raise Failure(f"the console has messages: {faults}")

    def resize(self, width, height=900):
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600})

    def open(self, path=""):
        self.driver.get(f"{self.harness.url}/{path}")

    def open_page(self, name, path=None):
        """Opens a page, or another one of its kind, and waits until it has its content."""
        self.open(path or PAGES[name])
        self.ready(name)

    def open_chart(self, path=f"day/{DAY}"):
        """Opens a chart, and returns the titles of its lines."""
        self.open(path)
        return self.lines()

    def before(self, script):
        """Runs a script on each page before the page's own scripts."""
        self.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": script})

    def record(self, *selectors):
        """Records on each page which elements match these selectors at some moment, for `seen`."""
        self.before(RECORDER.replace("SELECTORS", json.dumps(selectors)))

    def seen(self, selector):
        """Returns the texts of all elements that have matched a recorded selector."""
        return self.run("return [...seen[arguments[0]]].map((element) => element.textContent)", selector)

    def hold(self, address):
        """Keeps back what the pages request from an address, until they are told to `release()` it."""
        self.before(HOLDER.replace("ADDRESS", json.dumps(address)))

    @property
    def url(self):
        return self.driver.current_url

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector):
        return eventually(lambda: self.all(selector), f"{selector} is there")[0]

    def text(self, selector):
        return eventually(lambda: (self.all(selector)[0].text,), f"{selector} is there")[0]

    def attribute(self, selector, name):
        """An attribute of an element, which may be drawn again meanwhile."""
        self.one(selector)
        return self.run("return document.querySelector(arguments[0])?.getAttribute(arguments[1])", selector, name)

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def wait(self, script, *arguments):
        """Runs the body of an asynchronous function, and returns its value."""
        return self.driver.execute_async_script(
            "const done = arguments[arguments.length - 1]; const given = [...arguments].slice(0, -1);"
            f"(async function () {{ {script} }})(...given).then(done, (error) => done(String(error)));", *arguments)

    def click(self, selector):
        eventually(lambda: self.one(selector).click() or True, f"{selector} can be clicked")

    def choose(self, name, value):
        """Selects a value in a list."""
        eventually(lambda: self.all(f"select[name={name}] option[value='{value}']"), f"{name} has {value}")
        self.run("""const select = document.querySelector(`select[name=${arguments[0]}]`);
            select.value = arguments[1]; select.dispatchEvent(new Event('change', { bubbles: true }))""", name, value)

    def press(self, *keys):
        """Presses keys one after the other, wherever the focus is: a key may draw the element anew that has it.

        A modifier in front is held down meanwhile.
        """
        actions = ActionChains(self.driver)
        if keys[0] in (Keys.CONTROL, Keys.SHIFT):
            actions.key_down(keys[0]).send_keys(*keys[1:]).key_up(keys[0]).perform()
        else:
            actions.send_keys(*keys).perform()

    def titles(self):
        return self.run("return [...document.querySelectorAll('.lines:not(.skeleton) a.title')].map((title) => title.textContent)")

    def lines(self, count=10):
        return eventually(lambda: len(self.titles()) == count and self.titles(), f"{count} lines are shown")

    def shows(self, holds, what):
        """Waits until a condition holds, and counts it as a check."""
        eventually(holds, what)
        check(True, what)

    def ready(self, page):
        """Waits until a page has its content."""
        self.one(CONTENT[page])


def fits_dialog(browser):
    """Returns the parts of the open dialog that reach beyond its edges or those of the window."""
    return browser.run("""
        const dialog = document.querySelector('dialog[open]');
        const edge = dialog.getBoundingClientRect();
        const cut = [...dialog.querySelectorAll('*')].filter((part) => {
            const box = part.getBoundingClientRect();
            return box.width > 1 && (box.left < edge.left - 1 || box.right > edge.right + 1);
        }).map((part) => part.outerHTML.slice(0, 90));
        if (dialog.scrollWidth > dialog.clientWidth + 1 || edge.left < 0 || edge.right > innerWidth) cut.push(`${dialog.scrollWidth} > ${dialog.clientWidth}`);
        return cut;""")
