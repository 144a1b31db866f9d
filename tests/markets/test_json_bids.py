"""Tests of bids in JSON."""

import json
from typing import Any

import pytest

from boca.core import InputError
from boca.markets.json_bids import parse_json

JSON: dict[str, Any] = {
    "goods": {"Paris": 1, "Rome": 2},
    "reserve": {"Paris": 3},
    "limits": [{"bidder": "Ann", "coefficients": {"Paris": 1, "Rome": 1}, "bound": 2}],
    "bids": [
        {"bidder": "Ann", "value": 10, "bundle": ["Paris"]},
        {"bidder": "Ann", "value": 14, "bundle": {"Paris": 1, "Rome": 1}},
        {"bidder": "Bo, Ltd", "value": 5, "bundle": ["Rome", "Rome"]},
    ],
}


def bid(**changes: Any) -> dict[str, Any]:
    """A change of the file: one bid, which is right but for these entries."""
    return {"bids": [{"bidder": "A", "value": 1, "bundle": ["Rome"]} | changes]}


def limit(**changes: Any) -> dict[str, Any]:
    """A change of the file: one limit, which is right but for these entries."""
    return {"limits": [{"bidder": "Ann", "coefficients": {"Rome": 1}, "bound": 2} | changes]}


def test_objects_are_bids():
    """Tests bids as lists and as counts, copies, reserve prices and limits."""
    sheet = parse_json(json.dumps(JSON), "a.json")

    assert sheet.goods == ("Paris", "Rome")
    assert sheet.capacities == (1, 2)
    assert sheet.reserve == (3, 0)
    assert [(b.bidder, b.value, b.bundle) for b in sheet.bids] == [
        ("Ann", 10, (1, 0)),
        ("Ann", 14, (1, 1)),
        ("Bo, Ltd", 5, (0, 2)),
    ]
    assert sheet.limits["Ann"][0].coefficients == (1, 1)
    assert sheet.limits["Ann"][0].bound == 2


def test_goods_may_be_numbered():
    """Tests goods as programs number them, without copies."""
    text = '{"goods": [0, 1], "bids": [{"bidder": "reserve", "value": 2.0, "bundle": [1]}]}'
    sheet = parse_json(text, "a.json")

    assert sheet.goods == ("0", "1")
    assert sheet.capacities == (1, 1)
    assert (sheet.bids[0].bidder, sheet.bids[0].bundle) == ("reserve", (0, 1))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"bids": 3}, "and the number 3 as bids; expected 'goods' as a list"),
        ({"goods": None}, "found null as goods"),
        ({"goods": [True]}, "found true as a good"),
        ({"goods": [["Rome"]]}, "found a list of 1 as a good"),
        ({"goods": ["Rome", "Rome"]}, "found the good 'Rome' twice"),
        ({"goods": {"Rome": "2"}}, "the text '2' as the copies of 'Rome'; expected a whole number"),
        ({"goods": {"Rome": True}}, "found true as the copies of 'Rome'"),
        ({"goods": {"Rome": 10**18}}, "a number of about 18 digits as the copies of 'Rome'"),
        ({"price": 1}, "expected an object with bids, goods and perhaps limits, reserve"),
        ({"bids": [{"bidder": "A", "value": 1}]}, "bid 1: found a table with the keys bidder, val"),
        ({"bids": [[]]}, "bid 1: found an empty list; expected an object"),
        (bid(bundle=["Oslo"]), "bid 1: found the good 'Oslo'; expected one of Paris, Rome"),
        (bid(bundle=["Rome", 3]), "bid 1: found the good '3'"),
        (bid(bundle=[["Rome"]]), "bid 1: found a list of 1 as a good"),
        (bid(bundle=None), "bid 1: found null; expected numbers by the name of a good"),
        (bid(bundle=[]), "bid 1: found a bid for nothing"),
        (bid(bundle={"Rome": True}), "bid 1: found true as the copies of 'Rome'"),
        (bid(bundle={"Rome": "1"}), "bid 1: found the text '1' as the copies of 'Rome'"),
        (bid(bundle={"Rome": 0.5}), "bid 1: found the number 0.5 as the copies of 'Rome'"),
        (bid(bidder=7), "bid 1: found the number 7 as the bidder; expected a name"),
        (bid(bidder="A\nB"), r"bid 1: found the text 'A\nB' as the bidder"),
        (bid(value="5"), "bid 1: found the text '5' as the value; expected a number such as 1250 "),
        (bid(value=True), "bid 1: found true as the value"),
        (bid(value=None), "bid 1: found null as the value"),
        (bid(value=1e16), "bid 1: found the number 1e+16 as the value; expected at most 1e+15"),
        ({"reserve": {"Rome": -1}}, "reserve: found the number -1 as the price of 'Rome'"),
        ({"reserve": None}, "reserve: found null"),
        ({"limits": None}, "found null as limits; expected a list, or leave it out"),
        ({"limits": {}}, "as limits; expected a list"),
        (limit(bound=-1), "limit 1: found the number -1 as the bound"),
        (limit(coefficients={"Rome": -1}), "limit 1: found the number -1 as the coefficient"),
        (limit(coefficients=[1]), "limit 1: found a list of 1; expected numbers by the name"),
        (limit(name=3), "limit 1: found the number 3 as the name"),
        (limit(bidder=True), "limit 1: found true as the bidder"),
    ],
)
def test_broken_entry_is_named(change, message):
    """Tests that every mistake names the entry and what was found."""
    with pytest.raises(InputError) as refused:
        parse_json(json.dumps(JSON | change), "a.json")

    assert message in str(refused.value)
    assert str(refused.value).startswith("a.json")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"goods":\n oops}', "a.json, line 2: this is not JSON"),
        ('{"goods": ["A"], "goods": ["B"], "bids": []}', "the key 'goods' twice in one object"),
        ('{"goods": {"A": 1, "A": 2}, "bids": []}', "the key 'A' twice in one object"),
        ('{"goods": ["A"], "bids": [{"value": NaN}]}', "found NaN; expected a finite number"),
        ('{"goods": ["A"], "bids": [{"value": -Infinity}]}', "found -Infinity; expected a finite"),
        ("[]", "found an empty list; expected an object with bids, goods"),
        ("null", "found null; expected an object with bids, goods"),
        ("", "line 1: this is not JSON"),
    ],
)
def test_what_json_libraries_wave_through_is_refused(text, message):
    """Tests text that is no JSON, and JSON of which half would be lost in silence."""
    with pytest.raises(InputError) as refused:
        parse_json(text, "a.json")

    assert message in str(refused.value)
