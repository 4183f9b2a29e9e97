"""The shop: its list, products, forms and errors."""

import random

from selenium.webdriver.common.keys import Keys

from everywhere import AXE_VIOLATIONS, fits
from harness import Site, check, eventually
from browser import BrowserSession
from png import png

PASSWORD = "correct-horse-7"
VENDOR = "5a4d5a4d-5a4d-4d5a-9d5a-4d5a4d5a4d5a"  # the sandbox's vendor


def with_shop(test):
    """Runs a test with processes of its own, on whose board products can be changed."""
    def run_with_shop(harness, options):
        with Site(harness.program, settings={"MARQUEE_BOARD_PASSWORD": PASSWORD}) as shop:
            test(shop, options)
    return run_with_shop


def noise(path, width, height, seed):
    """Writes an image of noise, which cannot be compressed, and returns its path."""
    generator = random.Random(seed)
    path.write_bytes(png(width, height, b"".join(b"\0" + generator.randbytes(width * 3) for _ in range(height))))
    return str(path)


class ShopSession(BrowserSession):
    """A browser in the shop, with methods for what a visitor does there."""

    def fill(self, **values):
        for name, value in values.items():
            field = self.one(f"#form-{name}")
            field.send_keys(Keys.CONTROL, "a")
            field.send_keys(Keys.DELETE, value)

    def numbers(self):
        return self.run("return [...document.querySelectorAll('.products [data-product]')].map((item) => Number(item.dataset.product))")

    def products(self, count):
        return eventually(lambda: len(self.numbers()) >= count and self.numbers(), f"{count} products are shown")

    def scroll_to_the_end(self):
        def is_at_end():
            self.run("scrollTo(0, document.body.scrollHeight)")
            return "마지막" in self.text(".foot") or "End of the list" in self.text(".foot")
        eventually(is_at_end, "the end of the shop")

    def unlock(self, password=PASSWORD):
        self.one("#password").send_keys(password, Keys.ENTER)

    def sign_in(self):
        self.open("shop")
        self.click(".unlock")
        self.unlock()
        eventually(lambda: self.all("a[href='shop/new']"), "the link to the form is shown")


@with_shop
def test_shop_list(harness, _):
    """List and grid, endless scrolling, prices, products that are sold out."""
    with ShopSession(harness) as browser:
        browser.open()
        browser.click("nav a[data-name=shop]")
        browser.products(20)
        check("45" in browser.text(".state"), "the menu leads to the shop, which says how many products there are")
        browser.scroll_to_the_end()
        numbers = browser.numbers()
        check(len(numbers) == 45 and numbers == sorted(set(numbers), reverse=True), "scrolling shows all, each once, the newest first")
        check(browser.text(".out .stock") == "품절", "a product that is sold out says so")
        check("재고 " in browser.text("li:not(.out) .stock"), "other products show how many are left")
        was, now = browser.text(".cost del"), browser.text(".cost:has(del) strong")
        check(was != now and any(name in was for name in ("원", "달러")), f"a discount strikes the price through: {was}, {now}")
        check(any("," in cost.text for cost in browser.all(".cost")), "amounts have separators and a currency")
        browser.run("scrollTo(0, 0)")
        browser.click(".segments button:first-child")
        check(len(browser.all(".products.list > li")) == 45, "a click shows the list, with all loaded products")
        browser.driver.refresh()
        browser.products(20)
        check(browser.all(".products.list"), "the list is remembered")
        pictures = "return [...document.querySelectorAll('.products .image img')].filter((i) => i.complete && i.naturalWidth > 0).length"
        eventually(lambda: browser.run(pictures) >= 5, "images are shown")
        outside = browser.run("return performance.getEntriesByType('resource').map(e => e.name).filter(name => !name.startsWith(location.origin))")
        check(outside == [], "every image comes from the board")


