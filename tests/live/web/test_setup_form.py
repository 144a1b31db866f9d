"""The form for new auctions: what it stands for, and everything that is wrong with it at once."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hand_clock import START
from live_play import MECHANISMS, read
from live_play import market_text as file_text

from boca.core.errors import InputError
from boca.core.rule import Rule
from boca.live.auction.rules import Rules, read_auction_file
from boca.live.web.pages.staff.setup import draft_form
from boca.live.web.setting_up import SetupForm, market_text, mistakes_of
from boca.live.web.setting_up.changes import changes
from boca.live.web.setting_up.filling import PATTERNS, form_of, pattern_text
from boca.live.web.setting_up.form import NUMBER_FIELDS, OFFERED, PARTS, typed_rows
from boca.live.web.setting_up.lists import conflicts_in
from boca.live.web.setting_up.mistakes import mistake_at
from boca.live.web.setting_up.rows import pasted, rows_of
from boca.live.web.texts import load
from boca.markets.sections import Section
from boca.markets.sheet_table import read_table
from boca.mechanism import AuctionParams, Phase
from boca.queries import RandomBundles

T = load("en")
FREIGHT = Path(__file__).parents[3] / "examples" / "procurement" / "award.toml"
FORM = SetupForm(
    name="Hall",
    goods=({"name": "hall", "price": "3.00"}, {"name": "chairs", "copies": "3"}),
    bidders=({"name": "Ann"}, {"name": "Ben"}),
)


def problems(form: SetupForm) -> dict[str, str]:
    """Field -> what is wrong with it."""
    return {one.field: one.sentence for one in mistakes_of(T, form, MECHANISMS, START)}


def test_a_form_that_nobody_touched_has_the_documented_defaults():
    """Tests that rules which were not looked at are the rules of a file without them."""
    assert problems(FORM) == {}
    rules, market = read(market_text(FORM))
    assert rules == Rules(reserve={"hall": "3.00"})
    assert [good.capacity for good in market.goods] == [1, 3]
    assert [bidder.name for bidder in market.bidders] == ["Ann", "Ben"]


def test_the_form_says_every_limit_of_a_file():
    """Tests each key of a bidder's limits, and those of everybody."""
    form = replace(
        FORM,
        goods=tuple({"name": name, "credits": "2", "copies": "4"} for name in ("A", "B", "C, D")),
        every={"at_most": "9", "conflicts": "A + B; B + C, D"},
        bidders=(
            {"name": "Ann", "at_most": "3", "at_most_of_each": "1", "credit_budget": "7.5"},
            {"name": "Ben", "forbidden": "A, B", "type": "small"},
            {"name": "Cid", "forbidden": "C, D"},
        ),
    )
    assert problems(form) == {}
    rules, market = read(market_text(form))
    every = ["at most 9 in total", "only one of A, B", "only one of B, C, D"]
    limits = [[limit.name for limit in bidder.limits] for bidder in market.bidders]
    assert limits[0] == [
        *every, "at most 3 in total", *["at most 1 of each"] * 3, "at most 7.5 credits"
    ]  # fmt: skip
    assert limits[1] == [*every, "none of A, B"]
    assert limits[2] == [*every, "none of C, D"]
    assert market.bidders[1].type == "small"
    again = form_of(read_auction_file(market_text(form), MECHANISMS))
    assert read(market_text(again)) == (rules, market)


FILES = {
    **{name: pattern_text(name) for name in PATTERNS},
    "rules": file_text(
        mechanism="mlhca",
        start_prices={"hall": "1.00", "kitchen": "2.00", "chairs": "0.50"},
        reserve={"hall": "3.00"},
        round_minutes=[7.5, 3],
        extensions=2,
        extension_minutes=0.5,
        typo_factor=2.5,
        language="de",
        opening_hours={"days": ["mon", "sat"], "from": "08:30", "to": "24:00"},
        time_zone="Asia/Tokyo",
        starts_at="2030-01-01T09:00",
        show_reasons="numbers",
        sealed_from_auctioneer=True,
        explain_payments=False,
    ),
    "exchange": file_text().replace("[[bidders]]", "[[participants]]").replace(
        'name = "Ann"', 'name = "Ann"\nendowment = { hall = 1, chairs = 2 }\nat_most = 3'
    ),
    "buy": """
        name = "sand"
        [[lots]]
        name = "sand"
        needed = 3
        at_most = 2.5
        [[suppliers]]
        name = "Ann"
        [auction]
        payment_rule = "core"
    """,
    "freight": FREIGHT.read_text(encoding="utf-8"),
    "groups": file_text().replace('name = "hall"', 'name = "hall"\ngroup = "rooms"\nunit = "day"'),
}  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_a_form_filled_from_a_file_stands_for_that_file(name):
    """Tests that editing a draft without touching anything changes nothing."""
    file = read_auction_file(FILES[name], MECHANISMS)
    form = form_of(file)
    assert problems(form) == {}
    assert SetupForm.from_text(form.to_text()) == form
    again = read_auction_file(market_text(form), MECHANISMS)
    assert again == file


