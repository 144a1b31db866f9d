"""What the desk computes before anything is drawn."""

from dataclasses import replace

import pytest

from boca.core.conduct import Conduct
from boca.core.errors import InputError
from boca.live.auction.money import Money
from boca.live.auction.rules import read_auction_file
from boca.live.auction.views import ProgressRow, RoundRow
from boca.live.desk.watching import AuctionRow
from boca.live.web.texts import load
from boca.live.web.views.frame import with_times
from boca.live.web.views.staff import size
from boca.live.web.views.staff.actions import read_minutes
from boca.live.web.views.staff.chart import axis, welfare_chart
from boca.live.web.views.staff.mistake_line import mistake_line
from boca.live.web.views.staff.order import auction_list, late_first

EUR = Money("EUR", "0.01")


def test_mistakes_are_found_in_their_table():
    """Tests that a key which several tables have is looked for in the right one."""
    text = 'name = "x"\n[[goods]]\nname = "a"\n[[goods]]\nname = ""\n[auction]\nunit = "x"\n'
    second = "market file, [[goods]] number 2, key 'name': found nothing."
    assert mistake_line(text, second).number == 5
    assert mistake_line(text, "market file, [auction], key 'unit': no.").number == 7
    assert mistake_line(text, "market file, at the top, key 'name': no.").number == 1
    assert mistake_line(text, "not TOML (at line 3, column 1).").text == 'name = "a"'
    assert mistake_line(text, "market file, [auction], key 'nowhere': no.") is None
    assert mistake_line(text, "The market has no goods.") is None


def test_every_point_lies_within_the_chart():
    """Tests that whatever the amounts, nothing is drawn outside the axes."""
    for values in ([0, 0], [1, 1], [2890, 3110, 3110], [5, 99_999_999], [7, 7, 8]):
        rows = [RoundRow(k, k, v, v * 1.1 or None, None, 1) for k, v in enumerate(values)]
        chart = welfare_chart(rows, EUR)
        for mark in chart.marks:
            assert chart.top <= mark.y <= chart.bottom
            assert chart.left <= mark.x <= chart.right
        assert 2 <= len(chart.ticks) <= 12
        assert [mark.y for mark in chart.marks] == sorted((m.y for m in chart.marks), reverse=True)
    assert welfare_chart(rows[:1], EUR) is None


def test_the_axis_shows_growth():
    """Tests that it begins at 0 only where that does not hide the difference."""
    assert axis(10, 100)[1] == 0
    step, low, high = axis(2890, 3110)
    assert 0 < low <= 2890
    assert high >= 3110
    assert (high - low) // step <= 10


def test_what_can_be_missing_needs_a_bound():
    """Tests the share of the best welfare that a round may lack."""
    assert RoundRow(0, 1, 90, 100, None, 1).lacking == pytest.approx(0.1)
    assert RoundRow(0, 1, 90, None, None, 1).lacking is None
    assert RoundRow(0, 1, 90, 80, None, 1).lacking is None  # answers that contradict each other


def test_minutes_are_whole_numbers():
    """Tests that nothing is guessed from what somebody typed."""
    assert read_minutes(" 10 ") == 10
    for text in ("", "ten", "1e3", "-5", "999999"):
        with pytest.raises(InputError, match="whole number of minutes"):
            read_minutes(text)


def test_times_of_the_log_read_like_all_others_in_a_reason():
    """Tests the reason of an outage, and one that somebody typed with a time that cannot be."""
    reason = "the server was down from 2026-11-16T12:57:19.761937Z on"
    assert with_times(load("en"), reason) == (
        "the server was down from 16 November 2026, 12:57:19 UTC on"
    )
    typed = "until 2026-13-32T25:61:61.000000Z"
    assert with_times(load("en"), typed) == typed


def progress_row(bidder, num_open, joined=("Pat",)):
    return ProgressRow(bidder, f"Club {bidder}", ("Pat",), joined, num_open, 0, 0, 0, 0, None)


def test_whoever_is_late_comes_first():
    """Tests open questions, then who never signed in; else the order of the market stays."""
    rows = [progress_row(k, k % 3, () if k == 50 else ("Pat",)) for k in range(100)]
    late = late_first(rows, "open")
    assert [row.num_open for row in late] == sorted((row.num_open for row in rows), reverse=True)
    assert late[0].bidder == 50
    assert [row.bidder for row in late[1:4]] == [2, 5, 8]
    assert late_first(rows, "planning") == rows
    assert late_first(rows, "draft")[0].bidder == 50


def auction_row(name, phase):
    return AuctionRow(f"id{name}", name, phase, False, 2, 1, None)


def test_ended_auctions_are_in_the_archive_and_searches_look_at_all():
    """Tests the two lists, and words in any order and case."""
    rows = [auction_row("Spring Sale", "open"), auction_row("autumn sale", "published"),
            auction_row("Bread", "cancelled")]  # fmt: skip
    running, archive = auction_list(rows), auction_list(rows, show="archive")
    assert [row.name for row in running.rows] == ["Spring Sale"]
    assert [row.name for row in archive.rows] == ["autumn sale", "Bread"]
    assert (running.num_running, running.num_ended) == (1, 2)
    assert len(auction_list(rows, "SALE").rows) == 2
    assert [row.name for row in auction_list(rows, "sale autumn").rows] == ["autumn sale"]
    assert [row.name for row in auction_list(rows, "idBread").rows] == ["Bread"]
    assert auction_list(rows, "nothing like it").rows == []


@pytest.mark.parametrize(
    ("bidders", "goods", "busy", "words"),
    [
        (3, 4, 0.0, "about 10 seconds"),
        (20, 40, 0.0, "about 20 seconds"),
        (100, 50, 0.0, "about 40 seconds"),
        (100, 100, 0.0, "about 50 seconds"),
        (100, 50, 1.5, "about 80 seconds"),
        (100, 100, 4.0, "about 4 minutes"),
    ],
)
def test_planning_is_foretold_by_size_and_load(monkeypatch, bidders, goods, busy, words):
    """Tests that bidders, goods and what else the machine does stretch the wait that is named."""
    monkeypatch.setattr(size, "busyness", lambda: busy)
    rules, market = drawn_file(bidders, goods, "boca", learns=True)
    assert words in size.size_words(load("en"), rules, market)[1]
    rules, market = drawn_file(bidders, goods, "random", learns=False)
    assert "about 10 seconds" in size.size_words(load("en"), rules, market)[1]


def drawn_file(bidders, goods, mechanism, *, learns):
    """Rules and market of an auction with as many bidders and goods."""
    lines = [
        'name = "x"',
        *(f'[[goods]]\nname = "g{j}"' for j in range(goods)),
        *(f'[[bidders]]\nname = "b{i}"' for i in range(bidders)),
        f'[auction]\nmechanism = "{mechanism}"',
    ]
    file = read_auction_file("\n".join(lines), {mechanism: Conduct(learns=learns)})
    return file.rules, file.market


@pytest.mark.parametrize(("total", "is_one"), [(3, True), (4, False)])
def test_a_single_round_needs_no_planning(total, is_one):
    """Tests that nobody reads of later rounds where there is only one."""
    rules, market = drawn_file(3, 4, "boca", learns=True)
    rules = replace(rules, num_initial=3, num_per_round=1, num_total=total)
    told = size.size_words(load("en"), rules, market)
    assert told[0].endswith("in one round." if is_one else "in at most 2 rounds.")
    assert len(told) == (1 if is_one else 2)
