"""Logs of the four kinds, byte for byte, and what the verifier says of them."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

from recorded.steady import Record, be_steady, counting_draw, pretty

NUM_RANDOM = 40


def records(root: Path) -> Iterator[Record]:
    """Stored logs, played ones, random ones."""
    yield from stored(root)
    yield from played()
    yield from drawn()


def told(lines: list[str]) -> str:
    """A log and its verdict; a record per line."""
    # The verifier of that commit, wherever it stood.
    from golden_log import verify

    return "".join(lines) + "\n" + pretty(verify(lines).to_dict())


def stored(root: Path) -> Iterator[Record]:
    """The golden logs of the tests, and what the verifier says of them today."""
    for path in sorted((root / "tests/data/live").glob("*.jsonl")):
        yield f"stored/{path.stem}", told(path.read_text().splitlines(keepends=True))


def played() -> Iterator[Record]:
    """Whole auctions with the real engine, in memory: no process, no clock, no database."""
    from live_play import MARKET
    from other_markets import FISHING, FREIGHT, MarketPlay, cost_of, worth_of

    sale = MARKET.replace('name = "Ben"', 'name = "Ben"\n\n[[bidders]]\nname = "Cleo"\nat_most = 3')

    def value_of(bidder: int, bundle: tuple[int, ...]) -> int:
        *weights, both = ((700, 300, 90, -180), (520, 410, 110, -250), (610, 150, 130, 40))[bidder]
        alone = sum(n * w for n, w in zip(bundle, weights, strict=True))
        return alone + both * bool(bundle[0] and bundle[1])

    reserve = {"reserve": '{ hall = "150", chairs = "20" }'}
    ruled = FREIGHT + '\n[[rules]]\nname = "few"\nwinners = { at_most = 2 }\n'
    plays = [
        *((f"sale-{rule}", sale, rule, value_of, {}) for rule in ("vcg", "core")),
        *((f"sale-reserve-{rule}", sale, rule, value_of, reserve) for rule in ("vcg", "core")),
        *((f"purchase-{rule}", FREIGHT, rule, cost_of, {}) for rule in ("offered", "vcg", "core")),
        *((f"purchase-ruled-{rule}", ruled, rule, cost_of, {}) for rule in ("vcg", "core")),
        *(
            (f"exchange-{rule}", FISHING, rule, worth_of, {})
            for rule in ("vcg", "threshold", "proportional", "small")
        ),
    ]
    for name, market, rule, truth, keys in plays:
        play = MarketPlay(market, rule, **keys)
        play.ask(truth)
        play.end()
        yield f"played/{name}", told(play.lines())
    yield "played/courses", courses()


def courses() -> str:
    """An allocation of courses at a desk, where everything that can happen does."""
    from course_play import auditor, open_desk
    from golden_courses import GoldenCourses

    be_steady()
    with tempfile.TemporaryDirectory() as folder:
        desk = open_desk(Path(folder), draw=counting_draw("courses"))
        try:
            golden = GoldenCourses(desk, desk.clock)
            golden.play()
            return told(list(desk.log(auditor(golden.auction), golden.auction)))
        finally:
            desk.close()


def drawn() -> Iterator[Record]:
    """Auctions in which anything may happen next."""
    from logged_play import RandomPlay

    for seed in range(NUM_RANDOM):
        yield f"random/{seed:02}", told(RandomPlay(seed).run().lines())
