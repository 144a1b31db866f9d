"""What choices at prices prove, against the engine, against truth and against linear programs."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from live_play import BUNDLES, MARKET
from scipy.optimize import linprog

from boca.core.demand import Demands
from boca.core.goods import Good, Limit
from boca.core.market import Bidder, Market
from boca.core.report import Reports
from boca.functions.revealed import with_lower_bids
from boca.live.auction.choices import Evidence, PricedChoice, cost, proven_bids
from boca.live.auction.rules import Rules
from boca.live.ledger import FIRST
from boca.live.ledger.chain import link
from boca.markets import read_market
from boca_verify.outcome.bids import bids_of
from boca_verify.questions import Demanded, LoggedBook, Reported
from boca_verify.rules import read_setup

MOST = 10**12
FREE = read_market(MARKET).market
LIMITED = read_market(MARKET.replace('name = "Ann"', 'name = "Ann"\nat_most = 2')).market
NOTHING = (0, 0, 0)
ALL = (NOTHING, *BUNDLES)
PRICES = st.tuples(*[st.integers(0, 12)] * 3)


def can_have(market, bundle):
    return bool(market.allows(0, np.array(bundle))[0])


@st.composite
def truths(draw):
    """A bidder with monotone values, some reported, and some true choices at prices."""
    market = draw(st.sampled_from((FREE, LIMITED)))
    values = dict.fromkeys(ALL, 0)
    for bundle in sorted(BUNDLES, key=sum):
        parts = [values[b] for b in ALL if b != bundle and cost_is_part(b, bundle)]
        values[bundle] = max(parts) + draw(st.integers(0, 9))
    reports = {b: values[b] for b in draw(st.sets(st.sampled_from(BUNDLES), max_size=4))}
    choices = []
    for prices in draw(st.lists(PRICES, max_size=5)):
        possible = [b for b in ALL if can_have(market, b)]
        best = max(possible, key=lambda b: (values[b] - cost(b, prices), b))
        choices.append(PricedChoice(prices, best))
    return market, values, reports, choices


def cost_is_part(part, whole):
    return all(a <= b for a, b in zip(part, whole, strict=True))


def engine_bids(market, reports, choices):
    """The engine's bids, from the same answers as floats."""
    demands = Demands(
        np.array([c.prices for c in choices], dtype=float).reshape(-1, 3),
        np.array([c.bundle for c in choices], dtype=np.int64).reshape(-1, 3),
    )
    rows = Reports(
        np.array(list(reports), dtype=np.int64).reshape(-1, 3),
        np.array(list(reports.values()), dtype=float),
    )
    bids = with_lower_bids(rows, demands, market, 0)
    return {tuple(b): v for b, v in zip(bids.bundles.tolist(), bids.values.tolist(), strict=True)}


def test_wanted_bundle_counts_with_its_price():
    """Tests the smallest proof: who wants something at a price values it that much."""
    choice = PricedChoice((500, 200, 100), (1, 0, 2))
    assert proven_bids({}, [choice], FREE, 0, MOST) == {(1, 0, 2): 700}


def test_what_was_turned_down_raises_a_bid():
    """Tests that whoever turns down a bargain says how good the other bundle is."""
    choice = PricedChoice((500, 200, 100), (1, 0, 2))
    # The hall alone would have left 9.00 - 5.00; so what costs 7.00 is worth at least 11.00.
    bids = proven_bids({(1, 0, 0): 900}, [choice], FREE, 0, MOST)
    assert bids == {(1, 0, 0): 900, (1, 0, 2): 1100}


def test_one_proof_raises_the_next():
    """Tests a chain: a report, a choice over it, and a choice over that."""
    reports = {(0, 1, 0): 900}
    choices = [
        PricedChoice((600, 200, 500), (1, 0, 0)),  # the kitchen would leave 700, so >= 1300
        PricedChoice((900, 900, 300), (0, 0, 2)),  # the hall would leave 400, so >= 1000
    ]
    bids = proven_bids(reports, choices, FREE, 0, MOST)
    assert bids == {(0, 1, 0): 900, (1, 0, 0): 1300, (0, 0, 2): 1000}
    assert proven_bids(reports, choices[::-1], FREE, 0, MOST) == bids


def test_report_counts_instead_of_choices():
    """Tests that a reported value is final, also below the price at which it was wanted."""
    choice = PricedChoice((500, 200, 100), (1, 0, 0))
    assert proven_bids({(1, 0, 0): 300}, [choice], FREE, 0, MOST) == {(1, 0, 0): 300}


