"""
A mechanism of one's own
========================

Five clock rounds show who wants what at which prices; value queries that maximise the upper
uncertainty bound use the rest of the budget. An auction is a list of phases.
"""

from boca import AuctionParams, Phase, load_domain, simulate
from boca.queries import Acquisition, Clock, RaisedBids
from boca.surrogates import Surrogate, defaults

domain = load_domain("toy")
market = domain.market
networks = Surrogate("mvnn", defaults(market))
params = AuctionParams(
    (
        Phase("clock", Clock(start_prices=(1.0,) * market.num_goods, increment=0.5), num_queries=5),
        Phase("values", RaisedBids()),
        Phase("boca", Acquisition("upper", num_per_round=2), networks, share=1.0),
    ),
    mechanism="clock, then values",
    num_total=14,
)
result = simulate(domain, params)
for record in result.state.history:
    print(
        f"round {record.round:2} {record.phase:7} {record.num_queries:3} queries, "
        f"welfare {record.welfare:g}"
    )
print(f"{result.state.stopped}; loss {100 * result.efficiency_loss:.2f} %")

# %%
# The colours show which phase asked.
import matplotlib.pyplot as plt  # noqa: E402

figure, axes = plt.subplots(figsize=(6, 3), layout="constrained")
for phase in params.phases:
    records = [record for record in result.state.history if record.phase == phase.name]
    axes.plot([r.num_queries for r in records], [r.welfare for r in records], "o", label=phase.name)
axes.axhline(result.optimum, color="grey", linestyle="dashed", label="best possible")
axes.set(xlabel="questions per bidder", ylabel="welfare", ylim=(0, None))
axes.legend(loc="lower right", frameon=False)
plt.show()
