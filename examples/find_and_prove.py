"""
The best allocation, found and proven
=====================================

Winner determination is a library of its own: value functions in, an allocation and a bound out. It
finds a very good allocation at once, and proves as much as is asked for.
"""

import matplotlib.pyplot as plt
import numpy as np

from boca import Market, Reports, WelfareProblem, best_bundle, fit, load_domain, maximise_welfare
from boca.surrogates import published
from boca.surrogates.overrides import override

# %%
# Six networks that were learned from 30 reports each, with a tenth of the usual steps.
domain = load_domain("lsvm", seed=20001)
market: Market = domain.market
reports = []
for bidder in range(market.num_bidders):
    bundles = np.vstack([market.full_bundle, domain.sample(bidder, 29, seed=bidder)])
    reports.append(Reports(bundles, domain.values(bidder, bundles)))
quick = override(published("lsvm", q=0.9), {"steps_fraction": 0.1}, source="this example")
fitted = fit(reports, market, quick, seed=1)
nets = [fitted[bidder].mean for bidder in range(market.num_bidders)]

# %%
# All 2^18 bundles of six bidders: there are more than 10^14 ways to share out 18 goods among seven,
# nobody included.
result = maximise_welfare(WelfareProblem(market, nets), proof="optimal")
print(result.summary())

# %%
# One bidder alone, at prices: what would the first bidder buy if every good cost the same?
prices = np.full(market.num_goods, result.welfare / market.num_goods)
demand = best_bundle(nets[0], prices, market, bidder=0)
print(f"at {prices[0]:.3f} per good: {int(demand.bundle.sum())} goods, profit {demand.utility:.3f}")

# %%
# Who gets what: rows are bidders, columns are goods.
figure, axes = plt.subplots(figsize=(7, 2.6), layout="constrained")
axes.imshow(result.allocation.bundles, cmap="Blues", vmin=0, vmax=1.3)
axes.set(xlabel="good", ylabel="bidder", title=f"Welfare {result.welfare:.3f}, proven optimal")
axes.set_xticks(range(market.num_goods))
axes.set_yticks(range(market.num_bidders))
plt.show()