def test_what_the_form_cannot_say_is_left_to_the_file():
    """Tests a scenario without rules, which no row stands for and which would get lost."""

    def read_file(text):
        return read_auction_file(text, MECHANISMS)

    file = read_file(FILES["buy"] + '[[scenarios]]\nname = "free"\nrules = []\n')
    assert draft_form(file, "", read_file) is None
    assert draft_form(read_file(FILES["freight"]), "", read_file) is not None


SALT = SetupForm(
    kind="buy",
    name="Salt",
    goods=({"name": "north", "copies": "5", "price": "3"}, {"name": "south", "price": "2"}),
    bidders=({"name": "Ann", "incumbent": "yes"}, {"name": "Ben", "groups": "small"}),
    awards=(
        {"counts": "winners", "at_most": "1"},
        {"counts": "share_of_units", "at_least": "33.3", "who": "small", "scenario": "small first"},
    ),
)


def test_the_form_says_rules_and_scenarios_of_a_buyer():
    """Tests a bound that binds, and one in per cent of a scenario for a group."""
    assert problems(SALT) == {}
    file = read_auction_file(market_text(SALT), MECHANISMS)
    assert file.market.rules == (Rule("winners", at_most=1),)
    assert file.notes.groups == {"incumbents": [0], "small": [1]}
    (rule,) = file.notes.scenarios["small first"]
    assert Rule.from_dict(rule) == Rule("units", at_least=0.333, who=(1,), share=True)
    back = form_of(file)
    assert (back.awards, back.bidders) == (SALT.awards, SALT.bidders)
    sale = market_text(replace(SALT, kind="sell"))
    assert not any(key in sale for key in ("incumbent", "groups", "scenarios", "winners"))


def test_tables_may_have_the_headings_of_the_form_in_any_language():
    """Tests a German sheet of goods and a French one of suppliers, with a tick that is none."""
    goods = rows_of(
        "goods",
        read_table(pasted("Name;Gruppe;Einheit;Anzahl;Mindestpreis\nBerlin;Nord;MHz;3;2,50\n")),
    )
    assert goods == (
        {"name": "Berlin", "group": "Nord", "unit": "MHz", "copies": "3", "price": "2.50"},
    )
    text = "Fournisseur;En place;Groupes;Lots exclus\nAnn;oui;petit;nord\nBen;non;;\n"
    suppliers = rows_of("bidders", read_table(pasted(text.replace("Fournisseur", "Nom"))))
    assert suppliers == (
        {"name": "Ann", "incumbent": "oui", "groups": "petit", "forbidden": "nord"},
        {"name": "Ben"},
    )


@pytest.mark.parametrize(
    ("rule", "field", "told"),
    [
        ({"counts": "winners"}, "at_most", "a number here, or under at least"),
        ({"counts": "share_of_lots", "at_most": "140"}, "at_most", "from 0 to 100"),
        ({"counts": "units", "at_least": "3", "at_most": "2"}, "at_least", "at most 2"),
        (
            {"counts": "units", "at_most": "2", "who": "Cid"},
            "who",
            "Ann, Ben, small and incumbents",
        ),
        ({"counts": "units", "at_most": "2", "who": "Ann; small"}, "who", "or one group"),
        ({"counts": "units", "at_most": "2", "lots": "west"}, "lots", "north and south"),
        ({"counts": "spend", "at_most": "2", "lots": "north"}, "lots", "one price"),
        ({"counts": "winners", "at_most": "2", "each": "yes"}, "each", "all together"),
        ({"counts": "units", "at_least": "2", "if_any": "yes"}, "if_any", "for each"),
    ],
)
def test_a_wrong_rule_of_a_buyer_is_told_at_its_field(rule, field, told):
    """Tests every mistake before the file is made, in the words of the form."""
    sentence = problems(replace(SALT, awards=(rule,)))[f"awards-0-{field}"]
    assert "of rule 1: found" in sentence
    assert told in sentence


