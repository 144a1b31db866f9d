"""Tests of markets from files."""

import itertools
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boca.core import Allocation, Bidder, Good, InputError, Limit, Market, check_feasible
from boca.domains import load_domain
from boca.domains.files.additive_values import AdditiveValues
from boca.domains.files.file_domain import FileDomain, load_market_file
from boca.functions import ValueFunction, XorTable

EXAMPLES = Path(__file__).parents[3] / "examples"

MARKET = """\
name = "stall"

[[goods]]
name = "Apple"
capacity = 2
credits = 1

[[goods]]
name = "Bread"
credits = 3

[[goods]]
name = "Cheese"
credits = 2

[every_bidder]
at_most_of_each = 1

[[bidders]]
name = "Ann"
type = "baker"
bids = "bids.csv"

[[bidders]]
name = "Ben"
at_most = 2
forbidden = ["Bread"]
conflicts = [["Apple", "Cheese"]]
credit_budget = 4
values = { Apple = 3, Cheese = 4 }
synergies = [{ goods = ["Apple", "Cheese"], value = -2 }]
"""

BIDS = """\
bidder,value,Apple,Bread,Cheese
Ann,3,1,,
Ann,4.5,0,1,0
Ann,9,1,1,
"""


def write(folder: Path, market: str | bytes = MARKET, bids: str | bytes | None = BIDS) -> Path:
    """A market file with its bids beside it."""
    for name, text in (("market.toml", market), ("bids.csv", bids)):
        if text is not None:
            data = text if isinstance(text, bytes) else text.encode()
            (folder / name).write_bytes(data)
    return folder / "market.toml"


@pytest.fixture
def stall(tmp_path):
    return load_market_file(write(tmp_path))


def test_market_is_read(stall):
    """Tests that goods, copies, bidders and types arrive where the rest of boca looks."""
    assert stall.name == stall.market.name == "stall"
    assert stall.seed is None
    assert [good.name for good in stall.market.goods] == ["Apple", "Bread", "Cheese"]
    assert stall.market.capacities.tolist() == [2, 1, 1]
    assert stall.bidder_types == ("baker", "")


def test_load_domain_takes_a_path(tmp_path):
    """Tests that a file is a domain like any other, for text and for paths."""
    path = write(tmp_path)

    assert load_domain(path).market == load_domain(str(path)).market


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
    market = load_market_file(write(tmp_path, text)).market

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


@pytest.mark.parametrize(("example", "welfare"), [("procurement", 475.0), ("courses", 1075.0)])
def test_examples_have_a_proven_optimum(example, welfare):
    """Tests that the worked examples load and end where brute force ends."""
    domain = load_market_file(EXAMPLES / example / "market.toml")
    efficient = domain.efficient()

    assert efficient.proven
    assert efficient.welfare == pytest.approx(welfare, rel=1e-12)


def test_optimum_of_procurement_by_a_second_method():
    """Tests winner determination on a real file against plain dynamic programming."""
    domain = load_market_file(EXAMPLES / "procurement" / "market.toml")

    assert domain.efficient().welfare == pytest.approx(best_by_hand(domain))


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


@pytest.mark.parametrize("example", ["procurement", "courses"])
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


@pytest.mark.parametrize("example", ["procurement", "courses"])
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


def test_additive_values_as_a_network_are_the_same_function():
    """Tests the form in which winner determination gets them, with copies and both signs."""
    values = AdditiveValues(
        capacities=np.array([2, 3, 1]),
        per_copy=np.array([2.0, 5.0, 4.0]),
        pairs=np.array([[0, 1], [1, 2]]),
        per_pair=np.array([3.0, -1.5]),
    )
    bundles = every_bundle([2, 3, 1])

    assert isinstance(values, ValueFunction)
    assert values(np.array([[2, 3, 1]])).tolist() == [4 + 15 + 4 + 2 * 3 - 1.5]
    np.testing.assert_allclose(values.as_net()(bundles), values(bundles), rtol=0, atol=1e-12)


