"""Bots that offer and trade: what they need, and whole demos that they play by themselves."""

from itertools import product

import numpy as np
import pytest
from live_play import MECHANISMS
from served_desk import serving
from whole_auction import open_desk

from boca.cli.serve.demo import DEMOS, auctioneer_token
from boca.live.auction.rules import read_auction_file
from boca.live.bots.clerk import Clerk
from boca.live.bots.client import Client
from boca.live.bots.random_values import draw_costs
from boca.live.bots.recruiting import Tokens, recruit
from boca.live.bots.truth import read_truths
from boca_verify import verify

LOTS = [{"name": "north", "capacity": 2}, {"name": "south"}, {"name": "west"}]


@pytest.mark.parametrize("seed", range(20))
def test_drawn_costs_never_fall_with_more(seed):
    """Tests that supplying more never costs less, and that nothing costs nothing."""
    costs = draw_costs("Ann", LOTS, {"north": "90"}, "1000", seed)
    names = [lot["name"] for lot in LOTS]
    rows = list(product(range(3), range(2), range(2)))
    amounts = {row: costs.amount(dict(zip(names, row, strict=True))) for row in rows}
    assert amounts[0, 0, 0] == 0
    for a, b in product(rows, rows):
        if all(x <= y for x, y in zip(a, b, strict=True)):
            assert amounts[a] <= amounts[b]
    assert 0.5 * 90 < amounts[1, 0, 0] < 1.3 * 90


def test_offers_of_a_file_are_what_a_supplier_needs(tmp_path):
    """Tests the cheapest offer that holds a bundle, none where there is none, and choices."""
    (tmp_path / "offers.csv").write_text("supplier,cost,a,b\nAnn,5,1,\nAnn,8,1,1\nBen,4,,1\n")
    path = tmp_path / "market.toml"
    path.write_text(
        'offers = "offers.csv"\n[[lots]]\nname = "a"\n[[lots]]\nname = "b"\n'
        '[[suppliers]]\nname = "Ann"\n[[suppliers]]\nname = "Ben"\n'
    )
    truths = read_truths(path)
    market = read_auction_file(
        path.read_text() + '[auction]\npayment_rule = "offered"\n', MECHANISMS
    ).market
    assert truths["Ann"].amount({"b": 1}) == 8
    assert truths["Ben"].amount({"a": 1}) is None
    assert truths["Ann"].wanted({"a": "6", "b": "3.50"}, market, 0) == {"a": 1, "b": 1}
    assert truths["Ann"].wanted({"a": "6", "b": "1"}, market, 0) == {"a": 1}
    assert truths["Ann"].wanted({"a": "2", "b": "1"}, market, 0) == {}


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["buy", "exchange"])
def test_bots_play_a_whole_demo(kind, tmp_path):
    """Tests that four programs and a clerk come to an end that holds, through the API alone."""
    demo = DEMOS[kind]
    with serving(open_desk(tmp_path / "data", program=None)) as (desk, url, _):
        token = auctioneer_token(desk)
        clerk = Clerk(Client(url, token))
        auction = clerk.create(demo.market.read_text(), is_rehearsal=True)
        tokens = {name: clerk.token(auction, name) for name in clerk.bidders(auction)}
        clerk.do(auction, "start", {"accept_missing": True})
        market = demo.market if demo.has_values else None
        team = recruit(Tokens(auction, tokens, token), url, market, seed=3)
        assert team.run() == "published"
        state = desk.writer.state(auction)
        verdict = verify(list(desk.whole_log(auction)))
    assert {check.state for check in verdict.checks} == {"holds"}, verdict.summary()
    assert np.any(state.outcome.payments)
