"""The shop: looked at, scrolled, written in, and what it says to mistakes."""

import pathlib
import random
import struct
import zlib

from selenium.webdriver.common.keys import Keys

from everywhere import FAULTS, fits
from stage import Stage, check, wait_until
from visit import Visit

PASSWORD = "correct-horse-7"
VENDOR = "5a4d5a4d-5a4d-4d5a-9d5a-4d5a4d5a4d5a"  # the sandbox's own


def in_a_market(test):
    """Gives a test a market of its own, on whose board one can write."""
    def play(stage, options):
        with Stage(stage.program, settings={"MARQUEE_BOARD_PASSWORD": PASSWORD}) as market:
            test(market, options)
    return play


def png(path, width, height, seed):
    """A picture of noise, which does not get small by packing."""
    dice = random.Random(seed)
    rows = b"".join(b"\0" + dice.randbytes(width * 3) for _ in range(height))
    chunks = [(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)), (b"IDAT", zlib.compress(rows)), (b"IEND", b"")]
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in chunks))
    return str(path)


class Customer(Visit):
    """A browser in the shop, with words for what one does there."""

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


@in_a_market
def test_shop_looking(stage, _):
    """List and grid, endless scrolling, prices, what is sold out."""
    with Customer(stage) as visit:
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


@in_a_market
def test_shop_product(stage, _):
    """Its page by its address, pictures by keys, and a closer look."""
    with Customer(stage) as visit:
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


@in_a_market
def test_shop_password(stage, _):
    """Nothing can be written without it; a wrong one is told; leaving ends it."""
    with Customer(stage) as visit:
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


@in_a_market
def test_shop_mistakes(stage, _):
    """What breaks a rule is told at its field, as one types, and nothing is sent."""
    folder = pathlib.Path(stage.folder)
    with Customer(stage, language="en") as visit:
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


@in_a_market
def test_shop_writing(stage, _):
    """A product is registered, changed and removed, and another browser sees it come, change and go."""
    folder = pathlib.Path(stage.folder)
    with Customer(stage) as other, Customer(stage) as visit:
        other.open("shop")
        before = other.shelf(20)
        visit.sign_in()
        visit.click("a[href='shop/new']")
        visit.fill(name="겨울 외투", description="따뜻하고 가벼운 외투입니다.", price="1,690,000", discountedPrice="90000", stock="3")
        visit.one("#form-images").send_keys("\n".join([png(folder / "a.png", 40, 30, 1), png(folder / "b.png", 700, 500, 2)]))
        wait_until(lambda: len(visit.all(".previews img")) == 2, "both pictures are shown")
        visit.click(".send .primary")
        wait_until(lambda: "/shop/new" not in visit.url, "the product has a page of its own")
        number = int(visit.url.rsplit("/", 1)[1])
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
        wait_until(lambda: visit.url.endswith("/shop"), "it is removed")
        wait_until(lambda: number not in other.numbers(), "another browser sees it go")
        check(number not in visit.numbers(), "it is gone from the list")
        visit.open(f"shop/{number}")
        wait_until(lambda: visit.all(".product .notice"), "its page says that it is gone")
        check("내려간" in visit.text(".product .notice") and not visit.all(".actions a"), "and offers no change")


@in_a_market
def test_shop_refusals(stage, _):
    """What the market refuses is told above the form; another vendor's product, a page instead of data, a wrong secret."""
    with Customer(stage, language="en") as visit:
        visit.sign_in()

        def change(number, price):
            visit.open(f"shop/{number}/edit")
            visit.one("#form-price")
            visit.fill(price=price, discountedPrice="0")
            visit.click(".send .primary")
            return wait_until(lambda: visit.text(".problem"), "the refusal is told")

        stage.ask("fetch.products", perPage=100)
        answer = wait_until(lambda: stage.api("products?page=1&perPage=100"), "the board knows all products")
        vendors = {item["product"]["id"]: item["product"]["vendors"]["id"] for item in answer["products"]}
        own = next(number for number, vendor in vendors.items() if vendor == 1)
        foreign = next(number for number, vendor in vendors.items() if vendor != 1)
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


@in_a_market
def test_shop_away(stage, _):
    """What is not known says why, and how to go on."""
    stage.control(openmarket={"errors": {"503": 1}})
    with Customer(stage, language="en") as visit:
        for path in ("shop", "shop/1"):
            visit.open(path)
            wait_until(lambda: visit.all(".failed[data-code=maintenance]"), "the market's trouble is told")
            check("worked on" in visit.text(".failed p") and visit.all(".failed button"), f"{path}: {visit.text('.failed p')}")
        stage.control()
        visit.click(".failed button")
        visit.shows(lambda: visit.all(".product h1"), "trying again shows it once the market is back")
        visit.open("shop")
        visit.shelf(20)
        stage.control(openmarket={"errors": {"503": 1}})
        visit.driver.refresh()
        visit.shelf(20)
        check(not visit.all(".failed"), "what is known stays shown while the market is away")


@in_a_market
def test_shop_forms_for_everybody(stage, options):
    """What only who is signed in sees, in both languages and themes: nothing sticks out, and axe finds no fault."""
    for language, dark in (("ko", False), ("en", True)):
        with Customer(stage, language=language, dark=dark) as visit:
            visit.driver.execute_cdp_cmd("Page.setBypassCSP", {"enabled": True})
            visit.sign_in()
            # What shows that a page has its content, and what is done there before one looks.
            pages = {"form": ("shop/new", ".productForm", "document.querySelector('.send .primary').click()"),
                     "change": ("shop/44/edit", ".productForm", ""),
                     "zoom": ("shop/44", ".strip button", "document.querySelector('.strip button').click()"),
                     "list": ("shop", ".shelf [data-product]", "document.querySelector('.segments button').click()"),
                     "grid": ("shop", ".shelf [data-product]", "document.querySelector('.segments button:last-child').click()")}
            for name, (path, content, then) in pages.items():
                for width in (1280, 360, 320):
                    visit.resize(width)
                    visit.open(path)
                    visit.one(content)
                    visit.run(then)
                    fits(visit, width, f"{name}, {width} px, {language}")
                    if options.screenshots:
                        visit.driver.save_screenshot(f"{options.screenshots}/shop-{name}-{width}-{'dark' if dark else 'light'}-{language}.png")
                    visit.run(options.axe.read_text())
                    faults = visit.wait(FAULTS)
                    check(faults == [], f"{name}, {width} px, {language}, {'dark' if dark else 'light'}: axe finds no fault {faults or ''}")


def test_shop_without_password(stage, _):
    """A board whose operator lets nobody write has no way to."""
    with Customer(stage) as visit:
        visit.open("shop")
        visit.shelf(20)
        check(not visit.all(".writer button") and not visit.all(".writer a"), "nothing in the shop speaks of writing")
        visit.open("shop/new")
        check(visit.one(".failed[data-code=notFound]"), "the form's address is none")
