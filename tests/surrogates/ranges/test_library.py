"""The ranges that come with boca."""

from dataclasses import asdict

import numpy as np
import pytest

from boca.core.errors import InputError
from boca.core.market import Market
from boca.surrogates.hyperparameters import QUANTILES, TUNED_DOMAINS, published, tuning
from boca.surrogates.joint.params import JointParams
from boca.surrogates.mixed.params import MixedParams
from boca.surrogates.ranges import Choice, load_space, usual_space

MARKET = Market.simple(5, 2, [1] * 5)
COUNTED = Market.simple(5, 2, [1, 2, 1, 2, 1])


def contains(space, params, num_reports) -> bool:
    """Whether some point of a space means these parameters; numbers may be rounded."""
    values = asdict(params)
    fixed = all(values[name] == value for name, value in space.fixed.items())
    return fixed and all(
        is_in(dimension, name, values, num_reports) for name, dimension in space.dimensions.items()
    )


def is_in(dimension, name, values, num_reports) -> bool:
    """Whether a dimension has the value of its name."""
    if isinstance(dimension, Choice):
        if isinstance(dimension.values[0], dict):
            return any(values | table == values for table in dimension.values)
        unit = num_reports if dimension.unit == "reports" else 1
        return values[name] in [np.ceil(v * unit) if unit > 1 else v for v in dimension.values]
    value = values[name]
    if dimension.unit == "batch share":
        value = value * num_reports / values["batch_size"]
    steps = (value - dimension.low) / (dimension.step or 1)
    is_on_grid = dimension.step is None or abs(steps - round(steps)) < 0.02
    return is_on_grid and 0.999 * dimension.low <= value <= 1.001 * dimension.high


@pytest.mark.parametrize("domain", TUNED_DOMAINS)
def test_every_published_winner_lies_in_the_paper_s_ranges(domain):
    """Tests Table 2 as data against the winners that were chosen from it."""
    space = usual_space("mvnn", MARKET, domain)
    num_reports = tuning(domain).num_train
    for q in QUANTILES:
        for kind, params in published(domain, q).items():
            assert contains(space, params, num_reports), (q, kind)


def test_domains_differ():
    """Tests that LSVM may have one wide layer and SRVM may not."""
    one_layer = "hidden_layers 1, hidden_units 96"
    assert one_layer in usual_space("mvnn", MARKET, "lsvm").dimensions["architecture"].labels
    assert one_layer not in usual_space("mvnn", MARKET, "srvm").dimensions["architecture"].labels


def test_other_surrogates_have_ranges_around_their_defaults():
    """Tests that what auctions use today can be found again by a search."""
    assert contains(usual_space("joint", MARKET), JointParams(), 50)
    assert contains(usual_space("mixed", MARKET), MixedParams(), 50)


def test_counted_goods_have_ranges_of_their_own():
    """Tests that a generic view is not searched with the ranges of single licences."""
    assert usual_space("mvnn", COUNTED) != usual_space("mvnn", MARKET)


def test_own_ranges(tmp_path):
    """Tests a user's file, and what is said about one that cannot be used."""
    file = tmp_path / "mine.toml"
    file.write_text("[ranges]\nepochs = { low = 10, high = 20 }\n")
    assert load_space(file).dimensions["epochs"].high == 20

    file.write_text("ranges = [")
    with pytest.raises(InputError, match="is not TOML"):
        load_space(file)
    with pytest.raises(InputError, match="no ranges for the surrogate 'svr'"):
        usual_space("svr", MARKET)
