"""Mechanisms as presets: names for lists of phases made of the same parts."""

from collections.abc import Callable
from dataclasses import fields, replace
from functools import partial
from typing import Any

from boca.core.errors import InputError
from boca.core.market import Market
from boca.core.settings import check_keys
from boca.core.wording import did_you_mean
from boca.mechanism.hybrid_presets import hybrid, local, ml_cca, mlhca
from boca.mechanism.params import AuctionParams
from boca.mechanism.phases import Phase
from boca.mechanism.preset import Choices, Preset
from boca.queries import (
    Acquisition,
    Clock,
    FirstBundles,
    Narrowing,
    Planner,
    ProfitBids,
    RaisedBids,
    RandomBundles,
    SuggestedBundles,
)
from boca.surrogates.baselines import baseline_params, ft_shares
from boca.surrogates.fourier import check_single_copies
from boca.surrogates.hyperparameters import recommended
from boca.surrogates.registry import Surrogate

# Share of the questions that are kept for ranges.
NARROWING = 0.1


def auction_params(
    mechanism: str,
    market: Market,
    tuned: str = "",
    q: float | None = None,
    **changes: Any,
) -> AuctionParams:
    """
    The settings of a mechanism for a market.

    Parameters
    ----------
    mechanism
        A key of ``PRESETS``.
    market
        Goods and bidders; its bidder types are looked up.
    tuned, q
        As in :class:`Choices`.
    changes
        Other fields of :class:`Choices` or :class:`AuctionParams`. The payment rule of an exchange
        is ``threshold`` unless another is given.
    """
    preset = get_preset(mechanism)
    chosen = [f.name for f in fields(Choices)]
    check_keys(changes, [*chosen, *(f.name for f in fields(AuctionParams))])
    shared = {"num_total"} & changes.keys()
    choices = Choices(
        tuned=tuned.lower().removeprefix("exchange-"),
        q=q,
        **{key: changes[key] for key in shared},
        **{key: changes.pop(key) for key in chosen if key in changes and key not in shared},
    )
    preset.check_acquisition(mechanism, choices.acquisition)
    if choices.proof is None:
        seconds = choices.solve_seconds or preset.solve_seconds
        choices = replace(choices, proof=preset.proof, solve_seconds=seconds)
    phases = with_endowments(preset.phases(market, choices), market)
    if choices.ranges:
        num_queries = max(1, round(NARROWING * choices.num_total))
        phases += (Phase("narrow", Narrowing(), num_queries=num_queries),)
    rule = {"payment_rule": "threshold"} if market.is_exchange else {}
    return AuctionParams(**{"phases": phases, "mechanism": mechanism, **rule, **changes})


def with_endowments(phases: tuple[Phase, ...], market: Market) -> tuple[Phase, ...]:
    """Phases of an exchange, which begin with the values of what everybody holds."""
    if not market.is_exchange or (phases and isinstance(phases[0].planner, FirstBundles)):
        return phases
    return (Phase("endowments", FirstBundles(1), num_queries=1), *phases)


def get_preset(mechanism: str) -> Preset:
    """The preset of a name; an error that lists the names otherwise."""
    if mechanism not in PRESETS:
        raise InputError(f"Unknown mechanism '{mechanism}'; {did_you_mean(mechanism, PRESETS)}")
    return PRESETS[mechanism]


def boca(market: Market, choices: Choices) -> tuple[Phase, ...]:
    """First queries, then rounds that maximise the upper uncertainty bound."""
    return choices.first(), _learning(choices.acquiring("upper"), _networks(market, choices))


def mvnn(market: Market, choices: Choices) -> tuple[Phase, ...]:
    """The same networks, whose mean is maximised."""
    return choices.first(), _learning(choices.acquiring("mean"), _networks(market, choices))


def boca_2023(market: Market, choices: Choices) -> tuple[Phase, ...]:
    """The same with networks that are trained as published."""
    networks = _networks(market, choices)
    published = {kind: params.as_published for kind, params in networks.params.items()}
    learner = replace(networks, params=published)
    return choices.first(), _learning(choices.acquiring("upper"), learner)


def baseline(
    name: str, surrogate: str, full_bundle: bool = True
) -> Callable[[Market, Choices], tuple[Phase, ...]]:
    """A published mechanism whose rounds maximise the mean of another surrogate."""

    def phases(market: Market, choices: Choices) -> tuple[Phase, ...]:
        learner = Surrogate(surrogate, baseline_params(name, market, choices.tuned))
        return choices.first(full_bundle), _learning(choices.acquiring("mean"), learner)

    return phases


def ft(market: Market, choices: Choices, full_bundle: bool = True) -> tuple[Phase, ...]:
    """Networks, then queries that show Fourier coefficients, then sparse Fourier functions."""
    check_single_copies(market)
    params = baseline_params("ft-mlca", market, choices.tuned)
    network, fourier = Surrogate("fourier-network", params), Surrogate("fourier", params)
    shares = ft_shares(choices.tuned)
    planners: tuple[tuple[str, Planner, Surrogate], ...] = (
        ("network", choices.acquiring("mean"), network),
        ("reconstruction", SuggestedBundles(choices.num_per_round), fourier),
        ("fourier", choices.acquiring("mean", "main"), fourier),
    )
    return (
        choices.first(full_bundle),
        *(
            Phase(name, planner, surrogate, share=share)
            for (name, planner, surrogate), share in zip(planners, shares, strict=True)
            if share > 0
        ),
    )