def test_changed_rules_of_a_buyer_are_told():
    """Tests what the log says of another bound."""
    other = replace(SALT, awards=({"counts": "winners", "at_most": "2"},))
    (row,) = changes(
        load("en", "buy"), read(market_text(replace(SALT, awards=()))), read(market_text(other))
    )
    assert (row.what, row.old) == ("Rules of the award", "none")
    assert "at most 2" in row.new


@pytest.mark.parametrize(
    ("typed", "language", "plain", "written"),
    [
        ("1,200.50", "en", "1200.50", "1200.50"),
        ("1.200,50", "de", "1200.50", "1200,50"),
        ("1.200", "de", "1200", "1200"),
        ("1.200", "en", "1.200", "1.200"),
        ("1 200,5", "fr", "1200.5", "1200,5"),
        ("1'200", "de", "1200", "1200"),
        ("1,5", "en", "1,5", "1,5"),
        ("many", "de", "many", "many"),
    ],
)
def test_numbers_are_read_as_the_language_writes_them(typed, language, plain, written):
    """Tests that 1.200 is 1200 to a German, and that all people of a form mean the same."""
    form = FORM.with_step("goods", {"goods-0-name": ["hall"], "goods-0-price": [typed]}, language)
    assert form.goods[0]["price"] == plain
    assert form.written(language).goods[0]["price"] == written
    again = form.with_step("rules", {"max_value": [typed]}, language)
    assert again.rule("max_value") == plain
    assert again.written(language).rule("max_value") == written


def test_units_of_goods_are_words():
    """Tests that no number is looked for in what a copy is, although amounts have a unit, too."""
    typed = {"goods-0-name": ["band"], "goods-0-unit": ["1,200"]}
    assert FORM.with_step("goods", typed).goods[0]["unit"] == "1,200"


def test_columns_are_shown_as_chosen_or_where_they_say_something():
    """Tests that a hidden column keeps what it says, and that a choice outlives the page."""
    assert FORM.shows("group")
    assert not FORM.shows("points")
    assert LIMITED.shows("points")
    chosen = FORM.with_step("goods", {"columns-of": ["goods"], "columns": ["credits"]})
    assert chosen.shows("credits")
    assert not chosen.shows("group")
    later = SetupForm.from_text(chosen.with_step("bidders", {"columns-of": ["bidders"]}).to_text())
    assert later.shows("credits")
    assert not later.shows("at_most")
    assert (later.more, later.without[:2]) == (("credits",), ("group", "unit"))
    back = later.with_step("goods", {"columns-of": ["goods"], "columns": ["group", "unit"]})
    assert back.shows("group")
    assert not back.shows("credits")
    assert not back.shows("at_most")


def test_a_kept_form_with_an_unknown_part_is_still_read():
    """Tests that a form from before a change of its parts loses that part and nothing else."""
    kept = json.loads(FORM.to_text())
    assert SetupForm.from_text(json.dumps({**kept, "columns": ["-group"]})) == FORM


@pytest.mark.parametrize("step", ["goods", "bidders", "rules"])
def test_every_number_is_read_and_shown_as_the_language_writes_it(step):
    """Tests that reading and showing agree on which cells are numbers, in each table."""
    tables = {"goods": ("goods",), "bidders": ("bidders",), "rules": ("rules", "awards")}[step]
    typed = {
        (name if table == "rules" else f"{table}-0-{name}"): ["1.234,5"]
        for table in tables
        for name in NUMBER_FIELDS[table]
    }
    words = {"goods": "goods-0-unit", "bidders": "every-conflicts", "rules": "currency"}[step]
    form = FORM.with_step(step, {**typed, words: ["1.234,5"]}, "de")
    kept = json.dumps([getattr(form, table) for table in tables])
    assert kept.count('"1234.5"') == len(typed)
    assert "1.234,5" in form.to_text()
    shown = form.written("de")
    again = json.dumps([getattr(shown, table) for table in tables])
    assert again.count('"1234,5"') == len(typed)
    assert "1.234,5" in shown.to_text()


