"""Offers, lots and rules from files, and every mistake at once."""

from pathlib import Path

import numpy as np
import openpyxl
import pytest

from boca.core import InputError
from boca.markets.offer_file import read_lots, read_offers, says_cost

EXAMPLES = Path(__file__).parents[2] / "examples"
SHEET = """\
# a comment
supplier,cost,Hamburg - Munich,Kiel - Ulm
needed,,3,1
at most,,950,
baseline,,870,
Nord,2400.50,3,

West,900,,1
"""


def write(folder, text, name="offers.csv"):
    path = folder / name
    path.write_text(text)
    return path


def test_a_sheet_stands_alone(tmp_path):
    """Tests units, costs, prices outside and baselines, with empty cells."""
    offers = read_offers(write(tmp_path, SHEET))

    assert offers.market.sense == "buy"
    assert offers.market.capacities.tolist() == [3, 1]
    assert [bidder.name for bidder in offers.market.bidders] == ["Nord", "West"]
    assert offers.offers[0].bundles.tolist() == [[3, 0]]
    assert offers.offers[0].values.tolist() == [2400.5]
    assert offers.at_most.tolist() == [950, np.inf]
    assert offers.baseline[0] == 870
    assert np.isnan(offers.baseline[1])


def test_semicolons_and_decimal_commas(tmp_path):
    """Tests what spreadsheets of half of Europe write."""
    text = SHEET.replace("2400.50", "2400,50").replace("# a comment\n", "")
    text = text.replace(",", ";").replace("2400;50", "2400,50")
    offers = read_offers(write(tmp_path, text))
    assert offers.offers[0].values.tolist() == [2400.5]
    assert offers.market.capacities.tolist() == [3, 1]


def test_a_workbook(tmp_path):
    """Tests XLSX, as buyers send it around."""
    book = openpyxl.Workbook()
    for row in (["Supplier", "Cost", "a"], ["needed", None, 2], ["Nord", 12.5, 2]):
        book.active.append(row)
    path = tmp_path / "offers.xlsx"
    book.save(path)

    offers = read_offers(path)
    assert offers.market.capacities.tolist() == [2]
    assert offers.offers[0].values.tolist() == [12.5]
    assert says_cost(path)


def test_all_mistakes_are_named_at_once(tmp_path):
    """Tests that a buyer mends a sheet in one go."""
    text = """supplier,cost,a,b
needed,,0,1
Nord,12x,1,
Nord,,1,1
,5,1,
West,5,1.5,
West,7,,
West,-1,1,
West,3,1,,,9
Ost,5,1,
Ost,6,1,
needed,,1,1
"""
    with pytest.raises(InputError) as raised:
        read_offers(write(tmp_path, text))
    lines = str(raised.value).splitlines()
    assert lines[0].endswith("cannot be used:")
    expected = [
        "row 2, column 'a': found the number 0; expected at least 1",
        "row 3, column 'cost': found the text '12x'; expected a number such as 1250 or 12.5",
        "row 4, column 'cost': found nothing; expected what must be paid",
        "row 5, column 'supplier': found nothing; who offers it?",
        "row 6, column 'a': found the number 1.5; expected a whole number",
        "row 7: found an offer of nothing; name units of a lot",
        "row 8, column 'cost': found the number -1; expected at least 0",
        "row 9: found 6 cells; expected 4, as in the header",
        "row 11: 'Ost' offers the same units as in row 10; keep one of them",
        "row 12: found a second row 'needed'; keep one of them",
    ]
    assert [line.strip() for line in lines[1:]] == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("bidder,value,a\nAnn,1,1\n", "expected 'supplier', 'cost'"),
        ("supplier,value,a\nAnn,1,1\n", "boca wdp reads that"),
        ("supplier,cost\nAnn,1\n", "one column for every one of the lots"),
        ("supplier,cost,a,a\nAnn,1,1,1\n", "the name of each of the lots once"),
        ("supplier,cost,a\n", "there is no offer"),
    ],
)
def test_sheets_that_are_something_else(text, message, tmp_path):
    """Tests that values are never taken for costs, nor the reverse."""
    with pytest.raises(InputError, match=message):
        read_offers(write(tmp_path, text))
    assert not says_cost(write(tmp_path, "bidder,value,a\nAnn,1,1\n"))
    assert not says_cost(tmp_path / "bids.json")


def test_the_example(tmp_path):
    """Tests groups, rules and scenarios of a whole file."""
    offers = read_offers(EXAMPLES / "procurement" / "award.toml")

    assert offers.groups == {"incumbents": (0,), "small": (1, 3, 4)}
    assert [rule.title for rule in offers.market.rules] == ["two trucks or none"]
    assert offers.scenarios["three carriers"][0].at_most == 3
    assert offers.scenarios["keep the incumbent"][0].who == (0,)
    assert offers.scenarios["small carriers"][0].who == (1, 3, 4)
    assert len(offers.offers[2].values) == 4
    assert offers.market.bidders[0].limits[0].bound == 6


