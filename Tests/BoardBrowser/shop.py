"""Clicks through the board's shop in a real browser: looks, scrolls, registers, changes, removes, and makes mistakes.

Use: /usr/bin/python3 Tests/BoardBrowser/shop.py PROGRAM AXE [--screenshots FOLDER] [NAME …]

PROGRAM is marquee, AXE the accessibility checker's axe.min.js; NAMEs are those of the tests to run. Needs Debian's chromium,
chromium-driver and python3-selenium.
"""

import argparse
import inspect
import os
import pathlib
import random
import struct
import sys
import zlib

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from stage import Failure, Stage, browser, resize, wait_until

PASSWORD = "correct-horse-7"
VENDOR = "5a4d5a4d-5a4d-4d5a-9d5a-4d5a4d5a4d5a"  # the sandbox's own
passed = 0


def check(holds, what):
    """Counts and prints something that holds, or ends the test."""
    global passed
    if not holds:
        raise Failure(what)
    passed += 1
    print(f"ok   {what}", flush=True)


def png(path, width, height, seed):
    """A picture of noise, which does not get small by packing."""
    dice = random.Random(seed)
    rows = b"".join(b"\0" + dice.randbytes(width * 3) for _ in range(height))
    chunks = [(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)), (b"IDAT", zlib.compress(rows)), (b"IEND", b"")]
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in chunks))
    return str(path)


class Visit:
    """A browser in the shop, with words for what one does there."""

    def __init__(self, stage, **options):
        self.stage = stage
        self.driver = browser(**options)

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        faults = [line["message"] for line in self.driver.get_log("browser") if line["level"] in ("SEVERE", "WARNING")]
        self.driver.quit()
        # What is not known yet, and what a test does wrong on purpose, the browser complains about.
        faults = [fault for fault in faults if "net::ERR_" not in fault and "status of 4" not in fault and "blob:" not in fault]
        if kind is None and faults:
            raise Failure(f"the console says {faults}")

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

    def fill(self, **values):
        for name, value in values.items():
            field = self.one(f"#form-{name}")
            field.send_keys(Keys.CONTROL, "a")
            field.send_keys(Keys.DELETE, value)

    def numbers(self):
        return self.run("return [...document.querySelectorAll('.shelf [data-product]')].map((item) => Number(item.dataset.product))")

    def shelf(self, count):
        return wait_until(lambda: len(self.numbers()) >= count and self.numbers(), f"{count} products are shown")

    def scroll_to_the_end(self):
        def is_there():
            self.run("scrollTo(0, document.body.scrollHeight)")
            return "마지막" in self.text(".foot") or "That is all" in self.text(".foot")
        wait_until(is_there, "the end of the shop")

    def unlock(self, password=PASSWORD):
        self.one("#password").send_keys(password, Keys.ENTER)

    def sign_in(self):
        self.open("shop")
        self.click(".unlock")
        self.unlock()
        wait_until(lambda: self.all("a[href='shop/new']"), "the way to the form is there")


def test_looking(stage, _):
    """List and grid, endless scrolling, prices, what is sold out."""
    with Visit(stage) as visit:
        visit.open()
        visit.click("nav a[data-name=shop]")
        visit.shelf(20)
        check("45" in visit.text(".state"), "the menu leads to the shop, which says how many products there are")
        visit.scroll_to_the_end()
        numbers = visit.numbers()
        check(len(numbers) == 45 and numbers == sorted(set(numbers), reverse=True), "scrolling shows all, each once, the newest first")
        check(visit.text(".out .stock") == "품절", "what is sold out says so")
        check("잔여수량 : " in visit.text("li:not(.out) .stock"), "of the rest it says how many are left")
        was, now = visit.text(".cost del"), visit.text(".cost:has(del) strong")
        check(was != now and any(sign in was for sign in "₩$"), f"a discount strikes the price through: {was}, {now}")
        check(any("," in cost.text for cost in visit.all(".cost")), "amounts have separators and a currency")
        visit.run("scrollTo(0, 0)")
        visit.click(".segments button:first-child")
        check(len(visit.all(".shelf.list > li")) == 45, "a click shows the list, with all that was read")
        visit.driver.refresh()
        visit.shelf(20)
        check(visit.all(".shelf.list"), "the list is remembered")
        pictures = "return [...document.querySelectorAll('.shelf .goods img')].filter((i) => i.complete && i.naturalWidth > 0).length"
        wait_until(lambda: visit.run(pictures) >= 5, "pictures are shown")
        outside = visit.run("return performance.getEntriesByType('resource').map(e => e.name).filter(name => !name.startsWith(location.origin))")
        check(outside == [], "every picture comes from the board")


