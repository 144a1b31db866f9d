import numpy as np
import pytest

from boca.core.errors import InputError
from boca.lab.domains import DOMAINS, load_domain

MODELS = [("gsvm", 7, 18), ("lsvm", 6, 18), ("srvm", 7, 29), ("mrvm", 10, 98)]
SIZES = [
    *MODELS,
    ("toy", 3, 3),
    ("lanes", 6, 15),
    *((f"exchange-{name}", *size) for name, *size in MODELS),
]


@pytest.mark.parametrize(
    ("name", "num_bidders", "num_goods"),
    SIZES,
)
def test_domains_by_name(name, num_bidders, num_goods):
    """Tests names and sizes."""
    domain = load_domain(name, seed=1)
    assert (domain.name, domain.seed) == (name, 1)
    assert (domain.market.num_bidders, domain.market.num_goods) == (num_bidders, num_goods)
    assert domain.bidder_types == tuple(bidder.type for bidder in domain.market.bidders)


def test_every_name_is_tested_above():
    """Tests that a new domain is added to the test before."""
    assert set(DOMAINS) == {name for name, *_ in SIZES}


def test_case_does_not_matter():
    """Tests the spelling of papers."""
    assert load_domain("LSVM", seed=1).name == "lsvm"


def test_zero_is_a_seed():
    """Tests that zero gives an instance, always the same and not that of another seed."""
    bundle = np.ones(18)
    values = [load_domain("gsvm", seed=seed).values(0, bundle)[0] for seed in (0, 0, 1)]
    assert values[0] == values[1] != values[2]


def test_unknown_name_offers_the_nearest():
    """Tests that a slip of the finger is told how to go on."""
    with pytest.raises(InputError, match=r"'lsmv'; did you mean 'lsvm'\?"):
        load_domain("lsmv", seed=1)


def test_name_unlike_any_gets_no_guess():
    """Tests that a hint is given only where there is one."""
    with pytest.raises(InputError, match="'quux'; expected one of gsvm, lsvm, srvm, mrvm, toy"):
        load_domain("quux", seed=1)


def test_missing_seed_is_asked_for():
    """Tests that nobody gets an arbitrary instance without noticing."""
    with pytest.raises(InputError, match="without a seed"):
        load_domain("lsvm")


@pytest.mark.parametrize("name", ["lsvm", "toy"])
@pytest.mark.parametrize("seed", [1.5, "10001", 2**64, True])
def test_seeds_are_checked(name, seed):
    """Tests that a seed which is none is refused, also where it would not be used."""
    with pytest.raises(InputError, match="seed"):
        load_domain(name, seed=seed)


MARKET_FILE = """
name = "stall"

[[goods]]
name = "apple"

[[bidders]]
name = "ann"
values = { apple = 2 }
"""


def test_market_files_by_path(tmp_path):
    """Tests that a path works as text and as a path, with and without its usual ending."""
    for name in ("stall.toml", "stall"):
        path = tmp_path / name
        path.write_text(MARKET_FILE)
        for given in (str(path), path):
            domain = load_domain(given)
            assert [good.name for good in domain.market.goods] == ["apple"]
            assert domain.values(0, [[1]]).tolist() == [2.0]


def test_missing_market_file_is_named(tmp_path):
    """Tests that a wrong path is not taken for the name of a domain."""
    with pytest.raises(InputError, match=r"nowhere\.toml"):
        load_domain(tmp_path / "nowhere.toml")
