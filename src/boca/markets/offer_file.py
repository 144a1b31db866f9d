"""
What buyers write down: lots, suppliers, offers and rules.

A sheet stands alone, CSV (commas or semicolons) or XLSX, one row per package offer:

    supplier,cost,Hamburg - Munich,Kiel - Ulm
    needed,,3,1
    at most,,950,1100
    baseline,,870,
    Nord,2400,3,

The rows ``needed`` (1 unit of each lot without it), ``at most`` (price of a unit outside; a lot
without one must be covered by offers) and ``baseline`` (what a unit costs today) have no cost. A
TOML file adds limits of suppliers, groups, rules and scenarios, and names the sheet:

    offers = "offers.csv"
    [[lots]]      name = "Kiel - Ulm"   needed = 1   at_most = 1100   baseline = 900
    [[suppliers]] name = "Nord"   incumbent = true   groups = ["small"]   at_most = 5
    [[rules]]     winners = { at_most = 3 }
    [[scenarios]] name = "three suppliers"   rules = [{ winners = { at_most = 3 } }]
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path

import numpy as np

from boca.core.errors import InputError
from boca.core.files import read_bytes, read_text
from boca.core.frozen import read_only
from boca.core.goods import Good, Limit
from boca.core.market import Bidder, Market
from boca.core.report import Reports
from boca.core.rule import Rule
from boca.core.wording import did_you_mean, printable, shortened
from boca.markets.found import as_name, shown
from boca.markets.limits import LIMIT_KEYS, WORD_KEYS, GoodsTable, read_limits, read_words
from boca.markets.limits_of_size import (
    MOST_BIDDERS,
    MOST_BIDS,
    MOST_BYTES_OF_BIDS,
    MOST_BYTES_OF_MARKET,
    MOST_GOODS,
)
from boca.markets.sections import Section, parse_toml
from boca.markets.sheet_rows import SheetRows, is_row
from boca.markets.sheet_table import SheetCell, read_table

TOP_KEYS = ("name", "sense", "offers", "lots", "suppliers", "every_supplier", "rules", "scenarios")
# Rules of a live purchase, which only the server reads.
LIVE_TABLE = "auction"
LOT_KEYS = ("name", "needed", "at_most", "baseline", *WORD_KEYS)
SUPPLIER_KEYS = ("name", "incumbent", "groups", *LIMIT_KEYS)
COUNTS = ("winners", "lots", "units", "spend")
SHARES = {f"share_of_{name}": name for name in ("lots", "units", "spend")}
RULE_KEYS = (*COUNTS, *SHARES, "suppliers", "in_lots", "each", "if_any", "name")
INCUMBENTS = "incumbents"
SPECIAL = ("needed", "at most", "baseline")
# A person keeps fewer rules in mind.
MOST_RULES = 200


@dataclass(frozen=True, eq=False)
class OfferFile:
    """
    What a buyer's files say.

    Parameters
    ----------
    market
        Lots with the units that are needed, suppliers with their limits, rules.
    offers
        One Reports object per supplier.
    at_most
        Price of a unit outside, ``(num_lots,)``; infinite where there is none.
    baseline
        What a unit costs today, ``(num_lots,)``; nan where it is not known.
    groups
        Suppliers by the names of their groups; ``incumbents`` is one of them.
    scenarios
        Further rules by the names of their scenarios.
    """

    market: Market
    offers: tuple[Reports, ...]
    at_most: np.ndarray
    baseline: np.ndarray
    groups: Mapping[str, tuple[int, ...]]
    scenarios: Mapping[str, tuple[Rule, ...]]


@dataclass(frozen=True, eq=False)
class LotsFile:
    """
    What a buyer's TOML file says, without the sheet of offers that it may name.

    Parameters
    ----------
    market, at_most, baseline, groups, scenarios
        As in :class:`OfferFile`.
    tables
        Further tables that the caller asked for, by name, as far as they are there.
    """

    market: Market
    at_most: np.ndarray
    baseline: np.ndarray
    groups: Mapping[str, tuple[int, ...]]
    scenarios: Mapping[str, tuple[Rule, ...]]
    tables: Mapping[str, Section]


def read_lots(text: str, source: str, extra_tables: tuple[str, ...] = ()) -> LotsFile:
    """
    Reads lots, suppliers, rules and scenarios; offers are passed over unread.

    Parameters
    ----------
    text
        The content of a TOML file.
    source
        Where it comes from, for messages.
    extra_tables
        Names of further top-level tables that are allowed, such as ``auction``.
    """
    source = printable(source)
    return _read_lots_file(parse_toml(text, source), Path(source).stem, extra_tables)


def read_offers(path: Path | str) -> OfferFile:
    """
    Reads a sheet of offers, or a TOML file that names one.

    All mistakes of a sheet are named in one InputError, each with its row and column.

    Parameters
    ----------
    path
        The file; TOML if its name ends so.
    """
    path = Path(path)
    if path.suffix.lower() == ".toml":
        return _read_toml(path)
    sheet = _Sheet(read_bytes(path, "file of offers", MOST_BYTES_OF_BIDS), printable(str(path)))
    sheet.read(None, None)
    return sheet.file(path.stem, (), {}, {}, {})


def says_cost(path: Path | str) -> bool:
    """Whether a sheet has a column ``cost``, so that it buys."""
    path = Path(path)
    if path.suffix.lower() not in (".csv", ".xlsx"):
        return False
    try:
        rows = read_table(read_bytes(path, "file", MOST_BYTES_OF_BIDS), MOST_BIDS, MOST_GOODS).rows
    except InputError:
        return False  # whoever reads it next says what is wrong with it
    header = next((row for row in rows if is_row(row)), ())
    return "cost" in [cell.text.lower() for cell in header]


class _Sheet:
    """The offers of one sheet."""

    def __init__(self, content: bytes, source: str):
        try:
            table = read_table(content, MOST_BIDS, MOST_GOODS)
        except InputError as error:
            raise InputError(f"{source}: {error}") from None
        self.source = source
        self.rows = SheetRows(table, source, "supplier", "cost")
        self.lots: list[str] = []
        self.suppliers: list[str] = []
        self.offers: dict[str, list[tuple[np.ndarray, float]]] = {}
        self.special: dict[str, list[float]] = {}
        self._seen: dict[tuple[str, bytes], int] = {}

    def read(self, lots: Sequence[str] | None, suppliers: Sequence[str] | None) -> None:
        """
        Reads all rows and raises all mistakes at once.

        Parameters
        ----------
        lots, suppliers
            Names that a TOML file gives; None where the sheet stands alone.
        """
        rows = self.rows
        self.lots = rows.read_header("lots", lots)
        self.suppliers = list(suppliers or ())
        for number, name, cost, cells in rows.body():
            if name.lower() in SPECIAL and cost.is_empty:
                self._read_special(number, name.lower(), cells)
            else:
                self._read_offer(number, name, cost, cells, suppliers is not None)
        if lots is None and "needed" not in self.special:
            self._check_single()
        if not self.offers and not rows.num_mistakes:
            rows.note("there is no offer; expected at least one row below the header")
        rows.raise_mistakes()

    def _read_offer(
        self,
        number: int,
        name: str,
        cost: SheetCell,
        cells: Sequence[SheetCell],
        is_known: bool,
    ) -> None:
        rows = self.rows
        before = rows.num_mistakes
        if not name:
            rows.note(f"row {number}, column 'supplier': found nothing; who offers it?")
        elif is_known and name not in self.suppliers:
            rows.note(
                f"row {number}, column 'supplier': found '{shortened(name)}'; "
                f"{did_you_mean(name, self.suppliers)}"
            )
        elif (other := self._spelt(name)) != name:
            rows.note(
                f"row {number}, column 'supplier': found '{shortened(name)}', and "
                f"'{shortened(other)}' before; write both alike"
            )
        units = [rows.count(number, lot, cell) for cell, lot in zip(cells, self.lots, strict=True)]
        price = rows.amount(number, "cost", cost)
        if cost.is_empty:
            near = get_close_matches(name.lower(), SPECIAL, 1)
            hint = f", or the row '{near[0]}', written so" if near else ""
            rows.note(
                f"row {number}, column 'cost': found nothing; expected what must be paid{hint}"
            )
        bundle = np.array(units, dtype=np.int64)
        key = name, bundle.tobytes()
        if rows.num_mistakes > before:
            return
        if not bundle.any():
            rows.note(f"row {number}: found an offer of nothing; name units of a lot")
        elif key in self._seen:
            rows.note(
                f"row {number}: '{shortened(name)}' offers the same units as in row "
                f"{self._seen[key]}; keep one of them"
            )
        else:
            self._seen[key] = number
            self.offers.setdefault(name, []).append((bundle, price))
            if name not in self.suppliers:
                as_name(name, "a supplier", f"{self.source}, row {number}")
                self.suppliers.append(name)

    def _spelt(self, name: str) -> str:
        """A supplier as it was first written, whatever its capitals."""
        if name in self.suppliers:
            return name
        return next((s for s in self.suppliers if s.casefold() == name.casefold()), name)

    def _check_single(self) -> None:
        """Notes lots of which one unit is needed because nothing is said, but more are offered."""
        bundles = [bundle for own in self.offers.values() for bundle, _ in own]
        several = [
            lot for j, lot in enumerate(self.lots) if any(bundle[j] > 1 for bundle in bundles)
        ]
        if several:
            self.rows.note(
                f"found offers of several units of {shortened(', '.join(several))} and no row "
                "'needed', without which 1 unit of each lot is needed; add the row"
            )

    def _read_special(self, number: int, kind: str, cells: Sequence[SheetCell]) -> None:
        rows = self.rows
        if kind in self.special:
            rows.note(f"row {number}: found a second row '{kind}'; keep one of them")
            return
        usual = {"needed": 1.0, "at most": np.inf, "baseline": np.nan}[kind]
        is_needed = kind == "needed"
        self.special[kind] = [
            usual
            if cell.is_empty
            else rows.count(number, lot, cell, least=1)
            if is_needed
            else rows.amount(number, lot, cell)
            for cell, lot in zip(cells, self.lots, strict=True)
        ]

    def file(
        self,
        name: str,
        suppliers: Sequence[Bidder],
        overrides: Mapping[str, Sequence[float]],
        groups: Mapping[str, tuple[int, ...]],
        scenarios: Mapping[str, tuple[Rule, ...]],
        rules: tuple[Rule, ...] = (),
        lots: Sequence[str] | None = None,
    ) -> OfferFile:
        """The market and the offers that sheet and TOML file make up."""
        lots = list(lots or self.lots)
        places = [lots.index(lot) for lot in self.lots]

        def line(kind: str, usual: float) -> list[float]:
            values = list(overrides.get(kind, [usual] * len(lots)))
            for place, value in zip(places, self.special.get(kind, ()), strict=False):
                values[place] = value
            return values

        needed = [int(n) for n in line("needed", 1)]
        bidders = tuple(suppliers) or tuple(Bidder(supplier) for supplier in self.suppliers)
        market = Market(tuple(map(Good, lots, needed)), bidders, name, "buy", rules)
        offers = []
        for bidder in bidders:
            own = self.offers.get(bidder.name, [])
            bundles = np.zeros((len(own), len(lots)), dtype=np.int64)
            for row, (bundle, _) in enumerate(own):
                bundles[row, places] = bundle
            costs = np.array([cost for _, cost in own], dtype=float)
            offers.append(Reports(bundles, costs) if own else Reports.empty(len(lots)))
        return OfferFile(
            market,
            tuple(offers),
            read_only(np.array(line("at most", np.inf))),
            read_only(np.array(line("baseline", np.nan))),
            dict(groups),
            dict(scenarios),
        )


def _read_toml(path: Path) -> OfferFile:
    source = printable(str(path))
    top = parse_toml(read_text(path, "file of lots", MOST_BYTES_OF_MARKET), source)
    file = _read_lots_file(top, path.stem, (LIVE_TABLE,))
    market = _in_names(file.market, file.market.rules)
    lots = [good.name for good in market.goods]
    place = path.parent / top.text("offers")
    sheet = _Sheet(read_bytes(place, "file of offers", MOST_BYTES_OF_BIDS), printable(str(place)))
    sheet.read(lots, [bidder.name for bidder in market.bidders])
    overrides = {
        "needed": market.capacities.tolist(),
        "at most": file.at_most.tolist(),
        "baseline": file.baseline.tolist(),
    }
    scenarios = {name: _in_names(market, rules).rules for name, rules in file.scenarios.items()}
    return sheet.file(
        market.name, market.bidders, overrides, file.groups, scenarios, market.rules, lots
    )


def _in_names(market: Market, rules: Sequence[Rule]) -> Market:
    """The market with these rules, whose titles name suppliers and lots, for the buyer."""
    suppliers = [bidder.name for bidder in market.bidders]
    lots = [good.name for good in market.goods]
    titled = tuple(replace(rule, name=rule.titled(suppliers, lots)) for rule in rules)
    return replace(market, rules=titled)


def _read_lots_file(top: Section, name: str, extra_tables: tuple[str, ...]) -> LotsFile:
    if "goods" in top or "bidders" in top:
        raise InputError(
            f"{top.source}: found [[goods]] or [[bidders]], which are for selling; to buy, write "
            "[[lots]] and [[suppliers]] with their offers."
        )
    top.only(TOP_KEYS + extra_tables)
    if "sense" in top and top.table["sense"] != "buy":
        top.fail("sense", f'found {shown(top.table["sense"])}; expected "buy" with lots.')
    lots, overrides, words = _read_lots(top)
    bidders, groups = _read_suppliers(top, lots, overrides)
    reader = _Rules(lots, [bidder.name for bidder in bidders], groups)
    rules = tuple(reader.rule(section) for section in _blocks(top, "rules"))
    scenarios: dict[str, tuple[Rule, ...]] = {}
    for section in _blocks(top, "scenarios"):
        section.only(("name", "rules"))
        title = section.text("name")
        if title in scenarios:
            section.fail("name", f"found '{title}' twice; give each scenario its own name.")
        scenarios[title] = tuple(reader.rule(rule) for rule in _blocks(section, "rules"))
    needed = [int(n) for n in overrides["needed"]]
    rows = zip(lots, needed, words, strict=True)
    goods = tuple(Good(lot, number, *pair) for lot, number, pair in rows)
    return LotsFile(
        Market(goods, bidders, top.text("name", default=name), "buy", rules),
        read_only(np.array(overrides["at most"], dtype=float)),
        read_only(np.array(overrides["baseline"], dtype=float)),
        groups,
        scenarios,
        {key: top.section(key, f"a block [{key}]") for key in extra_tables if key in top},
    )


def _blocks(top: Section, key: str) -> list[Section]:
    """The tables of a list that may be missing."""
    if key not in top or top.table[key] == []:
        return []
    return top.sections(key, f"blocks [[{key}]]", MOST_RULES)


def _read_lots(
    top: Section,
) -> tuple[list[str], dict[str, list[float]], list[tuple[str, str]]]:
    """Names, numbers by kind, and group with unit of each lot."""
    sections = top.named_sections("lots", 'one block [[lots]] with name = "..." each', MOST_GOODS)
    overrides: dict[str, list[float]] = {"needed": [], "at most": [], "baseline": []}
    for section in sections.values():
        section.only(LOT_KEYS)
        overrides["needed"].append(section.whole("needed", least=1) if "needed" in section else 1)
        for key, kind, usual in (
            ("at_most", "at most", np.inf),
            ("baseline", "baseline", np.nan),
        ):
            overrides[kind].append(section.number(key) if key in section else usual)
    return list(sections), overrides, list(map(read_words, sections.values()))


def _read_suppliers(
    top: Section, lots: Sequence[str], overrides: Mapping[str, Sequence[float]]
) -> tuple[tuple[Bidder, ...], dict[str, tuple[int, ...]]]:
    goods = GoodsTable(
        tuple(lots),
        tuple(int(n) for n in overrides["needed"]),
        (None,) * len(lots),
        (0.0,) * len(lots),
    )
    common: tuple[Limit, ...] = ()
    if "every_supplier" in top:
        every = top.section("every_supplier", "a block [every_supplier] with limits")
        common = read_limits(every.only(LIMIT_KEYS), goods)
    example = 'one block [[suppliers]] with name = "..." each'
    bidders: list[Bidder] = []
    groups: dict[str, list[int]] = {}
    for i, (name, section) in enumerate(
        top.named_sections("suppliers", example, MOST_BIDDERS).items()
    ):
        section.only(SUPPLIER_KEYS)
        bidders.append(Bidder(name, limits=common + read_limits(section, goods)))
        own = section.table.get("groups", [])
        if not isinstance(own, list) or not all(isinstance(group, str) for group in own):
            section.fail("groups", f'found {shown(own)}; expected names, such as ["small"].')
        if _flag(section, "incumbent"):
            own = [*own, INCUMBENTS]
        for group in own:
            groups.setdefault(group, []).append(i)
    return tuple(bidders), {group: tuple(members) for group, members in groups.items()}


def _flag(section: Section, key: str) -> bool:
    """True or false; false where nothing is said."""
    value = section.table.get(key, False)
    if not isinstance(value, bool):
        section.fail(key, f"found {shown(value)}; expected true or false.")
    return value


class _Rules:
    """Reads rules, which name lots, suppliers and groups."""

    def __init__(
        self,
        lots: Sequence[str],
        suppliers: Sequence[str],
        groups: Mapping[str, tuple[int, ...]],
    ):
        self.lots = {name: j for j, name in enumerate(lots)}
        self.suppliers = {name: i for i, name in enumerate(suppliers)}
        self.groups = groups

    def rule(self, section: Section) -> Rule:
        """One rule of a file."""
        section.only(RULE_KEYS)
        counted = [key for key in (*COUNTS, *SHARES) if key in section]
        if len(counted) != 1:
            raise InputError(
                f"{section.source}, {section.where}: found {', '.join(counted) or 'nothing'} to "
                f"count; expected one of {', '.join((*COUNTS, *SHARES))}."
            )
        key = counted[0]
        bounds = section.section(key, "{ at_most = 3 } or { at_least = 2 }").only(
            ("at_least", "at_most")
        )
        lots = None
        if "in_lots" in section:
            lots = tuple(section.goods("in_lots", section.table["in_lots"], self.lots))
        try:
            return Rule(
                SHARES.get(key, key),  # type: ignore[arg-type]
                bounds.number("at_least") if "at_least" in bounds else None,
                bounds.number("at_most") if "at_most" in bounds else None,
                self._members(section),
                lots,
                key in SHARES,
                _flag(section, "each"),
                _flag(section, "if_any"),
                section.text("name", default=""),
            )
        except InputError as error:
            if str(error).startswith(section.source):
                raise
            raise InputError(f"{section.source}, {section.where}: {error}") from None

    def _members(self, section: Section) -> tuple[int, ...] | None:
        """Suppliers by name, a list of names, or a group."""
        if "suppliers" not in section:
            return None
        named = section.table["suppliers"]
        names = [named] if isinstance(named, str) else named
        if not isinstance(names, list) or not names:
            section.fail(
                "suppliers", f"found {shown(named)}; expected a group or a list of suppliers."
            )
        members: list[int] = []
        for name in names:
            if name in self.groups:
                members += self.groups[name]
            elif name in self.suppliers:
                members.append(self.suppliers[name])
            else:
                choices = [*self.groups, *self.suppliers]
                word = str(name)
                section.fail(
                    "suppliers", f"found '{shortened(word)}'; {did_you_mean(word, choices)}"
                )
        return tuple(dict.fromkeys(members))
