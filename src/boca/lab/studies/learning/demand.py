"""
Learning from values and demands: what each kind of answer teaches (as MLHCA, Table 1).

One bidder of a type is asked about random bundles and about demands at the prices of a quick
clock with everybody else in the market. Its network is tested on further random bundles and on
bundles that it wants at other prices, which is where auctions ask.
"""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from boca.core.demand import Demands
from boca.core.market import Market
from boca.core.query import DemandQuery
from boca.core.randomness import Seeds
from boca.core.report import Reports
from boca.lab.domains import Domain
from boca.lab.domains.true_demand import demanded
from boca.lab.studies.learning.data import distinct_bundles
from boca.lab.studies.learning.study import Advance, LearningStudy
from boca.mechanism import AuctionParams, AuctionState, Phase
from boca.queries import QuickClock
from boca.surrogates.goodness import r_squared
from boca.surrogates.mixed.params import MixedParams
from boca.surrogates.registry import Surrogate

# Value queries and demand queries of each row; the full bundle is among the values.
SPLITS = ((60, 0), (40, 20), (20, 40), (1, 59))

NUM_RANDOM = 500  # test bundles
NUM_WANTED = 100  # prices whose wanted bundles are tested
PRICE_RANGE = (0.7, 1.3)  # test prices relative to prices of the clock, good by good


@dataclass(frozen=True)
class DemandRow:
    """
    How well one bidder type is learned from a split of the answers; means over instances.

    Parameters
    ----------
    domain, bidder_type
        What was learned.
    num_values, num_demands
        Answers of each kind.
    instances
        Seeds of the instances.
    random_r2, random_mae
        Coefficient of determination and mean absolute error on random bundles; errors are divided
        by the value of the full bundle.
    wanted_r2, wanted_mae
        The same on bundles that are wanted at some prices.
    """

    domain: str
    bidder_type: str
    num_values: int
    num_demands: int
    instances: tuple[int, ...]
    random_r2: float
    random_mae: float
    wanted_r2: float
    wanted_mae: float

    def to_dict(self) -> dict[str, Any]:
        """The row as plain values, for JSON."""
        return asdict(self)


def learn_demands(study: LearningStudy, advance: Advance | None = None) -> Iterator[DemandRow]:
    """
    Trains on every split of the answers; one row per bidder type and split.

    Parameters
    ----------
    study
        Whose networks are trained; its hyperparameters are not used, since they are of networks
        that learn from values.
    advance
        Called after every instance of a bidder type.
    """
    for bidder_type in study.bidder_types:
        scores: dict[tuple[int, int], list[tuple[float, ...]]] = {split: [] for split in SPLITS}
        for instance in study.instances:
            domain = study.world(instance)
            bidder = domain.bidder_types.index(bidder_type)
            seeds = Seeds(study.seed).child("demand", instance, bidder)
            for split, score in score_splits(domain, bidder, instance, seeds).items():
                scores[split].append(score)
            if advance is not None:
                advance(bidder_type, 1)
        for (num_values, num_demands), rows in scores.items():
            yield DemandRow(
                study.first.name,
                bidder_type,
                num_values,
                num_demands,
                tuple(study.instances),
                *np.mean(rows, axis=0).tolist(),
            )


def score_splits(
    domain: Domain, bidder: int, instance: int, seeds: Seeds
) -> dict[tuple[int, int], tuple[float, ...]]:
    """R^2 and error on both kinds of test bundles, for every split of one bidder's answers."""
    most_values = max(num_values for num_values, _ in SPLITS)
    most_demands = max(num_demands for _, num_demands in SPLITS)
    bundles = distinct_bundles(
        domain, bidder, most_values - 1 + NUM_RANDOM, instance, at_least=most_values
    )
    prices = clock_prices(domain, most_demands)
    tests = bundles[most_values - 1 :], wanted_bundles(domain, bidder, prices, seeds)

    scores = {}
    for num_values, num_demands in SPLITS:
        valued = np.vstack([domain.market.full_bundle, bundles[: num_values - 1]])
        reports = Reports(valued, domain.values(bidder, valued))
        demands = Demands.empty(domain.market.num_goods)
        # Spread over all rounds of the clock, since early prices say little.
        for row in np.linspace(0, len(prices) - 1, num_demands).astype(int):
            demands = demands.add(prices[row], demanded(domain, bidder, prices[row])[0])
        scores[num_values, num_demands] = score(domain, bidder, reports, demands, tests, seeds)
    return scores


def score(
    domain: Domain,
    bidder: int,
    reports: Reports,
    demands: Demands,
    tests: tuple[np.ndarray, ...],
    seeds: Seeds,
) -> tuple[float, ...]:
    """R^2 and error of one network on every set of test bundles."""
    market = Market(domain.market.goods, (domain.market.bidders[bidder],))
    surrogate = Surrogate("mixed", {market.bidders[0].type: MixedParams()})
    mean = surrogate.fit([reports], [demands], market, seeds)[0].mean
    numbers: list[float] = []
    for bundles in tests:
        truth = domain.values(bidder, bundles)
        predicted = mean(bundles)
        error = np.abs(predicted - truth).mean() / reports.value_of(market.full_bundle)
        numbers += [r_squared(predicted, truth), float(error)]
    return tuple(numbers)


def clock_prices(domain: Domain, num_rounds: int) -> np.ndarray:
    """Prices of a quick clock with truthful bidders, ``(num_rounds, num_goods)``."""
    market, clock = domain.market, QuickClock()
    full = market.full_bundle[None]
    reports = [Reports(full, domain.values(i, full)) for i in range(market.num_bidders)]
    demands = [Demands.empty(market.num_goods)] * market.num_bidders
    params = AuctionParams((Phase("clock", clock, share=1.0),))
    for _ in range(num_rounds):
        state = AuctionState.of(market, params, reports, demands)
        for question in clock.plan(state, {}, Seeds(0)).questions:
            assert isinstance(question, DemandQuery)
            i = question.bidder
            bundle = demanded(domain, i, question.prices)[0]
            demands[i] = demands[i].add(question.prices, bundle)
    return demands[0].prices


def wanted_bundles(domain: Domain, bidder: int, prices: np.ndarray, seeds: Seeds) -> np.ndarray:
    """Distinct bundles that a bidder wants at prices near those of the clock's later rounds."""
    rng = seeds.child("wanted").generator()
    later = prices[len(prices) // 3 :]
    chosen = later[rng.integers(len(later), size=NUM_WANTED)]
    chosen = chosen * rng.uniform(*PRICE_RANGE, size=chosen.shape)
    bundles = np.array([demanded(domain, bidder, row)[0] for row in chosen])
    return np.unique(bundles, axis=0)