LIMITED = replace(
    FORM,
    goods=({"name": "hall", "points": "3"}, {"name": "chairs", "copies": "3", "points": "1"}),
    bidders=({"name": "Ann", "spending_cap": "50.00"}, {"name": "Ben", "eligibility": "4"}),
    rules={"mechanism": "hybrid"},
)


def test_the_form_says_spending_caps_and_points():
    """Tests both rules on their way to a file and back, and that other markets have none."""
    assert problems(LIMITED) == {}
    rules, _ = read(market_text(LIMITED))
    assert rules.spending_caps == {"Ann": "50.00"}
    assert (rules.points, rules.eligibility) == ({"hall": 3, "chairs": 1}, {"Ben": 4})
    back = form_of(read_auction_file(market_text(LIMITED), MECHANISMS))
    assert [row["points"] for row in back.goods] == ["3", "1"]
    assert back.bidders == LIMITED.bidders
    assert "spending_caps" not in market_text(replace(LIMITED, kind="buy"))
    holding = ({"name": "Ann", "holds": "hall 1", "eligibility": "x"},)
    other = replace(LIMITED, kind="exchange", bidders=holding, rules={})
    assert problems(other) == {}
    assert "points" not in market_text(other)


def test_changed_caps_and_points_are_told_with_bidders_and_goods():
    """Tests what the log says of an edited draft."""
    bidders = ({"name": "Ann", "spending_cap": "60.00"}, {"name": "Ben", "eligibility": "5"})
    goods = (LIMITED.goods[0], {**LIMITED.goods[1], "points": "2"})
    after = read(market_text(replace(LIMITED, goods=goods, bidders=bidders)))
    rows = changes(T, read(market_text(LIMITED)), after)
    assert [(row.what, row.old, row.new) for row in rows] == [
        ("Good chairs", "3 copies and 1 points per copy", "3 copies and 2 points per copy"),
        ("What Ann can receive", "spending cap 50.00 EUR", "spending cap 60.00 EUR"),
        ("What Ben can receive", "eligibility 4", "eligibility 5"),
    ]


def test_tables_may_have_caps_and_points():
    """Tests the headings of both in pasted tables."""
    goods = rows_of("goods", read_table(pasted("Lot;Eligibility points\nhall;3\n")))
    assert goods == ({"name": "hall", "points": "3"},)
    text = "Bidder;Spending cap;Eligibility\nAnn;50,00;4\n"
    bidders = rows_of("bidders", read_table(pasted(text)))
    assert bidders == ({"name": "Ann", "spending_cap": "50.00", "eligibility": "4"},)


