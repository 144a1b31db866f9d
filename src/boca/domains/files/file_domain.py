"""
Markets from files, for people with their own data.

A market file is TOML: goods with capacities, bidders with limits, and for every bidder either XOR
bids in a CSV file or additive values, perhaps with pairwise synergies. ``docs/market_files.md``
shows every key.
"""

from pathlib import Path

import numpy as np

from boca.core.economy import Economy
from boca.core.errors import SolverError
from boca.core.market import Bidder, Good, Limit, Market
from boca.core.randomness import Seeds
from boca.domains.domain import Domain
from boca.domains.efficient import Efficient
from boca.domains.files.additive_values import AdditiveValues, read_values
from boca.functions import ValueFunction, XorTable
from boca.markets.bids_of_bidder import Bid, read_bids
from boca.markets.limits import KEYS as LIMIT_KEYS
from boca.markets.limits import GoodsTable, read_limits
from boca.markets.sections import TOP, Section, read_toml

# How exactly a solver keeps its constraints, relative to the values.
TOLERANCE = 1e-6
GOODS_EXAMPLE = 'one block [[goods]] with name = "..." for each good'
BIDDERS_EXAMPLE = 'one block [[bidders]] with name = "..." for each bidder'


class FileDomain(Domain):
    """
    A market whose goods, bidders and values were read from a file.

    Parameters
    ----------
    market
        Goods, bidders and their limits.
    functions
        The value function of each bidder, in the order of the market.
    """

    def __init__(self, market: Market, functions: tuple[ValueFunction, ...]):
        super().__init__(market.name, None, market)
        self.functions = functions

    def build_function(self, bidder: int) -> ValueFunction:
        return self.functions[bidder]

    def solve(self, absent: frozenset[int] = frozenset()) -> Efficient:
        """
        The best allocation of the true values, proven by one mixed-integer program.

        Bids and additive values are linear constraints with few binaries, which a solver proves
        at once whatever the capacities, while a table of all bundles would grow with them.
        """
        # Loading a solver takes longer than reading a file, which may be all that is wanted.
        from boca.wdp import WelfareProblem
        from boca.wdp.monolithic import solve_monolithic

        functions = [f.as_net() if isinstance(f, AdditiveValues) else f for f in self.functions]
        present = Economy(tuple(sorted(set(range(self.market.num_bidders)) - absent)))
        result = solve_monolithic(WelfareProblem(self.market, functions, present))
        # By the functions of the file: the networks' sums differ in the last digits.
        welfare = self.welfare(result.allocation)
        bound = max(result.bound, welfare)
        if bound - welfare > TOLERANCE * max(1.0, welfare):
            raise SolverError(
                f"The best allocation of '{self.name}' was not proven: its welfare is {welfare:g}, "
                f"and the solver only shows that none exceeds {bound:g}. Make the market smaller."
            )
        return Efficient(welfare, result.allocation, bound, "mixed-integer programming")

    def sample(self, bidder: int, num: int, seed: int) -> np.ndarray:
        """
        Random bundles that a bidder may be given, ``(num, num_goods)``; may repeat or be empty.

        The copies of each good are drawn uniformly from 0 to as many as the bidder's limits allow
        of that good alone. While the whole breaks a limit, one copy is taken out, drawn uniformly
        from the copies that count towards a broken limit. So bundles are as large as limits
        leave them, but not uniform over all allowed bundles.
        """
        generator = Seeds(seed).child("sample", bidder).generator()
        coefficients, bounds = self.market.limits(bidder)
        with np.errstate(divide="ignore", invalid="ignore"):
            alone = np.where(coefficients > 0, (bounds[:, None] + 1e-9) / coefficients, np.inf)
        most = np.minimum(self.market.capacities, np.floor(alone.min(axis=0, initial=np.inf)))
        bundles = generator.integers(0, most.astype(np.int64), (num, len(most)), endpoint=True)

        for bundle in bundles:
            while (broken := coefficients @ bundle > bounds + 1e-9).any():
                counts = bundle * (coefficients[broken] > 0).any(axis=0)
                bundle[generator.choice(len(bundle), p=counts / counts.sum())] -= 1
        return bundles


