"""Hostile inputs written by hand: each was seen to break some program, mostly an earlier boca."""

import json

from hostile_inputs.case import Case
from hostile_inputs.valid import FILES, QUICK

RUN = ("run", "market.toml", *QUICK)
DOMAIN = ("domain", "market.toml")

GOODS = '[[goods]]\nname = "A"\n'
BIDDER = '[[bidders]]\nname = "Ann"\nvalues = { A = 1 }\n'

MARKETS = {
    "capacity of 10^18": '[[goods]]\nname = "A"\ncapacity = 1000000000000000000\n' + BIDDER,
    "20,000 goods": "".join(f'[[goods]]\nname = "g{j}"\n' for j in range(20_000)) + BIDDER,
    "5,000 digits": GOODS + BIDDER.replace("A = 1", "A = " + "9" * 5_000),
    "value of 1e308": GOODS + BIDDER.replace("A = 1", "A = 1e308"),
    "deep nesting": "a = " + "[" * 5_000 + "]" * 5_000,
    "long dotted key": ".".join("a" * 2_000) + " = 1\n",
    "no goods": BIDDER,
    "no bidders": GOODS,
    "limits are a number": GOODS + BIDDER + "limits = 3\n",
    "bids from a device": GOODS + '[[bidders]]\nname = "Ann"\nbids = "/dev/zero"\n',
    "bids from a folder": GOODS + '[[bidders]]\nname = "Ann"\nbids = "."\n',
    "terminal codes": GOODS.replace('"A"', '"\\u001b[2JA"') + BIDDER,
    "auction is a number": "auction = 5\n" + GOODS + BIDDER,
    "a good is a number": "goods = [1, 2]\n" + BIDDER,
    "nan": GOODS + BIDDER.replace("A = 1", "A = nan"),
    "negative": GOODS + BIDDER.replace("A = 1", "A = -1"),
    "many bidders": GOODS + "".join(BIDDER.replace("Ann", f"b{i}") for i in range(300)),
}

GRIDS = {
    "a hundred million seeds": 'seeds = "0-99999999"\ndomains = ["toy"]\nmechanisms = ["random"]\n',
    "auction is a number": 'auction = 5\nseeds = "1"\ndomains = ["toy"]\nmechanisms = ["random"]\n',
    "seeds are a float": 'seeds = 1.5\ndomains = ["toy"]\nmechanisms = ["random"]\n',
    "domains are a number": 'seeds = "1"\ndomains = 3\nmechanisms = ["random"]\n',
    "unknown domain": 'seeds = "1"\ndomains = ["mars"]\nmechanisms = ["random"]\n',
    "unknown setting": 'seeds = "1"\ndomains = ["toy"]\nmechanisms = ["vcg"]\n[auction]\nx = 1\n',
    "nothing": "",
}

ONE_BID = '{"goods": ["A"], "bids": [{"bidder": "a", "value": %s, "bundle": ["A"]}]}'
BIDS = {
    "csv": {
        "a long cell": "bidder,value,A\nAnn,1," + "1" * 100_000 + "\n",
        "a bidder called Reserve": "bidder,value,A\nReserve,5,1\nCapacity,6,1\n",
        "no line": "",
        "ragged": "bidder,value,A\nAnn\nBo,1,1,1,1\n",
        "an open quotation": 'bidder,value,A\n"Ann,1,1\n' + "x\n" * 10_000,
        "10^400": "bidder,value,A\nAnn," + "9" * 400 + ",1\n",
        "copies of 10^18": "bidder,value,A\ncapacity,,1000000000000000000\nAnn,1,1\n",
        "20,000 goods": "bidder,value," + ",".join(f"g{j}" for j in range(20_000)) + "\nAnn,1,1\n",
        "terminal codes": "bidder,value,A\n\x1b[2J,1,1\n",
        "no good in a bid": "bidder,value,A\nAnn,1,\n",
    },
    "json": {
        "deep nesting": "[" * 100_000 + "]" * 100_000,
        "limits are null": json.dumps({"goods": ["A"], "bids": [], "limits": None}),
        "keys twice": '{"goods": ["A"], "goods": ["B"], "bids": []}',
        "true as a value": ONE_BID % "true",
        "a word as a value": ONE_BID % '"1"',
        "5,000 digits": ONE_BID % ("9" * 5_000),
        "half a letter": '{"goods": ["\\ud800"], "bids": []}',
        "a number": "5",
        "null": "null",
    },
    "cats": {
        "a thousand million goods": "goods 1000000000\nbids 1\ndummy 0\n0 1 0 #\n",
        "a thousand million dummies": "goods 1\nbids 1\ndummy 1000000000\n0 1 0 #\n",
        "two dummy goods": "goods 1\nbids 2\ndummy 2\n0 1 0 1 2 #\n1 2 0 2 #\n",
        "only dummy goods": "goods 1\nbids 1\ndummy 2\n0 1 1 2 #\n",
        "5,000 digits": "goods 1\nbids 1\ndummy 0\n0 " + "9" * 5_000 + " 0 #\n",
        "arabic digits": "goods ٣\nbids 1\ndummy 0\n0 1 0 #\n",
        "superscript": "goods ²\nbids 1\n0 1 0 #\n",
        "price 1e308": "goods 1\nbids 2\ndummy 0\n0 1e308 0 #\n1 1e308 0 #\n",
    },
}

