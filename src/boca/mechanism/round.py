"""One round: learn from the reports, then find the queries."""

import time
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from boca.core.errors import InfeasibleAllocation
from boca.core.market import Market
from boca.core.query import Query, Reason
from boca.core.randomness import Seeds
from boca.core.report import Reports
from boca.functions import XorTable
from boca.functions.value_function import ValueFunction
from boca.mechanism.callbacks import Callback
from boca.mechanism.learners import Learner
from boca.mechanism.params import AuctionParams
from boca.mechanism.record import RoundRecord
from boca.mechanism.state import AuctionState
from boca.queries.economies import MarginalUse
from boca.queries.initial import draw_bundles
from boca.queries.plan_round import RoundPlanner, Solve, plan_round
from boca.surrogates.fitted import Fitted
from boca.wdp import WelfareProblem, WelfareResult, Workspace, maximise_welfare

# What a round hands back: its queries, the use of marginal economies, and what is known of it.
Planned = tuple[tuple[Query, ...], MarginalUse, RoundRecord]


def plan(state: AuctionState, callbacks: Sequence[Callback] = ()) -> Planned:
    """The queries of the next round and how they came about."""
    seeds = Seeds(state.params.seed).child("round", state.round)
    num_asked = max(state.num_asked)
    now = replace(state, params=state.params.at(num_asked))
    queries, use, record = _plan(now, seeds, callbacks)
    phase = state.params.phase_at(num_asked)
    return queries, use, replace(record, phase=phase.name if phase else "")


def _plan(state: AuctionState, seeds: Seeds, callbacks: Sequence[Callback]) -> Planned:
    """The round by the settings of its phase."""
    if state.params.acquisition == "random":
        return random_queries(state, seeds, range(state.market.num_bidders)), state.use, _record()

    for callback in callbacks:
        callback.on_learning(state)
    started = time.perf_counter()
    fitted = learn(state, seeds)
    learned = time.perf_counter()
    if state.params.acquisition == "suggested":
        record = replace(_record(), learning_seconds=learned - started, fit_r2=worst_fit(fitted))
        return suggested_queries(state, fitted, seeds), state.use, record

    for callback in callbacks:
        callback.on_solving(state)
    queries, use, record = search(state, fitted, seeds)
    record = replace(
        record,
        learning_seconds=learned - started,
        solving_seconds=time.perf_counter() - learned,
        fit_r2=worst_fit(fitted),
    )
    return queries, use, record


def learn(state: AuctionState, seeds: Seeds) -> dict[int, Fitted]:
    """Fitted functions of the bidders that have reported anything."""
    params = state.params
    learner = Learner(params.surrogate, params.surrogate_params)
    reports = [with_full_bundle(own, state.market) for own in state.reports]
    return learner.fit(reports, state.market, seeds.child("fit").integer(31))


def with_full_bundle(reports: Reports, market: Market) -> Reports:
    """
    Reports that surely hold the full bundle, which learning needs for its scale.

    A bidder that declined to value it is taken at its word for the rest: by monotonicity the full
    bundle is worth at least the largest report, and this is the value used. It is used for
    learning alone, never for the outcome.
    """
    if not len(reports) or market.full_bundle in reports:
        return reports
    return reports.add(market.full_bundle, reports.values.max())


def search(state: AuctionState, fitted: dict[int, Fitted], seeds: Seeds) -> Planned:
    """Queries from the fitted functions; random ones for bidders without any report."""
    market, params = state.market, state.params
    nothing = XorTable.from_reports(Reports.empty(market.num_goods), market.capacities)
    acquisitions: list[ValueFunction] = [
        fitted[i].acquisition(params.acquisition) if i in fitted else nothing  # type: ignore[arg-type]
        for i in range(market.num_bidders)
    ]
    refused = [state.refused(i) for i in range(market.num_bidders)]
    solve = solver(params, market, acquisitions, seeds.child("solve").integer(31))
    planner = RoundPlanner(market, acquisitions, state.reports, refused, solve)
    generator = seeds.child("economies").generator()
    found = plan_round(
        planner,
        market,
        state.use,
        params.num_per_round,
        generator,
        tuple(sorted(fitted)),
        main_only=params.economies == "main",
    )

    queries = tuple(explain(query, fitted[query.bidder]) for query in found.queries)
    silent = [i for i in range(market.num_bidders) if i not in fitted]
    queries += random_queries(state, seeds, silent)
    # Small markets come with a proof whether or not one was asked for.
    proven = found.main is not None and np.isfinite(found.main.bound)
    record = replace(
        _record(),
        predicted_welfare=None if found.main is None else found.main.welfare,
        bound=found.main.bound if found.main and proven else None,
        gap=found.main.gap if found.main and proven else None,
        num_solved=found.num_solved,
        num_displaced=found.num_displaced,
    )
    return queries, found.use, record


