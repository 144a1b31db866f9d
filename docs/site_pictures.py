"""
Pictures of the site at a desktop's and a phone's width: ``python docs/site_pictures.py``.

Build it first with ``make docs``. A page that is wider than its window is named, since phones would
scroll sideways.
"""

import argparse
from pathlib import Path

from playwright.sync_api import sync_playwright

SITE = Path(__file__).parent / "_build" / "html"
PAGES = ("index", "tour", "gallery/index", "gallery/tutorial", "api", "laboratory", "lab_hybrid")
WIDTHS = {"desktop": 1280, "phone": 375}
CHROMIUM = "/usr/bin/chromium"


def main() -> None:
    """Takes a picture of the first two screens of each page, light and, for one page, dark."""
    parser = argparse.ArgumentParser(description=__doc__.strip().splitlines()[0])
    parser.add_argument("pages", nargs="*", default=PAGES, help="such as tour or api")
    parser.add_argument("--out", type=Path, default=Path("screenshots") / "site")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as play:
        path = CHROMIUM if Path(CHROMIUM).exists() else None
        browser = play.chromium.launch(executable_path=path)
        for kind, width in WIDTHS.items():
            for scheme in ("light", "dark"):
                shown = arguments.pages if scheme == "light" else arguments.pages[:1]
                context = browser.new_context(
                    viewport={"width": width, "height": 1600}, color_scheme=scheme
                )
                page = context.new_page()
                for name in shown:
                    page.goto((SITE / f"{name}.html").as_uri())
                    inside = page.evaluate("document.documentElement.scrollWidth")
                    wide = f"  {inside} px wide!" if inside > width else ""
                    dark = "" if scheme == "light" else "-dark"
                    file = arguments.out / f"{name.replace('/', '-')}-{kind}{dark}.png"
                    page.screenshot(path=file)
                    print(f"{file}{wide}")
        browser.close()


if __name__ == "__main__":
    main()
