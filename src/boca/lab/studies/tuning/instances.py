"""What networks are trained and tested on: random bundles, or reports of an auction."""

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from boca.core.demand import Demands
from boca.core.errors import InputError
from boca.core.market import Bidder, Market
from boca.core.randomness import Seeds
from boca.core.report import Reports
from boca.core.wording import did_you_mean
from boca.lab.domains import Domain, load_domain
from boca.lab.domains.true_demand import demanded
from boca.lab.studies.learning.data import FEWEST_BUNDLES, distinct_bundles
from boca.lab.studies.learning.demand import clock_prices, wanted_bundles
from boca.lab.studies.tuning.criteria import get_criterion
from boca.lab.studies.tuning.setup import TuningSetup, drawn
from boca.mechanism.state_file import load_state
from boca.surrogates.hyperparameters import Tuning

CLOCK_ROUNDS = 60  # whose later prices say which bundles are wanted

# Instances in memory: more than the paper's hundred, in MRVM less than a gigabyte.
MOST_KEPT = 128

# Answers that are demands at a clock's prices instead of values, by surrogate, as a share.
DEMAND_SHARES = {"mixed": 1 / 3}


@dataclass(frozen=True, eq=False)
class Instance:
    """
    Bidders to learn about; limits are left out, because they are about winning, not about values.

    Parameters
    ----------
    market
        Goods, and the bidders that are learned about.
    reports, demands
        What each has said.
    tests
        Further bundles of each, with their values.
    """

    market: Market
    reports: tuple[Reports, ...]
    demands: tuple[Demands, ...]
    tests: tuple[Reports, ...]


@dataclass(frozen=True, eq=False)
class AuctionAnswers:
    """
    What was said in an auction.

    Parameters
    ----------
    market
        Goods and bidders.
    reports, demands
        One entry per bidder.
    """

    market: Market
    reports: tuple[Reports, ...]
    demands: tuple[Demands, ...]


def make_instance(setup: TuningSetup, number: int) -> Instance:
    """One instance, or one fold, of a search; kept in memory for the next trial."""
    wanted = get_criterion(setup.criterion).wanted
    if setup.reports:
        return _fold(
            setup.reports, setup.content, setup.bidder_type, setup.folds, number, setup.draw
        )
    num_demands = round(DEMAND_SHARES.get(setup.space.surrogate, 0.0) * setup.num_train)
    return _drawn(
        setup.market,
        setup.content,
        setup.generic,
        setup.bidder_type,
        Tuning(setup.num_train - num_demands, setup.num_test, 1),
        wanted,
        num_demands,
        number,
        setup.draw,
    )


def bidder_types(market: Market) -> list[str]:
    """Each type once, in the order of the bidders."""
    return list(dict.fromkeys(bidder.type for bidder in market.bidders))


def check_type(market: Market, bidder_type: str, name: str) -> None:
    """Raises unless a market has bidders of a type."""
    types = bidder_types(market)
    if bidder_type not in types:
        raise InputError(
            f"{name} has no bidder type '{bidder_type}'; {did_you_mean(bidder_type, types)}"
        )


def read_answers(path: str) -> AuctionAnswers:
    """The reports and demands in the state file of an auction."""
    state: dict[str, Any] = load_state(path)
    return AuctionAnswers(state["market"], tuple(state["reports"]), tuple(state["demands"]))


def num_folds(answers: AuctionAnswers, bidder_type: str | None, folds: int) -> int:
    """How many instances the reports of a bidder type make."""
    return folds if bidder_type is None else folds * len(_bidders_of(answers, bidder_type))


@lru_cache(maxsize=MOST_KEPT)
def _drawn(
    name: str,
    content: str,
    generic: bool,
    bidder_type: str | None,
    sizes: Tuning,
    wanted: bool,
    num_demands: int,
    number: int,
    draw: int,
) -> Instance:
    """Random bundles of the first bidder of a type, or of all bidders where they share layers."""
    domain = load_domain(name, seed=number, generic=generic)
    every = bidder_type is None
    bidders = list(range(domain.market.num_bidders))
    if not every:
        bidders = [domain.bidder_types.index(str(bidder_type))]
    reports, tests, demands = [], [], []
    prices = clock_prices(domain, CLOCK_ROUNDS) if wanted or num_demands else np.zeros((0, 0))
    for bidder in bidders:
        seeds = drawn(Seeds(number).child("tuning", bidder), draw)
        # A single bidder is usually asked about the bundles of the learning study.
        seed = seeds.integer(31) if every or draw else number
        train, test = _random_bundles(domain, bidder, sizes, seed)
        reports.append(train)
        tests.append(_wanted(domain, bidder, prices, seeds) if wanted else test)
        demands.append(_demands(domain, bidder, prices, num_demands))
    market = _without_limits(domain.market, bidders)
    return Instance(market, tuple(reports), tuple(demands), tuple(tests))


