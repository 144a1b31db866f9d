"""Tests of the CATS format."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boca.core import InputError
from boca.markets.cats_bids import parse_cats

GOOD = """%% a comment
goods 2
bids\t3
dummy 1

0\t5.5\t0\t2\t#
1\t8\t0\t1\t2\t#
# another comment
2\t3\t1\t#
"""


def test_bids_that_share_a_dummy_good_belong_to_one_bidder():
    """Tests that XOR bids and single bids are told apart, and that dummies are no goods."""
    sheet = parse_cats(GOOD, "x.cats")

    assert [(bid.bidder, bid.value, bid.bundle) for bid in sheet.bids] == [
        ("bidder 2", 5.5, (1, 0)),
        ("bidder 2", 8, (1, 1)),
        ("bid 2", 3, (0, 1)),
    ]
    assert sheet.goods == ("0", "1")
    assert sheet.num_exclusions == 0


def test_highest_bid_on_a_bundle_counts():
    """Tests that a bidder's lower offer for the same goods is forgotten."""
    text = GOOD.replace("1\t8\t0\t1\t2\t#", "1\t8\t0\t2\t#")

    assert [bid.value for bid in parse_cats(text, "x.cats").bids] == [8, 3]


def test_bid_with_several_dummy_goods_excludes_all_who_share_one():
    """
    Tests the case that CATS calls paths: the dummy good that most bids have names the bidder, and
    what is left of the others becomes a good of which there is one.
    """
    lines = ["0 5 0 4 5 #", "1 6 1 4 #", "2 7 2 5 #", "3 8 3 4 6 #", "4 1 0 #"]
    sheet = parse_cats("goods 4\nbids 5\ndummy 3\n" + "\n".join(lines), "x.cats")

    assert sheet.goods == ("0", "1", "2", "3", "dummy 5")  # nobody else has 4 or 6
    assert sheet.num_exclusions == 1
    assert [(bid.bidder, bid.bundle) for bid in sheet.bids] == [
        ("bidder 4", (1, 0, 0, 0, 1)),
        ("bidder 4", (0, 1, 0, 0, 0)),
        ("bidder 5", (0, 0, 1, 0, 1)),
        ("bidder 4", (0, 0, 0, 1, 0)),
        ("bid 4", (1, 0, 0, 0, 0)),
    ]


CATS_BIDS = st.lists(
    st.tuples(
        st.integers(0, 9),
        st.sets(st.integers(0, 3), min_size=1, max_size=2),
        st.sets(st.integers(4, 7), max_size=3),
    ),
    min_size=1,
    max_size=7,
)


def best_revenue(bundles: list[tuple[float, tuple[int, ...]]]) -> float:
    """The most that bids can bring together if no number is in two of them, by trying all."""
    best = 0.0
    for chosen in itertools.product((False, True), repeat=len(bundles)):
        picked = [bid for bid, is_in in zip(bundles, chosen, strict=True) if is_in]
        numbers = [number for _, bundle in picked for number in bundle]
        if len(set(numbers)) == len(numbers):
            best = max(best, sum(price for price, _ in picked))
    return best


@given(CATS_BIDS)
def test_reading_changes_no_optimum(bids):
    """Tests against the format's definition: no good and no dummy good is in two winning bids."""
    lines = [
        f"{k} {price} {' '.join(map(str, sorted(goods | dummies)))} #"
        for k, (price, goods, dummies) in enumerate(bids)
    ]
    sheet = parse_cats(f"goods 4\nbids {len(bids)}\ndummy 4\n" + "\n".join(lines), "x.cats")
    by_format = [(float(price), (*goods, *dummies)) for price, goods, dummies in bids]
    # One more number per bidder says that it wins at most one bid.
    names = sorted({bid.bidder for bid in sheet.bids})
    as_read = [
        (bid.value, (*np.flatnonzero(bid.bundle).tolist(), 100 + names.index(bid.bidder)))
        for bid in sheet.bids
    ]

    assert best_revenue(as_read) == best_revenue(by_format)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("5.5", "cheap", "x.cats, line 6: found the text 'cheap' as the price"),
        ("5.5", "-1", "x.cats, line 6: found the number -1 as the price"),
        ("5.5", "inf", "x.cats, line 6: found the text 'inf' as the price"),
        ("0\t5.5\t0\t2\t#", "0\t5.5\t0\t2", "x.cats, line 6: the line ends with '2'"),
        ("0\t5.5\t0\t2\t#", "0\t5.5\t#", "x.cats, line 6: found '0 5.5 #'"),
        ("0\t5.5\t0\t2\t#", "0\t5.5\t2\t#", "x.cats, line 6: found no goods but 1 dummy goods"),
        ("0\t5.5\t0\t2\t#", "0\t5.5\t0\t7\t#", "x.cats, line 6: found good 7; expected 0 to 2"),
        ("0\t5.5\t0\t2\t#", "0\t5.5\t0\t0\t#", "x.cats, line 6: a good is listed twice"),
        ("0\t5.5\t0\t2\t#", "0\t5.5\tA\t2\t#", "x.cats, line 6: found the text 'A' as a good"),
        ("2\t3\t1\t#", "1\t3\t1\t#", "x.cats, line 9: bid 1 appears a second time"),
        ("2\t3\t1\t#", "", "x.cats: found 2 bids, but the line 'bids' announces 3"),
        ("goods 2", "goods two", "x.cats, line 2: found the text 'two' as the number of goods"),
        ("goods 2", "goods 0", "x.cats, line 2: found the number 0 as the number of goods"),
        ("goods 2", "goods 1000000000", "line 2: found the number 1000000000 as the number of goo"),
        ("goods 2", "goods 2 3", "x.cats, line 2: found 'goods 2 3'"),
        ("goods 2", "", "x.cats, line 6: found a bid before the line 'goods N'"),
        ("bids\t3", "", "x.cats: there is no line 'bids N'"),
        ("dummy 1", "goods 1", "x.cats, line 4: 'goods' is given a second time"),
        ("dummy 1", "dummies 1", "x.cats, line 4: found 'dummies'"),
        ("dummy 1", "", "x.cats, line 6: found good 2; expected 0 to 1"),
    ],
)
def test_broken_line_is_named(old, new, message):
    """Tests that every mistake names file, line and what was found."""
    with pytest.raises(InputError) as refused:
        parse_cats(GOOD.replace(old, new, 1), "x.cats")

    assert message in str(refused.value)