def cca(market: Market, choices: Choices) -> tuple[Phase, ...]:
    """Rising prices, then raised bids, then the most profitable bundles at the final prices."""
    return (
        Phase("clock", Clock(), share=1.0),
        Phase("raised", RaisedBids()),
        Phase("profit-max", ProfitBids()),
    )


def random(market: Market, choices: Choices, full_bundle: bool = True) -> tuple[Phase, ...]:
    """First queries, then further random bundles."""
    planner = RandomBundles(choices.num_per_round)
    return choices.first(full_bundle), Phase("random", planner, share=1.0)


PRESETS: dict[str, Preset] = {
    "boca": Preset(
        "BOCA: monotone networks, queries maximise the upper uncertainty bound",
        boca,
        acquisitions=("upper", "mean", "bounded", "envelope"),
        has_quantiles=True,
    ),
    "boca-2023": Preset(
        "BOCA as published, to the letter: training by epochs, proofs, first bundles, end at 0 % "
        "loss; takes far longer",
        boca_2023,
        acquisitions=("upper", "mean", "bounded", "envelope"),
        has_quantiles=True,
        proof=0.005,
        solve_seconds=600.0,
        published_start=True,
        stop_when_efficient=True,
    ),
    "mvnn": Preset(
        "the paper's OUR-MVNN-MLCA: the same networks, queries maximise the mean",
        mvnn,
        acquisitions=("mean", "upper", "bounded", "envelope"),
        has_quantiles=True,
    ),
    "mvnn-2022": Preset(
        "MVNN-MLCA as the paper quotes it: monotone networks with generic initialisation, queries "
        "maximise the mean, no full bundle at first",
        baseline("mvnn-mlca", "mean-net", full_bundle=False),
        acquisitions=("mean",),
        stop_when_efficient=True,
    ),
    "nn-2020": Preset(
        "NN-MLCA as the paper quotes it: as nn, no full bundle at first",
        baseline("nn-mlca", "mean-net", full_bundle=False),
        acquisitions=("mean",),
        stop_when_efficient=True,
    ),
    "fourier-2021": Preset(
        "FT-MLCA as the paper quotes it: as ft, no full bundle at first",
        partial(ft, full_bundle=False),
        acquisitions=("mean",),
        stop_when_efficient=True,
    ),
    "random-2023": Preset(
        "random search as the paper quotes it: as random, no full bundle at first",
        partial(random, full_bundle=False),
        learns=False,
        stop_when_efficient=True,
    ),
    "nn": Preset(
        "NN-MLCA: plain ReLU networks, queries maximise the mean",
        baseline("nn-mlca", "mean-net"),
        acquisitions=("mean",),
    ),
    "svr": Preset(
        "SVR-MLCA: support vector regression with a quadratic kernel, queries maximise its mean",
        baseline("svr-mlca", "svr"),
        acquisitions=("mean",),
    ),
    "ft": Preset(
        "FT-MLCA: rounds with ReLU networks, then queries that show Fourier coefficients, then "
        "sparse Fourier functions in the main economy",
        ft,
        acquisitions=("mean",),
    ),
    "cca": Preset(
        "combinatorial clock auction: rising prices, then raised and profit-maximising bids",
        cca,
        learns=False,
        asks_first_queries=False,
    ),
    "random": Preset("random search: every query is a random bundle", random, learns=False),
    "hybrid": Preset(
        "demand queries at quick prices, then demand and value queries, then value queries near "
        "the best allocation; identical licences are merged",
        hybrid,
        acquisitions=("mean",),
        asks_first_queries=False,
        merges_copies=True,
    ),
    "local": Preset(
        "value queries near the best allocation, by networks that share a layer; identical "
        "licences are merged",
        local,
        acquisitions=("mean",),
        asks_first_queries=False,
        merges_copies=True,
    ),
    "ml-cca": Preset(
        "ML-CCA: a clock, then demand queries at prices from networks; identical licences are "
        "merged",
        ml_cca,
        asks_first_queries=False,
        merges_copies=True,
    ),
    "mlhca": Preset(
        "MLHCA: a clock, demand queries at prices from networks, a bridge bid, then value queries "
        "that maximise the mean; identical licences are merged",
        mlhca,
        acquisitions=("mean",),
        asks_first_queries=False,
        merges_copies=True,
    ),
}


def _learning(planner: Acquisition, surrogate: Surrogate) -> Phase:
    """The phase that uses what is left of the budget with a planner that needs a surrogate."""
    return Phase("acquisition", planner, surrogate, share=1.0)


def _networks(market: Market, choices: Choices) -> Surrogate:
    """BOCA's networks, with published hyperparameters where there are any."""
    return Surrogate("mvnn", recommended(market, choices.tuned, choices.q))
