"""
The whole idea on one page
==========================

Three bidders share three goods, four copies in all. Nobody writes down all values; the auction asks
about a few bundles, learns the rest, and ends with an allocation and prices.
"""

import matplotlib.pyplot as plt

from boca import Auction, auction_params, load_domain
from boca.core import Query
from boca.core.bundle import format_bundle

# The truth. The auction never sees it; only the answers below come from it.
domain = load_domain("toy")
market = domain.market

# BOCA with a small budget: 4 first bundles per bidder, then rounds of 2, at most 10.
params = auction_params("boca", market, num_initial=4, num_per_round=2, num_total=10, seed=1)
auction = Auction.start(market, params)

names = [good.name for good in market.goods]
bidders = [bidder.name for bidder in market.bidders]

# %%
# Three verbs drive an auction: ``ask`` gives questions, ``tell`` takes answers, ``close`` decides.
# Each question says why it is asked.
while queries := auction.ask():
    print(f"\nround {auction.state.round}")
    for query in queries:
        assert isinstance(query, Query)  # BOCA asks for values, not for demand
        bundle = format_bundle(query.bundle, names)
        value = float(domain.values(query.bidder, query.bundle[None, :])[0])
        auction.tell(query.bidder, query.bundle, value)

        reason = query.reason
        why = reason.source if not reason.economy else f"best in the economy '{reason.economy}'"
        guess = "" if reason.upper is None else f", upper bound {reason.upper:.1f}"
        print(f"  {bidders[query.bidder]:>9}: {bundle:15} -> {value:4.1f}   ({why}{guess})")

outcome = auction.close()
best = domain.efficient().welfare
print(f"\n{auction.state.stopped}\n\n{outcome.summary()}")
print(f"efficiency {outcome.welfare / best:.1%} of the best possible {best:g}")

# %%
# The best allocation on what has been said, after each round.
history = auction.state.history
figure, axes = plt.subplots(figsize=(6, 3), layout="constrained")
axes.step([r.num_queries for r in history], [r.welfare for r in history], "o-", where="post")
axes.axhline(best, color="grey", linestyle="dashed", label="best possible")
axes.set(xlabel="questions per bidder", ylabel="welfare", ylim=(0, None))
axes.legend(loc="lower right", frameon=False)
plt.show()
