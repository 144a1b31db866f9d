"""A sale as a problem: bids above reserve prices; without a deal nobody receives anything."""

from collections.abc import Sequence

import numpy as np

from boca.core.market import Market
from boca.core.money import in_units
from boca.core.report import Reports
from boca.payments.bids import Packing, as_reserve
from boca.payments.options import Options
from boca.payments.problem import Problem


def sale(
    reports: Sequence[Reports],
    market: Market,
    reserve: np.ndarray | Sequence[float] | None = None,
) -> Problem:
    """The bids that can win in some economy, and nothing, of everybody."""
    packing = Packing.from_reports(reports, market, reserve)
    # Nothing comes before the bids of each bidder.
    before = np.searchsorted(packing.owners, np.arange(market.num_bidders))
    owners = np.insert(packing.owners, before, np.arange(market.num_bidders))
    bundles = np.insert(packing.bundles, before, 0, axis=0)
    worth = np.insert(packing.surplus, before, 0.0)
    options = Options(owners, worth, bundles, market.capacities, packing.decimals)
    base = bundles @ in_units(as_reserve(reserve, market), packing.decimals)
    return Problem(market, options, bundles, worth + base, options.firsts, "main economy")
