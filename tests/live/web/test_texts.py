import re
import string
import tomllib
from html.parser import HTMLParser
from pathlib import Path
from typing import get_args

import pytest
from live_play import MECHANISMS

from boca.core.goods import Good
from boca.core.market import Bidder, Market
from boca.live.auction import reasons, warnings
from boca.live.auction.events import KINDS
from boca.live.auction.state import Phase
from boca.live.web import texts
from boca.live.web.render import HERE
from boca.live.web.setting_up.form import OFFERED, PARTS, SetupForm
from boca.live.web.views.staff.actions import ACTIONS
from boca_verify.verdict import TITLES, WORDS, Check

TEMPLATES = sorted((HERE / "templates").rglob("*.html"))
SPOKEN = ("alt", "title", "aria-label", "placeholder")
EN = texts.load("en")
# A key in a call; one that ends in an underscore is only the beginning of a key.
NAMED = re.compile(r"""\bt(?:\.count)?\(\s*["']([a-z_]+\.[a-z_-]*[a-z-])["'][,)]""")


class Words(HTMLParser):
    """Collects everything in a template that a reader would see or hear."""

    def __init__(self):
        super().__init__()
        self.words: list[str] = []

    def handle_data(self, data):
        self.words.append(data)

    def handle_starttag(self, tag, attrs):
        self.words += [value or "" for name, value in attrs if name in SPOKEN]


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.name)
def test_templates_have_no_words_of_their_own(path):
    """Tests that another language needs another file of texts and nothing else."""
    parser = Words()
    parser.feed(re.sub(r"\{[{%#].*?[}%#]\}", "", path.read_text(), flags=re.DOTALL))
    assert not re.search("[A-Za-z]", "".join(parser.words))


def used_keys() -> set[str]:
    """Keys that templates and code name outright."""
    files = [*TEMPLATES, *HERE.rglob("*.py")]
    found = set()
    for path in files:
        found |= set(NAMED.findall(path.read_text()))
    return found


def test_every_sentence_that_pages_name_exists():
    """Tests that no page breaks on a missing sentence, also on paths that no test takes."""
    known = EN.sentences.keys() | {key.rpartition(".")[0] for key in EN.sentences}
    assert used_keys() <= known
    assert len(used_keys()) > 100


def test_every_sentence_of_the_auction_has_words():
    """Tests that reasons and warnings, which the auction names by key, can be said."""
    assert {*reasons.KEYS, *warnings.KEYS} <= EN.sentences.keys()


def test_every_rule_and_kind_of_record_has_words():
    """Tests that the form offers every choice in words, and that the log names every record."""
    choices = {
        f"new_choice.{field.name}.{choice.replace(' ', '_')}"
        for kind in ("sell", "buy", "exchange")
        for part in PARTS
        for field in SetupForm(kind=kind).rule_fields(part, MECHANISMS)
        for choice in field.choices
        if field.kind == "choice"
    }
    rules = {f"new_rule.{name}" for name in OFFERED}
    kinds = {f"log_kind.{kind}" for kind in KINDS}
    phases = {f"staff_phase.{phase}" for phase in get_args(Phase)}
    actions = {f"{part}.{name}" for part in ("action", "confirm") for name in ACTIONS}
    assert {*choices, *rules, *kinds, *phases, *actions} <= EN.sentences.keys()


def gaps(path: Path = Path(texts.FOLDER) / "en.toml") -> dict[str, set[str]]:
    fields = string.Formatter().parse
    sentences = texts.flatten(tomllib.loads(path.read_text(encoding="utf-8")))
    return {key: {f[1] for f in fields(s) if f[1]} for key, s in sentences.items()}


def test_long_times_are_told_in_days():
    """Tests that nobody has to divide a week by 60."""
    assert EN.minutes(10080) == "7 days"
    assert EN.minutes(1440) == "24 hours"
    assert EN.minutes(2910) == "2910 minutes"


def test_somebody_with_the_name_of_the_bidder_is_named_once():
    """Tests that a person who takes part for themselves is not Dora for Dora."""
    assert EN.who("Dora", "Dora") == "Dora"
    assert EN.who("Dora", "Dora's van") == "Dora for Dora's van"


def test_bundles_are_named_by_their_goods():
    """Tests copies, lists and nothing at all."""
    goods = (Good("hall"), Good("chairs", 3), Good("kitchen"))
    market = Market(goods, (Bidder("Ann"),))
    assert EN.bundle((1, 0, 0), market) == "hall"
    assert EN.bundle((1, 2, 1), market) == "hall, 2 \u00d7 chairs and kitchen"
    assert EN.bundle((0, 0, 0), market) == "nothing"


