"""A small market file with its bids, which several tests read, change and break."""

from pathlib import Path

MARKET = """\
name = "stall"

[[goods]]
name = "Apple"
capacity = 2
credits = 1

[[goods]]
name = "Bread"
credits = 3

[[goods]]
name = "Cheese"
credits = 2

[every_bidder]
at_most_of_each = 1

[[bidders]]
name = "Ann"
type = "baker"
bids = "bids.csv"

[[bidders]]
name = "Ben"
at_most = 2
forbidden = ["Bread"]
conflicts = [["Apple", "Cheese"]]
credit_budget = 4
values = { Apple = 3, Cheese = 4 }
synergies = [{ goods = ["Apple", "Cheese"], value = -2 }]
"""

BIDS = """\
bidder,value,Apple,Bread,Cheese
Ann,3,1,,
Ann,4.5,0,1,0
Ann,9,1,1,
"""


def write_stall(
    folder: Path, market: str | bytes = MARKET, bids: str | bytes | None = BIDS
) -> Path:
    """A market file with its bids beside it."""
    for name, text in (("market.toml", market), ("bids.csv", bids)):
        if text is not None:
            data = text if isinstance(text, bytes) else text.encode()
            (folder / name).write_bytes(data)
    return folder / "market.toml"
