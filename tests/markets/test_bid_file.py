"""Tests of bids in CSV and JSON."""

import json
from pathlib import Path

import pytest

from boca.core import InputError
from boca.markets import read_bids

EXAMPLES = Path(__file__).parents[2] / "examples"
CSV = """# comment
bidder,value,Paris,Rome
capacity,,1,2
reserve,,3,
Ann,10,1,
Ann,14,1,1
"Bo, Ltd",5,,2
"""
JSON = {
    "goods": {"Paris": 1, "Rome": 2},
    "reserve": {"Paris": 3},
    "limits": [{"bidder": "Ann", "coefficients": {"Paris": 1, "Rome": 1}, "bound": 2}],
    "bids": [
        {"bidder": "Ann", "value": 10, "bundle": ["Paris"]},
        {"bidder": "Ann", "value": 14, "bundle": {"Paris": 1, "Rome": 1}},
        {"bidder": "Bo, Ltd", "value": 5, "bundle": ["Rome", "Rome"]},
    ],
}


def written(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text)
    return path


def test_csv_and_json_say_the_same(tmp_path):
    """Tests both formats on one auction with capacities, reserve prices and a quoted name."""
    table = read_bids(written(tmp_path, "a.csv", CSV))
    tree = read_bids(written(tmp_path, "a.json", json.dumps(JSON)))

    assert table.market.goods == tree.market.goods
    assert table.reports == tree.reports
    assert table.reserve.tolist() == tree.reserve.tolist() == [3, 0]
    assert table.reports[1].bundles.tolist() == [[0, 2]]
    assert [b.name for b in table.market.bidders] == ["Ann", "Bo, Ltd"]
    assert tree.market.bidders[0].limits[0].bound == 2


@pytest.mark.parametrize("name", ["auction.cats", "bids.csv"])
def test_examples_load(name):
    """Tests the files that the documentation shows."""
    assert read_bids(EXAMPLES / name).market.num_bidders > 1


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("bidder,value,Paris,Rome", "who,value,Paris,Rome", "line 2: found the columns 'who,"),
        ("bidder,value,Paris,Rome", "bidder,value,Rome,Rome", "line 2: the good 'Rome'"),
        ("Ann,10,1,", "Ann,10,1", "line 5: found 3 cells; expected 4"),
        ("Ann,10,1,", "Ann,ten,1,", "line 5: found 'ten' as a value"),
        ("Ann,10,1,", "Ann,-1,1,", "line 5: found '-1' as a value"),
        ("Ann,10,1,", "Ann,10,0.5,", "line 5: found '0.5' as a number of copies"),
        ("Ann,10,1,", "Ann,10,2,", "line 5: found 2 copies of 'Paris'; expected at most 1"),
        ("Ann,10,1,", "Ann,10,,", "line 5: the bid asks for nothing"),
        ("Ann,10,1,", ",10,1,", "line 5: found '' as a bidder"),
        ("Ann,14,1,1", "Ann,14,1,", "line 6: 'Ann' bids a second time on the bundle of line 5"),
        ("capacity,,1,2", "capacity,,1,0", "line 3: found '0' as a number of copies"),
    ],
)
def test_broken_csv_line_is_named(tmp_path, old, new, message):
    """Tests that every mistake names file, line and what was found."""
    path = written(tmp_path, "a.csv", CSV.replace(old, new, 1))
    with pytest.raises(InputError) as refused:
        read_bids(path)

    assert message in str(refused.value)
    assert str(path) in str(refused.value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"bids": []}, "there are no bids"),
        ({"bids": 3}, "expected 'goods' as a list"),
        ({"price": 1}, "expected an object with bids, goods and perhaps limits, reserve"),
        ({"bids": [{"bidder": "A", "value": 1}]}, "bid 1: found ['bidder', 'value']"),
        ({"bids": [{"bidder": "A", "value": 1, "bundle": ["Oslo"]}]}, "bid 1: found the good"),
        ({"bids": [{"bidder": 7, "value": 1, "bundle": ["Rome"]}]}, "bid 1: found 7 as a bidder"),
        (
            {"bids": [{"bidder": "A", "value": 1, "bundle": ["Rome", 3]}]},
            "bid 1: found the good '3'",
        ),
        ({"limits": [{"bidder": "Cy", "coefficients": {}, "bound": 1}]}, "a limit is for 'Cy'"),
        ({"reserve": {"Rome": -1}}, "reserve: found '-1'"),
    ],
)
def test_broken_json_entry_is_named(tmp_path, change, message):
    """Tests that every mistake names the entry and what was found."""
    with pytest.raises(InputError) as refused:
        read_bids(written(tmp_path, "a.json", json.dumps(JSON | change)))

    assert message in str(refused.value)


def test_broken_files_are_named(tmp_path):
    """Tests files that are missing, empty, or no JSON at all."""
    with pytest.raises(InputError, match="Cannot read the file"):
        read_bids(tmp_path / "none.csv")
    with pytest.raises(InputError, match="the file is empty"):
        read_bids(written(tmp_path, "a.csv", "\n# nothing\n"))
    with pytest.raises(InputError, match=r"a\.json, line 2: this is not JSON"):
        read_bids(written(tmp_path, "a.json", '{"goods":\n oops}'))
    (tmp_path / "b.csv").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="not text in UTF-8"):
        read_bids(tmp_path / "b.csv")