@with_shop
def test_shop_product(harness, _):
    """The page of a product by its address, its images by keyboard, and the zoom."""
    with ShopSession(harness) as browser:
        for number in range(1, 30):
            browser.open(f"shop/{number}")
            eventually(lambda: browser.all(".product .strip li") or browser.all(".failed"), f"the product {number}")
            if len(browser.all(".strip li")) == 3:
                break
        check(browser.text(".product h1") and browser.text(".description") and browser.text(".offer .stock"), "a deep link shows name, text, price and stock")
        first = "return document.querySelector('.strip button[tabindex=\"0\"]').getAttribute('aria-label')"
        browser.run("document.querySelector('.strip button').focus()")
        browser.press(Keys.ARROW_RIGHT)
        eventually(lambda: "2 / 3" in browser.run(first), "the second image")
        browser.press(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, Keys.ARROW_LEFT)
        eventually(lambda: "2 / 3" in browser.run(first), "back to the second")
        eventually(lambda: browser.run("const s = document.querySelector('.strip'); return Math.round(s.scrollLeft / s.clientWidth)") == 1, "it is in the window")
        check(browser.text(".window > .count") == "2 / 3", "arrow keys turn the pages")
        browser.click(".thumbs li:nth-child(3) button")
        eventually(lambda: browser.text(".window > .count") == "3 / 3", "a thumbnail leads to its image")
        browser.click(".strip li:nth-child(3) button")
        width = "return document.querySelector('.zoom img').getBoundingClientRect().width"
        eventually(lambda: browser.run("return document.querySelector('dialog.zoom[open] img')?.naturalWidth"), "the zoom shows its image")
        plain = browser.run(width)
        browser.press("+", "+")
        check(browser.run(width) == 2 * plain and browser.all(".stage.larger"), "+ zooms")
        browser.press("-")
        check(browser.run(width) == 1.5 * plain, "- zooms out")
        browser.press("0")
        browser.press(Keys.ARROW_LEFT)
        browser.shows(lambda: browser.run(width) == plain and "2 / 3" in browser.text(".zoom .count"), "0 shows all of it, an arrow key the image before")
        browser.press(Keys.ESCAPE)
        eventually(lambda: not browser.all("dialog.zoom"), "Escape closes it")
        check("2 / 3" == browser.text(".window > .count"), "the page shows the image that was zoomed last")
        browser.open("shop/9999")
        check("없는 상품" in browser.text(".failed p") and browser.all(".failed a[href=shop]"), "an unknown product says so")
        browser.open("shop/nothing")
        check(browser.one(".failed[data-code=notFound]"), "an address that is no product says so")


@with_shop
def test_shop_password(harness, _):
    """Without the password nothing can be changed; a wrong one is reported; signing out ends the session."""
    with ShopSession(harness) as browser:
        browser.open("shop/new")
        eventually(lambda: browser.all("main .primary"), "the page says that a password is needed")
        check(not browser.all(".productForm"), "without the password there is no form")
        browser.open("shop")
        browser.products(20)
        browser.one(".unlock")
        check(not browser.all("a[href='shop/new']"), "without the password there is no link to the form")
        browser.click(".unlock")
        browser.unlock("wrong-password")
        eventually(lambda: "맞지 않습니다" in browser.text("#passwordFault"), "a wrong password is reported")
        browser.press(Keys.CONTROL, "a")
        browser.unlock()
        eventually(lambda: browser.all("a[href='shop/new']"), "the right password shows the link to the form")
        check(browser.run("return document.cookie") == "", "no script can read the session")
        browser.driver.refresh()
        eventually(lambda: browser.all("a[href='shop/new']"), "the session outlasts a reload")
        browser.click(".writer .plain")
        eventually(lambda: browser.all(".unlock"), "signing out ends the session")
        check(not browser.all("a[href='shop/new']"), "after signing out there is no link to the form")
    check(PASSWORD not in harness.processes["board"].log() and "wrong-password" not in harness.processes["board"].log(), "no password is in the log")


@with_shop
def test_shop_validation(harness, _):
    """A value that breaks a rule is reported at its field while typing, and nothing is sent."""
    folder = harness.folder
    with ShopSession(harness, language="en") as browser:
        browser.sign_in()
        browser.click("a[href='shop/new']")
        browser.click(".send .primary")
        eventually(lambda: "at least one" in browser.text("#fault-images"), "an image is required")
        for name, value, word in (
            ("name", "ab", "3 characters"), ("description", "too short", "10 characters"), ("description", "x" * 1_001, "1,000"),
            ("price", "0", "above 0"), ("price", "ten", "above 0"), ("discountedPrice", "-1", "at least 0"), ("stock", "1.5", "whole number"),
        ):
            browser.fill(**{name: value})
            check(word in browser.text(f"#fault-{name}") and browser.all(f"#form-{name}[aria-invalid=true]"), f"{name} {value[:10]!r}: {browser.text(f'#fault-{name}')}")
        browser.fill(price="1,000", discountedPrice="1,001")
        check("cannot exceed the price" in browser.text("#fault-discountedPrice"), "a discount above the price is reported")
        browser.fill(discountedPrice="100")
        check(browser.text("#fault-discountedPrice") == "" and "₩900" in browser.text(".row .aside"), "the selling price is shown while typing")
        image = browser.one("#form-images")
        small = noise(folder / "small.png", 40, 30, 1)
        for name, content, word in (("note.png", b"no image", "Not a JPEG"), ("cut.jpg", b"\xff\xd8\xff\xe0 cut off", "cannot be opened"),
                                    ("large.png", b"\x89PNG" + bytes(10 << 20), "Larger than 8 MB")):
            path = folder / name
            path.write_bytes(content)
            image.send_keys(str(path))
            eventually(lambda: word in browser.text(".previews .fault"), f"{name}: {word}")
            check(True, f"{name}: {browser.text('.previews .fault')}")
            browser.click(".previews button")
        image.send_keys("\n".join([small] * 6))
        eventually(lambda: "at most 5" in browser.text("#fault-images"), "six images are reported")
        check(len(browser.all(".previews img")) == 6, "each image is shown before it is sent")
        browser.click(".previews li:last-child button")
        eventually(lambda: browser.text("#fault-images") == "", "five are accepted")
        browser.fill(name="ab")
        browser.click(".send .primary")
        check(browser.run("return document.activeElement.id") == "form-name", "the first field with an error has the focus")


