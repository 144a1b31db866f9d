"""Tests of domains from market files: what is read, what is best, what is drawn."""

import itertools
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stall import BIDS, MARKET, write_stall

from boca.core import Allocation, Bidder, Good, InputError, Limit, Market, check_feasible
from boca.functions import XorTable
from boca.lab.domains import load_domain
from boca.lab.domains.files import AdditiveValues, FileDomain, file_domain, load_market_file
from boca.lab.simulation.run_folder import truth_fingerprint

EXAMPLES = Path(__file__).parents[4] / "examples"


@pytest.fixture
def stall(tmp_path):
    return load_market_file(write_stall(tmp_path))


def test_market_is_read(stall):
    """Tests that goods, copies, bidders and types arrive where the rest of boca looks."""
    assert stall.name == stall.market.name == "stall"
    assert stall.seed is None
    assert [good.name for good in stall.market.goods] == ["Apple", "Bread", "Cheese"]
    assert stall.market.capacities.tolist() == [2, 1, 1]
    assert stall.bidder_types == ("baker", "")


def test_load_domain_takes_a_path(tmp_path):
    """Tests that a file is a domain like any other, for text and for paths."""
    path = write_stall(tmp_path)

    assert load_domain(path).market == load_domain(str(path)).market


def test_rules_of_a_live_auction_are_passed_over(stall, tmp_path):
    """Tests that one file serves servers and simulations, which see the same truth in it."""
    path = write_stall(tmp_path)
    path.write_text(path.read_text() + '\n[auction]\nmechanism = "boca"\ncurrency = "EUR"\n')

    with_rules = load_market_file(path)

    assert with_rules.market == stall.market
    assert truth_fingerprint(with_rules) == truth_fingerprint(stall)


def test_other_tables_are_still_refused(tmp_path):
    """Tests that a slip in the name of the table is not passed over."""
    path = write_stall(tmp_path)
    path.write_text(path.read_text() + "\n[auctions]\n")

    with pytest.raises(InputError, match="'auctions'"):
        load_market_file(path)


def test_xor_value_is_the_best_contained_bid(stall):
    """Tests values by hand, also of bundles that nobody bid for."""
    bundles = [[0, 0, 0], [0, 0, 1], [2, 0, 1], [0, 1, 0], [1, 1, 0], [2, 1, 1]]

    assert stall.values(0, bundles).tolist() == [0, 0, 3, 4.5, 9, 9]


def test_additive_values_with_synergy(stall):
    """Tests values by hand: two apples and a cheese hold one pair, which costs 2."""
    bundles = [[0, 0, 0], [1, 0, 0], [2, 0, 0], [0, 1, 0], [1, 0, 1], [2, 0, 1]]

    assert stall.values(1, bundles).tolist() == [0, 3, 6, 0, 5, 8]


def test_limits_hold_for_what_can_be_won(stall):
    """Tests each kind of limit on its own bundle."""
    assert stall.market.allows(0, np.array([[1, 1, 1]])).all()
    assert not stall.market.allows(0, np.array([[2, 0, 0]])).any()  # one of each
    for bundle in ([2, 0, 0], [0, 1, 0], [1, 0, 1]):  # one of each, forbidden, conflict
        assert not stall.market.allows(1, np.array([bundle])).any()


def test_credit_budget_counts_copies(tmp_path):
    """Tests that every copy costs its credits: 2 x 1 + 2 = 4 is within the budget, 3 more not."""
    text = MARKET.replace("at_most_of_each = 1", "").replace('forbidden = ["Bread"]', "")
    text = text.replace('conflicts = [["Apple", "Cheese"]]', "").replace("at_most = 2", "")
    market = load_market_file(write_stall(tmp_path, text)).market

    assert market.allows(1, np.array([[2, 0, 1], [2, 1, 0], [1, 1, 0]])).tolist() == [
        True,
        False,
        True,
    ]


def every_bundle(capacities) -> np.ndarray:
    return np.array(list(itertools.product(*(range(c + 1) for c in capacities))))


