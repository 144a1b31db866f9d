"""
A round of BOCA: bundles of the allocations that maximise the acquisitions, economy by economy.

Deviations from Algorithm 2 (BOCA, Appendix A), beside those of :mod:`boca.queries.next_query`:

1. Marginal economies are chosen globally and balanced, see :mod:`boca.queries.economies`.
2. Marginal queries come first for all bidders, then the main economy's.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, get_args

import numpy as np

from boca.core.economy import Economy
from boca.core.errors import InfeasibleAllocation, InputError
from boca.core.market import Market
from boca.core.query import Query
from boca.core.randomness import Seeds
from boca.core.report import Reports
from boca.core.settings import check_at_least, check_choice, check_positive, check_types
from boca.functions import XorTable
from boca.functions.value_function import ValueFunction
from boca.queries.economies import MarginalUse
from boca.queries.next_query import NextQuery, Solve
from boca.queries.planner import Plan, Planner, Prediction, Situation, register_planner
from boca.queries.random_bundles import random_queries
from boca.surrogates.fitted import AcquisitionKind, Fitted
from boca.wdp import WelfareProblem, WelfareResult, Workspace, maximise_welfare

Economies = Literal["all", "main"]


@register_planner
@dataclass(frozen=True)
class Acquisition(Planner):
    """
    Asks about the bundles of allocations that maximise the acquisitions (Algorithm 2).

    Parameters
    ----------
    acquisition
        What a query maximises: the ``upper`` bound (BOCA), the ``mean``, or ``bounded``, the
        smaller of upper bound and envelope; or the ``envelope`` itself.
    economies
        Whose best allocations give queries: the main and marginal ones (``all``), or ``main``.
    num_per_round
        Questions per bidder and round: Q_round of the paper.
    proof
        How good every winner-determination answer must provably be: ``none``, a relative gap, or
        ``optimal``.
    solve_seconds
        Time limit of one winner-determination problem, in addition to the proof; None for no
        limit.
    """

    name: ClassVar[str] = "acquisition"
    acquisition: AcquisitionKind = "upper"
    economies: Economies = "all"
    num_per_round: int = 4
    proof: str | float = "none"
    solve_seconds: float | None = None

    def __post_init__(self) -> None:
        check_types(self)
        check_choice(get_args(AcquisitionKind), acquisition=self.acquisition)
        check_choice(get_args(Economies), economies=self.economies)
        check_at_least(1, num_per_round=self.num_per_round)
        check_proof(self.proof)
        if self.solve_seconds is not None:
            check_positive(solve_seconds=self.solve_seconds)

    @property
    def per_round(self) -> int:
        return self.num_per_round

    def plan(self, situation: Situation, fitted: Mapping[int, Fitted], seeds: Seeds) -> Plan:
        """Queries from the fitted functions; random ones for bidders without any report."""
        acquisitions = self._acquire(situation.market, fitted)
        solve = self._solver(situation.market, acquisitions, seeds.child("solve").integer(31))
        next_query = NextQuery(
            situation.market, acquisitions, situation.reports, situation.declined, solve
        )
        queries, use = self.ask(situation, next_query, sorted(fitted), seeds)
        silent = [i for i in range(situation.market.num_bidders) if i not in fitted]
        queries += random_queries(situation, silent, self.num_per_round, seeds)
        return Plan(queries, use, self._predict(situation.market, next_query, bool(fitted)))

    def _acquire(self, market: Market, fitted: Mapping[int, Fitted]) -> list[ValueFunction]:
        """What queries maximise, one function per bidder; 0 for those who said nothing."""
        nothing = XorTable.from_reports(Reports.empty(market.num_goods), market.capacities)
        return [
            fitted[i].acquisition(self.acquisition) if i in fitted else nothing
            for i in range(market.num_bidders)
        ]

    def ask(
        self, situation: Situation, next_query: NextQuery, bidders: Sequence[int], seeds: Seeds
    ) -> tuple[tuple[Query, ...], MarginalUse]:
        """
        The queries of one round (Algorithm 2, lines 4 to 8), and the use of economies.

        Parameters
        ----------
        situation
            Whose economies were used how often.
        next_query
            Algorithm 1.
        bidders
            Who is asked, ascending.
        seeds
            The random streams of the round, which break ties between economies.
        """
        n = situation.market.num_bidders
        generator = seeds.child("economies").generator()
        num_marginal = 0 if self.economies == "main" else self.num_per_round - 1
        # With one bidder the marginal economy is empty; with one query only the main counts.
        num_global = min(self.num_per_round, n) if num_marginal and n > 1 else 0
        chosen, use = situation.use.choose_global(num_global, generator)

        queries: list[Query | None] = []
        # Where marginal economies are few, the main one gives the rest.
        num_main = [self.num_per_round] * n
        for i in bidders:  # line 4
            mine, use = use.choose_for(i, chosen, num_marginal, generator)  # line 5
            num_main[i] -= len(mine)
            queries += [next_query(i, Economy.without(j, n), "marginal") for j in mine]  # line 7
        for i in bidders:
            queries += [next_query(i, Economy.main(n), "main") for _ in range(num_main[i])]  # 8
        return tuple(query for query in queries if query is not None), use

    def _predict(self, market: Market, next_query: NextQuery, solved: bool) -> Prediction:
        """What is known about the main economy; small markets come with a proof for free."""
        best = next_query.best(Economy.main(market.num_bidders)) if solved else None
        proven = best is not None and np.isfinite(best.bound)
        return Prediction(
            welfare=best.welfare if best is not None else None,
            bound=best.bound if best is not None and proven else None,
            gap=best.gap if best is not None and proven else None,
            num_solved=next_query.num_solved,
            num_displaced=next_query.num_displaced,
        )

    def _solver(self, market: Market, functions: Sequence[ValueFunction], seed: int) -> Solve:
        """The winner determination of one round; its economies share tables and incumbents."""
        workspace = Workspace(market, functions)

        def solve(problem: WelfareProblem) -> WelfareResult | None:
            try:
                return maximise_welfare(
                    problem,
                    proof=self.proof,
                    time_limit=self.solve_seconds,
                    seed=seed,
                    workspace=workspace,
                )
            except InfeasibleAllocation:
                # A bidder that has been asked about every bundle has none left to be given.
                return None

        return solve


def check_proof(proof: str | float) -> None:
    """Raises unless the wanted proof is ``none``, ``optimal`` or a gap in (0, 1)."""
    if isinstance(proof, str) and proof in ("none", "optimal"):
        return
    if isinstance(proof, float | int) and not isinstance(proof, bool) and 0 < proof < 1:
        return
    raise InputError(
        f"Received proof = {proof!r}; expected 'none', 'optimal' or a relative gap such as 0.005."
    )
