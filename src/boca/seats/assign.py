"""Seats for students without money: approximate competitive equilibrium from equal incomes."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from time import monotonic

import numpy as np

from boca.core.allocation import Allocation, check_feasible
from boca.core.errors import InputError
from boca.core.market import Bidder, Market
from boca.core.randomness import Seeds, as_seed
from boca.functions import ValueFunction
from boca.seats.demand import Demand
from boca.seats.following import Point, follow_demand
from boca.seats.listing import best_schedules
from boca.seats.params import SeatParams
from boca.seats.pools import SeatDesk
from boca.seats.rankings import in_parallel, rank
from boca.seats.repair import end_oversubscription, end_wants, fill_seats
from boca.seats.rules import SeatRules
from boca.seats.search import Clock, PriceSearch, SearchProgress
from boca.seats.seating import PriceList, Seating
from boca.seats.wish import Wish, wishes

# Rounds of prices where there is no time for a search.
FEW_ROUNDS = 40


def assign_seats(
    market: Market,
    utilities: Sequence[ValueFunction],
    rules: SeatRules | None = None,
    params: SeatParams | None = None,
    seed: int = 0,
    time_limit: float | None = None,
    on_progress: Callable[[SearchProgress], None] | None = None,
) -> Seating:
    """
    Shares out seats at prices of a play money that everybody has about equally much of.

    Every student gets the schedule it likes best among those it can afford, and prices are such
    that no course is oversold and every course that costs something is full (Budish 2011; Budish
    et al. 2023). The order of students in the market does not matter, their names do: the order of
    tie-breaking is drawn from the seed and the name.

    Ctrl-C ends the search early with the best prices so far, repaired so that no seat is oversold.

    Parameters
    ----------
    market
        Courses with seats as goods, students with limits as bidders. Nobody gets a course twice.
    utilities
        One value function per student.
    rules
        Targets, minimum sizes, required courses, priorities, reserved seats; none if None.
    params
        Effort and budgets.
    seed
        Of the order of tie-breaking and the search.
    time_limit
        Seconds after which the best prices so far are repaired; no limit if None.
    on_progress
        Is told how far the search is.

    Example
    -------
    >>> import boca
    >>> from boca.functions import AdjustedSum
    >>> market = boca.Market.simple(num_goods=2, num_bidders=2, capacities=[1, 2])
    >>> seating = boca.assign_seats(market, [AdjustedSum([9, 5]), AdjustedSum([8, 6])])
    >>> seating.error
    0.0
    """
    rules = SeatRules() if rules is None else rules
    params = SeatParams() if params is None else params
    _check(market, utilities, rules, time_limit)
    # Everything is done in the order of names, so that the order in a file cannot matter.
    order = np.array(sorted(range(market.num_bidders), key=lambda i: market.bidders[i].name))
    desk = _Desk(
        _in_order(market, order),
        [utilities[i] for i in order],
        _rules_in_order(rules, order),
        params,
        Seeds(as_seed(seed)).child("seats"),
        Clock(time_limit, on_progress),
    )
    return _in_first_order(desk.run(), market, rules, order)


def _check(
    market: Market,
    utilities: Sequence[ValueFunction],
    rules: SeatRules,
    time_limit: float | None,
) -> None:
    if len(utilities) != market.num_bidders:
        raise InputError(
            f"Received {len(utilities)} utilities; expected one for each of the "
            f"{market.num_bidders} students."
        )
    for bidder, utility in zip(market.bidders, utilities, strict=True):
        if len(utility.capacities) != market.num_goods:
            raise InputError(
                f"The utility of student '{bidder.name}' is for {len(utility.capacities)} courses; "
                f"expected {market.num_goods}."
            )
    if time_limit is not None and not time_limit >= 0:
        raise InputError(f"Received the time limit {time_limit}; expected at least 0 s.")
    rules.check(market)


@dataclass
class _Shared:
    """What one priority's students got: all arrays are in the order of ``students``."""

    students: np.ndarray
    schedules: np.ndarray
    price_list: PriceList
    budgets: np.ndarray
    costs: np.ndarray
    utilities: np.ndarray
    num_better: np.ndarray
    is_best: np.ndarray
    wishes: list[Wish]
    is_repaired: bool
    ties_by_lot: bool


