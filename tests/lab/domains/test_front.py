"""Tests of what comes with an import."""

import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    "module",
    ["boca.markets", "boca.lab.domains", "boca.lab.domains.files", "boca.lab.domains.true_demand"],
)
def test_reading_markets_needs_neither_learning_nor_solver(module):
    """Tests that a server which reads a market file starts without what only auctions need."""
    code = (
        f"import sys, {module}\n"
        "heavy = {'jax', 'optax', 'scipy', 'highspy', 'matplotlib'} & sys.modules.keys()\n"
        "assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_markets_knows_nothing_above_core():
    """Tests that a market can be read where no value function may be known."""
    code = (
        "import sys, boca.markets\n"
        "rooms = {name.split('.')[1] for name in sys.modules if name.startswith('boca.')}\n"
        "assert rooms == {'core', 'markets', '_former_names'}, rooms"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
