"""
What networks know, and how sure they are
=========================================

Two monotone networks learn one bidder's values from 40 reports: a mean and an upper bound. Along a
chain of bundles, each one good larger than the last, they meet at what was reported and part where
nothing is known. The next question goes where upper bounds promise most.
"""

import matplotlib.pyplot as plt
import numpy as np

from boca import Reports, fit, load_domain
from boca.surrogates import published

domain = load_domain("lsvm", seed=20001)
market, bidder = domain.market, 1

# %%
# The full bundle and 39 others are reported; three of them lie on the chain that is drawn below.
rng = np.random.default_rng(5)
order = rng.permutation(market.num_goods)
chain = np.tril(np.ones((market.num_goods + 1, market.num_goods), dtype=np.int64), -1)[:, order]
bundles = np.vstack([market.full_bundle, chain[[5, 9, 13]], domain.sample(bidder, 36, seed=1)])
reports = Reports(bundles, domain.values(bidder, bundles))

fitted = fit({bidder: reports}, market, published("lsvm", q=0.9), seed=1)[bidder]
assert fitted.upper is not None
assert fitted.envelope is not None

# %%
# The envelope is the most that any monotone values could be that agree with the reports: a
# proof, and far from the truth. The upper bound is a guess that is of use.
sizes = chain.sum(axis=1)
known = np.array([bundle in reports for bundle in chain])
truth = domain.values(bidder, chain)
figure, axes = plt.subplots(figsize=(7, 4), layout="constrained")
axes.plot(sizes, fitted.envelope(chain), ":", color="grey", label="envelope: proven")
axes.plot(sizes, fitted.upper(chain), "--", color="#D55E00", label="upper bound")
axes.plot(sizes, fitted.mean(chain), color="#0072B2", label="mean")
axes.plot(sizes, truth, "kx", label="true value")
axes.plot(sizes[known], truth[known], "ko", label="reported")
axes.set(xlabel="goods in the bundle", ylabel="value", title="LSVM, a regional bidder")
axes.legend(frameon=False)
plt.show()