def load_market_file(path: str | Path) -> FileDomain:
    """
    Reads and checks a market file; the first mistake in it is raised as an InputError.

    Parameters
    ----------
    path
        A TOML file; the CSV files that it names stand beside it.
    """
    path = Path(path)
    top = Section(path, TOP, read_toml(path)).only("name", "goods", "bidders", "every_bidder")
    goods, table = _read_goods(top)

    common: tuple[Limit, ...] = ()
    if "every_bidder" in top:
        every = top.section("every_bidder", "a block [every_bidder] with limits")
        common = read_limits(every.only(*LIMIT_KEYS), table)

    sections = _named_sections(top, "bidders", BIDDERS_EXAMPLE)
    keys = ("name", "type", "bids", "values", "synergies", *LIMIT_KEYS)
    bidders = tuple(
        Bidder(
            name,
            section.only(*keys).text("type", default=""),
            common + read_limits(section, table),
        )
        for name, section in sections.items()
    )
    market = Market(goods, bidders, top.text("name", default=path.stem))
    return FileDomain(market, _read_functions(sections, market, table))


def _named_sections(top: Section, key: str, example: str) -> dict[str, Section]:
    """The blocks ``[[goods]]`` or ``[[bidders]]`` by their names."""
    sections: dict[str, Section] = {}
    for section in top.sections(key, example):
        name = section.text("name")
        if name in sections:
            section.fail(
                "name", f"found '{name}', the name of an earlier block; give each its own name."
            )
        sections[name] = section.named(name)
    return sections


def _read_goods(top: Section) -> tuple[tuple[Good, ...], GoodsTable]:
    """The goods, once for the market and once for what limits need to know."""
    sections = _named_sections(top, "goods", GOODS_EXAMPLE)
    table = GoodsTable(list(sections), [], [])
    for name, section in sections.items():
        section.only("name", "capacity", "credits")
        if name in ("bidder", "value"):
            section.fail(
                "name", f"found '{name}', which is a column of its own in bids; choose another."
            )
        capacity = 1
        if "capacity" in section:
            advice = "Leave the good out if none can be given away."
            capacity = section.whole("capacity", least=1, advice=advice)
        table.capacities.append(capacity)
        table.credits.append(section.number("credits") if "credits" in section else None)
    goods = tuple(map(Good, table.names, table.capacities))
    return goods, table


def _read_functions(
    sections: dict[str, Section], market: Market, goods: GoodsTable
) -> tuple[ValueFunction, ...]:
    """The value function of every bidder."""
    for section in sections.values():
        _check_one_kind(section)
    bids = _read_all_bids(sections, goods)

    functions: list[ValueFunction] = []
    for i, (name, section) in enumerate(sections.items()):
        if "bids" in section:
            functions.append(_xor_table(market, i, bids[name], section))
        else:
            functions.append(read_values(section, goods.names, goods.capacities))
    return tuple(functions)


def _check_one_kind(section: Section) -> None:
    """A bidder has bids or values, and synergies only beside values."""
    if ("bids" in section) == ("values" in section):
        found = "both 'bids' and 'values'" if "bids" in section else "neither 'bids' nor 'values'"
        section.fail(
            "values",
            f'found {found}; expected one of them: bids = "bids.csv" or values = {{ A = 10 }}.',
        )
    if "synergies" in section and "bids" in section:
        section.fail(
            "synergies",
            "found synergies beside bids; bids say everything, so remove the synergies or "
            "state values instead of bids.",
        )


def _read_all_bids(sections: dict[str, Section], goods: GoodsTable) -> dict[str, list[Bid]]:
    """The bids of all bidders that have some; each file is read once."""
    bidders: dict[Path, list[str]] = {}
    for name, section in sections.items():
        if "bids" in section:
            path = section.file.parent / section.text("bids")
            bidders.setdefault(path, []).append(name)

    bids: dict[str, list[Bid]] = {}
    for path, names in bidders.items():
        bids |= read_bids(path, names, goods.names, goods.capacities)
    return bids


def _xor_table(market: Market, bidder: int, bids: list[Bid], section: Section) -> XorTable:
    """A bidder's bids as a function: the best bid contained in a bundle."""
    bundles = np.array([bid.bundle for bid in bids])
    for bid, allowed in zip(bids, market.allows(bidder, bundles), strict=True):
        if not allowed:
            broken = next(
                limit.name
                for limit in market.bidders[bidder].limits
                if np.dot(limit.coefficients, bid.bundle) > limit.bound + 1e-9
            )
            section.fail(
                "bids",
                f"line {bid.line} of '{section.table['bids']}' can never win, because of the "
                f"limit '{broken}'; remove the row or relax the limit.",
            )
    return XorTable(bundles, np.array([bid.value for bid in bids]), market.capacities)
