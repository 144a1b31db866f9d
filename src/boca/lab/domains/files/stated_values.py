"""What a market file says about values: for each bidder XOR bids or additive values."""

from pathlib import Path

import numpy as np

from boca.core.market import Market
from boca.functions import ValueFunction
from boca.lab.domains.files.additive_values import AdditiveValues
from boca.lab.domains.files.stated_bids import read_all_bids, xor_table
from boca.markets.found import shown
from boca.markets.limits_of_size import MOST_CELLS, check_size
from boca.markets.sections import Section

SYNERGY_EXAMPLE = 'synergies = [{ goods = ["A", "B"], value = 5 }]'


def read_functions(
    sections: dict[str, Section], market: Market, folder: Path
) -> tuple[ValueFunction, ...]:
    """
    The value function of every bidder.

    Parameters
    ----------
    sections
        The block of each bidder by its name, in the order of the market.
    market
        Goods, bidders and limits.
    folder
        Where files of bids are looked for.
    """
    for section in sections.values():
        _check_one_kind(section)
    bids = read_all_bids(sections, market, folder)
    return tuple(
        xor_table(market, i, bids[name], section)
        if "bids" in section
        else read_values(section, market)
        for i, (name, section) in enumerate(sections.items())
    )


def _check_one_kind(section: Section) -> None:
    """A bidder has bids or values, and synergies only together with values."""
    if ("bids" in section) == ("values" in section):
        kinds = "both 'bids' and 'values'" if "bids" in section else "neither 'bids' nor 'values'"
        section.fail(
            "values",
            f'found {kinds}; expected one of them: bids = "bids.csv" or values = {{ A = 10 }}.',
        )
    if "synergies" in section and "bids" in section:
        section.fail(
            "synergies",
            "found synergies together with bids; bids say everything, so remove the synergies or "
            "state values instead of bids.",
        )


def read_values(section: Section, market: Market) -> AdditiveValues:
    """The keys ``values`` and ``synergies`` of one of ``[[bidders]]``."""
    index = {good.name: j for j, good in enumerate(market.goods)}
    per_copy = np.zeros(market.num_goods)
    values = section.section("values", "a value for each good, such as values = { A = 10 }")
    for name in values.table:
        good = values.good(name, name, index)
        per_copy[good] = values.number(name, advice="Leave out a good that is worth nothing.")

    synergies = _read_synergies(section, index)
    function = AdditiveValues(
        capacities=market.capacities,
        per_copy=per_copy,
        pairs=np.array(list(synergies), dtype=np.int64).reshape(-1, 2),
        per_pair=np.array(list(synergies.values()), dtype=float),
    )
    _check_monotone(function, section, market)
    if not per_copy.any() and not np.any(function.per_pair > 0):
        section.fail("values", "this bidder values nothing; give a value or leave the bidder out.")
    return function


def _check_monotone(function: AdditiveValues, section: Section, market: Market) -> None:
    """Fails where one more copy could be worth less than nothing."""
    gains = function.least_gains()
    worst = int(np.argmin(gains))
    if gains[worst] < -1e-9 * max(1.0, float(function.per_copy.max())):
        section.fail(
            "synergies",
            f"the value falls by up to {-gains[worst]:g} when '{market.goods[worst].name}' is "
            "added, because its negative synergies together exceed its own value of "
            f"{function.per_copy[worst]:g}. Raise that value or weaken the synergies.",
        )


def _read_synergies(section: Section, index: dict[str, int]) -> dict[tuple[int, int], float]:
    """The value of each synergy by its two goods."""
    entries = section.table.get("synergies", [])
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        section.fail("synergies", f"found {shown(entries)}; expected {SYNERGY_EXAMPLE}.")
    size = len(entries) * len(index)
    check_size(size, MOST_CELLS, "cells (synergies times goods)", section.place("synergies"))

    synergies: dict[tuple[int, int], float] = {}
    for number, table in enumerate(entries, 1):
        synergy = Section(section.source, f"{section.where}, synergies number {number}", table)
        pair = _read_pair(synergy.only(("goods", "value")), index)
        if pair in synergies:
            names = " and ".join(f"'{name}'" for name in sorted(table["goods"]))
            synergy.fail("goods", f"the synergy of {names} is given twice; keep one of them.")
        synergies[pair] = synergy.number("value", negative=True)
    return synergies


def _read_pair(synergy: Section, index: dict[str, int]) -> tuple[int, int]:
    names = synergy.required("goods", 'two goods, such as goods = ["A", "B"]')
    pair = synergy.goods("goods", names, index, least=2)
    if len(pair) != 2:
        synergy.fail("goods", f"found {len(pair)} goods; a synergy is between two goods.")
    return min(pair), max(pair)