@dataclass
class _Desk:
    """One assignment under way."""

    market: Market
    utilities: list[ValueFunction]
    rules: SeatRules
    params: SeatParams
    seeds: Seeds
    clock: Clock

    def __post_init__(self) -> None:
        self._began = monotonic()
        self._attempts = 0
        self._stopped = "cleared"
        names = [bidder.name for bidder in self.market.bidders]
        draws = [self.seeds.child("order", name).integer() for name in names]
        # The first in the order has the largest budget; names part equal draws.
        places = sorted(range(len(names)), key=lambda i: (draws[i], names[i]))
        ranks = np.empty(len(names))
        ranks[places] = np.arange(len(names))
        self.base_budgets = 1 + self.params.budget_spread * ranks / len(names)
        self._orders = [
            self.seeds.child("ties", name).generator().permutation(self.market.num_goods)
            for name in names
        ]

    def run(self) -> Seating:
        """Shares out seats, cancels the emptiest course that is too small, and so on."""
        offered = np.ones(self.market.num_goods, dtype=bool)
        cancelled: list[tuple[int, int]] = []
        changed: list[int] = []
        shared, bundles = self._share_out(offered)
        while (course := self._too_small(bundles, offered)) is not None:
            offered[course] = False
            count = int(bundles[:, course].sum())
            cancelled.append((course, count))
            before = bundles
            if count:
                self.clock.tell(f"cancelled {self.market.goods[course].name}, sharing out again")
                shared, bundles = self._share_out(offered)
            changed.append(int((before != bundles).any(axis=1).sum()))
        return self._seating(shared, bundles, offered, tuple(cancelled), tuple(changed))

    def _too_small(self, bundles: np.ndarray, offered: np.ndarray) -> int | None:
        """The course that is furthest below its minimum, as a share of it; none that is kept."""
        if not self.rules.minimums:
            return None
        minimums = np.array(self.rules.minimums)
        may_go = offered & (minimums > 0) & (self.rules.num_held(self.market) == 0)
        shares = np.where(may_go, bundles.sum(axis=0) / np.maximum(minimums, 1), 1)
        return int(shares.argmin()) if shares.min() < 1 else None

    def _share_out(self, offered: np.ndarray) -> tuple[list[_Shared], np.ndarray]:
        """One priority after the other, each with the seats that are left."""
        num = self.market.num_bidders
        priorities = np.array(self.rules.priorities or [0.0] * num)
        bundles = np.zeros((num, self.market.num_goods), dtype=np.int64)
        for i, courses in enumerate(self.rules.held):
            bundles[i, list(courses)] = 1
        pools = SeatDesk(self.market, self.rules)
        shared = []
        for level in np.unique(priorities)[::-1]:
            students = np.flatnonzero(priorities == level)
            part = self._share_level(float(level), students, pools, offered)
            shared.append(part)
            rows, places = np.nonzero(part.schedules < self.market.num_goods)
            bundles[students[rows], part.schedules[rows, places]] = 1
            pools.give(self.market, students, part.schedules)
        return shared, bundles

    def _share_level(
        self,
        level: float,
        students: np.ndarray,
        pools: SeatDesk,
        offered: np.ndarray,
    ) -> _Shared:
        self.clock.tell("ranking schedules")
        all_wishes = wishes(
            _in_order(self.market, students),
            [self.utilities[i] for i in students],
            _rules_in_order(self.rules, students),
            [self._orders[i] for i in students],
            [offered & pools.has_seats(i) for i in students],
        )
        rankings = rank(all_wishes, self.params.num_ranked, self.market.num_goods)
        demand = Demand(rankings, pools.offer(students), self.base_budgets[students])
        rng = self.seeds.child("search").generator()
        search = PriceSearch(demand, all_wishes, self.params, rng, self.clock)
        self._run(search)
        point, demand = search.best, search.demand
        assert point is not None
        is_repaired = point.error > 0
        if is_repaired:
            self.clock.tell("repairing", search.attempts, point.error)
            demand, point = self._repaired(demand, all_wishes, point.prices, pools, students)
        costs = demand.costs(point.prices, point.choice)
        # What is published is what is proven: whoever was given a dearer seat had as much.
        point = replace(point, budgets=np.maximum(point.budgets, costs))
        own = demand.rankings.utilities[np.arange(len(costs)), point.choice]
        better = (demand.rankings.utilities > own[:, None] + 1e-9).sum(axis=1)
        return _Shared(
            students,
            demand.rankings.schedules(point.choice).astype(np.int64),
            PriceList(level, ("", *pools.groups), point.prices),
            point.budgets,
            costs,
            own,
            better,
            _proofs(demand, all_wishes, point),
            all_wishes,
            is_repaired,
            search.lots is not None,
        )

    def _repaired(
        self,
        demand: Demand,
        all_wishes: Sequence[Wish],
        prices: np.ndarray,
        pools: SeatDesk,
        students: np.ndarray,
    ) -> tuple[Demand, Point]:
        """Choices that keep to the rooms, after which no free seat is wanted by anybody."""
        hard = pools.hard_offer(students)
        demand, point = end_oversubscription(replace(demand, offer=hard), all_wishes, prices)
        # Those who lost ties, with the smaller budgets, are asked first.
        turns = np.argsort(demand.budgets, kind="stable")
        choice = fill_seats(demand, point, hard.seats, turns)
        # A seat that is still free is better taken than empty, whatever it costs.
        return end_wants(demand, all_wishes, replace(point, choice=choice), turns)

    def _run(self, search: PriceSearch) -> None:
        """The search, or what can be done at once if it was interrupted before."""
        try:
            if self._stopped == "interrupted":
                start = np.zeros(search.demand.offer.seats.shape)
                search.best = follow_demand(search.demand, start, FEW_ROUNDS)
            else:
                search.run()
        except KeyboardInterrupt:
            self._stopped = "interrupted"
        if search.best is None:
            start = np.zeros(search.demand.offer.seats.shape)
            search.best = follow_demand(search.demand, start, FEW_ROUNDS)
        if search.best.error > 0 and self._stopped == "cleared":
            self._stopped = "time limit" if self.clock.is_over else "attempts"
        self._attempts += search.attempts

    def _seating(
        self,
        shared: list[_Shared],
        bundles: np.ndarray,
        offered: np.ndarray,
        cancelled: tuple[tuple[int, int], ...],
        changed: tuple[int, ...],
    ) -> Seating:
        students = np.concatenate([part.students for part in shared])
        back = np.argsort(students)

        def joined(name: str) -> np.ndarray:
            return np.concatenate([getattr(part, name) for part in shared])[back]

        all_wishes = [wish for part in shared for wish in part.wishes]
        allocation = Allocation(bundles)
        check_feasible(allocation, self.market)
        most = max(1, *(wish.most + len(wish.held) for wish in all_wishes))
        # Envy does not ask whether there was a seat left.
        envious = wishes(
            self.market,
            self.utilities,
            self.rules,
            self._orders,
            [offered] * self.market.num_bidders,
        )
        sigma = min(2 * most, self.market.num_goods)
        return Seating(
            self.market,
            self.rules,
            allocation,
            tuple(part.price_list for part in shared),
            joined("costs"),
            self.base_budgets,
            joined("budgets"),
            joined("utilities"),
            joined("num_better"),
            joined("is_best"),
            np.array([all_wishes[i].complete for i in back]),
            self._error(shared),
            float(np.sqrt(sigma * self.market.num_goods) / 2),
            any(part.is_repaired for part in shared),
            any(part.ties_by_lot for part in shared),
            self._stopped,
            cancelled,
            changed,
            self._attempts,
            monotonic() - self._began,
            envious,
        )

    def _error(self, shared: list[_Shared]) -> float:
        """Seats taken beyond the target, and below it in a course with a price."""
        pools = SeatDesk(self.market, self.rules)
        squares = 0.0
        for part in shared:
            offer = pools.offer(part.students)
            totals = offer.totals(part.schedules)
            prices = part.price_list.prices
            squares += float((offer.excess(totals, prices) ** 2.0).sum())
            pools.give(self.market, part.students, part.schedules)
        return float(np.sqrt(squares))