@pytest.mark.parametrize(
    ("change", "field", "told"),
    [
        ({"goods": ({"name": "a", "points": "1.5"},)}, "goods-0-points", "a whole number from 0"),
        (
            {"goods": ({"name": "a", "points": "1"}, {"name": "b"})},
            "goods-1-points",
            "Points of b: found nothing; expected points for every good, or for none",
        ),
        (
            {"bidders": ({"name": "Ann", "spending_cap": "0"},)},
            "bidders-0-spending_cap",
            "Spending cap of Ann: found '0'; expected an amount above 0",
        ),
        (
            {"bidders": ({"name": "Ann", "eligibility": "all"},)},
            "bidders-0-eligibility",
            "Eligibility of Ann: found 'all'; expected a whole number",
        ),
        (
            {"bidders": ({"name": "Ann", "spending_cap": "2000"},), "rules": {"max_value": "900"}},
            "bidders-0-spending_cap",
            "found '2000'; expected at most the largest value of step 3, 900",
        ),
        (
            {"bidders": ({"name": "Ann", "eligibility": "4"},)},
            "bidders-0-eligibility",
            "points of the goods in step 1 as well",
        ),
        ({"name": ""}, "name", "Name: found nothing; expected a name."),
        ({"goods": ()}, "goods-0-name", "at least one row"),
        ({"goods": ({"copies": "2"},)}, "goods-0-name", "Name of row 1: found nothing"),
        ({"goods": ({"name": "a", "copies": "0"},)}, "goods-0-copies", "Copies of a: found '0';"),
        ({"goods": ({"name": "a", "copies": "1e3"},)}, "goods-0-copies", "a whole number"),
        ({"goods": ({"name": "a", "price": "dear"},)}, "goods-0-price", "found 'dear';"),
        ({"goods": ({"name": "a"}, {"name": "a"})}, "goods-1-name", "than row 1 has"),
        ({"goods": ({"name": "value"},)}, "goods-0-name", "a column of files of bids"),
        ({"bidders": ()}, "bidders-0-name", "at least one row"),
        ({"bidders": ({"name": "x" * 300},)}, "bidders-0-name", "at most 200 letters"),
        ({"every": {"at_most": "-1"}}, "every-at_most", "in total for everybody: found '-1'"),
        (
            {
                "every": {"credit_budget": "3"},
                "goods": ({"name": "a", "credits": "1"}, {"name": "b"}),
            },
            "goods-1-credits",
            "credits for every good",
        ),
        ({"every": {"conflicts": "hall"}}, "every-conflicts", "at least two goods"),
        ({"every": {"conflicts": "hall, hell"}}, "every-conflicts", "'hell' is not one"),
        (
            {"bidders": ({"name": "Ann", "forbidden": "hal"},)},
            "bidders-0-forbidden",
            "'hal' is not one (did you mean 'hall'?)",
        ),
        ({"kind": "exchange"}, "goods-0-price", "an exchange has none"),
        ({"kind": "exchange"}, "bidders-0-holds", "that somebody holds something"),
        (
            {"kind": "exchange", "bidders": ({"name": "Ann", "holds": "hall 1; hall 1"},)},
            "bidders-0-holds",
            "each once",
        ),
        ({"kind": "buy", "every": {"credit_budget": "3"}}, "every-credit_budget", "no credits"),
        ({"rules": {"num_total": "many"}}, "num_total", "Questions in all: found 'many'"),
        ({"rules": {"num_initial": "30"}}, "num_initial", "at most the questions in all, 25"),
        ({"rules": {"mechanism": "magic"}}, "mechanism", "one of the choices"),
        ({"rules": {"payment_rule": "offered"}}, "payment_rule", "one of the choices"),
        ({"rules": {"unit": "0"}}, "unit", "an amount above 0"),
        ({"rules": {"time_zone": "Mars"}}, "time_zone", "Europe/Berlin"),
        ({"rules": {"starts_at": "soon"}}, "starts_at", "a day and a time"),
        ({"rules": {"starts_at": "9999-12-31T23:59"}}, "starts_at", "a day and a time"),
        (
            {"rules": {"starts_at": "2026-11-16T09:59", "time_zone": "Europe/Zurich"}},
            "starts_at",
            "has not passed",
        ),
        ({"rules": {"days": "mon"}}, "from", "a time such as 09:00"),
        ({"rules": {"from": "09:00", "to": "10:00"}}, "days", "at least one day"),
        (
            {"rules": {"days": "mon", "from": "09:00", "to": "09:14"}},
            "to",
            "a time at least 15 minutes after 09:00",
        ),
        ({"bidders": ({"name": "Ann", "people": "a/b"},)}, "bidders-0-people", "without slashes"),
        (
            {"bidders": ({"name": "Ann", "people": "Al, al@ann.example"},)},
            "bidders-0-people",
            "found 'al@ann.example'; expected a name; addresses for mails",
        ),
        ({"auditors": ", ".join(map(str, range(11)))}, "auditors", "at most 10"),
        (
            {"auditors": "Kim", "rules": {"sealed_from_auctioneer": "yes"}},
            "auditors",
            "no name here",
        ),
        (
            {
                "bidders": ({"name": "Ann", "people": "Al, Bo"},),
                "rules": {"sealed_from_auctioneer": "yes"},
            },
            "bidders-0-people",
            "found 'Al, Bo'; expected one name",
        ),
    ],
)
def test_a_mistake_is_told_in_the_words_of_the_form(change, field, told):
    """Tests what was found, what was expected, and the field to go to."""
    assert told in problems(replace(FORM, **change))[field]


def test_purchases_and_exchanges_are_not_offered_what_only_sales_can_have():
    """Tests that nobody ticks a rule in the form that the check refuses afterwards."""
    offered = {
        kind: {field.name for part in PARTS for field in SetupForm(kind=kind).rule_fields(part, ())}
        for kind in ("sell", "buy", "exchange")
    }
    assert offered["sell"] - offered["buy"] == {"ranges"}
    assert offered["sell"] - offered["exchange"] == {"ranges"}


def test_forgotten_credits_are_told_once():
    """Tests that a budget of credits without any credits is one mistake, not one per good."""
    goods = tuple({"name": name} for name in "abcdefgh")
    told = problems(replace(FORM, goods=goods, every={"credit_budget": "3"}))
    assert list(told) == ["goods-0-credits"]


