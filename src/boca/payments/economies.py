"""
The only place that settlements are solved: everybody, everybody without one, worths less shares.

Plain options (sales) keep one packing for all economies, which share bounds, starts and trees.
Others are packings with a seat for each owner, or a program, one economy after the other: to share
those costs a large purchase 8 % of its time and changes who takes what without somebody.
"""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from math import lcm
from time import perf_counter

import numpy as np

from boca.core.economy import Economy
from boca.core.errors import MissingExtra, SolverError
from boca.core.money import MOST_EXACT
from boca.milp import installed
from boca.payments.accepted import Accepted, total
from boca.payments.allocating import ask_solver
from boca.payments.bids import MOST_TOGETHER
from boca.payments.effort import Effort
from boca.payments.options import Options, accepted_options, choose, places_of
from boca.payments.problem import Problem
from boca.payments.program import Chosen
from boca.payments.winners import WinnerDetermination

# Solvers that can check HiGHS and our own methods, in the order they are tried.
SECOND_SOLVERS = ("scip", "gurobi")
# What a second solver's bound may miss, relative to the largest worth.
TOLERANCE = 1e-6
# Share of a limited time for everybody; the economies without somebody share the rest.
MAIN_SHARE = 0.5
Without = dict[int, Chosen | None]


class Economies:
    """
    The economies of a problem.

    Parameters
    ----------
    problem
        Everybody's offers.
    effort
        When to stop.
    verifier
        Name of a second solver; None from the first economy on that it could not confirm.
    """

    def __init__(self, problem: Problem, effort: Effort, verifier: str | None = None):
        self.problem, self.effort, self.verifier = problem, effort, verifier

    def solve(self, needs_shares: bool) -> tuple[Chosen, Without] | None:
        """
        The best choice, and the best one without each dealer; None if there is no choice.

        Parameters
        ----------
        needs_shares
            Whether anybody's presence is asked for. Where shares need proofs, the first economy
            without one is the last; None stands for one without any choice.
        """
        if self.problem.options.is_plain:
            return self._solve_together(needs_shares)
        return self._solve_apart(needs_shares)

    def _solve_together(self, needs_shares: bool) -> tuple[Chosen, Without]:
        """
        Plain options: each economy begins with everything that is known from the others.

        What time does not suffice for keeps the best known bids and a bound that holds.
        """
        options, num = self.problem.options, self.problem.num_participants
        made = options.packing()
        assert made is not None  # nothing fits always
        packing, numbers = made
        effort, determination = self.effort, WinnerDetermination(packing, self.effort)
        main_deadline = effort.deadline
        if effort.max_seconds is not None and needs_shares:
            main_deadline = effort.began + MAIN_SHARE * effort.max_seconds
        everybody, stage = Economy.main(num), self.problem.stage
        main = determination.accept(everybody, stage, deadline=main_deadline)

        winners = sorted(set(packing.owners[main.bids].tolist())) if needs_shares else []
        marginal: dict[int, Accepted] = {}
        if winners and main.method == "branching" and main.is_proven:
            marginal = determination.accept_without(winners, num, effort.deadline)
        rest = [i for i in winners if i not in marginal]
        for place, i in enumerate(rest):
            now = perf_counter()
            share = (effort.deadline - now) / (len(rest) - place)
            name = f"without {self.problem.market.bidders[i].name}"
            economy = Economy.without(i, num)
            marginal[i] = determination.accept(economy, name, deadline=now + share)

        main = improved(determination, main, np.ones(len(packing), dtype=bool))
        affected = sorted({*marginal, *packing.owners[main.bids].tolist()}) if needs_shares else []
        best = accepted_options(options, packing, numbers, main)
        self._confirm(options, best, "main")
        without: Without = {}
        for i in affected:
            own = improved(determination, marginal.get(i, main), packing.owners != i)
            chosen = accepted_options(options, packing, numbers, own)
            self._confirm_without(i, chosen)
            without[i] = chosen
        return best, without

    def _solve_apart(self, needs_shares: bool) -> tuple[Chosen, Without] | None:
        problem, options = self.problem, self.problem.options
        effort = self.effort.for_share(MAIN_SHARE) if needs_shares else self.effort
        best = choose(options, effort, stage=problem.stage, start=self._start(options))
        if best is None:
            return None
        self._confirm(options, best, "main")
        without: Without = {}
        if needs_shares and (best.is_proven or not problem.needs_proof):
            for i in problem.dealers(best):
                chosen = without[i] = self._without(i)
                if problem.needs_proof and (chosen is None or not chosen.is_proven):
                    break
        return best, without

    def _start(self, options: Options) -> np.ndarray | None:
        """What to begin with where time is short."""
        return self.problem.start(options) if np.isfinite(self.effort.deadline) else None

    def _numbers_without(self, i: int) -> np.ndarray:
        """The options where a participant takes what it has without a deal."""
        is_open = self.problem.options.owners != i
        is_open[self.problem.no_deal[i]] = True
        return np.flatnonzero(is_open)

    def _without(self, i: int) -> Chosen | None:
        """The best choice without a deal of somebody; None if there is none."""
        if self.problem.no_deal[i] < 0:
            return None
        numbers = self._numbers_without(i)
        options = self.problem.options.keep(numbers)
        chosen = choose(options, self.effort, stage=self.problem.stage, start=self._start(options))
        return None if chosen is None else replace(chosen, options=numbers[chosen.options])

    def lowered(self, shares: Sequence[Fraction], best: Chosen) -> Chosen:
        """
        The best choice where every deal of a participant is worth its share less.

        Shares are counted in so small a part of a unit that they are whole, or, where that would
        be too small for exact sums, in the smallest part that is not; in floats where there is no
        unit.

        Parameters
        ----------
        shares
            In units, ``(num_participants,)``.
        best
            The choice that they belong to.
        """
        options = self.problem.options
        worth, parts = self._lowered(shares)
        numbers = np.arange(len(worth))
        changed = replace(options, worth=worth)
        # A start would change which of several groups is found, unless time is short.
        start = self._start(changed)
        if options.is_plain:
            numbers = np.flatnonzero((worth > 0) | options.is_nothing)
            changed = changed.keep(numbers)
            start = places_of(best.options, numbers)
        effort = self.effort.in_units(1.0 / parts)
        chosen = choose(changed, effort, stage="blocking groups", start=start)
        assert chosen is not None  # the best choice is one
        if options.is_plain:
            self._confirm(changed, chosen, "with lowered offers", parts)
        return replace(chosen, options=numbers[chosen.options])

    def _lowered(self, shares: Sequence[Fraction]) -> tuple[np.ndarray, int]:
        """Every option's worth less its owner's share, and in which part of a unit it is."""
        problem, options = self.problem, self.problem.options
        parts = self._parts(shares)
        counted = (float(round(s * parts)) if problem.is_whole else float(s) for s in shares)
        off = np.array([*counted, 0.0])
        is_deal = np.ones(len(options.owners), dtype=bool)
        is_deal[problem.no_deal[problem.no_deal >= 0]] = False
        owners = np.where(is_deal, np.minimum(options.owners, len(shares)), len(shares))
        return options.worth * parts - off[owners], parts

    def _parts(self, shares: Sequence[Fraction]) -> int:
        """Into how many parts a unit is cut."""
        options = self.problem.options
        if not self.problem.is_whole:
            return 1
        if options.is_plain:
            worth = options.worth[options.worth > 0]
            num = len(np.unique(options.owners[options.worth > 0]))
            most = min(MOST_EXACT, MOST_TOGETHER / max(num, 1)) / float(worth.max(initial=1.0))
        else:
            largest = float(np.abs(options.worth).sum()) * options.num_participants
            most = MOST_EXACT / max(largest, 1.0)
        parts = lcm(*(share.denominator for share in shares))
        return parts if parts <= most else 1 << max(int(most).bit_length() - 1, 0)

    def _confirm_without(self, i: int, chosen: Chosen) -> None:
        """As :meth:`_confirm`, of the economy without somebody."""
        if self.verifier is None:
            return
        numbers = self._numbers_without(i)
        own = replace(chosen, options=np.searchsorted(numbers, chosen.options))
        name = self.problem.market.bidders[i].name
        self._confirm(self.problem.options.keep(numbers), own, f"without {name}")

    def _confirm(self, options: Options, first: Chosen, where: str, parts: int = 1) -> None:
        """
        Asks a second solver, if there is one; SolverError if it contradicts.

        It confirms a choice if it came to its end and has nothing better. It contradicts it if it
        has something better although that is proven, or above its bound, if its own bound is below
        it, or if it looked by itself and came to its end with something worse. Of whole units, one
        more is better.
        """
        if self.verifier is None:
            return
        second = asked(options, first, self.verifier, self.effort)
        largest = float(np.abs(options.worth).max(initial=0.0)) or 1.0
        step = 1.0 if is_exact(options) else TOLERANCE * largest
        most = first.worth if first.is_proven else first.bound
        is_other = second.worth - most >= step
        if not options.is_plain:  # else it began with ours, and can lose it in its tolerance only
            is_other |= second.is_finished and first.worth - second.worth >= step
        if is_other or first.worth - second.bound > TOLERANCE * largest:
            told = second.worth if is_other else second.bound
            raise SolverError(
                f"Verification failed in the economy '{where}': we found "
                f"{self.problem.money(first.worth / parts):.15g}, the solver '{self.verifier}' "
                f"found {self.problem.money(told / parts):.15g}. Please report this with the bids."
            )
        if not second.is_finished or second.worth - first.worth >= step:
            self.verifier = None


