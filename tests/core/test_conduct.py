"""Tests of what people meet in an auction by a mechanism."""

import pytest

from boca.core.conduct import Conduct
from boca.core.market import Market
from boca.mechanism import PRESETS

MARKET = Market.simple(2, 2)


def test_planners_tell_it():
    """Tests mechanisms of every kind; what they tell decides whether and how they run live."""
    told = {name: preset.conduct(MARKET) for name, preset in PRESETS.items()}

    assert told["boca"] == Conduct()
    assert told["random"] == Conduct(learns=False)
    assert told["local"] == Conduct(has_own_pace=True)
    assert told["hybrid"] == Conduct(announces_prices=True, has_own_pace=True)
    for name in ("ml-cca", "mlhca"):
        assert told[name] == Conduct(
            announces_prices=True, needs_start_prices=True, has_own_pace=True
        )
    assert not told["cca"].is_for_people  # a hundred bundles in one answer


def test_plain_values_come_back():
    """Tests what crosses processes, and that a stranger's values are not believed."""
    conduct = Conduct(announces_prices=True, learns=False)

    assert Conduct.from_dict(conduct.to_dict()) == conduct
    with pytest.raises(TypeError, match="learns is 'no'"):
        Conduct.from_dict({**conduct.to_dict(), "learns": "no"})
    with pytest.raises(KeyError):
        Conduct.from_dict({})