def _proofs(demand: Demand, all_wishes: Sequence[Wish], point: Point) -> np.ndarray:
    """For whom it is proven that nothing better is within the budget."""
    rankings = demand.rankings

    def is_best(student: int) -> bool:
        own = float(rankings.utilities[student, point.choice[student]])
        if point.choice[student] < rankings.certain[student]:
            # Everything better is listed, so it is enough to look there.
            first = demand.choose(point.prices, np.array([student]), point.budgets)[0]
            return bool(rankings.utilities[student, first] <= own + 1e-9 * max(1.0, abs(own)))
        wish = all_wishes[student]
        prices = point.prices[demand.offer.classes[student]][wish.courses]
        best = best_schedules(wish, 1, prices, float(point.budgets[student]))
        if not len(best.utilities):
            return best.is_all
        most = max(float(best.utilities[0]), best.least)  # nobody knows of a better one
        return bool(most <= own + 1e-9 * max(1.0, abs(own)))

    return np.array(in_parallel(is_best, range(rankings.num_students)), dtype=bool)


def _in_order(market: Market, order: np.ndarray) -> Market:
    bidders: tuple[Bidder, ...] = tuple(market.bidders[i] for i in order)
    return replace(market, bidders=bidders)


def _rules_in_order(rules: SeatRules, order: np.ndarray) -> SeatRules:
    return replace(
        rules,
        **{
            name: tuple(getattr(rules, name)[i] for i in order) if getattr(rules, name) else ()
            for name in ("required", "held", "priorities", "groups")
        },
    )


def _in_first_order(
    seating: Seating, market: Market, rules: SeatRules, order: np.ndarray
) -> Seating:
    """The seating for the students as the caller listed them."""
    back = np.argsort(order)
    arrays = {
        name: getattr(seating, name)[back]
        for name in (
            "costs",
            "base_budgets",
            "budgets",
            "utilities",
            "num_better",
            "is_best",
            "is_complete",
        )
    }
    return replace(
        seating,
        market=market,
        rules=rules,
        allocation=Allocation(seating.allocation.bundles[back]),
        wishes=[seating.wishes[i] for i in back],
        **arrays,
    )
