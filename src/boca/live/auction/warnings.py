"""What looks like a slip in a submission. Nothing here blocks, unless the rules require order."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from types import MappingProxyType
from typing import Literal, get_args

from boca.core.market import Market
from boca.live.auction.choices import Evidence, PricedChoice
from boca.live.auction.events import Bundle

Kind = Literal[
    "less-than-part", "more-than-whole", "magnitude-high", "magnitude-low", "zero", "same",
    "less-than-choices", "more-than-choices",
    "other-is-better", "nothing-is-better", "something-is-better",
]  # fmt: skip
KEYS = tuple(f"warning.{kind}" for kind in get_args(Kind))
# For values that are no ranges.
NO_RANGES: Mapping[Bundle, int] = MappingProxyType({})
# Fewer reports than these say nothing about what is usual for a bidder.
LEAST_REPORTS = 3


@dataclass(frozen=True)
class Warning:
    """
    One remark about one row of a submission.

    Parameters
    ----------
    kind
        What is remarkable; the text's key is ``warning.<kind>``.
    bundle, units
        The row: a value, or what a wanted bundle costs.
    other, other_units
        The report it does not go with, or what would leave more at these prices and how much more;
        None where there is none.
    factor
        By how much the value per copy is off, for the kinds ``magnitude``.
    """

    kind: Kind
    bundle: Bundle
    units: int
    other: Bundle | None = None
    other_units: int | None = None
    factor: float | None = None

    @property
    def id(self) -> str:
        """The same for the same remark, so that a tick holds for what was seen."""
        text = repr((self.kind, self.bundle, self.units, self.other, self.other_units))
        return hashlib.sha256(text.encode()).hexdigest()[:12]

    @property
    def needs_tick(self) -> bool:
        """Whether it has to be confirmed; a note does not."""
        return self.kind != "same"

    @property
    def is_disorder(self) -> bool:
        """Whether more would be worth less, which the rules may refuse."""
        return self.kind in ("less-than-part", "more-than-whole")


def find_warnings(
    rows: Sequence[tuple[Bundle, int]],
    reports: Mapping[Bundle, int],
    typo_factor: float,
    mosts: Mapping[Bundle, int] = NO_RANGES,
) -> tuple[Warning, ...]:
    """
    All remarks about the rows of a submission.

    Parameters
    ----------
    rows
        Bundle and value of every answer, push and correction.
    reports
        The bidder's reports so far.
    typo_factor
        From which factor on a value per copy looks like a slip of digits.
    mosts
        Bundle -> the end of its range, for rows and reports that are ranges. Ranges go together if
        some values within them do.
    """
    after = {**reports, **dict(rows)}
    warnings: list[Warning] = []
    for bundle, units in rows:
        others = [(b, u) for b, u in after.items() if b != bundle]
        warnings += _disorder(bundle, units, others, mosts)
        warnings += _magnitude(bundle, units, others, typo_factor)
        if units == 0:
            warnings.append(Warning("zero", bundle, units))
    return _once(warnings)


def find_contradictions(
    rows: Mapping[Bundle, int],
    demands: Sequence[PricedChoice],
    reports: Mapping[Bundle, int],
    choices: Sequence[PricedChoice],
    market: Market,
    bidder: int,
    mosts: Mapping[Bundle, int] = NO_RANGES,
) -> tuple[Warning, ...]:
    """
    Values and choices of a submission that cannot be true together with what was said before.

    Parameters
    ----------
    rows
        Bundle -> value of every answer, push and correction.
    demands
        What is wanted at which prices.
    reports, choices
        What the bidder has said so far, without answers that this submission replaces.
    market, bidder
        Whose submission it is.
    mosts
        As in :func:`find_warnings`.
    """
    warnings: list[Warning] = []
    others = {bundle: units for bundle, units in reports.items() if bundle not in rows}
    if choices and rows:
        evidence = Evidence(others, choices, market, bidder, rows, mosts)
        least, most = evidence.least(), evidence.most()
        for bundle, units in rows.items():
            # What reports alone say is told by `find_warnings`.
            part = max((u for b, u in others.items() if is_part(b, bundle)), default=0)
            wholes = (mosts.get(b, u) for b, u in others.items() if is_part(bundle, b))
            whole = min(wholes, default=None)
            end = mosts.get(bundle, units)
            if end < least[bundle] and part < least[bundle]:
                warnings.append(
                    Warning("less-than-choices", bundle, end, other_units=least[bundle])
                )
            bound = most.get(bundle)
            if bound is not None and units > bound and (whole is None or whole > bound):
                warnings.append(Warning("more-than-choices", bundle, units, other_units=bound))
    said = list(choices)
    for demand in demands:
        evidence = Evidence({**others, **rows}, said, market, bidder, [demand.bundle], mosts)
        better = evidence.better(demand)
        if better is not None:
            bundle, gain = better
            kind: Kind = "other-is-better"
            if not any(bundle):
                kind = "nothing-is-better"
            elif not any(demand.bundle):
                kind = "something-is-better"
            price = demand.cost(demand.bundle)
            warnings.append(Warning(kind, demand.bundle, price, bundle, gain))
        said.append(demand)
    return tuple(warnings)


def breaches(
    reports: Mapping[Bundle, int], mosts: Mapping[Bundle, int] = NO_RANGES
) -> tuple[Warning, ...]:
    """Every pair of reports in which more is worth less, seen from the smaller bundle."""
    found = []
    rows = list(reports.items())
    for bundle, units in rows:
        for other, value in rows:
            end = mosts.get(other, value)
            if other != bundle and is_part(bundle, other) and end < units:
                found.append(Warning("more-than-whole", bundle, units, other, end))
    return tuple(found)


def is_part(part: Bundle, whole: Bundle) -> bool:
    """Whether a bundle holds nothing that the other does not hold."""
    return all(a <= b for a, b in zip(part, whole, strict=True))


def _disorder(
    bundle: Bundle,
    units: int,
    others: Sequence[tuple[Bundle, int]],
    mosts: Mapping[Bundle, int],
) -> list[Warning]:
    """The worst part that is worth more, the worst whole that is worth less, and equal amounts."""
    warnings = []
    end = mosts.get(bundle, units)
    parts = [(u, b) for b, u in others if is_part(b, bundle)]
    wholes = [(mosts.get(b, u), b) for b, u in others if is_part(bundle, b)]
    if parts and (best := max(parts))[0] > end:
        warnings.append(Warning("less-than-part", bundle, end, best[1], best[0]))
    if wholes and (least := min(wholes))[0] < units:
        warnings.append(Warning("more-than-whole", bundle, units, least[1], least[0]))
    if units > 0 and end == units:
        same = [b for u, b in parts + wholes if u == units]
        if same:
            warnings.append(Warning("same", bundle, units, min(same), units))
    return warnings


def _magnitude(
    bundle: Bundle, units: int, others: Sequence[tuple[Bundle, int]], factor: float
) -> list[Warning]:
    """A value per copy far from the bidder's usual one."""
    usual = [u / sum(b) for b, u in others if u > 0 and any(b)]
    if len(usual) < LEAST_REPORTS or units == 0:
        return []
    ratio = units / sum(bundle) / median(usual)
    if ratio > factor:
        return [Warning("magnitude-high", bundle, units, factor=round(ratio, 1))]
    if ratio < 1 / factor:
        return [Warning("magnitude-low", bundle, units, factor=round(1 / ratio, 1))]
    return []


def _once(warnings: list[Warning]) -> tuple[Warning, ...]:
    """Without the note about equal amounts that both rows of a pair would bring."""
    kept: list[Warning] = []
    pairs: set[frozenset[Bundle]] = set()
    for warning in warnings:
        if warning.kind == "same" and warning.other is not None:
            pair = frozenset((warning.bundle, warning.other))
            if pair in pairs:
                continue
            pairs.add(pair)
        kept.append(warning)
    return tuple(kept)