LINES: tuple[tuple[str, ...], ...] = (
    (),
    ("--help",),
    ("dance",),
    ("run",),
    ("run", ""),
    ("run", "\udcff"),
    ("run", "nowhere.toml"),
    ("run", "."),
    ("run", "toy", "--mechanism", "dance"),
    ("run", "toy", "--seed", "9" * 5_000),
    ("run", "toy", *QUICK, "--seed", "-1"),
    ("run", "toy", *QUICK, "--proof", "nan"),
    ("run", "toy", *QUICK, "--max-seconds", "nan"),
    ("run", "toy", *QUICK, "--budget", "1000000000000"),
    ("run", "toy", *QUICK, "--out", "market.toml"),
    ("run", "--resume", "nowhere"),
    ("run", "--resume", "market.toml"),
    ("run", "gsvm", *QUICK, "--q", "0.9"),
    ("domain",),
    ("domain", "gsvm", "--seed", "9" * 30),
    ("domain", "toy", "--out", "market.toml"),
    ("wdp",),
    ("wdp", "."),
    ("wdp", "nowhere.csv"),
    ("wdp", "/dev/zero"),
    ("wdp", "wdp.csv", "--reserve", "nobody=1"),
    ("wdp", "wdp.csv", "--reserve", "1e308"),
    ("wdp", "wdp.csv", "--payments", "none", "--verify"),
    ("award",),
    ("award", "."),
    ("award", "nowhere.csv"),
    ("award", "/dev/zero"),
    ("award", "wdp.csv"),
    ("award", "offers.csv", "--scenario", "at most 99999999999999999999 suppliers"),
    ("award", "offers.csv", "--payments", "vcgg"),
    ("award", "offers.csv", "--out", "offers.csv"),
    ("exchange",),
    ("exchange", "."),
    ("exchange", "offers.csv"),
    ("exchange", "trades.csv", "--payments", "core"),
    ("exchange", "trades.csv", "--max-seconds", "0"),
    ("courses", "convert"),
    ("courses", "convert", "nowhere.json", "--out", "new"),
    ("courses", "convert", ".", "--out", "new"),
    ("courses", "convert", "market.toml", "--out", "new"),
    ("courses", "convert", "/dev/zero", "--out", "new"),
    ("learn",),
    ("learn", "mars"),
    ("learn", "lsvm", "--instances", "0-99999999"),
    ("learn", "lsvm", "--types", "nobody"),
    ("learn", "lsvm", "--q", "nan"),
    ("learn", "lsvm", "--steps-fraction", "0"),
    ("plot",),
    ("plot", "bounds", "mars", "--seed", "1", "--bidder", "0"),
    ("plot", "bounds", "lsvm", "--seed", "1", "--bidder", "99"),
    ("plot", "bounds", "lsvm", "--seed", "1", "--bidder", "0", "--reports", "-5"),
    ("plot", "bounds", "lsvm", "--seed", "1", "--bidder", "0", "--params", "/dev/zero"),
    ("experiment", "run"),
    ("experiment", "run", "grid.toml", "--seeds", "0-99999999"),
    ("experiment", "run", "grid.toml", "--workers", "0"),
    ("experiment", "run", "grid.toml", "--set", "num_total"),
    ("experiment", "run", "grid.toml", "--scheduler", "nowhere"),
    ("experiment", "report", "nowhere"),
    ("experiment", "report", "."),
    ("experiment", "compare", "nowhere", "@"),
    ("auction", "start", "nowhere.toml", "new"),
    ("auction", "start", "market.toml", "market.toml"),
    ("auction", "status", "nowhere"),
    ("auction", "ask", "."),
    ("auction", "answer", "nowhere", "nowhere.csv"),
    ("auction", "close", "nowhere"),
)  # fmt: skip


