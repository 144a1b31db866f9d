"""Warnings catch slips and leave honest answers alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from live_play import Play

from boca.live.auction.refusal import Refusal
from boca.live.auction.warnings import breaches, find_warnings

# One licence each; what a bidder of 1996 had bid before for comparable ones.
USUAL = {(0, 1, 0, 0): 180, (0, 0, 1, 0): 200, (0, 0, 0, 1): 220}


def kinds(rows, reports, factor=5):
    return [warning.kind for warning in find_warnings(rows, reports, factor)]


@pytest.mark.parametrize("factor", [1000, 10, 8.7])
def test_the_three_errors_of_1996_are_caught(factor):
    """Tests the factors by which bidders mistyped in the FCC's C block auction."""
    assert kinds([((1, 0, 0, 0), round(200 * factor))], USUAL) == ["magnitude-high"]
    small = {bundle: 1000 * units for bundle, units in USUAL.items()}
    assert kinds([((1, 0, 0, 0), round(200_000 / factor))], small) == ["magnitude-low"]


@given(
    st.lists(st.integers(100, 500), min_size=4, max_size=4),
    st.lists(st.tuples(*[st.integers(0, 2)] * 4).filter(any), min_size=1, max_size=12, unique=True),
    st.integers(0, 11),
)
def test_monotone_additive_answers_within_the_factor_give_no_warning(prices, bundles, cut):
    """Tests that values per copy between 100 and 500 never annoy an honest bidder."""
    values = {b: sum(n * p for n, p in zip(b, prices, strict=True)) for b in bundles}
    rows, known = bundles[cut:], bundles[:cut]
    warnings = find_warnings(
        [(b, values[b]) for b in rows], {b: values[b] for b in known}, typo_factor=5
    )
    assert not [w for w in warnings if w.needs_tick]


def test_more_worth_less_shows_both_numbers():
    """Tests both sides: a part worth more, a whole worth less, also within one submission."""
    reports = {(1, 0): 50, (1, 1): 80}
    (part,) = find_warnings([((2, 0), 40)], reports, 100)
    assert (part.kind, part.other, part.other_units) == ("less-than-part", (1, 0), 50)
    (whole,) = find_warnings([((0, 1), 90)], reports, 100)
    assert (whole.kind, whole.other, whole.other_units) == ("more-than-whole", (1, 1), 80)
    assert kinds([((1, 0), 10), ((2, 0), 5)], {}) == ["more-than-whole", "less-than-part"]


def test_correction_is_compared_with_the_others_only():
    """Tests that a report does not warn about its own old value."""
    assert kinds([((1, 0), 60)], {(1, 0): 50, (1, 1): 80}, 100) == []


def test_zero_and_equal_amounts():
    """Tests the two gentle remarks; only the first needs a tick."""
    (zero,) = find_warnings([((1, 0), 0)], {}, 5)
    assert (zero.kind, zero.needs_tick) == ("zero", True)
    (same,) = find_warnings([((1, 0), 10), ((1, 1), 10)], {}, 5)
    assert (same.kind, same.needs_tick) == ("same", False)


def test_two_reports_say_nothing_about_the_usual():
    """Tests that the order of magnitude needs three reports to compare with."""
    two = dict(list(USUAL.items())[:2])
    assert kinds([((1, 0, 0, 0), 200_000)], two) == []


def test_id_belongs_to_what_was_seen():
    """Tests that a tick does not hold for another amount."""
    (one,) = find_warnings([((1, 0), 0)], {}, 5)
    (again,) = find_warnings([((1, 0), 0)], {}, 5)
    (other,) = find_warnings([((0, 1), 0)], {}, 5)
    assert one.id == again.id != other.id


def test_breaches_are_found_among_all_reports():
    """Tests the list on the bidder's page."""
    (breach,) = breaches({(1, 0): 50, (1, 1): 40, (0, 1): 10})
    assert (breach.bundle, breach.other) == ((1, 0), (1, 1))


def test_required_order_is_refused():
    """Tests that `monotone = "require"` turns the warning into a mistake, whatever is ticked."""
    play = Play(monotone="require")
    play.open()
    # The first questions are about one and two chairs.
    with pytest.raises(Refusal) as refusal:
        play.answer(r0_b1_q1=50, r0_b1_q2=40)
    assert refusal.value.cause == "mistakes"
    assert {mistake.where for mistake in refusal.value.mistakes} == {"r0-b1-q1", "r0-b1-q2"}
    play.answer(r0_b1_q1=40, r0_b1_q2=50)