def test_bundle_beyond_the_limits_was_not_turned_down():
    """Tests that the full bundle's value proves nothing about the choice of who cannot have it."""
    choice = PricedChoice((1, 1, 1), (1, 1, 0))
    assert proven_bids({(1, 1, 3): 900}, [choice], FREE, 0, MOST)[(1, 1, 0)] == 897
    assert proven_bids({(1, 1, 3): 900}, [choice], LIMITED, 0, MOST)[(1, 1, 0)] == 2


def test_contradicting_choices_count_with_their_prices():
    """Tests that proofs which would go round for ever end at what was said."""
    # Dearer hall, cheaper kitchen: wanting each when it is dearer cannot be true.
    choices = [PricedChoice((900, 100, 0), (1, 0, 0)), PricedChoice((100, 800, 0), (0, 1, 0))]
    reports = {(1, 1, 0): 5000, (0, 0, 3): 10}
    bids = proven_bids(reports, choices, FREE, 0, MOST)
    assert bids == {**reports, (1, 0, 0): 900, (0, 1, 0): 800}


def test_no_bid_exceeds_the_largest_value():
    """Tests the cap that keeps every bid within what can be decided exactly."""
    choice = PricedChoice((50, 0, 0), (1, 0, 0))
    assert proven_bids({(0, 1, 0): 90}, [choice], FREE, 0, 100) == {(0, 1, 0): 90, (1, 0, 0): 100}


@given(truths())
def test_bids_of_truthful_bidders_are_the_engines_and_never_too_high(truth):
    """Tests that integers and floats agree, and that what is proven is true."""
    market, values, reports, choices = truth
    bids = proven_bids(reports, choices, market, 0, MOST)
    assert bids == engine_bids(market, reports, choices)
    assert all(units <= values[bundle] for bundle, units in bids.items())


@given(truths(), st.lists(st.tuples(PRICES, st.sampled_from(ALL)), max_size=4))
def test_bids_of_anybody_are_the_engines(truth, more):
    """Tests that planning and deciding agree, also about choices that contradict one another."""
    market, _, reports, choices = truth
    choices = choices + [PricedChoice(p, b) for p, b in more if can_have(market, b)]
    bids = proven_bids(reports, choices, market, 0, MOST)
    assert bids == engine_bids(market, reports, choices)


@given(truths(), st.lists(st.tuples(PRICES, st.sampled_from(ALL)), max_size=4), st.randoms())
def test_order_of_answers_does_not_matter(truth, more, random):
    """Tests that only what was said counts, also where it contradicts itself."""
    market, _, reports, choices = truth
    choices = choices + [PricedChoice(p, b) for p, b in more if can_have(market, b)]
    bids = proven_bids(reports, choices, market, 0, MOST)
    rows = list(reports.items())
    random.shuffle(rows)
    random.shuffle(choices)
    assert proven_bids(dict(rows), choices, market, 0, MOST) == bids


def are_possible(market, reports, choices):
    """Whether some monotone values agree with all answers: a linear program over all bundles."""
    place = {bundle: k for k, bundle in enumerate(ALL)}
    rows, most = [], []

    def at_most(x, y, bound):
        row = np.zeros(len(ALL))
        row[place[x]] += 1
        row[place[y]] -= 1
        rows.append(row)
        most.append(bound)

    for part, whole in product(ALL, ALL):
        if part != whole and cost_is_part(part, whole):
            at_most(part, whole, 0)
    for choice in choices:
        for other in ALL:
            if can_have(market, other):
                at_most(other, choice.bundle, choice.cost(other) - choice.cost(choice.bundle))
    fixed = {NOTHING: 0, **reports}
    equal = np.zeros((len(fixed), len(ALL)))
    for k, bundle in enumerate(fixed):
        equal[k, place[bundle]] = 1
    return linprog(
        np.zeros(len(ALL)), np.array(rows), most, equal, list(fixed.values()), bounds=(None, None)
    ).success


@given(truths(), PRICES, st.sampled_from(ALL))
def test_choice_is_doubted_exactly_if_it_cannot_be_true(truth, prices, bundle):
    """Tests the warning's ground against a linear program over all monotone values."""
    market, _, reports, choices = truth
    if not can_have(market, bundle):
        return
    choice = PricedChoice(prices, bundle)
    better = Evidence(reports, choices, market, 0, [bundle]).better(choice)
    assert (better is None) == are_possible(market, reports, [*choices, choice])
    if better is not None:
        other, gain = better
        assert gain > 0
        assert can_have(market, other)


