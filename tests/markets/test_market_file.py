"""Tests of market files without their values."""

import pytest
from stall import MARKET, write_stall

from boca.core import InputError
from boca.lab.domains.files import load_market_file
from boca.markets import load_market, read_market

# What is wrong; how the market file is changed; what the message must say.
BROKEN_MARKETS = {
    "unknown good in forbidden": (
        ('forbidden = ["Bread"]', 'forbidden = ["Bred"]'),
        "[[bidders]] number 2 ('Ben'), key 'forbidden': found 'Bred', which is no good of this "
        "market; did you mean 'Bread'?",
    ),
    "unknown good far from any": (
        ('forbidden = ["Bread"]', 'forbidden = ["Zzz"]'),
        "found 'Zzz', which is no good of this market; expected one of Apple, Bread, Cheese.",
    ),
    "capacity 0": (
        ("capacity = 2", "capacity = 0"),
        "[[goods]] number 1 ('Apple'), key 'capacity': found the number 0; expected at least 1. "
        "Leave the good out",
    ),
    "capacity is text": (
        ("capacity = 2", 'capacity = "2"'),
        "key 'capacity': found the text '2'; expected a whole number without quotes.",
    ),
    "capacity is true": (
        ("capacity = 2", "capacity = true"),
        "key 'capacity': found true; expected a whole number",
    ),
    "capacity is half": (
        ("capacity = 2", "capacity = 1.5"),
        "key 'capacity': found the number 1.5; expected a whole number",
    ),
    "capacity beyond reason": (
        ("capacity = 2", "capacity = 99999999999999999999"),
        "key 'capacity': found a number of about 20 digits; expected at most 1,000,000.",
    ),
    "misspelt key": (
        ("capacity = 2", "capasity = 2"),
        "('Apple'), key 'capasity': found a key that means nothing here; did you mean 'capacity'?",
    ),
    "misspelt key at the top": (
        ("[every_bidder]", "[every_biddder]"),
        "at the top, key 'every_biddder': found a key that means nothing here; did you mean "
        "'every_bidder'?",
    ),
    "good without a name": (
        ('name = "Bread"\n', ""),
        "[[goods]] number 2: the key 'name' is missing; add a name in quotes",
    ),
    "blank name": (
        ('name = "Bread"', 'name = " "'),
        "[[goods]] number 2, key 'name': found the text ' '; expected one line of text without",
    ),
    "name over two lines": (
        ('name = "Bread"', 'name = "Bre\\nad"'),
        "key 'name': found the text 'Bre\\nad'; expected one line of text",
    ),
    "number without end": (
        ("capacity = 2", "capacity = 0x" + "f" * 20_000),
        "key 'capacity': found a number of about 24082 digits; expected at most 1,000,000.",
    ),
    "name that is a column": (
        ('name = "Bread"', 'name = "value"'),
        "found 'value', which is a column of its own in bids; choose another.",
    ),
    "two goods with one name": (
        ('name = "Bread"', 'name = "Apple"'),
        "[[goods]] number 2, key 'name': found 'Apple', the name of an earlier block",
    ),
    "two bidders with one name": (
        ('name = "Ben"', 'name = "Ann"'),
        "[[bidders]] number 2, key 'name': found 'Ann', the name of an earlier block",
    ),
    "name is a number": (
        ('name = "Ben"', "name = 7"),
        "key 'name': found the number 7; expected a name in quotes",
    ),
    "type is a list": (
        ('type = "baker"', 'type = ["baker"]'),
        "('Ann'), key 'type': found a list of 1; expected a name in quotes",
    ),
    "negative budget": (
        ("credit_budget = 4", "credit_budget = -4"),
        "('Ben'), key 'credit_budget': found the number -4; expected at least 0.",
    ),
    "budget without credits": (
        ("credits = 3\n", ""),
        "key 'credit_budget': there is a budget, but the good 'Bread' has no key 'credits'",
    ),
    "at most minus one": (
        ("at_most = 2", "at_most = -1"),
        "key 'at_most': found the number -1; expected at least 0.",
    ),
    "conflict of one good": (
        ('[["Apple", "Cheese"]]', '[["Apple"]]'),
        "key 'conflicts': found a list of 1; expected at least 2 goods",
    ),
    "conflicts not in sets": (
        ('[["Apple", "Cheese"]]', '["Apple", "Cheese"]'),
        "key 'conflicts': expected a list of sets of goods",
    ),
    "good twice in a conflict": (
        ('[["Apple", "Cheese"]]', '[["Apple", "Apple"]]'),
        "key 'conflicts': found 'Apple' twice in one list",
    ),
    "forbidden is text": (
        ('forbidden = ["Bread"]', 'forbidden = "Bread"'),
        "key 'forbidden': found the text 'Bread'; expected a list of goods",
    ),
    "goods are one table": (
        (MARKET, '[goods]\nname = "Apple"\n[[bidders]]\nname = "Ann"'),
        "at the top, key 'goods': found a table with the keys name; expected one block [[goods]]",
    ),
    "no goods": ((MARKET, "goods = []"), "key 'goods': found an empty list; expected one block"),
    "goods missing": (
        (MARKET, 'name = "x"'),
        "at the top: the key 'goods' is missing; add one block [[goods]]",
    ),
    "bidders missing": (
        (MARKET, '[[goods]]\nname = "Apple"'),
        "at the top: the key 'bidders' is missing; add one block [[bidders]]",
    ),
    "a date": (("capacity = 2", "capacity = 2024-01-01"), "found the date or time 2024-01-01;"),
    "bad TOML": (
        ('name = "Bread"', "name = Bread"),
        "{folder}/market.toml: this is not valid TOML: Invalid value (at line 9, column 8)",
    ),
    "nested without end": (
        (MARKET, "a = " + "[" * 100_000),
        "{folder}/market.toml: ",
    ),
    "empty": ((MARKET, " \n"), "{folder}/market.toml is empty; docs/market_files.md"),
}


