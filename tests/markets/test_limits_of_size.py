"""Tests of inputs that are meant to hurt: each is answered with one line, before any work."""

import re
from pathlib import Path

import pytest
from stall import MARKET

from boca.core import InputError
from boca.markets import limits_of_size, read_bids, read_market

DOCS = Path(__file__).parents[2] / "docs" / "market_files.md"

MANY_GOODS = "".join(f'[[goods]]\nname = "g{j}"\ncapacity = 2\n' for j in range(4_000))
MARKETS = {
    "a number of 5,000 digits": MARKET.replace("capacity = 2", "capacity = " + "9" * 5_000),
    "10**400": MARKET.replace("credits = 1", "credits = 1" + "0" * 400),
    "1e308": MARKET.replace("credits = 1", "credits = 1e308"),
    "a tiny number": MARKET.replace("credits = 1", "credits = 5e-324"),
    "capacity 10^18": MARKET.replace("capacity = 2", "capacity = 1" + "0" * 18),
    "deep lists": "a = " + "[" * 500_000,
    "deep tables": "a = " + "{a=" * 300_000,
    "a key of many parts": "a" + ".a" * 900_000 + " = 1",
    "a header of many parts": "[a" + ".a" * 900_000 + "]",
    "quoted parts": '"#"' + '."a"' * 300_000 + " = 1",
    "many keys of some parts": "".join(f"[t{k}]\na{'.a' * 90} = 1\n" for k in range(9_000)),
    "a long name": MARKET.replace("stall", "x" * 1_000_000),
    "a long key": "x" * 1_000_000 + " = 1\n" + MARKET,
    "20,000 goods": "".join(f'[[goods]]\nname = "g{j}"\n' for j in range(20_000)),
    "60,000 bidders": MARKET + "".join(f'[[bidders]]\nname = "b{i}"\n' for i in range(60_000)),
    "limits for each of many goods": MANY_GOODS
    + '[every_bidder]\nat_most_of_each = 1\n[[bidders]]\nname = "x"\n',
    "many conflicts": MANY_GOODS
    + '[[bidders]]\nname = "x"\nconflicts = ['
    + '["g0", "g1"],' * 3_000
    + "]\n",
    "goods times bidders": MANY_GOODS
    + "".join(f'[[bidders]]\nname = "b{i}"\n' for i in range(3_000)),
}

CSV = "bidder,value,A,B\nAnn,3,1,\nBo,4,1,1\n"
JSON = '{"goods": ["A", "B"], "bids": [{"bidder": "x", "value": 3, "bundle": ["A"]}]}'
CATS = "goods 4\nbids 2\n0 5 0 #\n1 6 1 #\n"
BIDS = {
    "digits.csv": CSV.replace("3", "9" * 5_000),
    "copies.csv": CSV.replace("Ann,3,1", "Ann,3," + "9" * 5_000),
    "large.csv": CSV.replace("3", "1e308"),
    "capacity.csv": CSV.replace("Ann", "capacity,,1" + "0" * 18 + ",1\nAnn"),
    "cell.csv": CSV.replace("Ann", "x" * 200_000),
    "name.csv": CSV.replace("Ann", "x" * 100_000),
    "columns.csv": "bidder,value," + ",".join(f"g{j}" for j in range(20_000)) + "\n",
    "commas.csv": "bidder,value" + "," * 5_000_000,
    "quotes.csv": "bidder,value,A\n" + '"' * 5_000_000,
    "blank.csv": "\n" * 500_000,
    "bids.csv": "bidder,value,A\n" + "".join(f"b{k},1,1\n" for k in range(100_001)),
    "digits.json": JSON.replace("3", "9" * 5_000),
    "digits400.json": JSON.replace("3", "1" + "0" * 399),
    "large.json": JSON.replace("3", "1e308"),
    "infinite.json": JSON.replace("3", "1e999"),
    "deep.json": "[" * 5_000_000,
    "deep objects.json": '{"a":' * 1_000_000,
    "null.json": JSON[:-1] + ', "limits": null}',
    "goods.json": '{"goods": [' + ",".join(f'"g{j}"' for j in range(20_000)) + '], "bids": []}',
    "name.json": JSON.replace('"x"', '"' + "x" * 5_000_000 + '"'),
    "bundle.json": JSON.replace('["A"]', "[" + '"A",' * 1_000_000 + '"A"]'),
    "goods.cats": "goods 1000000000\nbids 1\n0 1 0 #\n",
    "digits.cats": "goods " + "9" * 5_000 + "\n",
    "bids.cats": "goods 2\nbids 1000000000\n0 1 0 #\n",
    "dummy.cats": "goods 2\nbids 1\ndummy 1000000000\n0 1 0 #\n",
    "large.cats": CATS.replace("5", "1e308"),
    "number.cats": CATS.replace("\n0 5", "\n" + "9" * 5_000 + " 5"),
    "line.cats": CATS.replace("0 5 0", "0 5" + " 0" * 300_000),
    "word.cats": "x" * 5_000_000,
    "shared dummies.cats": "goods 1\nbids 6000\ndummy 6000\n"
    + "".join(f"{k} 1 0 {1 + k} {1 + (k + 1) % 6000} #\n" for k in range(6_000)),
}


def check_one_line(refused: pytest.ExceptionInfo[InputError]) -> None:
    """A message that fits on a screen and cannot speak to a terminal."""
    message = str(refused.value)
    assert len(message) < 500
    assert message.isprintable()


@pytest.mark.parametrize("case", MARKETS)
def test_hostile_market_file_gets_one_line(case):
    """Tests market files that would cost minutes or gigabytes if they were taken at their word."""
    with pytest.raises(InputError) as refused:
        read_market(MARKETS[case])

    check_one_line(refused)


@pytest.mark.parametrize("name", BIDS)
def test_hostile_bids_get_one_line(name, tmp_path):
    """Tests the same for bids, in every format."""
    (tmp_path / name).write_text(BIDS[name])
    with pytest.raises(InputError) as refused:
        read_bids(tmp_path / name)

    check_one_line(refused)


def test_files_that_are_too_long_are_not_read(tmp_path):
    """Tests the limits on bytes."""
    (tmp_path / "a.csv").write_text(CSV + "#" + "x" * limits_of_size.MOST_BYTES_OF_BIDS)
    with pytest.raises(InputError, match="has more than 10,000,000 bytes"):
        read_bids(tmp_path / "a.csv")


def test_every_limit_is_documented():
    """Tests that the documentation lists each constant with its value."""
    constants = {
        name: value for name, value in vars(limits_of_size).items() if re.match("[A-Z]+_", name)
    }
    rows = dict(re.findall(r"^\| `([A-Z_0-9]+)` \| ([^ |]+) \|", DOCS.read_text(), re.MULTILINE))

    assert constants.keys() == rows.keys()
    assert {name: float(text.replace(",", "")) for name, text in rows.items()} == constants