def test_least_gain_is_reached_and_never_undercut():
    """Tests the formula that decides whether a value falls, against all single steps."""
    rng = np.random.default_rng(1)
    bundles = every_bundle([2, 1, 2, 1])
    for _ in range(20):
        values = AdditiveValues(
            np.array([2, 1, 2, 1]),
            rng.uniform(0, 5, 4),
            np.array([[0, 1], [0, 2], [1, 3], [2, 3]]),
            rng.uniform(-3, 3, 4),
        )
        for good, step in enumerate(np.eye(4, dtype=int)):
            fits = bundles[:, good] < values.capacities[good]
            gains = values(bundles[fits] + step) - values(bundles[fits])
            assert gains.min() == pytest.approx(values.least_gains()[good])


def test_files_from_spreadsheets_are_read(tmp_path):
    """Tests a byte-order mark, Windows line ends, quotes, blank lines and another column order."""
    bids = '\ufeff"Cheese","bidder","Apple","value","Bread"\r\n\r\n,"Ann",1, 3.5 ,1\r\n,,,,\r\n'
    domain = load_market_file(write(tmp_path, "\ufeff" + MARKET, bids))

    assert domain.values(0, [[1, 1, 0], [1, 0, 0]]).tolist() == [3.5, 0]


# What is wrong; how the market file or the bids are changed; what the message must say.
BROKEN_MARKETS = {
    "unknown good in forbidden": (
        ('forbidden = ["Bread"]', 'forbidden = ["Bred"]'),
        "[[bidders]] number 2 ('Ben'), key 'forbidden': found 'Bred', which is no good of this "
        "market; did you mean 'Bread'?",
    ),
    "unknown good in values": (
        ("Cheese = 4", "Cheesecake = 4"),
        "('Ben'), values, key 'Cheesecake': found 'Cheesecake', which is no good of this market; "
        "did you mean 'Cheese'?",
    ),
    "unknown good far from any": (
        ('forbidden = ["Bread"]', 'forbidden = ["Zzz"]'),
        "found 'Zzz', which is no good of this market; expected one of 'Apple', 'Bread', 'Cheese'.",
    ),
    "negative value": (
        ("Apple = 3", "Apple = -3"),
        "('Ben'), values, key 'Apple': found the number -3; expected at least 0. Leave out a good",
    ),
    "value that is not a number": (
        ("Apple = 3", "Apple = nan"),
        "key 'Apple': found the number nan; expected a finite number.",
    ),
    "value too large for a float": (
        ("Apple = 3", "Apple = 1" + "0" * 400),
        "key 'Apple': found a number of about 400 digits; expected a finite number.",
    ),
    "value beyond reason": (
        ("Apple = 3", "Apple = 3e20"),
        "key 'Apple': found the number 3e+20; expected at most 1e+15. Use a larger unit.",
    ),
    "value falls": (
        ("value = -2", "value = -3.5"),
        "key 'synergies': the value falls by up to 0.5 when 'Apple' is added, because its negative "
        "synergies together exceed its own value of 3. Raise that value or weaken",
    ),
    "capacity 0": (
        ("capacity = 2", "capacity = 0"),
        "[[goods]] number 1 ('Apple'), key 'capacity': found the number 0; expected at least 1. "
        "Leave the good out",
    ),
    "capacity is text": (
        ("capacity = 2", 'capacity = "2"'),
        "key 'capacity': found the text '2'; expected a whole number without quotes.",
    ),
    "capacity is true": (
        ("capacity = 2", "capacity = true"),
        "key 'capacity': found true; expected a whole number",
    ),
    "capacity is half": (
        ("capacity = 2", "capacity = 1.5"),
        "key 'capacity': found the number 1.5; expected a whole number",
    ),
    "capacity beyond reason": (
        ("capacity = 2", "capacity = 99999999999999999999"),
        "key 'capacity': found a number of about 20 digits; expected at most 1,000,000.",
    ),
    "misspelt key": (
        ("capacity = 2", "capasity = 2"),
        "('Apple'), key 'capasity': found a key that means nothing here; did you mean 'capacity'?",
    ),
    "misspelt key at the top": (
        ("[every_bidder]", "[every_biddder]"),
        "at the top, key 'every_biddder': found a key that means nothing here; did you mean "
        "'every_bidder'?",
    ),
    "good without a name": (
        ('name = "Bread"\n', ""),
        "[[goods]] number 2: the key 'name' is missing; add a name in quotes",
    ),
    "blank name": (
        ('name = "Bread"', 'name = " "'),
        "[[goods]] number 2, key 'name': found the text ' '; expected one line of text without",
    ),
    "name over two lines": (
        ('name = "Bread"', 'name = "Bre\\nad"'),
        "key 'name': found the text 'Bre\\nad'; expected one line of text",
    ),
    "number without end": (
        ("capacity = 2", "capacity = 0x" + "f" * 20_000),
        "key 'capacity': found a number of about 24082 digits; expected at most 1,000,000.",
    ),
    "null in a path": (
        ('bids = "bids.csv"', 'bids = "bids\\u0000.csv"'),
        "('Ann'), key 'bids': found the text 'bids\\x00.csv'; expected one line of text",
    ),
    "name that is a column": (
        ('name = "Bread"', 'name = "value"'),
        "found 'value', which is a column of its own in bids; choose another.",
    ),
    "two goods with one name": (
        ('name = "Bread"', 'name = "Apple"'),
        "[[goods]] number 2, key 'name': found 'Apple', the name of an earlier block",
    ),
    "two bidders with one name": (
        ('name = "Ben"', 'name = "Ann"'),
        "[[bidders]] number 2, key 'name': found 'Ann', the name of an earlier block",
    ),
    "name is a number": (
        ('name = "Ben"', "name = 7"),
        "key 'name': found the number 7; expected a name in quotes",
    ),
    "type is a list": (
        ('type = "baker"', 'type = ["baker"]'),
        "('Ann'), key 'type': found a list of 1; expected a name in quotes",
    ),
    "negative budget": (
        ("credit_budget = 4", "credit_budget = -4"),
        "('Ben'), key 'credit_budget': found the number -4; expected at least 0.",
    ),
    "budget without credits": (
        ("credits = 3\n", ""),
        "key 'credit_budget': there is a budget, but the good 'Bread' has no key 'credits'",
    ),
    "at most minus one": (
        ("at_most = 2", "at_most = -1"),
        "key 'at_most': found the number -1; expected at least 0.",
    ),
    "conflict of one good": (
        ('[["Apple", "Cheese"]]', '[["Apple"]]'),
        "key 'conflicts': found a list of 1; expected at least 2 goods",
    ),
    "conflicts not in sets": (
        ('[["Apple", "Cheese"]]', '["Apple", "Cheese"]'),
        "key 'conflicts': expected a list of sets of goods",
    ),
    "good twice in a conflict": (
        ('[["Apple", "Cheese"]]', '[["Apple", "Apple"]]'),
        "key 'conflicts': found 'Apple' twice in one list",
    ),
    "forbidden is text": (
        ('forbidden = ["Bread"]', 'forbidden = "Bread"'),
        "key 'forbidden': found the text 'Bread'; expected a list of goods",
    ),
    "synergy of three goods": (
        ('goods = ["Apple", "Cheese"]', 'goods = ["Apple", "Bread", "Cheese"]'),
        "synergies number 1, key 'goods': found 3 goods; a synergy is between two goods.",
    ),
    "synergy without a value": (
        (", value = -2", ""),
        "('Ben'), synergies number 1: the key 'value' is missing; add a number.",
    ),
    "synergy given twice": (
        ("value = -2 }]", 'value = -1 }, { goods = ["Cheese", "Apple"], value = 1 }]'),
        "synergies number 2, key 'goods': the synergy of 'Apple' and 'Cheese' is given twice",
    ),
    "synergies are a number": (
        ('synergies = [{ goods = ["Apple", "Cheese"], value = -2 }]', "synergies = 3"),
        "key 'synergies': found the number 3; expected synergies = [{ goods",
    ),
    "bids and values": (
        ('bids = "bids.csv"', 'bids = "bids.csv"\nvalues = { Apple = 1 }'),
        "('Ann'), key 'values': found both 'bids' and 'values'; expected one of them",
    ),
    "neither bids nor values": (
        ('bids = "bids.csv"\n', ""),
        "('Ann'), key 'values': found neither 'bids' nor 'values'; expected one of them",
    ),
    "bids and synergies": (
        ('bids = "bids.csv"', 'bids = "bids.csv"\nsynergies = []'),
        "('Ann'), key 'synergies': found synergies beside bids",
    ),
    "values are a list": (
        ("values = { Apple = 3, Cheese = 4 }", "values = [3, 4]"),
        "key 'values': found a list of 2; expected a value for each good",
    ),
    "bidder who wants nothing": (
        (MARKET[MARKET.index("Apple = 3") :], "Apple = 0 }"),
        "('Ben'), key 'values': this bidder values nothing; give a value or leave the bidder out.",
    ),
    "no bids file": (
        ('bids = "bids.csv"', 'bids = "bits.csv"'),
        "There is no bids file '{folder}/bits.csv'; check the path.",
    ),
    "bids file outside": (
        ('bids = "bids.csv"', 'bids = "."'),
        "is a folder; name the bids file inside it.",
    ),
    "bid beyond a limit": (
        ("[every_bidder]", "[every_bidder]\nat_most = 1"),
        "('Ann'), key 'bids': line 4 of 'bids.csv' can never win, because of the limit "
        "'at most 1 in total'; remove the row or relax the limit.",
    ),
    "goods are one table": (
        (MARKET, '[goods]\nname = "Apple"\n[[bidders]]\nname = "Ann"'),
        "at the top, key 'goods': found a table with the keys name; expected one block [[goods]]",
    ),
    "no goods": ((MARKET, "goods = []"), "key 'goods': found an empty list; expected one block"),
    "goods missing": (
        (MARKET, 'name = "x"'),
        "at the top: the key 'goods' is missing; add one block [[goods]]",
    ),
    "bidders missing": (
        (MARKET, '[[goods]]\nname = "Apple"'),
        "at the top: the key 'bidders' is missing; add one block [[bidders]]",
    ),
    "a date": (("capacity = 2", "capacity = 2024-01-01"), "found the date or time 2024-01-01;"),
    "bad TOML": (
        ('name = "Bread"', "name = Bread"),
        "{folder}/market.toml: this is not valid TOML: Invalid value (at line 9, column 8)",
    ),
    "nested without end": (
        (MARKET, "a = " + "[" * 100_000),
        "{folder}/market.toml: ",
    ),
    "empty": ((MARKET, " \n"), "The market file '{folder}/market.toml' is empty"),
}


