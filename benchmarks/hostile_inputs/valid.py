"""Valid files and folders of every kind: what hostile inputs are made from."""

import json
from dataclasses import dataclass

QUICK = ("--mechanism", "random", "--initial", "2", "--per-round", "1", "--budget", "4")

MARKET = """
name = "shop"

[[goods]]
name = "Apples"
capacity = 3
credits = 2

[[goods]]
name = "Bread"
credits = 1.5

[[goods]]
name = "Cheese"
capacity = 2
credits = 0

[every_bidder]
at_most = 4
at_most_of_each = 2
conflicts = [["Bread", "Cheese"]]

[[bidders]]
name = "Ann"
type = "household"
credit_budget = 6
values = { Apples = 2, Bread = 5 }
synergies = [{ goods = ["Apples", "Bread"], value = 1.5 }]

[[bidders]]
name = "Ben"
forbidden = ["Bread"]
bids = "bids.csv"
"""
MARKET_BIDS = "bidder,value,Apples,Bread,Cheese\nBen,3,1,,\nBen,7.5,2,,1\n"

BIDS_CSV = """# XOR bids
bidder,value,morning,evening,crew
capacity,,1,2,3
reserve,,5,5,2
Ann,30,1,,1
Ann,38,1,1,2
Bo,24,,1,1
Cy,21.5,1,,
"""

BIDS_JSON = {
    "goods": {"morning": 1, "evening": 2},
    "bids": [
        {"bidder": "Ann", "value": 30, "bundle": ["morning"]},
        {"bidder": "Ann", "value": 38.5, "bundle": {"morning": 1, "evening": 1}},
        {"bidder": "Bo", "value": 24, "bundle": {"evening": 2}},
    ],
    "reserve": {"evening": 1.5},
    "limits": [
        {"bidder": "Bo", "coefficients": {"morning": 1, "evening": 1}, "bound": 2, "name": "two"}
    ],
}

BIDS_CATS = """% licences
goods 4
bids 5
dummy 2
0\t28\t0\t1\t4\t#
1\t18\t0\t4\t5\t#
2\t26.5\t2\t3\t5\t#
3\t15\t3\t5\t#
4\t12\t1\t#
"""

GRID = """
name = "grid"
description = "two runs"
seeds = "1-2"
domains = ["toy"]
mechanisms = ["random"]
published_start = false

[auction]
num_initial = 2
num_per_round = 1
num_total = 3
"""

HYPERPARAMETERS = """
[national]
epochs = 3
learning_rate = 0.01
hidden_units = 8
"""


@dataclass(frozen=True)
class Template:
    """
    A folder that a valid command makes.

    Parameters
    ----------
    name
        Its name.
    words
        The command; the last of several with :attr:`before`.
    deleted
        Files that are removed afterwards, so that there is something left to do.
    before
        Commands that are run first, in the same folder.
    """

    name: str
    words: tuple[str, ...]
    deleted: tuple[str, ...] = ()
    before: tuple[tuple[str, ...], ...] = ()


# A folder of course tables, for `boca courses`.
SCHOOL = {
    "courses": (
        "course,seats,target,minimum,credits,slots,section,reserved\n"
        "Algebra,2,,,6,Mon 9-11,,Maths: 1\nLogic,2,1,1,4,Mon 10-12,,\n"
        "Ethics A,3,,,3,Tue 9-10:30,Ethics,\nEthics B,3,,,3,,Ethics,\n"
    ),
    "students": (
        "student,max_courses,max_credits,forbidden,required,holds,priority,group\n"
        "Ada,2,10,,,,1,Maths\nBen,2,,Logic,Ethics,,0,\nEve,3,12,,,Ethics B,0,Maths\n"
    ),
    "ratings": "student,course,rating\nAda,Algebra,90\nAda,Logic,40\nBen,Algebra,70\n"
    "Ben,Ethics A,30\nEve,Algebra,50\nEve,Logic,60\n",
    "adjustments": "student,courses,points\nEve,Algebra + Ethics B,-10\n",
    "conflicts": "course,other\nLogic,Ethics A\n",
}

# Offers of a buyer, and the sheet of an exchange.
OFFERS = (
    "supplier,cost,a,b\nneeded,,2,1\nat most,,9,9.5\nbaseline,,8,\n"
    "Nord,4,1,1\nNord,3,2,\nWest,5,,1\n"
)
AWARD = """name = "lots"
offers = "offers.csv"
[[lots]]
name = "a"
needed = 2
at_most = 9
[[lots]]
name = "b"
baseline = 7.5
[[suppliers]]
name = "Nord"
incumbent = true
at_most = 3
[[suppliers]]
name = "West"
groups = ["small"]
[[rules]]
winners = { at_most = 2 }
[[scenarios]]
name = "small"
rules = [{ share_of_units = { at_least = 0.2 }, suppliers = "small", in_lots = ["b"] }]
"""
TRADES = (
    "participant,value,Cod,Plaice\nstock,,1,\nAnn,holds,2,\nAnn,5,2,\nAnn,9,1,1\n"
    "Ben,holds,,1\nBen,4,,1\nBen,6.5,1,\n"
)

FILES: dict[str, bytes] = {
    "offers.csv": OFFERS.encode(),
    "award.toml": AWARD.encode(),
    "trades.csv": TRADES.encode(),
    **{f"school/{name}.csv": text.encode() for name, text in SCHOOL.items()},
    "market.toml": MARKET.encode(),
    "bids.csv": MARKET_BIDS.encode(),
    "wdp.csv": BIDS_CSV.encode(),
    "wdp.json": json.dumps(BIDS_JSON, indent=1).encode(),
    "wdp.cats": BIDS_CATS.encode(),
    "grid.toml": GRID.encode(),
}

TEMPLATES = (
    Template("assigned", ("courses", "assign", "school", "--out", "assigned"), ("page.html",)),
    Template(
        "run", ("run", "toy", *QUICK, "--out", "run"), ("result.json", "rounds.csv", "regret.png")
    ),
    Template(
        "clock",
        ("run", "toy", "--mechanism", "cca", "--budget", "4", "--out", "clock"),
        ("result.json",),
    ),
    Template(
        "store",
        ("experiment", "pack", "store", "--out", "store/all.json.gz"),
        before=(("experiment", "run", "grid.toml", "--out", "store", "--workers", "1"),),
    ),
    Template("auction", ("auction", "start", "market.toml", "auction", *QUICK)),
)