def best_by_hand(domain) -> float:
    """The largest welfare, bidder by bidder over all bundles: a second way to the optimum."""
    best = {tuple(domain.market.capacities): 0.0}  # copies left -> welfare so far
    bundles = every_bundle(domain.market.capacities)
    for i in range(domain.market.num_bidders):
        mine = bundles[domain.market.allows(i, bundles)]
        values = domain.values(i, mine)
        after: dict[tuple[int, ...], float] = {}
        for left, welfare in best.items():
            fits = (mine <= left).all(axis=1)
            for rest, value in zip(np.array(left) - mine[fits], values[fits], strict=True):
                key = tuple(rest)
                after[key] = max(after.get(key, -1.0), welfare + value)
        best = after
    return max(best.values())


def test_efficient_allocation_of_the_stall(stall):
    """Tests the optimum by hand: Ann gets an apple and the bread (9), Ben the cheese (4)."""
    efficient = stall.efficient()

    check_feasible(efficient.allocation, stall.market)
    assert efficient.welfare == best_by_hand(stall) == 13
    assert efficient.allocation == Allocation([[1, 1, 0], [0, 0, 1]])
    assert efficient.proven


@pytest.mark.parametrize(("example", "welfare"), [("routes", 475.0), ("points", 1075.0)])
def test_examples_have_a_proven_optimum(example, welfare):
    """Tests that the worked examples load and end where brute force ends."""
    domain = load_market_file(EXAMPLES / example / "market.toml")
    efficient = domain.efficient()

    assert efficient.proven
    assert efficient.welfare == pytest.approx(welfare, rel=1e-12)


def test_optimum_of_routes_by_a_second_method():
    """Tests winner determination on a real file against plain dynamic programming."""
    domain = load_market_file(EXAMPLES / "routes" / "market.toml")

    assert domain.efficient().welfare == pytest.approx(best_by_hand(domain))


@pytest.mark.parametrize("seconds", [0.0, 60.0])
def test_time_limit_gives_the_best_found_with_an_honest_bound(tmp_path, seconds):
    """Tests that too little time is no error, and that the bound never undercuts the optimum."""
    stall = load_market_file(write_stall(tmp_path))
    stall.time_limit = seconds
    efficient = stall.efficient()

    check_feasible(efficient.allocation, stall.market)
    assert efficient.welfare <= 13 <= efficient.bound
    assert efficient.bound <= 9 + 8  # what everything is worth to Ann and to Ben
    assert efficient.proven == (efficient.welfare == 13 == efficient.bound)


@pytest.mark.parametrize("seed", range(5))
def test_optimum_with_copies_limits_and_both_signs(seed):
    """Tests winner determination against brute force on small markets drawn at random."""
    rng = np.random.default_rng(seed)
    capacities = np.array([2, 1, 3])
    limit = Limit(tuple(rng.uniform(0, 2, 3)), 3.0, "budget")
    bidders = (Bidder("a"), Bidder("b", limits=(limit,)), Bidder("c", limits=(limit,)))
    market = Market(tuple(map(Good, "ABC", capacities.tolist())), bidders)
    bundles = every_bundle(capacities)[1:]
    listed = bundles[rng.choice(len(bundles), 6, replace=False)]
    functions = [XorTable(listed, np.sort(rng.uniform(0, 20, 6)), capacities)]
    for _ in range(2):
        pairs = np.array([[0, 1], [0, 2], [1, 2]])
        functions.append(
            AdditiveValues(capacities, rng.uniform(4, 8, 3), pairs, rng.uniform(-2, 3, 3))
        )
    domain = FileDomain(market, tuple(functions))

    assert domain.efficient().welfare == pytest.approx(best_by_hand(domain), rel=1e-9)


@pytest.mark.parametrize("example", ["routes", "points"])
def test_example_values_are_monotone_and_start_at_zero(example):
    """Tests what surrogates rely on, for every bidder and every single added copy."""
    domain = load_market_file(EXAMPLES / example / "market.toml")
    rng = np.random.default_rng(0)
    small = rng.integers(0, domain.market.capacities, (500, 8))  # one copy of each always fits on
    for i in range(domain.market.num_bidders):
        assert domain.values(i, np.zeros(8, dtype=int))[0] == 0
        for good in range(8):
            larger = small.copy()
            larger[:, good] += 1
            assert (domain.values(i, larger) >= domain.values(i, small)).all()


