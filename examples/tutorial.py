"""
Tutorial: from a market of one's own to a table in a paper
==========================================================

A market of our own, an auction, its regret, a value model and a surrogate of our own, a small
experiment, a table with pandas, a comparison with published figures, and LaTeX. Everything runs in
some seconds, so that you can change it and run it again; download it as a notebook at the end of
the page. It needs the extra ``frames``.
"""

# %%
# A market of one's own
# ---------------------
#
# A nursery has plots of land in two sizes, a greenhouse and a well. Goods have capacities; bidders
# may have limits. A market alone is enough for an auction with people: it holds no values.
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from boca import (
    AuctionParams,
    Bidder,
    Fitted,
    Good,
    Limit,
    Market,
    Phase,
    Reports,
    WelfareProblem,
    auction_params,
    maximise_welfare,
    register_surrogate,
    simulate,
)
from boca.core import Demands, Economy, Seeds
from boca.functions import Quadratic, ValueFunction
from boca.lab.domains import DOMAINS, Domain
from boca.lab.domains.efficient import Efficient

goods = (Good("small plot", 4), Good("large plot", 2), Good("greenhouse"), Good("well"))
at_most_four = Limit((1.0, 1.0, 0.0, 0.0), 4.0, "plots")
names = ("Aster", "Birch", "Clover", "Dill")
market = Market(goods, tuple(Bidder(n, "grower", (at_most_four,)) for n in names), "nursery")
print(f"{market.num_goods} goods, {market.capacities.sum()} copies, {len(names)} growers")

# %%
# A value model of one's own
# --------------------------
#
# A simulation needs the truth: what each bundle is worth to each bidder, drawn from a seed, and
# the best allocation. Here every copy has a value, and a well makes a greenhouse worth more. A
# mechanism never sees this class; only the simulated bidders do.


class Nursery(Domain):
    """Growers with random values per copy, and a synergy of greenhouse and well."""

    def __init__(self, seed: int) -> None:
        super().__init__("nursery", seed, market)
        rng = np.random.default_rng(seed)
        self.per_copy = rng.uniform([3, 6, 4, 1], [6, 14, 10, 4], (market.num_bidders, 4))
        self.together = rng.uniform(2, 12, market.num_bidders)

    def build_function(self, bidder: int) -> ValueFunction:
        pairs = np.zeros((4, 4))
        pairs[2, 3] = pairs[3, 2] = self.together[bidder] / 2
        return Quadratic(pairs, self.per_copy[bidder], market.capacities)

    def solve(self, absent: frozenset[int] = frozenset()) -> Efficient:
        present = Economy(tuple(i for i in range(market.num_bidders) if i not in absent))
        functions = [self.function(i) for i in range(market.num_bidders)]
        best = maximise_welfare(WelfareProblem(market, functions, present), proof="optimal")
        return Efficient(best.welfare, best.allocation, best.bound, best.method)


DOMAINS["nursery"] = Nursery  # commands and experiments know it by name from here on
domain = Nursery(seed=20001)
print(f"the best possible welfare is {domain.efficient().welfare:.2f}")

# %%
# An auction
# ----------
#
# BOCA with four first questions per bidder and at most twelve. ``simulate`` asks and answers until
# the end; with people, ``Auction`` has the verbs ``ask``, ``tell`` and ``close``.
params = auction_params("boca", market, seed=1, num_initial=4, num_per_round=2, num_total=12)
result = simulate(domain, params)
print(result.outcome.summary())
print(f"efficiency loss {result.efficiency_loss:.1%}, revenue {result.outcome.revenue:.2f}")

# %%
# Regret: what was missing to the best possible welfare after each round.
figure, axes = plt.subplots(figsize=(6, 3), layout="constrained")
losses = [100 * entry.efficiency_loss for entry in result.path]
axes.step([entry.queries for entry in result.path], losses, "o-", where="post")
axes.set(xlabel="questions per bidder", ylabel="efficiency loss (%)", ylim=(0, None))
plt.show()

# %%
# A surrogate of one's own
# ------------------------
#
# A surrogate is a class of settings and a function that learns from reports. Ours is linear
# regression with a little shrinkage. What it returns can be maximised by the same winner
# determination, with proof, because it is a ``Quadratic``.