def solver(
    params: AuctionParams, market: Market, functions: Sequence[ValueFunction], seed: int
) -> Solve:
    """The winner-determination call of one round; its economies share tables and incumbents."""
    workspace = Workspace(market, functions)

    def solve(problem: WelfareProblem) -> WelfareResult | None:
        try:
            return maximise_welfare(
                problem,
                proof=params.proof,
                time_limit=params.solve_seconds,
                seed=seed,
                workspace=workspace,
            )
        except InfeasibleAllocation:
            # A bidder that has been asked about every bundle has none left to be given.
            return None

    return solve


def suggested_queries(
    state: AuctionState, fitted: dict[int, Fitted], seeds: Seeds
) -> tuple[Query, ...]:
    """The first unasked bundles that each surrogate suggests; random ones where they run out."""
    wanted = state.params.num_per_round
    queries: list[Query] = []
    for i in range(state.market.num_bidders):
        known = _known(state, i)
        rows = fitted[i].suggestions if i in fitted else None
        new: list[np.ndarray] = []
        if rows is not None:
            allowed = rows[state.market.allows(i, rows) & rows.any(axis=1)]
            new = [row for row in allowed if row.tobytes() not in known][:wanted]
        own = [Query(i, tuple(row.tolist()), Reason("suggested")) for row in new]
        queries += [explain(query, fitted[i]) for query in own]
        known |= {row.tobytes() for row in new}
        generator = seeds.child("random", i).generator()
        drawn = draw_bundles(state.market, i, wanted - len(new), generator, known)
        queries += [Query(i, tuple(row.tolist()), Reason("random")) for row in drawn]
    return tuple(queries)


def random_queries(state: AuctionState, seeds: Seeds, bidders: Sequence[int]) -> tuple[Query, ...]:
    """Random unasked bundles for the given bidders."""
    queries = []
    for i in bidders:
        generator = seeds.child("random", i).generator()
        num = state.params.num_per_round
        drawn = draw_bundles(state.market, i, num, generator, _known(state, i))
        queries += [Query(i, tuple(row.tolist()), Reason("random")) for row in drawn]
    return tuple(queries)


def _known(state: AuctionState, bidder: int) -> set[bytes]:
    """Keys of the bundles that a bidder is not asked about again."""
    return {row.tobytes() for row in (*state.reports[bidder].bundles, *state.refused(bidder))}


def explain(query: Query, fitted: Fitted) -> Query:
    """The query with what each part of the surrogate says about its bundle."""
    bundle = query.array[None, :]

    def at(function: ValueFunction | None) -> float | None:
        return None if function is None else float(function(bundle)[0])

    reason = replace(
        query.reason,
        mean=at(fitted.mean),
        upper=at(fitted.upper),
        envelope=at(fitted.envelope),
    )
    return replace(query, reason=reason)


def worst_fit(fitted: dict[int, Fitted]) -> float | None:
    """Smallest R^2 on the training reports among the bidders, where surrogates tell it."""
    found = [f.diagnostics.get("upper_r2", f.diagnostics.get("mean_r2")) for f in fitted.values()]
    numbers = [float(r2) for r2 in found if r2 is not None]
    return float(np.min(numbers)) if numbers else None


def _record() -> RoundRecord:
    return RoundRecord(round=0, num_queries=0, num_reports=0, welfare=0.0)