@with_shop
def test_shop_orders(harness, _):
    """A product is registered, changed and removed, and another browser shows each step live."""
    folder = harness.folder
    with ShopSession(harness) as other, ShopSession(harness) as browser:
        other.open("shop")
        before = other.products(20)
        browser.sign_in()
        browser.click("a[href='shop/new']")
        browser.fill(name="겨울 외투", description="따뜻하고 가벼운 외투입니다.", price="1,690,000", discountedPrice="90000", stock="3")
        browser.one("#form-images").send_keys("\n".join([noise(folder / "a.png", 40, 30, 1), noise(folder / "b.png", 700, 500, 2)]))
        eventually(lambda: len(browser.all(".previews img")) == 2, "both images are shown")
        browser.click(".send .primary")
        eventually(lambda: "/shop/new" not in browser.url, "the product has a page of its own")
        number = int(browser.url.rsplit("/", 1)[1])
        eventually(lambda: browser.text(".product h1") == "겨울 외투", "it is shown")
        browser.shows(lambda: len(browser.all(".strip li")) == 2, "a registration opens the product, with its images")
        check(browser.text(".cost del") == "1,690,000원" and browser.text(".cost strong") == "1,600,000원", "the product has its discount")
        eventually(lambda: other.numbers()[0] == number, "another browser shows the new product")
        check(other.numbers()[1:21] == before[:20], "the new product is at the top, and the others stay")
        browser.click(f"a[href='shop/{number}/edit']")
        eventually(lambda: browser.all("#form-name"), "the form")
        check(browser.one("#form-price").get_attribute("value") == "1690000" and len(browser.all(".thumbnails input")) == 2, "the form has the values of the product")
        browser.fill(stock="0", price="1700000")
        browser.click(".thumbnails label:nth-of-type(2)")
        browser.click(".send .primary")
        eventually(lambda: browser.all(".offer .stock.out"), "the change is shown")
        check(browser.text(".cost strong") == "1,610,000원", "the price and the stock have changed")
        other.shows(lambda: other.text(f"[data-product='{number}'] .stock") == "품절", "another browser shows that it is sold out")
        browser.click(".actions .danger")
        eventually(lambda: browser.all("dialog.removal"), "the page asks for confirmation")
        browser.click("dialog.removal .actions .plain")
        eventually(lambda: not browser.all("dialog.removal"), "cancelling removes nothing")
        browser.click(".actions .danger")
        browser.click("dialog.removal .primary")
        eventually(lambda: browser.url.endswith("/shop"), "it is removed")
        eventually(lambda: number not in other.numbers(), "another browser removes the product")
        browser.shows(lambda: number not in browser.numbers(), "the list no longer has it")
        browser.open(f"shop/{number}")
        eventually(lambda: browser.all(".product .notice"), "its page says that it was removed")
        check("종료된" in browser.text(".product .notice") and not browser.all(".actions a"), "a removed product cannot be changed")