BASE = """
offers = "offers.csv"
[[lots]]
name = "a"
[[suppliers]]
name = "Nord"
"""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (BASE.replace("[[lots]]", "[[goods]]"), "are for selling"),
        ('sense = "sell"\n' + BASE, 'expected "buy"'),
        (BASE + "colour = 1\n", "means nothing here"),
        (BASE + "[[rules]]\nname = 'x'\n", "found nothing to count"),
        (BASE + "[[rules]]\nunits = { at_most = 1 }\nlots = { at_most = 1 }\n", "units|lots"),
        (BASE + "[[rules]]\nunits = { at_moost = 1 }\n", "did you mean 'at_most'"),
        (BASE + "[[rules]]\nunits = { at_most = -1 }\n", "expected at least 0"),
        (BASE + "[[rules]]\nshare_of_units = { at_most = 40 }\n", "a share from 0 to 1"),
        (BASE + '[[rules]]\nunits = { at_most = 1 }\nsuppliers = "Nort"\n', "did you mean 'Nord'"),
        (BASE + '[[rules]]\nunits = { at_most = 1 }\nin_lots = ["b"]\n', "no good of this market"),
        (BASE + "[[rules]]\nunits = { at_most = 1 }\neach = 3\n", "expected true or false"),
        (BASE + "incumbent = 1\n", "true or false"),
        (BASE + 'groups = "small"\n', "expected names"),
        (BASE.replace("Nord", "West"), "found 'Nord'"),
        (BASE.replace('"a"', '"b"'), "found the column 'a'"),
        (
            BASE + '[[scenarios]]\nname = "x"\nrules = []\n[[scenarios]]\nname = "x"\nrules = []\n',
            "twice",
        ),
    ],
)
def test_mistakes_in_a_file_of_lots(text, message, tmp_path):
    """Tests that each has a place and a way out."""
    write(tmp_path, "supplier,cost,a\nNord,5,1\n")
    with pytest.raises(InputError, match=message):
        read_offers(write(tmp_path, text, "award.toml"))


def test_a_missing_sheet_is_named(tmp_path):
    """Tests that the file of offers is looked for beside the file of lots."""
    with pytest.raises(InputError, match=r"offers\.csv"):
        read_offers(write(tmp_path, BASE, "award.toml"))


def test_typical_slips(tmp_path):
    """Tests a misspelt row, a name in other capitals, and text beside a number."""
    text = SHEET.replace("needed", "needd") + "west,800,,1\nNord,90,2 pcs,\n"
    with pytest.raises(InputError) as caught:
        read_offers(write(tmp_path, text))
    message = str(caught.value)
    assert "row 3, column 'cost': found nothing; expected what must be paid, or the row" in message
    assert "'needed', written so" in message
    assert "row 9, column 'supplier': found 'west', and 'West' before; write both alike" in message
    assert "row 10, column 'Hamburg - Munich': found the text '2 pcs'" in message


def test_units_without_a_need(tmp_path):
    """Tests that offers of many units are not counted as one because a row is missing."""
    with pytest.raises(InputError, match="several units of Hamburg - Munich and no row") as e:
        read_offers(write(tmp_path, SHEET.replace("needed,,3,1\n", "")))
    assert "Kiel" not in str(e.value)


def test_rules_of_the_buyer_have_names(tmp_path):
    """Tests that titles name suppliers and lots, in scenarios and in rules of all of them."""
    write(tmp_path, SHEET)
    blocks = 'lots = [{ name = "Hamburg - Munich" }, { name = "Kiel - Ulm" }]\n'
    blocks += 'suppliers = [{ name = "Nord" }, { name = "West" }]\n'
    rule = '{ lots = { at_least = 1 }, suppliers = ["West"], in_lots = ["Kiel - Ulm"] }'
    text = f'offers = "offers.csv"\n{blocks}rules = [{rule}]\nscenarios = [{{ name = "s", rules = '
    offers = read_offers(write(tmp_path, f"{text}[{rule}] }}]\n", "award.toml"))
    titles = [rule.title for rule in (*offers.market.rules, *offers.scenarios["s"])]
    assert titles == ["at least 1 lot of West in Kiel - Ulm"] * 2


def test_lots_may_have_a_group_and_a_unit():
    """Tests a purchase for a live table; nothing is computed from them."""
    text = BASE.replace("[[lots]]", '[[lots]]\ngroup = "north"\nunit = "pallet"', 1)
    market = read_lots(text, "lots.toml").market
    assert (market.goods[0].group, market.goods[0].unit) == ("north", "pallet")