def test_a_product(stage, _):
    """Its page by its address, pictures by keys, and a closer look."""
    with Visit(stage) as visit:
        for number in range(1, 30):
            visit.open(f"shop/{number}")
            wait_until(lambda: visit.all(".product .strip li") or visit.all(".failed"), f"the product {number}")
            if len(visit.all(".strip li")) == 3:
                break
        check(visit.text(".product h1") and visit.text(".description") and visit.text(".offer .stock"), "a deep link shows name, text, price and stock")
        first = "return document.querySelector('.strip button[tabindex=\"0\"]').getAttribute('aria-label')"
        visit.run("document.querySelector('.strip button').focus()")
        visit.press(Keys.ARROW_RIGHT)
        wait_until(lambda: "2 / 3" in visit.run(first), "the second picture")
        visit.press(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, Keys.ARROW_LEFT)
        wait_until(lambda: "2 / 3" in visit.run(first), "back to the second")
        wait_until(lambda: visit.run("const s = document.querySelector('.strip'); return Math.round(s.scrollLeft / s.clientWidth)") == 1, "it is in the window")
        check(visit.text(".window > .count") == "2 / 3", "arrow keys turn the pages")
        visit.click(".thumbs li:nth-child(3) button")
        wait_until(lambda: visit.text(".window > .count") == "3 / 3", "a small picture leads to its large one")
        visit.click(".strip li:nth-child(3) button")
        width = "return document.querySelector('.zoom img').getBoundingClientRect().width"
        wait_until(lambda: visit.all("dialog.zoom[open]"), "the closer look")
        plain = visit.run(width)
        visit.press("+", "+")
        check(visit.run(width) == 2 * plain and visit.all(".stage.larger"), "+ zooms")
        visit.press("-")
        check(visit.run(width) == 1.5 * plain, "- zooms out")
        visit.press("0")
        visit.press(Keys.ARROW_LEFT)
        check(visit.run(width) == plain and "2 / 3" in visit.text(".zoom .count"), "0 shows all of it, an arrow the picture before")
        visit.press(Keys.ESCAPE)
        wait_until(lambda: not visit.all("dialog.zoom"), "Escape closes it")
        check("2 / 3" == visit.text(".window > .count"), "the page shows the picture that was looked at last")
        visit.open("shop/9999")
        check("없습니다" in visit.text(".failed p"), "a product that is not there says so")
        visit.open("shop/nothing")
        check(visit.one(".failed[data-code=notFound]"), "and so does an address that is no product")


def test_the_password(stage, _):
    """Nothing can be written without it; a wrong one is told; leaving ends it."""
    with Visit(stage) as visit:
        visit.open("shop/new")
        wait_until(lambda: visit.all("main .primary"), "the page says that it is locked")
        check(not visit.all(".productForm"), "the form is not there without the password")
        visit.open("shop")
        visit.shelf(20)
        check(not visit.all("a[href='shop/new']") and visit.all(".unlock"), "nor is the way to it")
        visit.click(".unlock")
        visit.unlock("wrong-password")
        wait_until(lambda: "맞지 않습니다" in visit.text("#passwordFault"), "a wrong password is told")
        visit.press(Keys.CONTROL, "a")
        visit.unlock()
        wait_until(lambda: visit.all("a[href='shop/new']"), "the right one opens the way")
        check(visit.run("return document.cookie") == "", "no script sees the session")
        visit.driver.refresh()
        wait_until(lambda: visit.all("a[href='shop/new']"), "it lasts over a reload")
        visit.click(".writer .plain")
        wait_until(lambda: visit.all(".unlock"), "leaving ends it")
        check(not visit.all("a[href='shop/new']"), "who has left can no longer write")
    check(PASSWORD not in stage.log("board") and "wrong-password" not in stage.log("board"), "no password is in the log")


