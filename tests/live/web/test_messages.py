"""What the code says, in the reader's language: nothing is read back out of a sentence."""

import re
import string
from pathlib import Path

import catalogues
import pytest
from catalogues import path_of, said_by_code, said_by_pages

import boca
from boca.core.goods import Good, Limit, limit_of_goods, recognised
from boca.core.market import Bidder, Market
from boca.core.message import Message, joined, msg, msgn
from boca.live.auction import events as ev
from boca.live.auction.kind import ONE
from boca.live.web.texts import LOCALE, catalogue, english, languages, load
from boca.markets.limits import credits_of

SOURCE = Path(boca.__file__).parent
KINDS = ("buy", "exchange", "courses")
OTHERS = [language for language in languages() if language != "en"]
SAID = {**dict.fromkeys(said_by_pages()), **dict.fromkeys(said_by_code())}
MESSAGES = [text if isinstance(text, tuple) else (text, "") for text in said_by_code()]


def gaps(text: str) -> set[str]:
    return {field for _, field, _, _ in string.Formatter().parse(text) if field}


def test_every_text_is_found():
    """Tests the search itself: one and many, over several lines, of pages and of kinds."""
    assert ("1 point", "{n} points") in SAID
    assert "The range '{text}' ends below its beginning" in SAID
    assert english("buy")["frame.menu"] in SAID
    assert len(MESSAGES) > 200
    assert len(SAID) > 2000


@pytest.mark.parametrize("language", OTHERS)
def test_catalogues_have_every_text_and_nothing_else(language):
    """Tests that nothing is missing, unused, untranslated or doubtful in a language."""
    rows = [row for row in catalogue(language) if row.id]
    known = {row.id for row in rows}
    assert known == SAID.keys()
    assert {row.id for row in rows if row.context is None} == known
    for row in rows:
        words = row.string if isinstance(row.string, tuple) else (row.string,)
        assert all(words), row.id
        assert not row.fuzzy, row.id
        if isinstance(row.id, str):
            assert gaps(row.string) == gaps(row.id), row.id
        else:
            assert all(gaps(one) <= gaps(row.id[0]) | gaps(row.id[1]) for one in words), row.id
            assert gaps(words[-1]) == gaps(row.id[1]), row.id


@pytest.mark.parametrize("language", languages())
def test_catalogues_are_what_the_command_writes(language, tmp_path, monkeypatch):
    """Tests that nobody has to know how a catalogue is written, and that no translation is lost."""
    before = path_of(language).read_text(encoding="utf-8")
    monkeypatch.setattr(catalogues, "LOCALE", tmp_path)
    path_of(language).parent.mkdir(parents=True)
    path_of(language).write_text(before, encoding="utf-8")
    assert catalogues.write(language) == 0
    assert path_of(language).read_text(encoding="utf-8") == before


def test_a_language_begins_with_every_text(tmp_path, monkeypatch):
    """Tests a language with three numbers of which nothing is translated."""
    monkeypatch.setattr(catalogues, "LOCALE", tmp_path)
    assert catalogues.write("pl") == len(SAID)
    assert "nplurals=3" in path_of("pl").read_text(encoding="utf-8")


@pytest.mark.parametrize("kind", KINDS)
def test_kinds_have_their_own_words_in_every_language(kind):
    """Tests that the same messages have own words in all languages, and the same gaps."""
    own = {
        language: {row.id: row.string for row in catalogue(language) if row.context == kind}
        for language in languages()
    }
    assert own["en"].keys() <= {one for one, _ in MESSAGES}
    for language, words in own.items():
        assert words.keys() == own["en"].keys(), language
        assert all(gaps(words[text]) == gaps(text) for text in words)
    assert all(own["en"][text] != text for text in own["en"])


def test_catalogues_are_files_of_languages():
    """Tests that a further language is one more folder, found by its name."""
    assert {path.name for path in LOCALE.iterdir()} == set(languages())


@pytest.mark.parametrize("kind", ["sell", *KINDS])
@pytest.mark.parametrize("language", languages())
def test_any_message_can_be_said(language, kind):
    """Tests that no translation fails where its gaps are filled."""
    t = load(language, kind)
    for one, many in MESSAGES:
        filled = dict.fromkeys(gaps(many or one), "x")
        for n in (1, 2):
            message = Message(one, filled | {"n": n}, many)
            assert "{" not in t.read(message)


# --- what reading sentences back had done to them ---


