"""Tests of the CATS format."""

import pytest

from boca.core import InputError
from boca.markets.cats import parse_cats

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
    market, reports = parse_cats(GOOD, "x.cats")

    assert [bidder.name for bidder in market.bidders] == ["bidder 2", "bid 2"]
    assert market.num_goods == 2
    assert reports[0].bundles.tolist() == [[1, 0], [1, 1]]
    assert reports[0].values.tolist() == [5.5, 8]
    assert reports[1].bundles.tolist() == [[0, 1]]


def test_highest_bid_on_a_bundle_counts():
    """Tests that a bidder's lower offer for the same goods is forgotten."""
    text = GOOD.replace("1\t8\t0\t1\t2\t#", "1\t8\t0\t2\t#")

    assert parse_cats(text, "x.cats")[1][0].values.tolist() == [8]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("5.5", "cheap", "x.cats, line 6: found 'cheap' as a price"),
        ("5.5", "-1", "x.cats, line 6: found '-1' as a price"),
        ("5.5", "inf", "x.cats, line 6: found 'inf' as a price"),
        ("0\t5.5\t0\t2\t#", "0\t5.5\t0\t2", "x.cats, line 6: the line ends with '2'"),
        ("0\t5.5\t0\t2\t#", "0\t5.5\t#", "x.cats, line 6: found '0 5.5 #'"),
        ("0\t5.5\t0\t2\t#", "0\t5.5\t2\t#", "x.cats, line 6: found 0 goods and 1 dummy"),
        ("0\t5.5\t0\t2\t#", "0\t5.5\t0\t7\t#", "x.cats, line 6: found good 7; expected 0 to 2"),
        ("0\t5.5\t0\t2\t#", "0\t5.5\t0\t0\t#", "x.cats, line 6: a good is listed twice"),
        ("0\t5.5\t0\t2\t#", "0\t5.5\tA\t2\t#", "x.cats, line 6: found 'A' as a good"),
        ("2\t3\t1\t#", "1\t3\t1\t#", "x.cats, line 9: bid 1 appears a second time"),
        ("2\t3\t1\t#", "", "x.cats: found 2 bids, but the line 'bids' announces 3"),
        ("goods 2", "goods two", "x.cats, line 2: found 'goods two'"),
        ("goods 2", "goods 0", "x.cats, line 2: found 'goods 0'"),
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
