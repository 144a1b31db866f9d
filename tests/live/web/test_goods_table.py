"""Bundles as tables and chips, and what people call questions."""

import re

import pytest

from boca.core.goods import Good
from boca.core.market import Bidder, Market
from boca.live.auction.query_id import in_place_of_ids, round_and_number
from boca.live.web.render import environment
from boca.live.web.texts import load
from boca.live.web.views.goods_table import (
    MOST_COLUMNS,
    BundleWords,
    GoodsColumn,
    goods_tables,
    nearest,
    short_name,
)
from boca.live.web.views.naming import (
    address_key,
    is_named,
    question_name,
    sheet_name,
    without_ids,
)

EN = load("en")
MARKET = Market(
    (
        Good("800 MHz North", 2, "800 MHz", "2 x 5 MHz"),
        Good("Tower"),
        Good("800 MHz South", 2, "800 MHz", "2 x 5 MHz"),
        Good("Mast", 1, "Sites"),
    ),
    (Bidder("Ann"),),
)


def test_goods_stand_by_group_and_unused_ones_are_counted():
    """Tests that a group's goods stand together, in the order of the market."""
    columns = [GoodsColumn("Q1", (2, 0, 1, 0)), GoodsColumn("Q2", (0, 1, 1, 0))]
    (table,) = goods_tables(MARKET, columns)
    names = [(group.name, [row.name for row in group.rows]) for group in table.groups]
    assert names == [("800 MHz", ["North", "South"]), ("", ["Tower"])]
    assert table.groups[0].unit == "2 x 5 MHz"
    assert [[cell.copies for cell in row.cells] for row in table.groups[0].rows] == [[2, 0], [1, 1]]
    assert [row.copies for row in table.groups[0].rows] == [2, 2]
    assert [column.copies for column in table.columns] == [3, 2]
    words = BundleWords(EN, MARKET)
    assert words.number_left_out(table) == "One other good is in none of these."
    # Whoever wants nothing does not read of other goods.
    (nothing,) = goods_tables(MARKET, [GoodsColumn("Q1", (0, 0, 0, 0))])
    assert words.number_left_out(nothing) == ""


def test_what_changed_is_marked_with_a_sign_and_lost_goods_stay():
    """Tests that a good that an earlier bundle had is not left out for being gone."""
    (table,) = goods_tables(MARKET, [GoodsColumn("Q1", (2, 0, 0, 0), before=(1, 0, 0, 1))])
    cells = {row.good.name: row.cells[0] for group in table.groups for row in group.rows}
    assert {name: cell.change_text for name, cell in cells.items()} == {
        "800 MHz North": "+1",
        "Mast": "\u22121",
    }
    assert table.has_changes
    assert table.num_left_out == 2


def test_many_columns_make_several_tables_with_all_of_them():
    """Tests that no bundle is lost where a table ends, and that each names its own goods."""
    columns = [GoodsColumn(f"Q{k}", (1, 0, 0, k % 2)) for k in range(2 * MOST_COLUMNS + 1)]
    tables = goods_tables(MARKET, columns)
    titles = [column.title for table in tables for column in table.columns]
    assert titles == [f"Q{k}" for k in range(2 * MOST_COLUMNS + 1)]
    assert [len(table.columns) for table in tables] == [MOST_COLUMNS, MOST_COLUMNS, 1]
    assert tables[2].num_left_out == 3


def test_prices_show_every_good():
    """Tests that a choice at prices shows what was not taken, too."""
    (table,) = goods_tables(MARKET, [GoodsColumn("Q1", (1, 0, 0, 0), prices=(5, 6, 7, 8))])
    assert table.num_left_out == 0
    assert [row.cells[0].price for group in table.groups for row in group.rows] == [5, 7, 6, 8]


def test_nearest_bundle_has_most_in_common_and_the_last_one_wins():
    """Tests the comparison: fewest copies apart, none where little is common, never itself."""
    bundle = (2, 1, 0, 0)
    assert nearest(bundle, [(2, 0, 0, 0), (2, 1, 1, 0)]) == (2, 1, 1, 0)  # both one apart
    assert nearest(bundle, [(2, 1, 1, 0), (2, 0, 0, 0)]) == (2, 0, 0, 0)
    assert nearest(bundle, [bundle]) is None
    assert nearest(bundle, [(0, 0, 2, 1), (0, 0, 0, 0)]) is None
    assert nearest((0, 0, 0, 0), [(0, 0, 0, 0)]) is None


