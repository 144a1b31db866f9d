"""Auctions that the real engine planned and decided, through the desk."""

import pytest
from golden_auction import played
from whole_auction import ZOE

from boca_verify import verify


@pytest.mark.slow
@pytest.mark.parametrize("rule", ["vcg", "core"])
def test_an_auction_of_the_real_engine_holds(rule, tmp_path):
    """Tests everything that the rules offer, under both payment rules, and a receipt."""
    verdicts = []

    def read(golden):
        lines = list(golden.desk.log(ZOE, golden.auction))
        receipts = [receipt.content for receipt in golden.receipts]
        verdicts.append(verify(lines, receipts, golden.desk.key.public))

    played(tmp_path, read, rule, program=None)

    assert {check.state for check in verdicts[0].checks} == {"holds"}, verdicts[0].summary()
