"""
What answers prove
==================

The mechanism ``hybrid`` asks which bundles bidders want at announced prices, and what bundles are
worth. Both kinds of answers are inequalities, from which follows how much welfare any other
allocation could bring at most. So the auction knows, without knowing the truth, how good it is at
least, and can stop when that is good enough.
"""

import matplotlib.pyplot as plt

from boca import auction_params, load_domain, simulate

domain = load_domain("lsvm", seed=20001)
params = auction_params("hybrid", domain.market, num_total=25, seed=1)
result = simulate(domain, params)
print(result.outcome.summary().splitlines()[0])

# %%
# The loss is what only an observer sees who knows the true values. What is proven to be missing at
# most is always above it.
proven = [entry for entry in result.path if entry.missing is not None]
assert all(entry.missing >= entry.efficiency_loss - 1e-9 for entry in proven if entry.missing)

figure, axes = plt.subplots(figsize=(7, 3.5), layout="constrained")
queries = [entry.queries for entry in result.path]
losses = [100 * entry.efficiency_loss for entry in result.path]
missing = [100 * (entry.missing or 0) for entry in proven]
axes.step(queries, losses, "o-", where="post", label="loss, seen by an observer")
axes.step(
    [entry.queries for entry in proven],
    missing,
    "--",
    color="grey",
    where="post",
    label="missing at most, proven by the answers",
)
axes.set(xlabel="questions per bidder", ylabel="% of the best possible welfare", ylim=(0, 60))
axes.legend(frameon=False)
plt.show()