def test_mistakes(stage, folder):
    """What breaks a rule is told at its field, as one types, and nothing is sent."""
    with Visit(stage, language="en") as visit:
        visit.sign_in()
        visit.click("a[href='shop/new']")
        visit.click(".send .primary")
        wait_until(lambda: "at least one" in visit.text("#fault-images"), "a picture is wanted")
        for name, value, word in (
            ("name", "ab", "3 characters"), ("description", "too short", "10 characters"), ("description", "x" * 1_001, "1,000"),
            ("price", "0", "above 0"), ("price", "ten", "above 0"), ("discountedPrice", "-1", "from 0"), ("stock", "1.5", "whole number"),
        ):
            visit.fill(**{name: value})
            check(word in visit.text(f"#fault-{name}") and visit.all(f"#form-{name}[aria-invalid=true]"), f"{name} {value[:10]!r}: {visit.text(f'#fault-{name}')}")
        visit.fill(price="1,000", discountedPrice="1,001")
        check("at most the price" in visit.text("#fault-discountedPrice"), "a discount above the price is told")
        visit.fill(discountedPrice="100")
        check(visit.text("#fault-discountedPrice") == "" and "₩900" in visit.text(".row .aside"), "what it sells for is shown as one types")
        image = visit.one("#form-images")
        small = png(folder / "small.png", 40, 30, 1)
        for name, content, word in (("note.png", b"no picture", "No JPEG"), ("cut.jpg", b"\xff\xd8\xff\xe0 cut off", "Cannot be opened"),
                                    ("large.png", b"\x89PNG" + bytes(10 << 20), "Larger than 8 MB")):
            path = folder / name
            path.write_bytes(content)
            image.send_keys(str(path))
            wait_until(lambda: word in visit.text(".previews .fault"), f"{name}: {word}")
            check(True, f"{name}: {visit.text('.previews .fault')}")
            visit.click(".previews button")
        image.send_keys("\n".join([small] * 6))
        wait_until(lambda: "at most 5" in visit.text("#fault-images"), "six pictures are told")
        check(len(visit.all(".previews img")) == 6, "each picture is shown before it is sent")
        visit.click(".previews li:last-child button")
        wait_until(lambda: visit.text("#fault-images") == "", "five are fine")
        visit.fill(name="ab")
        visit.click(".send .primary")
        check(visit.run("return document.activeElement.id") == "form-name", "the first field that is wrong has the focus")


