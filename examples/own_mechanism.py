"""
A mechanism of one's own in a list of phases: ``python examples/own_mechanism.py``.

Five clock rounds show who wants what at which prices; value queries that maximise the upper
uncertainty bound use the rest of the budget.
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
