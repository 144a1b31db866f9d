import pytest
from encoded_values import encoded_value
from random_functions import all_bundles

from boca.core import Reports
from boca.functions import XorTable
from boca.wdp.encodings.xor import encode_xor


def test_one_bid_wins_and_two_never_add_up():
    """Tests every bundle of a small table with a good of two copies."""
    table = XorTable([[1, 0], [0, 1], [2, 1]], [3.0, 2.0, 10.0], capacities=[2, 1])

    for bundle in all_bundles([2, 1]):
        assert encoded_value(encode_xor, table, bundle) == pytest.approx(table(bundle)[0])


def test_no_bids():
    """Tests a bidder who has said nothing: every bundle is worth nothing."""
    table = XorTable.from_reports(Reports.empty(2))

    assert encoded_value(encode_xor, table, [1, 1]) == 0