def test_all_mistakes_are_told_at_once():
    """Tests that nobody mends one mistake only to be told the next."""
    form = replace(
        FORM,
        name="",
        goods=({"name": "hall", "copies": "x"}, {"name": "hall"}),
        bidders=({"at_most": "y"},),
        rules={"num_total": "0", "unit": "z"},
    )
    assert set(problems(form)) == {
        "name", "goods-0-copies", "goods-1-name", "bidders-0-name", "bidders-0-at_most",
        "num_total", "unit",
    }  # fmt: skip


def priced(**row: str) -> dict[str, object]:
    """A form with one good."""
    return {"goods": ({"name": "a", **row},)}


@pytest.mark.parametrize(
    ("change", "field", "told"),
    [
        (
            {"rules": {"unit": "0.05", "max_value": "1.01"}},
            "max_value",
            "Largest value: found '1.01'; expected a multiple of 0.05, the smallest amount",
        ),
        (
            {"rules": {"unit": "0.01", "max_value": "10000000000.01"}},
            "max_value",
            "at most 10000000000.00; raise the smallest amount",
        ),
        ({"rules": {"mechanism": "mlhca"}}, "mechanism", "or a first price for every good"),
        (priced(price="0.001"), "goods-0-price", "Reserve price of a: found '0.001'; expected a"),
        (priced(start="0.001"), "goods-0-start", "a multiple of 0.01"),
        (
            {**priced(start="0"), "rules": {"mechanism": "mlhca"}},
            "goods-0-start",
            "a price above 0",
        ),
        (
            {**priced(start="11"), "rules": {"mechanism": "mlhca", "max_value": "10"}},
            "goods-0-start",
            "at most the largest value of step 3, 10",
        ),
        (priced(start="1"), "mechanism", "announces prices, or no first prices in step 1"),
        (priced(points="1"), "mechanism", "announces prices, or no points in step 1"),
        (
            {**priced(points="0"), "rules": {"mechanism": "hybrid"}},
            "goods-0-points",
            "points above 0 for at least one good",
        ),
        (
            {
                **priced(points="2", copies="3"),
                "rules": {"mechanism": "hybrid"},
                "bidders": ({"name": "Ann", "eligibility": "7"},),
            },
            "bidders-0-eligibility",
            "Eligibility of Ann: found '7'; expected at most 6, the points of all copies",
        ),
        (
            {"bidders": ({"name": "Ann", "spending_cap": "0.001"},)},
            "bidders-0-spending_cap",
            "a multiple of 0.01",
        ),
        ({"kind": "exchange", **priced(start="0.001")}, "goods-0-start", "a multiple of 0.01"),
        (
            {"kind": "buy", **priced()},
            "payment_rule",
            "found 'usual for this kind'; expected payment as offered, or a price limit for every "
            "lot in step 1 (a has none)",
        ),
        (
            {
                "kind": "buy",
                **priced(price="3"),
                "awards": ({"counts": "share_of_spend", "at_most": "50"},),
            },
            "payment_rule",
            "shares of units instead",
        ),
    ],
)
def test_what_does_not_fit_together_is_told_before_a_file_is_read(change, field, told):
    """Tests every contradiction of two fields: the reader refuses it, and the form says why."""
    form = replace(FORM, **change)
    assert told in problems(form)[field]
    if form.kind != "exchange":  # which is refused for lack of holdings, too
        with pytest.raises(InputError):
            read(market_text(form))


@pytest.mark.parametrize(
    "change",
    [
        {"rules": {"max_value": "10000000000.00"}},
        {**priced(start="10"), "rules": {"mechanism": "mlhca", "max_value": "10"}},
        {
            **priced(points="2", copies="3"),
            "rules": {"mechanism": "hybrid"},
            "bidders": ({"name": "Ann", "eligibility": "6"},),
        },
        {"kind": "buy", **priced(), "rules": {"payment_rule": "offered"}},
        {"kind": "buy", **priced(price="0.05"), "rules": {"unit": "0.05"}},
        {
            "kind": "buy",
            **priced(price="3"),
            "awards": ({"counts": "share_of_units", "at_most": "50"},),
        },
        {
            "kind": "buy",
            **priced(price="3"),
            "awards": ({"counts": "share_of_spend", "at_most": "50", "scenario": "B"},),
        },
    ],
)
def test_what_just_fits_is_fine_for_form_and_reader(change):
    """Tests each bound from its other side."""
    form = replace(FORM, **change)
    assert problems(form) == {}
    read(market_text(form))


