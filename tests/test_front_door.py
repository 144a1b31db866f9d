"""What `import boca` offers, and what it costs."""

import json
import subprocess
import sys

import pytest

import boca

HEAVY = ("jax", "optax", "highspy", "scipy", "sklearn", "matplotlib", "typer", "numpy")


def loaded_after(statement: str) -> set[str]:
    """Packages that a fresh interpreter has loaded after a statement."""
    code = f"import json, sys\n{statement}\nprint(json.dumps(sorted(sys.modules)))"
    finished = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert finished.returncode == 0, finished.stderr
    return {name.split(".")[0] for name in json.loads(finished.stdout)}


@pytest.mark.parametrize("name", boca.__all__)
def test_every_name_is_there_and_explained(name):
    """Tests that each name leads to its home, and that help(boca) says what it is for."""
    assert getattr(boca, name) is not None
    assert name in boca.__doc__


def test_homes_and_names_agree():
    """Tests that nothing is offered twice or not at all."""
    assert sorted(boca._HOME) == sorted(boca.__all__)
    assert set(boca.__all__) <= set(dir(boca))


def test_unknown_names_are_refused():
    """Tests that a misspelt name does not import anything."""
    with pytest.raises(AttributeError, match="no attribute 'Auktion'"):
        boca.Auktion  # noqa: B018


def test_importing_boca_loads_nothing():
    """Tests that the front door is quick because it is only a door."""
    assert not loaded_after("import boca") & set(HEAVY)


def test_a_server_needs_neither_framework_nor_solver():
    """Tests what a live auction's server imports: market, state, apply."""
    statement = (
        "from boca.core import Market\n"
        "from boca.mechanism import AuctionState, Step, auction_params\n"
        "market = Market.simple(2, 2)\n"
        "state = AuctionState.start(market, auction_params('boca', market))\n"
        "assert state.apply"
    )
    assert not loaded_after(statement) & (set(HEAVY) - {"numpy"})
