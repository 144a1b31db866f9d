"""An exchange as a problem: values of holdings; without a deal everybody keeps its endowment."""

from collections.abc import Sequence

import numpy as np

from boca.core.bundle import format_bundle
from boca.core.errors import InputError
from boca.core.market import Market
from boca.core.money import common_decimals, in_units
from boca.core.report import Reports
from boca.payments.bids import check_reports
from boca.payments.options import Options
from boca.payments.problem import Problem


def exchange_problem(
    reports: Sequence[Reports], market: Market, keeping: Sequence[int] = ()
) -> Problem:
    """
    What everybody may hold, its endowment first, worth its value less that of the endowment.

    Those in ``keeping`` keep it and need not have said what it is worth.
    """
    check_reports(reports, market)
    if market.sense != "sell":
        raise InputError(f"Market '{market.name}' buys; see award for markets that buy.")
    decimals = common_decimals(np.concatenate([r.values for r in reports]))
    owners, bundles, worth = [], [], []
    for i, report in enumerate(reports):
        own, gains = _holdings(market, i, report, decimals, i in keeping)
        owners.append(np.full(len(own), i))
        bundles.append(own)
        worth.append(gains)
    held, gained = np.concatenate(bundles), np.concatenate(worth)
    options = Options(np.concatenate(owners), gained, held, market.capacities, decimals)
    return Problem(market, options, held, gained, options.firsts, "trades")


def _holdings(
    market: Market, i: int, report: Reports, decimals: int | None, is_keeping: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Bundles that a participant may hold, its endowment first, and the gains."""
    held = market.endowments[i]
    if is_keeping:
        return held[None], np.zeros(1)
    values = in_units(report.values, decimals)
    is_held = (report.bundles == held).all(axis=1)
    keeps = 0.0
    if held.any():
        if not is_held.any():
            goods = [good.name for good in market.goods]
            raise InputError(
                f"'{market.bidders[i].name}' has not said what it is worth to keep "
                f"{format_bundle(held, goods)}; without that nobody knows what a trade gains."
            )
        keeps = float(values[is_held][0])
    useful = report.bundles.any(axis=1) & ~is_held & market.allows(i, report.bundles)
    nothing = [np.zeros((1, market.num_goods), dtype=np.int64)] if held.any() else []
    bundles = np.concatenate([held[None], *nothing, report.bundles[useful]])
    return bundles, np.concatenate([[keeps], *([0.0] for _ in nothing), values[useful]]) - keeps
