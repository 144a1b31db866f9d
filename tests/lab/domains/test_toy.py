from itertools import product

import numpy as np

from boca.core.allocation import Allocation, violations
from boca.core.economy import Economy
from boca.lab.domains import load_domain


def best_by_hand(domain, economy):
    """All allocations with the best welfare among everything that can be given to anybody."""
    sizes = [range(int(c) + 1) for c in domain.market.capacities]
    found = {}
    for rows in product(product(*sizes), repeat=domain.market.num_bidders):
        allocation = Allocation(np.array(rows))
        if not violations(allocation, domain.market, economy):
            found.setdefault(domain.welfare(allocation), []).append(rows)
    welfare = max(found)
    return welfare, found[welfare]


def test_answers_in_the_comment():
    """Tests every line of the table in the module's docstring by trying all allocations."""
    domain = load_domain("toy")
    welfare, allocations = best_by_hand(domain, Economy.main(3))
    assert welfare == 12
    assert allocations == [((1, 1, 0), (0, 0, 0), (0, 0, 2))]

    marginal = [best_by_hand(domain, Economy.without(i, 3))[0] for i in range(3)]
    assert marginal == [10, 12, 9]
    values = [7, 0, 5]
    payments = [without - (12 - value) for without, value in zip(marginal, values, strict=True)]
    assert payments == [5, 0, 2]


def test_efficient_allocation():
    """Tests the dynamic programme on the one market where everybody can see the answer."""
    efficient = load_domain("toy").efficient()
    assert efficient.welfare == efficient.bound == 12
    assert efficient.allocation.bundles.tolist() == [[1, 1, 0], [0, 0, 0], [0, 0, 2]]


def test_values_are_monotone():
    """Tests all pairs of nested bundles, since the values are typed by hand."""
    domain = load_domain("toy")
    bundles = np.array(list(product(range(2), range(2), range(3))))
    for bidder in range(3):
        values = domain.values(bidder, bundles)
        assert values[0] == 0
        for small, value in zip(bundles, values, strict=True):
            assert (values[(bundles >= small).all(axis=1)] >= value).all()