def test_a_life(stage, folder):
    """A product is registered, changed and removed, and another browser sees it come, change and go."""
    with Visit(stage) as other, Visit(stage) as visit:
        other.open("shop")
        before = other.shelf(20)
        visit.sign_in()
        visit.click("a[href='shop/new']")
        visit.fill(name="겨울 외투", description="따뜻하고 가벼운 외투입니다.", price="1,690,000", discountedPrice="90000", stock="3")
        visit.one("#form-images").send_keys("\n".join([png(folder / "a.png", 40, 30, 1), png(folder / "b.png", 700, 500, 2)]))
        wait_until(lambda: len(visit.all(".previews img")) == 2, "both pictures are shown")
        visit.click(".send .primary")
        wait_until(lambda: "/shop/new" not in visit.driver.current_url, "the product has a page of its own")
        number = int(visit.driver.current_url.rsplit("/", 1)[1])
        wait_until(lambda: visit.text(".product h1") == "겨울 외투", "it is shown")
        check(len(visit.all(".strip li")) == 2, "a registration leads to the product, with its pictures, the large one made smaller")
        check(visit.text(".cost del") == "₩1,690,000" and visit.text(".cost strong") == "₩1,600,000", "with its discount")
        wait_until(lambda: other.numbers()[0] == number, "another browser sees it come")
        check(other.numbers()[1:21] == before[:20], "at the top, and the rest stays")
        visit.click(f"a[href='shop/{number}/edit']")
        wait_until(lambda: visit.all("#form-name"), "the form")
        check(visit.one("#form-price").get_attribute("value") == "1690000" and len(visit.all(".thumbnails input")) == 2, "the form has what the product is")
        visit.fill(stock="0", price="1700000")
        visit.click(".thumbnails label:nth-of-type(2)")
        visit.click(".send .primary")
        wait_until(lambda: visit.all(".offer .stock.out"), "the change is shown")
        check(visit.text(".cost strong") == "₩1,610,000", "the price and the stock have changed")
        wait_until(lambda: other.text(f"[data-product='{number}'] .stock") == "품절", "another browser sees the change")
        check(True, "another browser sees that it is sold out")
        visit.click(".actions .danger")
        wait_until(lambda: visit.all("dialog.removal"), "it asks first")
        visit.click("dialog.removal .actions .plain")
        wait_until(lambda: not visit.all("dialog.removal"), "nothing is done")
        visit.click(".actions .danger")
        visit.click("dialog.removal .primary")
        wait_until(lambda: visit.driver.current_url.endswith("/shop"), "it is removed")
        wait_until(lambda: number not in other.numbers(), "another browser sees it go")
        check(number not in visit.numbers(), "it is gone from the list")
        visit.open(f"shop/{number}")
        wait_until(lambda: visit.all(".product .notice"), "its page says that it is gone")
        check("내려간" in visit.text(".product .notice") and not visit.all(".actions a"), "and offers no change")


def test_the_market_says_no(stage, folder):
    """What the market refuses is told above the form; another vendor's product, a page instead of data, a wrong secret."""
    with Visit(stage, language="en") as visit:
        visit.sign_in()

        def change(number, price):
            visit.open(f"shop/{number}/edit")
            visit.one("#form-price")
            visit.fill(price=price, discountedPrice="0")
            visit.click(".send .primary")
            return wait_until(lambda: visit.text(".problem"), "the refusal is told")

        own = next(item["product"]["id"] for page in (1, 2, 3) for item in stage.api(f"products?page={page}&perPage=20")["products"]
                   if item["product"]["vendors"]["id"] == 1)
        foreign = next(item["product"]["id"] for item in stage.api("products?page=1&perPage=20")["products"] if item["product"]["vendors"]["id"] != 1)
        check("another vendor" in change(foreign, "5000"), f"a foreign product: {visit.text('.problem')}")
        visit.open(f"shop/{own}/edit")
        visit.one("#form-price")
        stage.control(openmarket={"notice": 1})
        visit.fill(price="5000", discountedPrice="0")
        visit.click(".send .primary")
        wait_until(lambda: visit.text(".problem"), "a page instead of data is told")
        check("worked on" in visit.text(".problem"), f"a page in the place of data: {visit.text('.problem')}")
        stage.control()
        stage.stop("worker")
        secrets = {"MARQUEE_OPENMARKET_URL": f"http://127.0.0.1:{stage.ports['sandbox']}/openmarket/v3",
                   "MARQUEE_OPENMARKET_IDENTIFIER": VENDOR, "MARQUEE_OPENMARKET_SECRET": "a-wrong-secret"}
        stage.environment |= secrets
        stage.start("worker")
        check("refuses the vendor" in change(own, "6000"), f"a wrong secret: {visit.text('.problem')}")
        stage.stop("worker")
        for name in secrets:
            del stage.environment[name]
        stage.start("worker")
    for role in ("board", "worker"):
        check("a-wrong-secret" not in stage.log(role) and "sandbox-secret" not in stage.log(role), f"no secret is in the {role}'s log")


def test_the_market_is_away(stage, _):
    """What is not known says why, and how to go on."""
    stage.control(openmarket={"errors": {"503": 1}})
    with Visit(stage, language="en") as visit:
        visit.open("shop/1")
        wait_until(lambda: visit.all(".product") or visit.all(".failed"), "the page")
        visit.open("shop")
        visit.shelf(20)
        check(not visit.all(".failed"), "what is known stays shown while the market is away")
    stage.control()


