"""Tests of saved states that cannot be used."""

import json
from dataclasses import replace

import numpy as np
import pytest

from boca.core import Demands, Economy, InputError, Market, Reports
from boca.mechanism import Auction, AuctionState


@pytest.fixture
def saved(market, params, tmp_path):
    auction = Auction.start(market, params)
    auction.ask()
    auction.save(tmp_path / "state.json")
    return tmp_path / "state.json"


def test_a_truncated_file_is_named_with_its_line(saved):
    """Tests that a cut-off file is not mistaken for a state."""
    saved.write_text(saved.read_text()[:200])
    with pytest.raises(InputError, match=r"damaged at line 1.*cut off"):
        AuctionState.load(saved)


def test_a_missing_file_is_said_to_be_missing(tmp_path):
    """Tests the message for a wrong path."""
    with pytest.raises(InputError, match="no state file"):
        AuctionState.load(tmp_path / "none.json")


@pytest.mark.parametrize("change", ["reports", "market", "params"])
def test_a_file_with_a_part_missing_is_refused(saved, change):
    """Tests that every part is needed."""
    data = json.loads(saved.read_text())
    del data[change]
    saved.write_text(json.dumps(data))
    with pytest.raises(InputError, match=f"not a boca state.*{change}"):
        AuctionState.load(saved)


@pytest.mark.parametrize("text", ["[]", "3", '"x"', "null"])
def test_other_json_is_refused(saved, text):
    """Tests JSON that is no state at all."""
    saved.write_text(text)
    with pytest.raises(InputError, match="not a boca state"):
        AuctionState.load(saved)


def test_another_format_is_refused(saved):
    """Tests that a later version's file is not misread."""
    data = json.loads(saved.read_text())
    saved.write_text(json.dumps(data | {"format": 99}))
    with pytest.raises(InputError, match="format 99"):
        AuctionState.load(saved)


def test_a_file_that_cannot_be_written_keeps_the_old_one(saved, market, params):
    """Tests that saving to a folder that is not there says so."""
    with pytest.raises(InputError, match="Cannot write"):
        Auction.start(market, params).save(saved.parent / "missing" / "state.json")
    assert AuctionState.load(saved).market == market


def test_a_bundle_is_declined_once(market, params):
    """Tests that a second refusal of the same bundle is a mistake of somebody."""
    auction = Auction.start(market, params)
    query = auction.ask()[0]
    auction.decline(query.bidder, query.bundle)
    with pytest.raises(InputError, match="declined this bundle already"):
        auction.decline(query.bidder, query.bundle)
    assert len(auction.state.declined[query.bidder]) == 1


def test_a_state_is_built_in_one_go(params):
    """Tests ten thousand reports of a hundred bidders, as a server hands them over."""
    rng = np.random.default_rng(0)
    market = Market.simple(20, 100)
    reports = []
    for _ in range(100):
        bundles = np.unique(rng.integers(0, 2, (130, 20)), axis=0)[-100:]
        reports.append(Reports(bundles, rng.uniform(1, 2, len(bundles))))
    state = AuctionState.of(market, params, reports=reports, num_asked=(100,) * 100)
    assert sum(map(len, state.reports)) == 10_000
    again = AuctionState.from_dict(state.to_dict())
    assert again.reports == state.reports


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("reports", 0, "bundles"), [[9, 0, 0, 0]], "expected between 0 and 1"),
        (("reports", 0, "bundles"), [[0.5, 0, 0, 0]], "fractional"),
        (("reports", 0, "bundles"), [[-1, 0, 0, 0]], "expected between"),
        (("reports", 0, "values"), [1e308], "at most 1e"),
        (("reports",), [], "one per bidder"),
        (("num_asked", 0), -3, "0 or more"),
        (("num_asked", 0), True, "0 or more"),
        (("phase",), 7, "in phase 7"),
        (("planning", "learning_seconds"), "long", "learning_seconds = 'long'"),
        (("planning", "fit_r2"), [1], "fit_r2"),
        (("pending", 0, "bidder"), 12, "bidder 12"),
        (("pending", 0, "bundle"), [5, 0, 0, 0], "expected between"),
        (("params", "phases", 0, "planner", "name"), "frist", "did you mean 'first'"),
        (("params", "phases", 1, "surrogate", "name"), "magic", "surrogate 'magic'"),
        (("params", "num_total"), "many", "whole number"),
    ],
)
def test_states_that_cannot_be_are_refused(saved, path, value, message):
    """Tests that a damaged or forged file is named, not run."""
    data = json.loads(saved.read_text())
    data["reports"][0] = {"bundles": [[1, 0, 0, 0]], "values": [1.0]}
    place = data
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    saved.write_text(json.dumps(data))
    with pytest.raises(InputError, match=message):
        AuctionState.load(saved)


def test_winners_are_the_best_allocation_on_bids(market, params):
    """Tests an economy with and without a bidder, and that choices count as bids."""
    reports = [Reports.empty(4), Reports([[1, 0, 0, 0]], [5.0]), Reports([[1, 0, 0, 0]], [4.0])]
    demands = [Demands([[1, 2, 1, 1]], [[0, 1, 0, 0]]), Demands.empty(4), Demands.empty(4)]
    state = AuctionState.of(market, params, reports, demands)
    main = state.winners(Economy.main(3))
    assert main.values.tolist() == [2, 5, 0]
    assert main.largest(5) == [1, 0]
    assert state.winners(Economy.main(3)) is main
    assert state.winners(Economy.without(1, 3)).values.tolist() == [2, 0, 4]


def test_winners_pay_at_least_reserve_prices(params):
    """Tests that rounds are planned from the allocation that closing would give."""
    bids = [
        Reports(np.array([[1, 0]]), np.array([5.0])),
        Reports(np.array([[1, 0], [0, 1]]), np.array([4.0, 12.0])),
    ]
    kept = replace(params, reserve=(10.0, 10.0))
    state = AuctionState.of(Market.simple(2, 2), kept, reports=bids)
    winners = state.winners(Economy.main(2)).bundles
    assert winners.tolist() == [[0, 0], [0, 1]]
    assert Auction(state).close().allocation.bundles.tolist() == winners.tolist()