@pytest.mark.parametrize("example", ["routes", "points"])
def test_samples_are_allowed_and_repeatable(example):
    """Tests that first queries ask only about bundles which a bidder can win."""
    domain = load_market_file(EXAMPLES / example / "market.toml")
    for i in range(domain.market.num_bidders):
        bundles = domain.sample(i, 200, seed=4)

        assert bundles.shape == (200, 8)
        assert domain.market.allows(i, bundles).all()
        assert np.array_equal(bundles, domain.sample(i, 200, seed=4))
        assert not np.array_equal(bundles, domain.sample(i, 200, seed=5))
        # Every good that can be had at all is drawn now and then.
        alone = domain.market.allows(i, np.eye(8, dtype=int))
        assert np.array_equal(bundles.any(axis=0), alone)


def test_samples_of_many_copies_are_drawn_at_once(monkeypatch):
    """Tests that a million copies are not taken out one by one, and that both ways draw alike."""
    limit = Limit((1.0, 1.0), 30.0, "budget")
    market = Market((Good("A", 30), Good("B", 30)), (Bidder("a", limits=(limit,)),))
    domain = FileDomain(market, ())
    means = {}
    for most in (0, 1_000):
        monkeypatch.setattr(file_domain, "MOST_SINGLE_DRAWS", most)
        bundles = domain.sample(0, 2_000, seed=1)
        assert market.allows(0, bundles).all()
        means[most] = bundles.mean(axis=0)
    np.testing.assert_allclose(means[0], means[1_000], atol=0.8)

    large = Limit((1.0, 1.0), 1e6, "budget")
    market = Market((Good("A", 10**6), Good("B", 10**6)), (Bidder("a", limits=(large,)),))
    monkeypatch.undo()
    assert market.allows(0, FileDomain(market, ()).sample(0, 20, seed=1)).all()


FRAGMENTS = st.one_of(
    st.binary(max_size=4),
    st.sampled_from(
        [
            b"[",
            b"]]",
            b'"',
            b"{",
            b"=",
            b",",
            b"\n",
            b"-1",
            b"nan",
            b"inf",
            b"1e999",
            b"true",
            b"0x",
        ]
        + [
            b"[[goods]]",
            b"[[bidders]]",
            b"values",
            b"Apple",
            b"Ann",
            b"1979-05-27",
            b"\x00",
            b"\xff",
        ]
    ),
)


@given(st.booleans(), st.integers(0, 800), st.integers(0, 30), FRAGMENTS)
@settings(max_examples=300, deadline=None)
def test_no_damage_gives_a_traceback(in_market, start, length, fragment):
    """Tests that a file damaged anywhere is still read, or refused with a message of our own."""
    damaged = bytearray((MARKET if in_market else BIDS).encode())
    damaged[start % len(damaged) : start % len(damaged) + length] = fragment
    with tempfile.TemporaryDirectory() as folder:
        files = {"market": bytes(damaged)} if in_market else {"bids": bytes(damaged)}
        path = write_stall(Path(folder), **files)
        message = f"{folder} is fine"
        try:
            load_market_file(path)
        except InputError as error:
            message = str(error)
        assert folder in message  # it says which file


@pytest.mark.parametrize("name", ["market.toml", "bids.csv"])
def test_files_in_another_encoding(name, tmp_path):
    """Tests the usual accident: a name with an accent, saved as Latin-1."""
    path = write_stall(tmp_path)
    with (tmp_path / name).open("ab") as file:
        file.write("# Zoë\n".encode("latin-1"))
    line = (tmp_path / name).read_bytes().count(b"\n")

    with pytest.raises(InputError, match=f"{name}, line {line}: found the byte 0xeb, so the"):
        load_market_file(path)


def test_folder_instead_of_file(tmp_path):
    """Tests naming the folder of an example instead of the file in it."""
    with pytest.raises(InputError, match="is a folder; name the market file inside it"):
        load_market_file(tmp_path)


def test_missing_file(tmp_path):
    """Tests a wrong path."""
    with pytest.raises(InputError, match="There is no market file"):
        load_market_file(tmp_path / "none.toml")