@given(truths(), st.sampled_from(BUNDLES), st.integers(0, 40))
def test_value_is_doubted_exactly_if_it_cannot_be_true(truth, bundle, units):
    """Tests the bounds of a value in the same way."""
    market, _, reports, choices = truth
    others = {b: u for b, u in reports.items() if b != bundle}
    evidence = Evidence(others, choices, market, 0, [bundle])
    most = evidence.most().get(bundle)
    is_possible = evidence.least()[bundle] <= units and (most is None or units <= most)
    assert is_possible == are_possible(market, {**others, bundle: units}, choices)


@pytest.mark.parametrize("size", [150])
def test_many_contradicting_answers_are_no_trouble(size):
    """Tests the largest auction with the largest prices: quick, and without overflow."""
    rows = [b for b in product(range(2), range(2), range(4)) if any(b)]
    random = np.random.default_rng(0)
    dear = 2**53 // 6
    choices = [
        PricedChoice(
            tuple(random.integers(0, dear, 3).tolist()), rows[int(random.integers(len(rows)))]
        )
        for _ in range(size)
    ]
    bids = proven_bids({(1, 1, 3): MOST}, choices, FREE, 0, MOST)
    assert all(0 <= units <= MOST for units in bids.values())
    better = Evidence({(1, 1, 3): MOST}, choices, FREE, 0, rows).better(
        PricedChoice((dear,) * 3, rows[0])
    )
    assert better is not None
    assert better[1] > 0


def purchase(*limits: Limit) -> Market:
    """Two lots with two units each, and one supplier."""
    goods = (Good("a", 2), Good("b", 2))
    return Market(goods, (Bidder("Ann", limits=limits),), sense="buy")


def test_what_would_be_supplied_is_offered_at_its_prices_or_less():
    """Tests the mirror image: prices then, less where something better was turned down."""
    market = purchase()
    chosen = PricedChoice((10, 6), (1, 1))
    assert proven_bids({}, [chosen], market, 0, 10**6) == {(1, 1): 16}
    # For 7 it would supply one unit of a, which leaves 3 at these prices; so 16 - 3 is enough.
    known = {(1, 0): 7}
    assert proven_bids(known, [chosen], market, 0, 10**6) == {(1, 0): 7, (1, 1): 13}
    lower = PricedChoice((4, 5), (1, 1))
    assert proven_bids({}, [chosen, lower], market, 0, 10**6) == {(1, 1): 9}


def test_contradicting_offers_count_at_their_lowest_prices():
    """Tests choices that no costs explain."""
    choices = [PricedChoice((10, 1), (0, 1)), PricedChoice((1, 10), (1, 0))]
    assert proven_bids({}, choices, purchase(), 0, 10**6) == {(0, 1): 1, (1, 0): 1}


@pytest.mark.parametrize("seed", range(60))
def test_the_verifier_finds_the_same_offers(seed):
    """Tests two computations of what choices of a supplier prove, also where they contradict."""
    rng = np.random.default_rng(seed)
    limit = Limit((1.0, 1.0), 3.0, "at most 3")
    market = purchase(*([limit] if seed % 2 else []))
    rows = [(0, 1), (1, 0), (1, 1), (2, 1), (1, 2), (2, 2), (0, 2)]
    reports = {rows[k]: int(rng.integers(0, 30)) for k in rng.permutation(7)[: seed % 4]}
    allowed = [b for b in rows if market.allows(0, np.array(b))[0]]
    choices = [
        PricedChoice(tuple(rng.integers(0, 15, 2).tolist()), allowed[rng.integers(len(allowed))])
        for _ in range(int(rng.integers(1, 6)))
    ]
    book = LoggedBook(
        reports={bundle: Reported(units, 0) for bundle, units in reports.items()},
        demands={f"q{k}": Demanded(c.bundle, c.prices, 0) for k, c in enumerate(choices)},
    )
    body = {"rules": Rules(payment_rule="offered").to_dict(), "market": market.to_dict()}
    setup = read_setup(link(FIRST, 0, "2026-11-16T20:00:00.000000Z", "x", "configured", body))
    assert bids_of(setup, 0, book) == proven_bids(reports, choices, market, 0, 10**6)


def test_evidence_of_a_supplier_has_the_other_sign():
    """Tests least and most that a supplier needs, and what would leave it more."""
    market = purchase()
    evidence = Evidence({(1, 0): 7, (2, 2): 40}, [PricedChoice((10, 6), (1, 1))], market, 0)
    assert evidence.least()[1, 1] == 7  # more never costs less
    assert evidence.most()[1, 1] == 13
    choice = PricedChoice((9, 1), (0, 0))
    assert Evidence({(1, 0): 7}, [], market, 0).better(choice) == ((1, 0), 2)
    assert Evidence({(1, 0): 9}, [], market, 0).better(choice) is None