@with_shop
def test_shop_refusals(harness, _):
    """A refusal of the shop is shown above the form: another vendor's product, a page instead of data, a wrong secret."""
    with ShopSession(harness, language="en") as browser:
        browser.sign_in()

        def change(number, price):
            browser.open(f"shop/{number}/edit")
            browser.one("#form-price")
            browser.fill(price=price, discountedPrice="0")
            browser.click(".send .primary")
            return eventually(lambda: browser.text(".problem"), "the refusal is shown")

        harness.ask("fetch.products", perPage=100)
        answer = eventually(lambda: harness.api("products?page=1&perPage=100"), "the board knows all products")
        vendors = {item["product"]["id"]: item["product"]["vendors"]["id"] for item in answer["products"]}
        own = next(number for number, vendor in vendors.items() if vendor == 1)
        foreign = next(number for number, vendor in vendors.items() if vendor != 1)
        check("another vendor" in change(foreign, "5000"), f"another vendor's product: {browser.text('.problem')}")
        browser.open(f"shop/{own}/edit")
        browser.one("#form-price")
        harness.control(openmarket={"notice": 1})
        browser.fill(price="5000", discountedPrice="0")
        browser.click(".send .primary")
        eventually(lambda: browser.text(".problem"), "a page instead of data is reported")
        check("under maintenance" in browser.text(".problem"), f"a page instead of data: {browser.text('.problem')}")
        harness.control()
        harness.stop("worker")
        secrets = {"MARQUEE_OPENMARKET_URL": f"http://127.0.0.1:{harness.port('sandbox')}/openmarket/v3",
                   "MARQUEE_OPENMARKET_IDENTIFIER": VENDOR, "MARQUEE_OPENMARKET_SECRET": "a-wrong-secret"}
        harness.environment |= secrets
        harness.start("worker")
        check("rejected the vendor" in change(own, "6000"), f"a wrong secret: {browser.text('.problem')}")
        harness.stop("worker")
        for name in secrets:
            del harness.environment[name]
        harness.start("worker")
    for role in ("board", "worker"):
        check("a-wrong-secret" not in harness.processes[role].log() and "sandbox-secret" not in harness.processes[role].log(), f"no secret is in the {role}'s log")


@with_shop
def test_shop_unavailable(harness, _):
    """An unknown product says why, and what to do."""
    harness.control(openmarket={"errors": {"503": 1}})
    with ShopSession(harness, language="en") as browser:
        for path in ("shop", "shop/1"):
            browser.open(path)
            eventually(lambda: browser.all(".failed[data-code=maintenance]"), "the shop's maintenance is reported")
            check("under maintenance" in browser.text(".failed p") and browser.all(".failed button"), f"{path}: {browser.text('.failed p')}")
        harness.control()
        browser.click(".failed button")
        browser.shows(lambda: browser.all(".product h1"), "the button loads it once the shop is back")
        browser.open("shop")
        browser.products(20)
        harness.control(openmarket={"errors": {"503": 1}})
        browser.driver.refresh()
        browser.products(20)
        check(not browser.all(".failed"), "known products stay visible while the shop is unavailable")


@with_shop
def test_shop_forms_for_everybody(harness, options):
    """The pages of signed-in visitors, in both languages and themes: nothing is cut off, and axe finds no violation."""
    for language, dark in (("ko", False), ("en", True)):
        with ShopSession(harness, language=language, dark=dark) as browser:
            browser.driver.execute_cdp_cmd("Page.setBypassCSP", {"enabled": True})
            browser.sign_in()
            # For each page: its address, a selector that matches its content, and a script that runs before the check.
            pages = {"form": ("shop/new", ".productForm", "document.querySelector('.send .primary').click()"),
                     "change": ("shop/44/edit", ".productForm", ""),
                     "zoom": ("shop/44", ".strip button", "document.querySelector('.strip button').click()"),
                     "list": ("shop", ".products [data-product]", "document.querySelector('.segments button').click()"),
                     "grid": ("shop", ".products [data-product]", "document.querySelector('.segments button:last-child').click()")}
            for name, (path, content, then) in pages.items():
                for width in (1280, 360, 320):
                    browser.resize(width)
                    browser.open(path)
                    browser.one(content)
                    browser.run(then)
                    fits(browser, width, f"{name}, {width} px, {language}")
                    if options.screenshots:
                        browser.driver.save_screenshot(f"{options.screenshots}/shop-{name}-{width}-{'dark' if dark else 'light'}-{language}.png")
                    browser.run(options.axe.read_text())
                    faults = browser.wait(AXE_VIOLATIONS)
                    check(faults == [], f"{name}, {width} px, {language}, {'dark' if dark else 'light'}: axe finds no violation {faults or ''}")


def test_shop_without_password(harness, _):
    """Without a password the board has no links and no form to change products."""
    with ShopSession(harness) as browser:
        browser.open("shop")
        browser.products(20)
        check(not browser.all(".writer button") and not browser.all(".writer a"), "the shop has no links or buttons to change products")
        browser.open("shop/new")
        check(browser.one(".failed[data-code=notFound]"), "the form's address is not found")
