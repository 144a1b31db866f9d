"""
Renders every page of the live house to PNG: ``make screenshots``.

Plays small auctions that sell, buy and exchange, and an allocation of courses, with bots and one
person, and takes a picture of each page on the way, at 1100 and 375 px; some in dark as well, or
all of them (``--dark``), in English or another language (``--language de``).
"""

import argparse
import sys
import tempfile
from pathlib import Path

from album import Album
from courses import allot
from desk import audit, run_desk
from live_browser import open_browser
from live_server import LiveServer
from markets import EXCHANGE, PURCHASE, play_market
from post_office import PostOffice
from sale import play, play_prices

PARTS = ("bidder", "desk", "purchase", "exchange", "courses")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"all, or some of {PARTS}")
    parser.add_argument("--out", type=Path, default=Path("screenshots"))
    parser.add_argument(
        "--quick", action="store_true", help="random questions where no model is shown"
    )
    parser.add_argument("--language", choices=["en", "de", "fr"], default="en")
    parser.add_argument("--dark", action="store_true", help="every page in dark as well")
    parser.add_argument("--check", action="store_true", help="axe looks at every page")
    arguments = parser.parse_args()
    parts = set(arguments.parts or PARTS)
    if parts - set(PARTS):
        parser.error(f"found {sorted(parts - set(PARTS))}, expected some of {PARTS}")
    folder: Path = arguments.out
    folder.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as temporary,
        PostOffice() as office,
        open_browser() as browser,
    ):
        settings = Path(temporary) / "server.toml"
        settings.write_text(office.settings)
        options = ("--settings", str(settings))
        server = LiveServer(Path(temporary) / "data", options=options).start()
        server.boss = server.auctioneer()

        def album() -> Album:
            return Album(browser, folder, arguments.language, arguments.dark, arguments.check)

        try:
            if "bidder" in parts:
                play(server, album())
                play_prices(server, album())
            if "desk" in parts:
                auction = run_desk(server, album(), "random" if arguments.quick else "svr")
                audit(server, album(), auction)
            for market in (PURCHASE, EXCHANGE):
                if market.name in parts:
                    play_market(server, album(), album(), market, arguments.quick)
            if "courses" in parts:
                allot(server, album(), album())
        finally:
            server.stop()


if __name__ == "__main__":
    sys.exit(main())