def test_mistakes_are_told_in_the_language_and_its_notation():
    """Tests a price, a good and a zone on a German page."""
    form = FORM.with_step(
        "goods", {"name": ["Saal"], "goods-0-name": ["Halle"], "goods-0-price": ["1.200,005"]}, "de"
    )
    form = replace(
        form,
        bidders=({"name": "Ann", "forbidden": "Hale"},),
        rules={"time_zone": "Zurich", "solve_seconds": "0.001"},
    )
    told = [one.sentence for one in mistakes_of(load("de"), form, MECHANISMS, START)]
    assert told == [
        "Mindestpreis von Halle: gefunden: '1200,005'; erwartet: ein Vielfaches von 0,01, dem "
        "kleinsten Betrag aus Schritt 3.",
        "Aus\u00adgeschlossene Güter von Ann: gefunden: 'Hale'; erwartet: Güter des ersten "
        "Schritts; 'Hale' ist keines (meinten Sie 'Halle'?).",
        "Zeitzone: gefunden: 'Zurich'; erwartet: eine Zone wie Europe/Berlin oder UTC (meinten Sie "
        "'Europe/Zurich'?).",
        "Sekunden für jede Rechnung: gefunden: '0,001'; erwartet: eine Zahl von 0,01 bis 3600, "
        "etwa 1,50.",
    ]


def test_what_only_the_reader_finds_leads_to_its_field():
    """Tests the page and the field of a message of the reader, for whatever a form lets through."""
    form = replace(FORM, rules={"unit": "0.05", "max_value": "1.01"})
    with pytest.raises(InputError) as error:
        read(market_text(form))
    mistake = mistake_at(T, form, error.value)
    assert (mistake.step, mistake.field) == ("rules", "max_value")
    assert mistake.sentence.startswith("Largest value: ")
    with pytest.raises(InputError) as error:
        AuctionParams(phases=(Phase("first", RandomBundles(), num_queries=4),), num_total=3)
    asks_more = replace(FORM, rules={"num_total": "3"})
    mistake = mistake_at(T, asks_more, error.value)
    assert (mistake.step, mistake.field) == ("rules", "num_total")
    assert mistake.sentence == (
        "Questions in all: found '3'; expected at least 4 with these rules, or fewer questions in "
        "the first round."
    )
    place = Section("The file", "[[bidders]] number 2 ('Smith, Jones & Co')", {}, "bidders", 2)
    with pytest.raises(InputError) as error:
        place.fail("at_most", "found 3.")
    mistake = mistake_at(T, form, error.value)
    assert mistake.sentence.startswith("[[bidders]] number 2 ('Smith, Jones & Co'): ")
    assert (mistake.step, mistake.field) == ("bidders", "bidders-1-at_most")


def test_one_of_several_goods_can_be_said_with_a_word():
    """Tests every way to say that goods exclude each other, and goods that are called so."""
    goods = ("hall", "kitchen", "bar or grill")
    hall_or_kitchen = [["hall", "kitchen"]]
    for text in ("hall or kitchen", "hall oder kitchen", "hall ou kitchen", "hall + kitchen",
                 "hall, kitchen"):  # fmt: skip
        assert conflicts_in(text, goods) == hall_or_kitchen
    assert conflicts_in("hall or kitchen or bar; a or b", goods) == [
        ["hall", "kitchen", "bar"], ["a", "b"]
    ]  # fmt: skip
    assert conflicts_in("hall + bar or grill", goods) == [["hall", "bar or grill"]]
    assert conflicts_in("bar or grill", goods) == [["bar or grill"]]
    form = replace(FORM, every={"conflicts": "hall or chairs"})
    assert problems(form) == {}
    _, market = read(market_text(form))
    assert [limit.name for limit in market.bidders[0].limits] == ["only one of hall, chairs"]
    alone = problems(replace(FORM, every={"conflicts": "hall"}))
    assert "such as: hall or chairs." in alone["every-conflicts"]


def test_rows_of_a_page_keep_their_order_and_lose_empty_ones():
    """Tests ten rows, of which some are blank, in any order of the fields."""
    texts = {"goods-10-name": "c", "goods-2-name": "b", "goods-0-copies": "3", "goods-5-name": ""}
    rows = typed_rows("goods", ("name", "copies"), {**texts, "goods-x-name": "d", "other": "e"})
    assert rows == {0: {"copies": "3"}, 2: {"name": "b"}, 10: {"name": "c"}}
    assert list(rows) == [0, 2, 10]


