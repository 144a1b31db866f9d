"""What the desk computes before anything is drawn."""

import pytest
from live_play import MECHANISMS, read

from boca.core.errors import InputError
from boca.live.auction.money import Money
from boca.live.auction.rules import Rules
from boca.live.auction.views import RoundRow
from boca.live.web.texts import load
from boca.live.web.views.frame import with_times
from boca.live.web.views.staff.actions import read_minutes
from boca.live.web.views.staff.chart import axis, welfare_chart
from boca.live.web.views.staff.market_form import form_fields, market_text
from boca.live.web.views.staff.mistake_line import mistake_line

EUR = Money("EUR", "0.01")
FORM = {
    "name": "Hall",
    "goods": "hall, 1, 3.00\n\nchairs, 3",
    "bidders": "Ann\nBen\n",
    **{
        field.name: field.text
        for field in form_fields(MECHANISMS)
        if field.kind != "tick" or field.text
    },
}


def test_the_form_has_the_rules_defaults():
    """Tests that a form nobody touched stands for the documented defaults."""
    rules, market = read(market_text(FORM))
    assert rules == Rules(reserve={"hall": "3.00"})
    assert [good.capacity for good in market.goods] == [1, 3]
    assert [bidder.name for bidder in market.bidders] == ["Ann", "Ben"]


def test_the_form_buys_and_exchanges():
    """Tests units needed and at-most prices of a purchase, and what participants hold."""
    rules, market = read(market_text({**FORM, "kind": "buy", "goods": "hall, 1, 3.00\nbar, 3, 2"}))
    assert market.sense == "buy"
    assert market.capacities.tolist() == [1, 3]
    assert rules.at_most == {"hall": "3.0", "bar": "2.0"}
    assert rules.payment_rule == "vcg"
    text = {"goods": "hall\nred chairs, 3", "bidders": "Ann: hall 1, red chairs 2\nBen"}
    rules, market = read(market_text({**FORM, "kind": "exchange", **text}))
    assert market.endowments.tolist() == [[1, 2], [0, 0]]
    assert rules.payment_rule == "threshold"


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"kind": "buy", "goods": "hall, 1, dear"}, "price of 'hall': found 'dear'"),
        ({"kind": "exchange"}, "found a price of 'hall'; an exchange has none"),
        ({"kind": "exchange", "goods": "hall", "bidders": "Ann: hall"}, "says 'hall'"),
        ({"kind": "exchange", "goods": "hall", "bidders": "Ann: hall 1, hall 1"}, "each good once"),
        (
            {"kind": "exchange", "goods": "hall", "bidders": "Ann: hall x"},
            "copies that 'Ann' holds",
        ),
    ],
)
def test_the_form_names_mistakes_of_purchases_and_exchanges(fields, told):
    """Tests lines that mean something else there."""
    with pytest.raises(InputError, match=told):
        market_text({**FORM, **fields})


@pytest.mark.parametrize(
    ("field", "text", "told"),
    [
        ("num_total", "-1", "num_total: found '-1'"),
        ("goods", "hall, many", "copies of 'hall': found 'many'"),
        ("goods", "hall, 1, 2.00, 4", "has 4 parts"),
        ("first_minutes", "", "first_minutes: found ''"),
    ],
)
def test_the_form_names_what_it_cannot_use(field, text, told):
    """Tests that a mistake in the form is told before there is a file to look at."""
    with pytest.raises(InputError, match=told):
        market_text({**FORM, field: text})


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
