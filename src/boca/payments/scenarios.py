"""
Awards side by side: what each set of rules costs, what one more or less would cost, and what
conflicts.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from time import perf_counter

import numpy as np

from boca.core.errors import InputError
from boca.core.market import Market
from boca.core.money import add_up, cost_of
from boca.core.report import Reports
from boca.core.rule import Rule
from boca.payments.awards import Award, NoPayments, PaymentRule, award
from boca.payments.effort import Effort, Progress
from boca.payments.program import OutOfTime
from boca.payments.purchases import within_limits

# Sets of rules up to this size are tried in order of their size, so that a conflict is a smallest
# one; beyond, rules are left out one after another, and it is one that no rule can be left out of.
MOST_LISTED = 12
# The scenario without rules of its own.
CHEAPEST = "cheapest"


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
    is_proven
        Whether none is cheaper.
    """

    rule: Rule
    bound: str
    cost: float | None
    is_proven: bool = True


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

    @property
    def title(self) -> str:
        """
        The scenario's name, with what keeps its award from being what the name may say.

        No award is called the cheapest that was not proven to be, or that is dearer than today.
        """
        doubts = []
        if self.award is not None and not self.award.is_proven:
            doubts.append("best found in time")
        if self.savings is not None and self.savings < 0:
            doubts.append("dearer than today")
        name = self.scenario.name
        if doubts and name == CHEAPEST:
            return "on these offers: " + ", ".join(doubts)
        return f"{name} ({', '.join(doubts)})" if doubts else name


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
    progress: Callable[[Progress], None] | None = None,
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
        Wall-clock time for all awards together; None for as long as it takes. Where it is over,
        awards are not proven, and other bounds are left out.
    progress
        Called from time to time with how far an award is; None to tell nobody.
    on_scenario
        Called with the name of what is being solved.
    verify
        Whether a second solver has to find the same cost in every scenario.
    """
    whole = baseline_cost(market, baseline)
    # A scenario without rules is what others are compared with.
    has_free = any(not scenario.rules for scenario in scenarios)
    has_rules = any(scenario.rules for scenario in scenarios)
    clock = _Clock(max_seconds, len(scenarios) + (not has_free), with_neighbours and has_rules)

    def cheapest(
        rules: Sequence[Rule], pay: PaymentRule = "none", check: bool = False
    ) -> Award | None:
        ruled = replace(market, rules=market.rules + tuple(rules))
        return award(offers, ruled, at_most, pay, check, clock.share(), progress)

    free: Award | None = None
    if not has_free:
        on_scenario("without rules")
        free = cheapest(())
    results = []
    for scenario in scenarios:
        on_scenario(scenario.name)
        unpaid = ""
        best: Award | None
        try:
            best = cheapest(scenario.rules, payments, verify)
        except NoPayments as error:
            unpaid, best = str(error), error.made
        except InputError as error:
            raise InputError(f"Scenario '{scenario.name}': {error}") from None
        if not scenario.rules:
            free = best
        if best is None:
            rules = market.rules + scenario.rules
            conflict = smallest_conflict(rules, _possible(offers, market, at_most, clock))
            short = () if conflict else uncovered(offers, market, at_most)
            results.append(ScenarioResult(scenario, None, conflict=conflict, uncovered=short))
            continue
        results.append(
            ScenarioResult(
                scenario,
                best,
                None if whole is None else add_up([whole, -best.cost]),
                unpaid=unpaid,
            )
        )
    if free is not None:
        results = [
            result
            if result.award is None
            else replace(result, rule_cost=add_up([result.award.cost, -free.cost]))
            for result in results
        ]
    if not with_neighbours:
        return results
    changes = [
        (place, k, other, bound)
        for place, result in enumerate(results)
        if result.award is not None
        for k, rule in enumerate(result.scenario.rules)
        for other, bound in near(rule)
    ]
    clock = _Clock(clock.left, len(changes), False)
    for place, k, other, bound in changes:
        result = results[place]
        rules = result.scenario.rules
        on_scenario(f"{result.scenario.name}, with '{bound}'")
        if clock.is_over:
            break
        try:
            made = cheapest([*rules[:k], other, *rules[k + 1 :]])
        except OutOfTime:
            continue
        is_proven = made is None or made.is_proven
        neighbour = Neighbour(rules[k], bound, None if made is None else made.cost, is_proven)
        results[place] = replace(result, neighbours=(*result.neighbours, neighbour))
    return results


def _possible(
    offers: Sequence[Reports],
    market: Market,
    at_most: np.ndarray | Sequence[float] | None,
    clock: "_Clock",
) -> Callable[[Sequence[Rule]], bool]:
    """Whether some rules can hold together; what time does not suffice for counts as possible."""

    def is_possible(rules: Sequence[Rule]) -> bool:
        if clock.is_over:
            return True
        try:
            ruled = replace(market, rules=tuple(rules))
            return award(offers, ruled, at_most, max_seconds=clock.left) is not None
        except OutOfTime:
            return True

    return is_possible


class _Clock:
    """
    Shares a limited time among awards.

    Parameters
    ----------
    max_seconds
        The time; None for as long as it takes.
    num_awards
        How many there are.
    keeps_some
        Whether a third is kept for what comes after them.
    """

    def __init__(self, max_seconds: float | None, num_awards: int, keeps_some: bool):
        Effort(max_seconds)  # refuses a time that is none
        self.until = np.inf if max_seconds is None else perf_counter() + max_seconds
        self.ours = self.until
        if max_seconds is not None and keeps_some:
            self.ours -= max_seconds / 3
        self.num_awards = num_awards

    @property
    def left(self) -> float | None:
        """Seconds that are left; None for as long as it takes."""
        return None if np.isinf(self.until) else max(self.until - perf_counter(), 1e-3)

    @property
    def is_over(self) -> bool:
        """Whether no time is left."""
        return perf_counter() >= self.until

    def share(self) -> float | None:
        """Seconds for the next award: what the earlier ones left is for the others."""
        if np.isinf(self.until):
            return None
        seconds = (self.ours - perf_counter()) / max(self.num_awards, 1)
        self.num_awards -= 1
        return max(seconds, 1e-3)


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
    return cost_of(market.capacities, prices)


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