@pytest.mark.parametrize("case", BROKEN_MARKETS)
def test_mistake_in_the_market_file(case, tmp_path):
    """Tests that each mistake is named with its file and key, what was found and what to do."""
    (old, new), message = BROKEN_MARKETS[case]
    assert old in MARKET
    path = write_stall(tmp_path, MARKET.replace(old, new, 1))

    with pytest.raises(InputError) as caught:
        load_market(path)
    assert message.replace("{folder}", str(tmp_path)) in str(caught.value)
    assert str(tmp_path) in str(caught.value)


def test_values_are_optional_and_dropped_unread(tmp_path):
    """Tests that a live auction reads a market without values, and never sees those there are."""
    path = write_stall(tmp_path, bids=None)  # the file of bids does not even exist
    bare = "\n".join(
        line for line in MARKET.splitlines() if line.split(" ")[0] not in ("bids", "values")
    )
    nonsense = MARKET.replace("Apple = 3", 'Apple = "much"').replace("value = -2", "value = -99")

    assert load_market(path).market == read_market(MARKET).market == read_market(bare).market
    assert read_market(nonsense).market.num_bidders == 2
    assert "4.5" not in repr(load_market(path))


def test_the_simulation_sees_the_same_market(tmp_path):
    """Tests that values are added on top of what everybody reads."""
    path = write_stall(tmp_path)

    assert load_market_file(path).market == load_market(path).market


def test_reserve_prices_stand_at_the_goods(tmp_path):
    """Tests that a reserve price is optional, checked, and reaches whoever sells the goods."""
    text = MARKET.replace('name = "Bread"', 'name = "Bread"\nreserve = 2.5')

    assert read_market(text).reserve.tolist() == [0, 2.5, 0]
    assert read_market(MARKET).reserve.tolist() == [0, 0, 0]
    assert load_market_file(write_stall(tmp_path, text)).reserve.tolist() == [0, 2.5, 0]
    with pytest.raises(InputError, match=r"\('Bread'\), key 'reserve': found the number -1; expec"):
        read_market(text.replace("2.5", "-1"))
    with pytest.raises(ValueError, match="read-only"):
        read_market(text).reserve[0] = 1.0


def test_further_tables_are_for_whoever_asks():
    """Tests that a table is refused unless its reader names it, and has to be a table."""
    text = MARKET + "\n[auction]\nrounds = 3\n"

    assert read_market(text, extra_tables=("auction",)).tables["auction"].table == {"rounds": 3}
    assert read_market(MARKET, extra_tables=("auction",)).tables == {}
    with pytest.raises(InputError, match="key 'auction': found a key that means nothing here"):
        read_market(text)
    with pytest.raises(InputError, match="found the number 5; expected a block"):
        read_market("auction = 5\n" + MARKET, extra_tables=("auction",))


def test_a_market_without_a_name_is_called_after_its_file(tmp_path):
    """Tests the name of a file, of a text from elsewhere, and of one that nobody named."""
    text = MARKET.replace('name = "stall"\n', "")

    assert load_market(write_stall(tmp_path, text)).market.name == "market"
    assert read_market(text, "uploads/shop.toml").market.name == "shop"
    assert read_market(text).market.name == "market"


@pytest.mark.parametrize("code", ["\\u001b[2J", "\\n", "\\u202e", "\\u0007", "\\r"])
@pytest.mark.parametrize("old", ["stall", "Apple", "Ann", "baker"])
def test_names_cannot_speak_to_the_terminal(old, code):
    """Tests that a name which would clear the screen or fake a line is refused, and not echoed."""
    with pytest.raises(InputError, match="expected one line of text") as refused:
        read_market(MARKET.replace(f'"{old}"', f'"{old}{code}"', 1))

    assert str(refused.value).isprintable()


def test_participants_hold_something_before():
    """Tests endowments by the names of goods; whoever holds nothing has none."""
    text = """
[[goods]]
name = "Cod"
capacity = 5
[[goods]]
name = "Plaice"
[[participants]]
name = "Anna"
endowment = { Cod = 4 }
[[participants]]
name = "Birk"
endowment = { Plaice = 0 }
"""
    market = read_market(text).market
    assert market.endowments.tolist() == [[4, 0], [0, 0]]
    assert market.bidders[1].endowment == ()
    assert market.is_exchange
    with pytest.raises(InputError, match="key that means nothing here"):
        read_market(text.replace("participants", "bidders"))
    with pytest.raises(InputError, match="hold 6 copies of 'Cod'"):
        read_market(text.replace("{ Plaice = 0 }", "{ Cod = 2 }"))


def test_files_that_buy_are_sent_to_where_they_belong():
    """Tests the message for lots where goods are expected."""
    with pytest.raises(InputError, match="which are for buying; use boca award"):
        read_market('[[lots]]\nname = "a"\n[[suppliers]]\nname = "Ann"\n')


def test_goods_may_have_a_group_and_a_unit():
    """Tests that both reach the market, and that one of the wrong kind is named."""
    text = '[[goods]]\nname = "A"\ngroup = "north"\nunit = "tonne"\n[[bidders]]\nname = "Ann"\n'
    (good,) = read_market(text).market.goods
    assert (good.group, good.unit) == ("north", "tonne")
    with pytest.raises(InputError, match="key 'unit': found the number 5"):
        read_market(text.replace('"tonne"', "5"))