# Instances of fairpyx, for `boca courses convert`.
INSTANCES = tuple(
    f'{{"valuations": {values}, "item_capacities": {seats}, "agent_capacities": {most}, '
    f'"item_conflicts": {pairs}}}'
    for values, seats, most, pairs in (
        ("[]", "{}", "{}", "{}"),
        ("{}", "{}", "{}", "{}"),
        ('{"Ann": {"c": 5}}', '{"c": 1}', '{"Ben": 1}', "{}"),
        ('{"Ann": {"c": 5}}', '{"c": 1}', "true", "{}"),
        ('{"Ann": {"c": NaN}}', '{"c": 1}', "1", "{}"),
        ('{"Ann": {"c": 1e999}}', '{"c": 1}', "1", "{}"),
        ('{"Ann": {"c": -1}}', '{"c": 1}', "1", "{}"),
        ('{"Ann": {"c": [5]}}', '{"c": {"d": 1}}', "1", "{}"),
        ('{"Ann": {"c": 5}}', '{"c": 1.5}', "1", "{}"),
        ('{"Ann": {"c": 5}}', '{"c": 99999999999999999999999}', "1", "{}"),
        ('{"Ann": {"d": 5}}', '{"c": 1}', "-1", "{}"),
        ('{"Ann": {"": 5}}', '{"": 1}', "1", "{}"),
        ('{"Ann\\nBen": {"c;d": 5}}', '{"c;d": 1}', "1", "{}"),
        ('{"Ann": {"c\\u0000": 5}}', '{"c\\u0000": 1}', "1", "{}"),
        ('{"Ann": {"\\ud800": 5}}', '{"\\ud800": 1}', "1", "{}"),
        ('{"Ann": {"c": 5}}', '{"c": 1}', "1", '{"c": "c"}'),
        ('{"Ann": {"c": 5}}', '{"c": 1}', "1", '{"c": ["c", "nowhere"]}'),
        ('{"Ann": {"c": 5}}', '{"c": 1}', "1", '{"c": [["c"]]}'),
        ("[" * 100_000, "{}", "1", "{}"),
    )
)


def corpus() -> list[Case]:
    """All of them."""
    cases = [Case(words[0] if words else "boca", "options", words, FILES) for words in LINES]
    for text in MARKETS.values():
        files = FILES | {"market.toml": text.encode()}
        cases += [Case("domain", "market", DOMAIN, files), Case("run", "market", RUN, files)]
    for text in GRIDS.values():
        files = FILES | {"grid.toml": text.encode()}
        words = ("experiment", "run", "grid.toml", "--workers", "1", "--limit", "1", "--out", "new")
        cases.append(Case("experiment", "grid", words, files))
    for kind, texts in BIDS.items():
        for text in texts.values():
            files = FILES | {f"wdp.{kind}": text.encode(errors="surrogatepass")}
            cases.append(Case("wdp", f"bids {kind}", ("wdp", f"wdp.{kind}"), files))
    for text in INSTANCES:
        files = FILES | {"instance.json": text.encode()}
        words = ("courses", "convert", "instance.json", "--out", "new")
        cases.append(Case("courses", "instance", words, files))
    for word in ("hello", "", "{}", "[]", "null", "\x00"):
        files = FILES | {
            "store/runs/zzz.json": word.encode(),
            "store/claims/zzz.json": word.encode(),
        }
        for words in (("report", "store"), ("compare", "store", "store"),
                      ("run", "grid.toml", "--out", "store", "--workers", "1")):  # fmt: skip
            cases.append(
                Case("experiment", "stored run", ("experiment", *words), files, ("store",))
            )
    return cases
