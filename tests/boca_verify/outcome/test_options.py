"""One option for everybody, in numbers that a solver's tolerances do not show."""

from itertools import product

import numpy as np
import pytest

from boca_verify.outcome.options import Option, best_choice

LARGE = 7_000_000_000


@pytest.mark.parametrize(("bound", "worth"), [(0, -LARGE), (-1, -LARGE - 5)])
def test_rows_of_money_hold_to_the_unit(bound, worth):
    """Tests a budget that the cheaper choice meets exactly, and one that is a unit short."""
    options = [
        Option(0, -LARGE, (3_000_000_001,)),
        Option(0, -LARGE - 5, (2_999_999_000,)),
        Option(1, 0, (4_000_000_003,)),
        Option(1, -9, (4_000_000_002,)),
    ]
    best = best_choice(options, [7_000_000_004 + bound])
    assert best.worth == worth


@pytest.mark.parametrize("seed", range(40))
def test_choices_are_those_of_trying_all(seed):
    """Tests signs, rows that cannot hold and ties against every choice there is."""
    rng = np.random.default_rng(seed)
    scale = 10**9 if seed % 3 == 0 else 1
    own = [
        [
            Option(i, int(rng.integers(-20, 20)), tuple((rng.integers(-3, 4, 2) * scale).tolist()))
            for _ in range(3)
        ]
        for i in range(3)
    ]
    bounds = [int(b) * scale for b in rng.integers(-4, 4, 2)]
    possible = [
        sum(option.worth for option in row)
        for row in product(*own)
        if all(sum(option.uses[r] for option in row) <= bounds[r] for r in range(2))
    ]
    best = best_choice([option for row in own for option in row], bounds)
    assert (best.worth if best else None) == max(possible, default=None)