def test_names_below_a_group_do_not_repeat_it():
    """Tests names that begin with the group, are the group, or only begin alike."""
    assert short_name(Good("800 MHz North", 1, "800 MHz")) == "North"
    assert short_name(Good("800 MHz", 1, "800 MHz")) == "800 MHz"
    assert short_name(Good("North", 1, "800 MHz")) == "North"
    assert short_name(Good("Tower")) == "Tower"


def test_sentence_names_few_goods():
    """Tests that a bundle of fifty goods does not become a wall in a sentence."""
    market = Market(tuple(Good(f"g{k}", 2) for k in range(50)), (Bidder("Ann"),))
    assert EN.bundle([1] * 50, market).endswith("1 \u00d7 g5 and 44 more goods (50 copies in all)")
    assert EN.bundle([1] * 7 + [0] * 43, market).endswith("1 \u00d7 g5 and 1 \u00d7 g6")


def test_questions_have_names_and_ids_are_replaced():
    """Tests the name by round and number, alone and within a sentence of the auction's own."""
    assert round_and_number("r1-b12-q3") == (2, 3)
    assert round_and_number("push:1,0") is None
    assert question_name(EN, "r1-b12-q3") == "Question 3 of round 2"
    sentence = "Found the bundle of question r0-b1-q10; expected one of r0-b1-q1, r0-b1-q2."
    assert without_ids(EN, sentence) == (
        "Found the bundle of question 10 of round 1; expected one of question 1 of round 1, "
        "question 2 of round 1."
    )
    assert in_place_of_ids("bar0-b1-q1", lambda *_: "x") == "bar0-b1-q1"
    assert address_key("r1-b12-q10") == "2.10"


@pytest.mark.parametrize("text", ["R2 Q10", "r2q10", " R2-Q10 ", "r1-b12-q10"])
def test_sheets_find_their_questions_again(text):
    """Tests names as handed out, as people retype them, and ids of former sheets."""
    assert sheet_name("r1-b12-q10") == "R2 Q10"
    assert is_named(text, "r1-b12-q10")
    assert not is_named(text, "r1-b12-q1")
    assert not is_named(text, "r10-b12-q10")


def test_groups_have_sums_and_goods_without_a_group_a_heading():
    """Tests that the copies of a group are added up, and that no good seems to be in another's."""
    columns = [GoodsColumn("Q1", (2, 0, 1, 0)), GoodsColumn("Q2", (0, 1, 0, 0))]
    (table,) = goods_tables(MARKET, columns)
    assert [group.sums for group in table.groups] == [(3, None), (None, 1)]
    assert [group.copies for group in table.groups] == [3, 1]
    page = render(table)
    assert re.findall(r'scope="rowgroup"[^>]*>([^<]+)', page) == ["800 MHz ", "Other goods"]
    (plain,) = goods_tables(MARKET, [GoodsColumn("Q1", (0, 1, 0, 0))])
    assert "rowgroup" not in re.findall(r'scope="[a-z]+"', render(plain))


def render(table):
    """A table of goods as a page has it."""
    source = (
        '{% from "goods.html" import goods_matrix with context %}'
        '{% call(part, column) goods_matrix(table, "Bundles", []) %}{% endcall %}'
    )
    words = BundleWords(EN, MARKET)
    return environment().from_string(source).render(t=EN, words=words, table=table)


def test_a_group_says_its_unit_once_and_its_name_before_its_goods():
    """Tests what the page of prices takes from the heading: nothing outside of groups."""
    words = BundleWords(EN, MARKET)
    assert words.unit_of("800 MHz") == "2 x 5 MHz"
    assert words.unit_of("Sites") == ""
    assert words.unit_of("") == ""
    assert words.name_of(MARKET.goods[0]) == ("800 MHz ", "North")
    assert words.name_of(MARKET.goods[1]) == ("", "Tower")
    mixed = Market((Good("A", 1, "g", "kg"), Good("B", 1, "g", "t")), (Bidder("Ann"),))
    assert BundleWords(EN, mixed).unit_of("g") == ""
