"""What whoever has the key can change in a log: each field is checked, or is said not to be."""

import copy
import json
import random
import re
from functools import cache
from pathlib import Path

import pytest
from forged import Entries, forgeries
from golden_log import golden_entries, golden_lines, relinked, spoil
from logged_play import KEY
from other_markets import FREIGHT, purchase, trade

from boca_verify import verify
from boca_verify.outcome import allocation as of_sales
from boca_verify.outcome import award as of_purchases
from boca_verify.outcome import payments
from boca_verify.outcome import trades as of_exchanges
from boca_verify.verifier import STUMBLED

PAGE = (Path(__file__).parents[2] / "docs" / "verify.md").read_text()
LISTED = PAGE.partition("## What decides nothing")[2].partition("\n## ")[0]
# Fields that can say anything, by the names of tests/support/forged.py; `x.*` is everything in x,
# and `*.x` is every x.
NAMES = frozenset(re.findall(r"`((?:\*\.)?[a-z][a-z-]*(?:\.[a-z_]+)*(?:\.\*)?)`", LISTED))


def is_free(name: str) -> bool:
    """Whether a field lies in a part of which nothing decides anything."""
    parts = name.split(".")
    above = {".".join([*parts[:k], "*"]) for k in range(1, len(parts))}
    return bool(NAMES & {*above, f"*.{parts[-1]}"})


@pytest.fixture(autouse=True, scope="module")
def _solved_once():
    """The same problem has the same solution; most lies leave the bids as they are."""
    with pytest.MonkeyPatch.context() as patch:
        remember(patch)
        yield


def remember(patch):
    """Keeps what the solver answers."""
    for module, name in (
        (of_sales, "best_bids"),
        (payments, "best_bids"),
        (of_purchases, "best_choice"),
        (of_exchanges, "best_choice"),
    ):
        patch.setattr(module, name, remembered(getattr(module, name)))


def remembered(work):
    answers = {}

    def ask(*arguments):
        key = repr(arguments)
        if key not in answers:
            answers[key] = work(*arguments)
        return answers[key]

    return ask


def entries_of(play) -> Entries:
    return [
        {"at": r.at, "kind": r.kind, "body": copy.deepcopy(r.body), "was": r.hash}
        for r in play.records
    ]


RULED = (
    FREIGHT
    + """
[[rules]]
name = "three units each"
units = { at_most = 3 }
each = true
"""
)


@cache
def log_of(kind: str) -> Entries:
    """A log of each kind in which everything holds."""
    match kind:
        case "sale":
            hashes = [json.loads(line)["hash"] for line in golden_lines()[:-1]]
            rows = zip(golden_entries(), hashes, strict=True)
            entries = [{**entry, "was": hash_} for entry, hash_ in rows]
            entries[0]["body"]["public_key"] = KEY.public
            return entries
        case "purchase":
            return entries_of(purchase("vcg", RULED))
        case _:
            return entries_of(trade("threshold"))


def verdict_on(entries: Entries):
    return verify(relinked(entries, KEY))


KINDS = ["sale", "purchase", "exchange"]


@cache  # of one process: whoever asks for it is in one group
def unnoticed(kind: str) -> dict[str, list[str]]:
    """Name of each field that can say something else with everything holding -> the lies."""
    entries = log_of(kind)
    assert verdict_on(entries).exit_code == 0
    found: dict[str, list[str]] = {}
    for forgery in forgeries(entries, is_free):
        verdict = verdict_on(forgery.of(entries))
        assert not any(check.sentence.startswith(STUMBLED) for check in verdict.checks), forgery
        if verdict.exit_code == 0:
            found.setdefault(forgery.name, []).append(str(forgery))
    return found


@pytest.mark.xdist_group("forged fields")
@pytest.mark.parametrize("kind", KINDS)
def test_every_field_is_checked_or_listed(kind):
    """Tests each field by itself: changed, removed, as weak as it can be; signed by the server."""
    assert {name: lies for name, lies in unnoticed(kind).items() if name not in NAMES} == {}


@pytest.mark.xdist_group("forged fields")
def test_nothing_is_listed_that_is_checked():
    """Tests that the page gives away no more than it has to."""
    exact = {name for name in NAMES if "*" not in name}
    assert exact - {name for kind in KINDS for name in unnoticed(kind)} == set()


def test_a_log_that_makes_a_check_stumble_does_not_hold(monkeypatch):
    """Tests the last resort: a mistake of the verifier's own is a verdict, and is named."""

    def stumble(records):
        raise LookupError("the moon")

    monkeypatch.setattr("boca_verify.verifier.check_order", stumble)
    verdict = verdict_on(log_of("sale"))
    assert verdict.exit_code == 3
    assert verdict["V10"].state == "undecided"
    assert "LookupError: the moon" in verdict["V4"].sentence


@pytest.mark.parametrize("kind", KINDS)
def test_a_log_without_some_of_its_records_has_a_verdict(kind):
    """Tests each kind of record left out, once and for good, rules among them."""
    entries = log_of(kind)
    for name in sorted({entry["kind"] for entry in entries} - {"created"}):
        verdict = verdict_on([entry for entry in entries if entry["kind"] != name])
        assert not any(check.sentence.startswith(STUMBLED) for check in verdict.checks), name


@pytest.mark.parametrize("seed", range(60))
def test_nonsense_in_any_kind_of_log_has_a_verdict(seed):
    """Tests bodies, envelopes and lists of records that no server writes, rightly signed."""
    rng = random.Random(seed)
    entries = copy.deepcopy(log_of(KINDS[seed % 3]))
    for _ in range(rng.choice([1, 2, 5])):
        match rng.choice(["body", "body", "drop", "again", "kind", "swap"]):
            case "body":
                spoil(rng.choice(entries)["body"], rng)
            case "drop":
                del entries[rng.randrange(1, len(entries))]
            case "again":
                entries.insert(rng.randrange(1, len(entries)), copy.deepcopy(rng.choice(entries)))
            case "kind":
                rng.choice(entries)["kind"] = rng.choice(entries)["kind"]
            case _:
                one, other = rng.sample(range(1, len(entries)), 2)
                entries[one]["body"], entries[other]["body"] = (
                    entries[other]["body"],
                    entries[one]["body"],
                )
    verdict = verdict_on(entries)
    assert verdict.exit_code in (0, 1, 3)
    assert not any(check.sentence.startswith(STUMBLED) for check in verdict.checks)
    verdict.summary()
    verdict.to_dict()