# Sentences that only allocations of courses have.
COURSES = ("ratings.", "compare.", "said.", "seat.", "facts.", "course_", "bidders.everybody")
# Sentences that only sales have, or that are about the whole server.
SALES = (
    *COURSES,
    "frame.all_auctions", "front.", "enter.lead_auctioneer", "enter.unknown", "new.",
    "new_choice.mechanism.mlhca", "new_rule.ranges", "setup.pattern", "setup.want_no_column",
    "setup.want_below_max", "setup.want_some_points", "setup.want_below_points", "problem.",
    "result.vcg", "result.core", "result.unexplained", "result.below-reserve",
    "result.step_reserve", "rules.allocation", "rules.vcg", "rules.core", "rules.example_text_res",
    "outcome.rule_", "outcome.why_", "outcome.check_between", "range.", "reason.narrow",
    "caps.", "points.", "exposure.",
)  # fmt: skip
WRONG = {
    "buy": (
        r"bidder|\bbids?\b|\bvalued?s?\b|\bworth\b|\bwin|\bgoods?\b|\bcop(y|ies) of|bundle"
        "|auction|sold|sharing|reserve price"
    ),
    "exchange": r"bidder|\bbids?\b|\bwin|\bauctions?\b|sold|sharing|reserve price",
}
FINE = {
    "buy": r"worth reading|good until|for good|is good for|stored value|How good|copy of this",
    "exchange": "^$",
}
# The form has no limits, credits or points in purchases, and no prices of goods in exchanges.
OTHERS = {"buy": ("trade.", "rules.trade", "rules.keep_first", "rules.not_truthful",
                  "reason.endowment", "setup.every", "setup.at_most", "setup.forbidden",
                  "setup.want_points", "setup.want_credits", "setup.want_set", "setup.want_good",
                  "setup.want_once", "setup.want_holds"),
          "exchange": ("award.", "scenario.", "rule.", "letter.", "rules.reserve",
                       "outcome.check_vcg", "setup.price", "setup.change_price")}  # fmt: skip


@pytest.mark.parametrize("kind", ["buy", "exchange"])
def test_purchases_and_exchanges_have_their_own_words(kind):
    """Tests that no sentence of a purchase speaks of bidders, values or winning, and so on."""
    kept = {}
    for key, sentence in texts.load("en", kind).sentences.items():
        plain = re.sub(FINE[kind], "", re.sub(r"\{[a-z_]+\}", "", sentence))
        if re.search(WRONG[kind], plain, re.IGNORECASE):
            kept[key] = sentence
    assert not {key for key in kept if not key.startswith((*SALES, *OTHERS[kind]))}


def test_courses_have_their_own_words():
    """Tests that pages of students and registrars do not speak of auctions."""
    sentences = texts.load("en", "courses").sentences
    parts = ("phase.", "phase_short.", "action.", "confirm.", "role.", "channel.", "receipt.",
             "log.", "log_kind.", "proofs.", "public.", "enter.lead_bidder", "told.", "sessions.",
             "mail.", "mails.", *COURSES)  # fmt: skip
    # What an allocation has no page, phase or button for.
    never = ("action.open", "confirm.open", "confirm.absent", "public.outcome_own",
             "log_kind.planned", "log_kind.reviewed", "log_kind.result",
             "told.ics_last")  # fmt: skip
    foreign = re.compile(r"bidder|auction|bids?\b|goods|\brounds?\b", re.IGNORECASE)
    wrong = {
        key
        for key, sentence in sentences.items()
        if key.startswith(parts) and not key.startswith(never)
        and foreign.search(re.sub(r"\{[a-z_]+\}", "", sentence))
    }  # fmt: skip
    assert wrong == set()


@pytest.mark.parametrize("kind", ["buy", "exchange", "courses"])
def test_own_words_replace_sentences_with_the_same_gaps(kind):
    """Tests that no own sentence is left over, and that none has a gap that nobody fills."""
    path = Path(texts.FOLDER) / kind / "en.toml"
    own = texts.flatten(tomllib.loads(path.read_text()))
    said = gaps()
    assert own.keys() <= said.keys()
    assert all(found <= said[key] for key, found in gaps(path).items())
    assert all(EN.sentences[key] != sentence for key, sentence in own.items())


@pytest.mark.parametrize("kind", ["sell", "buy", "exchange", "courses"])
def test_checks_are_called_as_the_verifier_calls_them(kind):
    """Tests that pages and the command name the same checks, and know how each can end."""
    said = texts.load("en", kind)
    for name in TITLES:
        assert said(f"proofs.title_{name}") == Check(name, "holds", "", kind=kind).title
    for state, words in WORDS.items():
        assert said(f"proofs.state_{state}") == words.lower()