def _random_bundles(
    domain: Domain, bidder: int, sizes: Tuning, seed: int
) -> tuple[Reports, Reports]:
    """Bundles to train on, the full one among them, and others to test on."""
    num = sizes.num_train - 1 + sizes.num_test
    bundles = distinct_bundles(domain, bidder, num, seed, at_least=FEWEST_BUNDLES)
    num_random = min(sizes.num_train - 1, len(bundles) // 2)  # a small market is split into halves
    train = np.vstack([bundles[:num_random], domain.market.full_bundle])
    test = bundles[num_random:]
    return Reports(train, domain.values(bidder, train)), Reports(test, domain.values(bidder, test))


def _wanted(domain: Domain, bidder: int, prices: np.ndarray, seeds: Seeds) -> Reports:
    """Bundles that a bidder wants at some prices, which is where auctions ask."""
    bundles = wanted_bundles(domain, bidder, prices, seeds)
    return Reports(bundles, domain.values(bidder, bundles))


def _demands(domain: Domain, bidder: int, prices: np.ndarray, num_demands: int) -> Demands:
    """What a bidder wants at prices of a clock, spread over its rounds."""
    demands = Demands.empty(domain.market.num_goods)
    for row in np.linspace(0, len(prices) - 1, num_demands).astype(int):
        demands = demands.add(prices[row], demanded(domain, bidder, prices[row])[0])
    return demands


@lru_cache(maxsize=MOST_KEPT)
def _fold(
    path: str, content: str, bidder_type: str | None, folds: int, number: int, draw: int
) -> Instance:
    """Some reports of one bidder, or of every bidder, held out; the rest to train on."""
    answers = read_answers(path)
    if bidder_type is None:
        bidders, fold = [i for i, own in enumerate(answers.reports) if len(own)], number
    else:
        bidder, fold = divmod(number, folds)
        bidders = [_bidders_of(answers, bidder_type)[bidder]]
    parts = [_hold_out(answers, bidder, folds, fold, draw) for bidder in bidders]
    return Instance(
        _without_limits(answers.market, bidders),
        tuple(train for train, _ in parts),
        tuple(answers.demands[bidder] for bidder in bidders),
        tuple(test for _, test in parts),
    )


def _hold_out(
    answers: AuctionAnswers, bidder: int, folds: int, fold: int, draw: int
) -> tuple[Reports, Reports]:
    """
    The reports of one bidder in two parts.

    The largest bundle is always trained on: it bounds all others. Where it is not the full
    bundle, because limits forbid that, the full one is given its value.
    """
    reports, market = answers.reports[bidder], answers.market
    inner = np.flatnonzero((reports.bundles < market.capacities).any(axis=1))
    inner = inner[reports.bundles[inner].any(axis=1)]
    name = market.bidders[bidder].name
    if len(inner) < 2 * folds:
        raise InputError(
            f"Bidder '{name}' has reported {len(inner)} bundles that are neither empty nor full; "
            f"expected at least {2 * folds} for {folds} folds. Take fewer --folds."
        )
    shuffled = drawn(Seeds(bidder).child("folds"), draw).generator().permutation(inner)
    held_out = np.sort(shuffled[fold::folds])
    kept = np.setdiff1d(np.arange(len(reports)), held_out)
    train = Reports(reports.bundles[kept], reports.values[kept])
    if market.full_bundle not in train:
        train = train.add(market.full_bundle, float(reports.values.max()))
    return train, Reports(reports.bundles[held_out], reports.values[held_out])


def _bidders_of(answers: AuctionAnswers, bidder_type: str) -> list[int]:
    """Bidders of a type that have reported anything."""
    bidders = [
        number
        for number, bidder in enumerate(answers.market.bidders)
        if bidder.type == bidder_type and len(answers.reports[number])
    ]
    if not bidders:
        raise InputError(f"Nobody of the bidder type '{bidder_type}' has reported anything yet.")
    return bidders


def _without_limits(market: Market, bidders: list[int]) -> Market:
    """The same goods, and some of the bidders, each free to have all."""
    kept = tuple(Bidder(market.bidders[i].name, market.bidders[i].type) for i in bidders)
    return replace(market, bidders=kept)
