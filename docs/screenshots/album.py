"""Pictures of the pages that one person sees."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from live_browser import AXE, NARROW, RULES, WIDE
from playwright.sync_api import Browser, Locator

# What a page does by itself when it is opened on a phone.
TO_THIS_PAGE = 'document.querySelector("nav [aria-current]")?.scrollIntoView({inline: "center"})'


class Album:
    """
    Takes pictures of one person's session at two widths.

    A person goes on in English, since buttons are found by their words; pictures are taken in the
    language that was asked for.

    Parameters
    ----------
    browser
        Chromium.
    folder
        Where pictures go.
    language
        Of the pages in the pictures.
    is_dark
        Whether every page is shown in dark as well, and not only some.
    has_checks
        Whether axe looks at every page as well, in each picture.
    """

    def __init__(
        self, browser: Browser, folder: Path, language: str, is_dark: bool, has_checks: bool
    ):
        self.folder, self.language = folder, language
        self.is_dark, self.has_checks = is_dark, has_checks
        self.context = browser.new_context(viewport=WIDE, locale="en-GB", reduced_motion="reduce")
        self.page = self.context.new_page()
        self.page.set_default_timeout(300_000)

    def take(self, name: str, url: str | None = None, dark: bool = False) -> None:
        """Pictures of an address, or of the page that is open, which is loaded again."""
        address = url or self.page.url
        with self.spoken():
            self.page.goto(address)
            self.save(name, dark)
        self.page.goto(address)

    def press(self, button: Locator, name: str) -> None:
        """Pictures of what a form answers that stays where it is."""
        with self.spoken():
            button.click()
            self.page.wait_for_load_state()
            self.save(name)

    @contextmanager
    def spoken(self) -> Iterator[None]:
        """Pages come in the language of the pictures."""
        self.context.add_cookies([cookie("__Host-boca-language", self.language)])
        yield
        self.context.add_cookies([cookie("__Host-boca-language", "en")])

    def save(self, name: str, dark: bool = False) -> None:
        """Pictures of the page that is open, as it is."""
        for scheme in ("light", "dark") if dark or self.is_dark else ("light",):
            self.page.emulate_media(color_scheme=scheme)
            for size, ending in ((WIDE, ""), (NARROW, "-narrow")):
                self.page.set_viewport_size(size)
                self.page.evaluate(TO_THIS_PAGE)
                file = f"live-{name}{ending}{'-dark' if scheme == 'dark' else ''}.png"
                self.page.screenshot(path=self.folder / file, full_page=True)
                self.complain(file)
        self.page.emulate_media(color_scheme="light")
        self.page.set_viewport_size(WIDE)
        print(name, flush=True)

    def complain(self, file: str) -> None:
        """Says what is wrong with the page in a picture: wider than its window, or by axe."""
        if self.page.evaluate("document.documentElement.scrollWidth > innerWidth"):
            print(f"  {file} scrolls sideways")
        if self.has_checks:
            self.page.evaluate(AXE)
            found = self.page.evaluate("tags => axe.run({runOnly: tags})", RULES)["violations"]
            for fault in found:
                print(f"  {file}: {fault['id']}: {fault['nodes'][0]['html']}")

    def sign_in(self, session: str) -> None:
        """Goes on with the session of somebody."""
        self.context.add_cookies([cookie("__Host-boca", session)])


def cookie(name: str, value: str) -> dict[str, object]:
    """A cookie as the browser wants it."""
    return {
        "name": name,
        "value": value,
        "domain": "localhost",
        "path": "/",
        "secure": True,
        "httpOnly": True,
    }
