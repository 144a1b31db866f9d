"""Value models as exchanges."""

import numpy as np
import pytest

from boca.core import Bidder, Good, InputError, Limit, Market
from boca.lab.domains import load_domain
from boca.lab.domains.endowed import Endowed, with_endowments
from boca.lab.domains.true_demand import demanded


def test_everything_is_owned_and_nothing_else_changes():
    """Tests endowments, values, the optimum and demand against the model itself."""
    model, exchange = load_domain("lsvm", 20001), load_domain("exchange-lsvm", 20001)
    market = exchange.market

    assert (market.endowments.sum(axis=0) == market.capacities).all()
    assert (market.endowments.sum(axis=1) < market.num_goods).all()  # several owners
    bundles = exchange.sample(2, 5, 7)
    assert np.array_equal(exchange.values(2, bundles), model.values(2, bundles))
    assert exchange.efficient().welfare == model.efficient().welfare
    prices = np.full(18, 10.0)
    assert np.array_equal(demanded(exchange, 0, prices), demanded(model, 0, prices))
    assert market.name == "exchange-lsvm"
    other = load_domain("exchange-lsvm", 20002)
    assert not np.array_equal(market.endowments, other.market.endowments)


def test_nobody_owns_more_than_it_can_hold():
    """Tests a model with limits: regional bidders hold four items at most, and nothing is lost."""
    for seed in range(20001, 20006):
        market = load_domain("exchange-gsvm", seed).market
        assert (market.endowments.sum(axis=0) == 1).all()
        assert all(market.allows(i, own)[0] for i, own in enumerate(market.endowments))
    alone = Market((Good("A"),), (Bidder("one", limits=(Limit((1.0,), 0.0),)),))
    assert not with_endowments(alone, np.random.default_rng(0)).endowments.any()


def test_merged_copies_are_counted():
    """Tests the generic view: who owns three lots of a band owns three copies of it."""
    items = load_domain("exchange-srvm", 20001)
    counts = load_domain("exchange-srvm", 20001, generic=True)

    assert np.array_equal(
        counts.market.endowments, items.grouping.to_counts(items.market.endowments)
    )
    assert (counts.market.endowments.sum(axis=0) == counts.market.capacities).all()


def test_what_has_no_answer_is_refused():
    """Tests the economy without somebody, and a market without a seed."""
    with pytest.raises(InputError, match="keeps what it holds"):
        load_domain("exchange-lsvm", 20001).efficient_without(0)
    with pytest.raises(InputError, match="no seed"):
        Endowed(load_domain("toy"))
