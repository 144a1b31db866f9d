"""The limits of docs/operating.md: what the page says is what is refused, with a sentence."""

import re
from pathlib import Path

import pytest
from live_play import Play, market_text, read
from whole_auction import ZOE, open_desk

from boca.core.errors import InputError
from boca.live import rehearsals, watch
from boca.live.auction import commands as cmd
from boca.live.auction import money, rules
from boca.live.auction.refusal import Refusal
from boca.live.web.limits import Buckets, Limits, TooManyRequests
from boca.live.web.pages import sheet
from boca.live.web.sheets import apart

PAGE = Path(__file__).parents[2] / "docs" / "operating.md"
MEGABYTE = 1024 * 1024


def documented() -> dict[str, str]:
    """What -> most, from the page's table of limits."""
    text = PAGE.read_text().split("## Limits", 1)[1].split("\n## ", 1)[0]
    rows = re.findall(r"^\| ([^|]+?) \| ([^|]+?) \|", text, re.MULTILINE)
    return {what: most for what, most in rows if what != "what" and not what.startswith("---")}


def test_the_page_says_what_the_code_refuses():
    """Tests every number, so that neither changes without the other."""
    limits = Limits()
    code = {
        "bidders": rules.MOST_BIDDERS,
        "goods": rules.MOST_GOODS,
        "copies of a good": rules.MOST_COPIES,
        "questions per bidder": rules.MOST_QUERIES,
        "values per bidder": rules.MOST_REPORTS,
        "persons per bidder": rules.MOST_PERSONS,
        "auctions under way at once": watch.MOST_OPEN,
        "rehearsals with bots at once": rehearsals.MOST_RUNNING,
        "viewers at once": limits.viewers,
        "largest value, in units": money.MOST_UNITS,
        "size of a request": f"{limits.body // 1024} kB",
        "size of a spreadsheet": f"{limits.upload // MEGABYTE} MB",
        "rows of a spreadsheet beyond two per open question": sheet.SPARE_ROWS,
        "columns of a spreadsheet beyond its own": sheet.SPARE_COLUMNS,
        "memory for reading a spreadsheet": f"{apart.MOST_MEMORY // MEGABYTE} MB",
        "processor's seconds for reading a spreadsheet": apart.MOST_PROCESSOR_SECONDS,
    }
    shown = {
        what: f"{most:,}" if isinstance(most, int) and most < 10**6 else most
        for what, most in code.items()
    }
    shown["largest value, in units"] = "10^12"
    assert money.MOST_UNITS == 10**12
    assert documented() == shown


def many(count: int, kind: str) -> str:
    return "".join(f'[[{kind}]]\nname = "{kind} {k}"\n' for k in range(count))


@pytest.mark.parametrize(
    ("goods", "bidders", "copies", "keys", "message"),
    [
        (100, 100, 1000, "num_total = 200", None),
        (101, 2, 1, "", "101 goods"),
        (2, 101, 1, "", "101 bidders"),
        (2, 2, 1001, "", "1001 copies"),
        (2, 2, 1, "num_total = 201", "at most 200"),
        (2, 2, 1, "num_total = 200\npush_bids = 201", "at most"),
        (2, 2, 1, 'unit = "0.01"\nmax_value = "10000000000.01"', "at most 1,000,000,000,000 units"),
    ],
)
def test_larger_auctions_are_refused_in_a_sentence(goods, bidders, copies, keys, message):
    """Tests the largest auction and one more of each."""
    text = f'name = "large"\n[[goods]]\nname = "x"\ncapacity = {copies}\n'
    text += many(goods - 1, "goods") + many(bidders, "bidders")
    text += f'[auction]\nmechanism = "random"\n{keys}\n'
    if message is None:
        assert read(text)[1].num_bidders == bidders
        return
    with pytest.raises(InputError, match=message):
        read(text)


def test_an_eleventh_person_is_refused():
    """Tests that a bidder has at most ten persons, and that one may be invited again."""
    play = Play()
    for k in range(10):
        play.do(cmd.Invite(f"person {k}", f"a{k}", 0))
    play.do(cmd.Invite("person 3", "again", 0))
    with pytest.raises(Refusal, match="at most 10 persons"):
        play.do(cmd.Invite("person 10", "a10", 0))


def test_an_eleventh_auction_waits(tmp_path):
    """Tests that ten auctions under way are enough for one server."""
    desk = open_desk(tmp_path / "data", works=False)
    try:
        for _ in range(10):
            auction = desk.create(ZOE, market_text()).result().auction
            desk.invite(ZOE, auction, 0, "ann").result()
            desk.invite(ZOE, auction, 1, "ben").result()
            desk.command(ZOE, auction, cmd.Start("Zoe", True)).result()
        last = desk.create(ZOE, market_text()).result().auction
        with pytest.raises(Refusal, match="10 auctions are running"):
            desk.command(ZOE, last, cmd.Start("Zoe", True)).result()
        desk.command(ZOE, auction, cmd.Cancel("to make room")).result()
        desk.watch.check_room()
    finally:
        desk.close()


def test_viewers_are_counted_over_all_visitors():
    """Tests that one more viewer than the limit is told to come back later."""
    buckets = Buckets(lambda: 0.0)
    with buckets.stream("ann", 10, 2), buckets.stream("ben", 10, 2), pytest.raises(TooManyRequests):
        buckets.check_streams("cleo", 10, 2)
    buckets.check_streams("cleo", 10, 2)


def test_disk_limits_are_those_of_the_page(tmp_path, monkeypatch):
    """Tests both sides of 500 MB (to start) and of 100 MB (to go on)."""
    text = PAGE.read_text()
    assert "below 500 MB" in text
    assert "below 100 MB" in text
    desk = open_desk(tmp_path / "data", is_ticking=False)
    try:
        for free, can_start, is_well in (
            (500_000_000, True, True),
            (499_999_999, False, True),
            (100_000_001, False, True),
            (100_000_000, False, False),
        ):
            monkeypatch.setattr(desk.watch, "disk_free", lambda free=free: free)
            assert desk.health().is_well == is_well
            if can_start:
                desk.watch.check_room()
            else:
                with pytest.raises(Refusal, match="almost full"):
                    desk.watch.check_room()
    finally:
        desk.close()