@dataclass(frozen=True)
class LinearParams:
    shrinkage: float = 0.1


def fit_linear(
    reports: Sequence[Reports],
    demands: Sequence[Demands],
    market: Market,
    params: Mapping[str, LinearParams],
    seeds: Seeds,
) -> dict[int, Fitted]:
    learned = {}
    for i, known in enumerate(reports):
        weight = params[market.bidders[i].type].shrinkage * np.eye(market.num_goods)
        square = known.bundles.T @ known.bundles + weight
        per_copy = np.linalg.solve(square, known.bundles.T @ known.values)
        learned[i] = Fitted(Quadratic(0 * square, per_copy, market.capacities))
    return learned


register_surrogate("linear", LinearParams, fit_linear)

# %%
# A mechanism is a list of phases: first questions, then questions that maximise what was learned.
from boca.queries import Acquisition, FirstBundles  # noqa: E402
from boca.surrogates import Surrogate  # noqa: E402

linear = AuctionParams(
    (
        Phase("first", FirstBundles(4), num_queries=4),
        Phase(
            "linear",
            Acquisition("mean", num_per_round=2),
            Surrogate("linear", {"grower": LinearParams()}),
            share=1.0,
        ),
    ),
    mechanism="linear",
    num_total=12,
    seed=1,
)
print(f"loss with linear regression: {simulate(domain, linear).efficiency_loss:.1%}")

# %%
# An experiment
# -------------
#
# A grid of auctions: two mechanisms on three instances. Runs are kept in a folder under a hash
# of all their settings, so that an interrupted grid goes on where it was. Here they are done one
# after the other in this process; ``boca experiment run FILE`` does them on all cores, or on a
# cluster.
from boca.lab.reports.frames import paths_frame, results_frame, summary_frame  # noqa: E402
from boca.lab.studies.grid import parse_grid  # noqa: E402
from boca.lab.studies.store import Store  # noqa: E402
from boca.lab.studies.worker import perform  # noqa: E402

grid = parse_grid(
    {
        "name": "nursery",
        "seeds": [20001, 20002, 20003],
        "domains": "nursery",
        "mechanisms": ["svr", "random"],  # support vectors learn in no time; try "boca", too
        "auction": {"num_initial": 4, "num_per_round": 2, "num_total": 12},
    }
)
store = Store(Path(tempfile.mkdtemp()) / "nursery")
store.create()
store.plan(grid)
for spec in grid.runs():
    if not store.is_done(spec.key):
        store.save(spec.key, perform(spec))

# %%
# A table with pandas: one row per run.
runs = results_frame(store.path)
runs[["domain", "seed", "mechanism", "efficiency_loss", "relative_revenue", "seconds"]].round(3)

# %%
# One row per run and round, for plots of one's own.
paths = paths_frame(store.path)
figure, axes = plt.subplots(figsize=(6, 3), layout="constrained")
for mechanism, group in paths.groupby("mechanism"):
    mean = 100 * group.groupby("queries").efficiency_loss.mean()
    axes.step(mean.index, mean, "o-", where="post", label=mechanism)
axes.set(xlabel="questions per bidder", ylabel="mean efficiency loss (%)", ylim=(0, None))
axes.legend(frameon=False)
plt.show()

# %%
# Beside published figures
# ------------------------
#
# Published losses of the four value models ship with boca, and tables put them beside ours where
# the setting is the same. A clone has our own runs in ``results/``: twenty instances of the
# largest value model, MRVM.
here = Path(__file__).parent if "__file__" in globals() else Path.cwd()
ours = here.parent / "results" / "hybrid.json.gz"
table = summary_frame(ours)
table = table[table.domain == "MRVM"].set_index("mechanism")
table[["instances", "loss", "loss_ci", "published_loss", "published_loss_ci", "hours"]].round(3)

# %%
# LaTeX
# -----
#
# The layouts of the published tables, for the package ``booktabs``. Any data frame has ``to_latex``
# as well; ``boca experiment report FOLDER --format latex`` writes all tables of an experiment.
from boca.lab.reports.layouts import loss_table  # noqa: E402
from boca.lab.reports.page import open_section  # noqa: E402

print(loss_table(open_section(store.path).results).to_latex())