def test_steps_keep_what_other_steps_said():
    """Tests people, who are named for a bidder and stay with it when bidders are changed."""
    form = FORM.with_step("people", {"bidders-0-people": ["Pat, Sam"], "auditors": ["Kim"]})
    form = form.with_step("bidders", {"bidders-0-name": ["Cid"], "bidders-1-name": ["Ann"]})
    assert form.bidders == ({"name": "Cid"}, {"name": "Ann", "people": "Pat, Sam"})
    assert form.auditors == "Kim"
    renamed = form.with_step("bidders", {"bidders-0-name": ["Cid"], "bidders-1-name": ["Anna"]})
    assert renamed.bidders == ({"name": "Cid"}, {"name": "Anna", "people": "Pat, Sam"})
    moved = form.with_step("bidders", {"bidders-0-name": ["Ann"], "bidders-1-name": ["Dee"]})
    assert moved.bidders == ({"name": "Ann", "people": "Pat, Sam"}, {"name": "Dee"})
    form = form.with_step("rules", {"days": ["mon", "fri", "nonsense"], "listed": ["yes"]})
    assert form.rule("days") == "mon fri"
    assert (form.rule("listed"), form.rule("explain_payments")) == ("yes", "")
    assert set(form.rules) == set(OFFERED)


@pytest.mark.parametrize(
    "text",
    [
        "Lot\tUnits\tReserve\nhall\t1\t3.00\nchairs\t3\t\n",
        "price;name;copies\n3,00;hall;1\n;chairs;3\n",
        "hall,1,3.00\nchairs,3\n",
        'good,number,colour,price\nhall,1,red,3.00\n\nchairs,3,"blue, dark",\n',
    ],
)
def test_goods_come_from_a_table_in_many_shapes(text):
    """Tests headings in any order and language of spreadsheets, other columns, and none at all."""
    rows = rows_of("goods", read_table(pasted(text)))
    assert rows == (
        {"name": "hall", "copies": "1", "price": "3.00"},
        {"name": "chairs", "copies": "3"},
    )


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("copies,price\n1,2\n", "expected one of 'name'"),
        ("name,copies\n", "no row below"),
        ("name,copies\nhall,=1+1\n", "Row 1, column 'copies': found a formula"),
        ("name\n" + "x\n" * 101, "has 101 rows of goods; expected at most 100"),
    ],
)
def test_tables_that_cannot_be_used_say_why(text, told):
    """Tests what people paste by mistake."""
    with pytest.raises(InputError, match=told):
        rows_of("goods", read_table(pasted(text)))


def test_changes_are_told_with_old_and_new():
    """Tests goods, bidders, limits and rules, and that nothing is told where nothing differs."""
    before = read(market_text(FORM))
    assert changes(T, before, before) == []
    form = replace(
        FORM,
        name="Great hall",
        goods=({"name": "hall", "price": "4.00"}, {"name": "stage"}),
        bidders=({"name": "Ann", "at_most": "2"}, {"name": "Bea"}, {"name": "Cid"}),
        rules={"num_total": "30", "publish": "all", "first_minutes": "90", "listed": "yes",
               "days": "mon", "from": "09:00", "to": "17:00"},
    )  # fmt: skip
    told = {one.what: (one.old, one.new) for one in changes(T, before, read(market_text(form)))}
    assert told == {
        "Name": ("Hall", "Great hall"),
        "Good hall": ("1 copy and reserve price 3.00 EUR", "1 copy and reserve price 4.00 EUR"),
        "Good chairs": ("3 copies", "none"),
        "Good stage": ("none", "1 copy"),
        "What Ann can receive": (T("rules.no_limits"), "at most 2 in total"),
        "Bidder number 2": ("Ben", "Bea"),
        "Bidder number 3": ("none", "Cid"),
        "Questions in all": ("25", "30"),
        "Minutes of the first round": ("60", "90"),
        "What is published": (
            "to each its own result only", "everything, all values too",
        ),
        "The public sees name, state and rules": ("no", "yes"),
        "Opening hours": ("any time", "Monday, 09:00 to 17:00 (UTC)"),
    }  # fmt: skip