def test_everybody(stage, folder, options):
    """Every page of the shop at three widths, in both languages and themes: nothing sticks out, and axe finds no fault."""
    axe = pathlib.Path(options.axe).read_text()
    for language, dark in (("ko", False), ("en", True)):
        with Visit(stage, language=language, dark=dark) as visit:
            visit.driver.execute_cdp_cmd("Page.setBypassCSP", {"enabled": True})
            visit.sign_in()
            # What shows that a page has its content, and what is done there before one looks.
            pages = {"shop": ("shop", ".shelf [data-product]", ""), "product": ("shop/44", ".product .strip", ""),
                     "form": ("shop/new", ".productForm", "document.querySelector('.send .primary').click()"),
                     "change": ("shop/44/edit", ".productForm", ""),
                     "zoom": ("shop/44", ".strip button", "document.querySelector('.strip button').click()"),
                     "list": ("shop", ".shelf [data-product]", "document.querySelector('.segments button').click()")}
            for name, (path, content, then) in pages.items():
                for width in (1280, 768, 360):
                    resize(visit.driver, width)
                    visit.open(path)
                    visit.one(content)
                    visit.run(then)
                    wide = visit.run("return document.documentElement.scrollWidth - innerWidth")
                    check(wide <= 0, f"{name}, {width} px, {language}: no horizontal scroll bar")
                    if options.screenshots:
                        wait_until(lambda: visit.run("return [...document.images].filter((i) => i.getBoundingClientRect().top < innerHeight).every((i) => i.complete)"), "its pictures")
                        visit.driver.save_screenshot(f"{options.screenshots}/{name}-{width}-{'dark' if dark else 'light'}.png")
                    visit.run(axe)
                    faults = visit.driver.execute_async_script(
                        "const done = arguments[0]; axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] })"
                        ".then((r) => done(r.violations.map((v) => [v.id, v.nodes.length, v.nodes[0].html, v.nodes[0].failureSummary])))")
                    check(faults == [], f"{name}, {width} px, {'dark' if dark else 'light'}: axe finds no fault {faults or ''}")
                if name == "list":
                    visit.click(".segments button:last-child")


def test_without_a_password(stage, _):
    """A board whose operator lets nobody write has no way to. The last of all: the board is another one then."""
    stage.stop("board")
    del stage.environment["MARQUEE_BOARD_PASSWORD"]
    stage.start("board")
    with Visit(stage) as visit:
        visit.open("shop")
        visit.shelf(20)
        check(not visit.all(".writer button") and not visit.all(".writer a"), "nothing in the shop speaks of writing")
        visit.open("shop/new")
        check(visit.one(".failed[data-code=notFound]"), "the form's address is none")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", type=os.path.abspath)
    parser.add_argument("axe")
    parser.add_argument("--screenshots", help="a folder for a picture of each page")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    if options.screenshots:
        os.makedirs(options.screenshots, exist_ok=True)
    tests = [(name[5:], value) for name, value in globals().items() if name.startswith("test_") and inspect.isfunction(value)]
    if options.names:
        tests = [(name, value) for name, value in tests if any(word in name for word in options.names)]
    stage = Stage(options.program, MARQUEE_BOARD_PASSWORD=PASSWORD)
    failures = 0
    try:
        for name, test in tests:
            print(f"     {name.replace('_', ' ')}", flush=True)
            try:
                given = [stage, pathlib.Path(stage.folder), options]
                test(*given[:len(inspect.signature(test).parameters)])
            except Exception as failure:
                failures += 1
                print(f"FAIL {name}: {failure}", flush=True)
    finally:
        if failures:
            print(stage.log("board")[-2_000:], stage.log("worker")[-2_000:], file=sys.stderr)
        stage.end()
    print(f"{passed} passed, {failures} failed")
    sys.exit(1 if failures or not passed else 0)


main()
