"""Presets, their phases and their page."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from boca.core import InputError, Market
from boca.mechanism import PRESETS, AuctionParams, Phase, auction_params

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "mechanisms.md").read_text()
MARKET = Market.simple(4, 2)


def test_the_page_describes_every_preset_and_no_other():
    """Tests that a mechanism is not added, or renamed, without its row."""
    rows = re.findall(r"^\| `([a-z0-9-]+)` \|", PAGE, flags=re.MULTILINE)
    assert sorted(rows) == sorted(PRESETS)


def test_the_page_shows_the_example_as_it_is(tmp_path):
    """Tests that the code on the page is part of the example, and that the example runs."""
    example = ROOT / "examples" / "own_surrogate.py"
    (shown,) = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)
    assert shown.strip() in example.read_text()

    finished = subprocess.run(
        [sys.executable, str(example)], cwd=tmp_path, capture_output=True, text=True, timeout=300
    )
    assert finished.returncode == 0, finished.stderr
    assert finished.stdout.count("loss 0.00 %") == 2


@pytest.mark.parametrize("mechanism", PRESETS)
@pytest.mark.parametrize("domain", ["lsvm", ""])
def test_settings_of_every_preset_survive_a_file(mechanism, domain):
    """Tests that a saved auction of any mechanism goes on with the same settings."""
    params = auction_params(mechanism, MARKET, domain=domain)
    again = AuctionParams.from_dict(json.loads(json.dumps(params.to_dict())))
    assert json.dumps(again.to_dict()) == json.dumps(params.to_dict())


@pytest.mark.parametrize("mechanism", PRESETS)
def test_capitals_give_the_same_settings(mechanism):
    """Tests that LSVM, which load_domain accepts, does not lose the published settings."""
    expected = auction_params(mechanism, MARKET, domain="lsvm")
    assert auction_params(mechanism, MARKET, domain="LSVM") == expected


def test_phases_of_the_fourier_auction_share_the_budget():
    """Tests which round belongs to which phase: 30, 10 and 30 of 70 published queries."""
    params = auction_params("ft", MARKET, domain="lsvm")
    names = [params.phase_at(asked).name for asked in range(40, 100, 4)]
    assert names == ["network"] * 7 + ["reconstruction"] * 2 + ["fourier"] * 6
    assert params.at(40).surrogate == "fourier-network"
    assert params.at(68).acquisition == "suggested"
    assert params.at(96).economies == "main"
    assert params.phase_at(100).name == "fourier"


def test_a_phase_without_published_queries_is_left_out():
    """Tests MRVM, where nothing is asked for reconstruction."""
    names = [phase.name for phase in auction_params("ft", MARKET, domain="mrvm").phases]
    assert names == ["network", "fourier"]


def test_wrong_phases_are_refused():
    """Tests that shares which do not add up, and unknown words, are named."""
    half = Phase("half", 0.5, "svr")
    with pytest.raises(InputError, match=r"add up to 0\.5"):
        AuctionParams(phases=(half,))
    with pytest.raises(InputError, match="share"):
        Phase("none", 0.0, "svr")
    with pytest.raises(InputError, match="acquisition"):
        Phase("odd", 1.0, "svr", acquisition="best")
    with pytest.raises(InputError, match="did you mean 'share'"):
        AuctionParams.from_dict({"phases": [{"name": "a", "shares": 1.0}]})


def test_fourier_functions_need_single_copies():
    """Tests that the market is refused at the start, not in the middle of an auction."""
    with pytest.raises(InputError, match="more than one copy"):
        auction_params("ft", Market.simple(2, 2, capacities=[1, 2]))
