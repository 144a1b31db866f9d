"""
Awards side by side: what each set of rules costs, what one more or less would cost, and what
conflicts.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from boca.core.errors import InputError
from boca.core.market import Market
from boca.core.money import add_up
from boca.core.report import Reports
from boca.core.rule import Rule
from boca.payments.awards import Award, NoPayments, PaymentRule, award, within_limits

# Sets of rules up to this size are tried in order of their size, so that a conflict is a smallest
# one; beyond, rules are left out one after another, and it is one that no rule can be left out of.
MOST_LISTED = 12


@dataclass(frozen=True)
class Scenario:
    """
    A set of rules with a name.

    Parameters
    ----------
    name
        How tables call it.
    rules
        What holds on top of the market's own rules.
    """

    name: str
    rules: tuple[Rule, ...] = ()


@dataclass(frozen=True)
class Neighbour:
    """
    What a rule would cost with another bound.

    Parameters
    ----------
    rule
        The rule as it is.
    bound
        The other bound, as people write it.
    cost
        The cheapest award with it; None if there is none.
    """

    rule: Rule
    bound: str
    cost: float | None


@dataclass(frozen=True, eq=False)
class ScenarioResult:
    """
    The cheapest award of a scenario.

    Parameters
    ----------
    scenario
        Its rules.
    award
        The award; None if the rules conflict.
    savings
        What it costs less than the baseline; None where there is none.
    rule_cost
        What it costs more than without the scenario's rules; None where one of both is missing.
    neighbours
        The cost of every rule with its bound one more and one less (ten per cent for shares).
    conflict
        Where there is no award: a smallest set of rules that cannot hold together. Empty where the
        offers do not cover the lots even without rules.
    uncovered
        Where there is no award and no conflict: the lots of which all suppliers together do not
        offer enough. Empty where of every lot they do, but not all lots at once, because each
        supplier gets at most one of its offers.
    unpaid
        Why suppliers cannot be paid as was wished, so that the award is without payments; empty
        where they can.
    """

    scenario: Scenario
    award: Award | None
    savings: float | None = None
    rule_cost: float | None = None
    neighbours: tuple[Neighbour, ...] = ()
    conflict: tuple[Rule, ...] = ()
    uncovered: tuple[int, ...] = ()
    unpaid: str = ""


def run_scenarios(
    offers: Sequence[Reports],
    market: Market,
    scenarios: Sequence[Scenario],
    at_most: np.ndarray | Sequence[float] | None = None,
    baseline: np.ndarray | Sequence[float] | None = None,
    payments: PaymentRule = "none",
    with_neighbours: bool = True,
    max_seconds: float | None = None,
    on_scenario: Callable[[str], None] = lambda name: None,
    verify: bool = False,
) -> list[ScenarioResult]:
    """
    The cheapest award of every scenario.

    Parameters
    ----------
    offers, market, at_most, payments
        As for :func:`boca.payments.awards.award`.
    scenarios
        What to compare.
    baseline
        What a unit of each lot costs today, ``(num_lots,)``, nan where it is not known; None for no
        comparison.
    with_neighbours
        Whether the cost of other bounds is computed too: two more awards per rule.
    max_seconds
        Wall-clock time for each award.
    on_scenario
        Called with the name of what is being solved.
    verify
        Whether a second solver has to find the same cost in every scenario.
    """
    whole = baseline_cost(market, baseline)

    def cheapest(
        rules: Sequence[Rule], pay: PaymentRule = "none", check: bool = False
    ) -> Award | None:
        ruled = replace(market, rules=market.rules + tuple(rules))
        return award(offers, ruled, at_most, pay, check, max_seconds)

    on_scenario("without rules")
    free = cheapest(())
    results = []
    for scenario in scenarios:
        on_scenario(scenario.name)
        unpaid = ""
        try:
            best = cheapest(scenario.rules, payments, verify)
        except NoPayments as error:
            unpaid = str(error)
            best = cheapest(scenario.rules, check=verify)
        except InputError as error:
            raise InputError(f"Scenario '{scenario.name}': {error}") from None
        if best is None:
            conflict = smallest_conflict(
                market.rules + scenario.rules,
                lambda rules: (
                    award(offers, replace(market, rules=tuple(rules)), at_most) is not None
                ),
            )
            short = () if conflict else uncovered(offers, market, at_most)
            results.append(ScenarioResult(scenario, None, conflict=conflict, uncovered=short))
            continue
        neighbours = []
        for k, rule in enumerate(scenario.rules if with_neighbours else ()):
            for other, bound in near(rule):
                changed = [*scenario.rules[:k], other, *scenario.rules[k + 1 :]]
                made = cheapest(changed)
                neighbours.append(Neighbour(rule, bound, None if made is None else made.cost))
        results.append(
            ScenarioResult(
                scenario,
                best,
                None if whole is None else add_up([whole, -best.cost]),
                None if free is None else add_up([best.cost, -free.cost]),
                tuple(neighbours),
                unpaid=unpaid,
            )
        )
    return results


def uncovered(
    offers: Sequence[Reports],
    market: Market,
    at_most: np.ndarray | Sequence[float] | None = None,
) -> tuple[int, ...]:
    """
    The lots of which all suppliers together do not offer enough, and that have no price outside.

    Parameters
    ----------
    offers, market, at_most
        As for :func:`boca.payments.awards.award`.
    """
    most = sum(
        report.bundles[within_limits(market, i, report.bundles)].max(axis=0, initial=0)
        for i, report in enumerate(offers)
    )
    is_short = np.asarray(most) < market.capacities
    if at_most is not None:
        is_short &= np.isinf(np.asarray(at_most, dtype=float))
    return tuple(np.flatnonzero(is_short).tolist())


def baseline_cost(market: Market, baseline: np.ndarray | Sequence[float] | None) -> float | None:
    """What everything costs today; None unless it is known of every lot."""
    if baseline is None:
        return None
    prices = np.asarray(baseline, dtype=float)
    if prices.shape != (market.num_goods,) or (prices < 0).any():
        raise InputError(
            f"Received baselines {np.array2string(prices, threshold=6)}; expected a number of at "
            f"least 0 for each of the {market.num_goods} lots."
        )
    if np.isnan(prices).any():
        return None
    return add_up((prices * market.capacities).tolist())


def near(rule: Rule) -> list[tuple[Rule, str]]:
    """The rule with its bound one more and one less, and the bound in words."""
    step = 0.1 if rule.share else 1.0
    if rule.counts == "spend" and not rule.share:
        return []  # a unit of money says nothing
    changed = []
    for name in ("at_least", "at_most"):
        bound = getattr(rule, name)
        if bound is None:
            continue
        for other in (bound - step, bound + step):
            other = round(other, 9)
            if other < 0 or (rule.share and other > 1):
                continue
            bounds = {"at_least": rule.at_least, "at_most": rule.at_most, name: other}
            least, most = bounds["at_least"], bounds["at_most"]
            if least is not None and most is not None and least > most:
                continue
            word = name.replace("_", " ")
            changed.append(
                (replace(rule, at_least=least, at_most=most), f"{word} {rule.written(other)}")
            )
    return changed


def smallest_conflict(
    rules: Sequence[Rule], is_possible: Callable[[Sequence[Rule]], bool]
) -> tuple[Rule, ...]:
    """
    A smallest set of rules that cannot hold together.

    Parameters
    ----------
    rules
        Rules that conflict.
    is_possible
        Whether some rules can hold together; a part of rules that can, can too.
    """
    if not is_possible(()):
        return ()
    if len(rules) <= MOST_LISTED:
        for size in range(1, len(rules)):
            for part in combinations(rules, size):
                if not is_possible(part):
                    return part
        return tuple(rules)
    left = list(rules)
    for rule in rules:
        without = [other for other in left if other is not rule]
        if not is_possible(without):
            left = without
    return tuple(left)