@pytest.mark.parametrize("case", BROKEN_MARKETS)
def test_mistake_in_the_market_file(case, tmp_path):
    """Tests that each mistake is named with its file and key, what was found and what to do."""
    (old, new), message = BROKEN_MARKETS[case]
    assert old in MARKET
    path = write(tmp_path, MARKET.replace(old, new, 1))

    with pytest.raises(InputError) as caught:
        load_market_file(path)
    assert message.replace("{folder}", str(tmp_path)) in str(caught.value)
    assert str(tmp_path) in str(caught.value)


BROKEN_BIDS = {
    "unknown good": (
        ("Cheese\n", "Chese\n"),
        "line 1: found the column 'Chese', which is no good of this market; did you mean 'Cheese'?",
    ),
    "missing good": (
        (BIDS, "bidder,value,Apple,Bread\nAnn,1,1,1\n"),
        "line 1: the column 'Cheese' is missing; expected 'bidder', 'value' and one column",
    ),
    "column twice": (("Bread,", "Apple,"), "line 1: found the column 'Apple' twice"),
    "semicolons": (
        (BIDS, BIDS.replace(",", ";")),
        "line 1: columns are separated by semicolons; expected commas.",
    ),
    "unknown bidder": (
        ("Ann,9", "Anne,9"),
        "line 4: found the bidder 'Anne', for whom the market file expects no bids here; "
        "did you mean 'Ann'?",
    ),
    "bidder with values instead": (
        ("Ann,9", "Ben,9"),
        "line 4: found the bidder 'Ben', for whom the market file expects no bids here",
    ),
    "bidder without bids": (
        (BIDS, "bidder,value,Apple,Bread,Cheese\n"),
        "there is no bid of bidder 'Ann', whose bids the market file expects here",
    ),
    "too few columns": (
        ("Ann,3,1,,", "Ann,3,1,"),
        "line 2: found 4 columns; expected 5 as in the header.",
    ),
    "too many columns": (("Ann,3,1,,", "Ann,3,1,,,"), "line 2: found 6 columns; expected 5"),
    "value in words": (
        ("Ann,3,", "Ann,three,"),
        "line 2: found the value 'three'; expected a number such as 1250 or 12.5",
    ),
    "thousands": (("Ann,3,", 'Ann,"3,000",'), "line 2: found the value '3,000'; expected a number"),
    "underscore": (("Ann,3,", "Ann,3_0,"), "line 2: found the value '3_0'; expected a number"),
    "no value": (("Ann,3,", "Ann,,"), "line 2: found the value ''; expected a number"),
    "nan": (("Ann,3,", "Ann,nan,"), "line 2: found the value 'nan'; expected a finite number."),
    "infinite": (("Ann,3,", "Ann,1e999,"), "line 2: found the value '1e999'; expected a finite"),
    "beyond reason": (("Ann,9,", "Ann,9e20,"), "line 4: found the value 9e20; expected at most"),
    "negative": (("Ann,3,", "Ann,-3,"), "line 2: found the value -3; expected at least 0."),
    "half a copy": (
        ("Ann,3,1,,", "Ann,3,0.5,,"),
        "line 2: found '0.5' copies of 'Apple'; expected a whole number, or nothing for none.",
    ),
    "more than there are": (
        ("Ann,3,1,,", "Ann,3,3,,"),
        "line 2: found 3 copies of 'Apple', but there are only 2; lower the number",
    ),
    "bid for nothing": (("Ann,3,1,,", "Ann,3,,,"), "line 2: found a bid for nothing"),
    "same bundle twice": (
        ("Ann,9,1,1,", "Ann,9,1,0,0"),
        "line 4: bidder 'Ann' has bid for the same bundle (Apple) in line 2; keep one of them.",
    ),
    "value falls": (
        ("Ann,9,", "Ann,4,"),
        "line 4: bidder 'Ann' values Apple, Bread at 4, less than a part of it in line 3 "
        "(Bread at 4.5). More is never worth less here: raise this value or remove the row.",
    ),
    "open quote": (("Ann,9", '"Ann,9'), "this is not valid CSV"),
    "empty": ((BIDS, ""), "is empty"),
}


