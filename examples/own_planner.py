"""
A planner of one's own
======================

Who would get what if the auction closed now? Every bidder is asked what its bundle would be worth
with one copy more or less, as long as there are such bundles that it has not been asked about. The
module works as a plug-in, too: ``BOCA_PLUGINS=own_planner boca run lsvm --mechanism one-copy``.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import matplotlib.pyplot as plt
import numpy as np

from boca import (
    PRESETS,
    AuctionParams,
    Fitted,
    Market,
    Phase,
    auction_params,
    load_domain,
    simulate,
)
from boca.core import Economy, Query, Reason, Seeds
from boca.core.bundle import bundle_key
from boca.mechanism.preset import Choices, Preset
from boca.queries import Plan, Planner, Situation, register_planner
from boca.queries.planner import known_keys


@register_planner
@dataclass(frozen=True)
class OneCopy(Planner):
    """
    Asks about the bundles that win now, with one copy more or less.

    Parameters
    ----------
    num_per_round
        Most questions per bidder and round.
    """

    name: ClassVar[str] = "one-copy"
    num_per_round: int = 1

    @property
    def per_round(self) -> int:
        return self.num_per_round

    def plan(self, situation: Situation, fitted: Mapping[int, Fitted], seeds: Seeds) -> Plan:
        market = situation.market
        winners = situation.winners(Economy.main(market.num_bidders))
        questions: list[Query] = []
        for i, bundle in enumerate(winners.bundles):
            one = np.eye(market.num_goods, dtype=np.int64)
            nearby = np.concatenate([bundle + one, bundle - one])  # (2 num_goods, num_goods)
            nearby = seeds.child("one-copy", i).generator().permutation(nearby)
            allowed = nearby[market.allows(i, nearby) & nearby.any(axis=1)]
            known = known_keys(situation, i)
            new = [row for row in allowed if bundle_key(row) not in known]
            questions += [Query(i, row, Reason(self.name)) for row in new[: self.num_per_round]]
        # Without questions the phase is over.
        return Plan(tuple(questions), situation.use, over="everything nearby has been asked about")


def phases(market: Market, choices: Choices) -> tuple[Phase, ...]:
    """First queries, then the planner until it has nothing to ask or the budget is used up."""
    return choices.first(), Phase("one copy", OneCopy(choices.num_per_round), share=1.0)


PRESETS["one-copy"] = Preset("bundles that win, with one copy more or less", phases, learns=False)


def main() -> None:
    domain = load_domain("toy")
    params = auction_params("one-copy", domain.market, num_initial=3, num_per_round=1, num_total=12)
    result = simulate(domain, params)
    for record in result.state.history:
        print(f"round {record.round} {record.phase:8} welfare {record.welfare:g}")
    print(f"{result.state.stopped}; loss {100 * result.efficiency_loss:.2f} %")

    # A registered planner can be named in files, so that a saved auction goes on with it.
    saved = params.to_dict()
    print(f"in files: {saved['phases'][1]['planner']}")
    assert AuctionParams.from_dict(saved) == params

    _, axes = plt.subplots(figsize=(6, 3), layout="constrained")
    losses = [100 * entry.efficiency_loss for entry in result.path]
    axes.step([entry.queries for entry in result.path], losses, "o-", where="post")
    axes.set(xlabel="questions per bidder", ylabel="efficiency loss (%)", ylim=(0, None))
    plt.show()


if __name__ == "__main__":
    main()