def is_exact(options: Options) -> bool:
    """Whether one unit decides: whole worths, and of plain options exact sums of them."""
    made = options.packing() if options.is_plain else None
    return options.decimals is not None if made is None else made[0].is_whole


def improved(
    determination: WinnerDetermination, accepted: Accepted, is_open: np.ndarray
) -> Accepted:
    """
    The best known bids of an economy, if another economy knew better ones.

    Without proof, the bids without a bidder can be better than those with it; they are bids of the
    main economy as well.
    """
    packing = determination.packing
    best = determination.best_known(is_open)
    own = accepted.bids[is_open[accepted.bids]]
    step = 0.5 if packing.is_whole else 1e-12 * packing.scale
    if total(packing, best) > total(packing, own) + step:
        return Accepted.of(packing, best, accepted.bound, accepted.method)
    if len(own) < len(accepted.bids):
        return Accepted.of(packing, own, accepted.bound, accepted.method)
    return accepted


def asked(options: Options, first: Chosen, solver: str, effort: Effort) -> Chosen:
    """Another solver's choice; of plain options it begins with ours, and has to prove it."""
    if not options.is_plain:
        chosen = choose(options, effort, solver=solver)
        return replace(first, worth=-np.inf, bound=-np.inf) if chosen is None else chosen
    made = options.packing()
    assert made is not None  # nothing fits always
    packing, numbers = made
    start = places_of(first.options, numbers)
    answer = ask_solver(packing, Economy.main(options.num_participants), solver, effort, start)
    worth = total(packing, answer.bids)
    return replace(first, worth=worth, bound=answer.bound, is_finished=answer.is_finished)


def second_solver() -> str:
    """The solver that checks the first; MissingExtra if there is none."""
    for name in SECOND_SOLVERS:
        if name in installed():
            return name
    raise MissingExtra("pyscipopt", "scip", "Verification with a second solver")