@pytest.mark.parametrize("case", BROKEN_BIDS)
def test_mistake_in_the_bids(case, tmp_path):
    """Tests that each mistake is named with its file and line, what was found and what to do."""
    (old, new), message = BROKEN_BIDS[case]
    assert old in BIDS
    path = write(tmp_path, bids=BIDS.replace(old, new, 1))

    with pytest.raises(InputError) as caught:
        load_market_file(path)
    assert message in str(caught.value)
    assert str(tmp_path / "bids.csv") in str(caught.value)


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
        path = write(Path(folder), **files)
        message = f"{folder} is fine"
        try:
            load_market_file(path)
        except InputError as error:
            message = str(error)
        assert folder in message  # it says which file


@pytest.mark.parametrize("name", ["market.toml", "bids.csv"])
def test_files_in_another_encoding(name, tmp_path):
    """Tests the usual accident: a name with an accent, saved as Latin-1."""
    path = write(tmp_path)
    with (tmp_path / name).open("ab") as file:
        file.write("# Zoë\n".encode("latin-1"))
    line = (tmp_path / name).read_bytes().count(b"\n")

    with pytest.raises(InputError, match=f"{name}, line {line}: found the byte 0xeb, which is not"):
        load_market_file(path)


def test_folder_instead_of_file(tmp_path):
    """Tests naming the folder of an example instead of the file in it."""
    with pytest.raises(InputError, match="is a folder; name the market file inside it"):
        load_market_file(tmp_path)


def test_missing_file(tmp_path):
    """Tests a wrong path."""
    with pytest.raises(InputError, match="There is no market file"):
        load_market_file(tmp_path / "none.toml")