def test_names_are_never_translated():
    """Tests a lot whose name begins like a day of the week."""
    assert load("de").read(limit_of_goods("forbidden", [0], 0, [Good("Mon Repos")]).name) == (
        "nicht Mon Repos"
    )


def test_words_of_a_buyer_stay_theirs():
    """Tests what a buyer typed, in a sentence that purchases say in words of their own."""
    sentence = msg("'{text}', which is not a good of this market", text="3 spare copies of keys")
    assert load("en", "buy").read(sentence) == (
        "'3 spare copies of keys', which is not a lot of this purchase"
    )


def test_a_market_may_be_called_bidder():
    """Tests that only the gap for who answers changes with the kind of market."""
    stop = msg("no more for the {one} of {market}", one=msg("bidder"), market="bidder fair")
    assert stop.having(one=ONE["buy"]) == "no more for the supplier of bidder fair"
    assert msg("nothing").having(one=ONE["buy"]) == "nothing"


def test_credits_are_what_a_budget_of_credits_counts():
    """Tests a good that is called credits, and that somebody must not have."""
    goods = (Good("carbon credits"), Good("hall"))
    banned = limit_of_goods("forbidden", [0], 0, goods)
    assert banned.name == "none of carbon credits"
    market = Market(goods, (Bidder("Ann", limits=(banned,)),))
    assert credits_of(market) == ()
    assert credits_of(Market.from_dict(market.to_dict())) == ()


def test_limits_keep_their_kind_when_they_are_written_down():
    """Tests every kind, goods in any order, and limits that only sound like one."""
    goods = (Good("A, B", 3), Good("C", 3), Good("D credits", 3))
    for kind, members, bound in (
        ("at_most", (0, 1, 2), 2),
        ("at_most_of_each", (1,), 2),
        ("forbidden", (2, 0), 0),
        ("conflicts", (1, 0), 1),
    ):
        limit = limit_of_goods(kind, members, bound, goods)
        again = recognised(Limit(limit.coefficients, limit.bound, str(limit.name)), goods)
        assert (again.kind, again.name, again.name.gaps) == (kind, limit.name, limit.name.gaps)
    for name, coefficients, bound in (
        ("at most 3 in total", (1.0, 1.0, 1.0), 2.0),
        ("at most 2 in total", (1.0, 1.0, 0.0), 2.0),
        ("at most 2 of each", (1.0, 1.0, 0.0), 2.0),
        ("none of C", (1.0, 0.0, 0.0), 0.0),
        ("none of C", (0.0, 1.0, 0.0), 1.0),
        ("only one of C, A, B", (0.5, 1.0, 0.0), 1.0),
        ("at most 2 credits", (0.5, 1.0, 0.0), 3.0),
        ("2 credits", (0.5, 1.0, 0.0), 2.0),
    ):
        assert recognised(Limit(coefficients, bound, name), goods).kind == ""
    assert recognised(Limit((1.0,), 0.0, "none of C"), goods).kind == ""  # of another market
    budget = recognised(Limit((0.5, 1.0, 0.0), 2.5, "at most 2.5 credits"), goods)
    assert budget.kind == "credit_budget"


def test_gaps_are_read_only_where_they_are_messages():
    """Tests messages within messages, lists of them, and texts that look like one."""
    t = load("de")
    both = joined("; ", (msg("one of them"), "one of them"))
    assert both == "one of them; one of them"
    assert t.read(both) == "eines davon; one of them"
    assert t.read(msgn("1 point", "{n} points", 0)) == "0 Punkte"
    assert t.read("one of them") == "one of them"


def test_messages_survive_being_stored():
    """Tests JSON, as events and answers of child processes hold them."""
    message = msg("{who} and {what}", who=msgn("1 point", "{n} points", 3), what="a {b}")
    again = Message.from_dict(message.to_dict())
    assert (again, again.gaps, again.text) == (message, message.gaps, message.text)
    assert again.gaps["who"].plural == "{n} points"


def test_nothing_reads_sentences_back():
    """Tests that no module looks for words of messages in texts."""
    pattern = re.compile(r"in_words_of|told_by_reader|\.plain\(|replace\(\"bidder|PHRASES")
    paths = [*SOURCE.rglob("*.py"), *SOURCE.rglob("*.html")]
    assert [path.name for path in paths if pattern.search(path.read_text())] == []


def test_a_log_holds_the_english_text():
    """Tests that no message reaches a record as a value of its own type."""
    body = ev.Cancelled(msg("a reason")).to_body()
    assert (body, type(body["reason"])) == ({"reason": "a reason"}, str)
