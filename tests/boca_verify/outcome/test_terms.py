"""The sums behind payments: all there, all right, and from an outcome that is one."""

from functools import cache

import pytest
from golden_log import find, verdict_on
from other_markets import MarketPlay, purchase, trade


@cache
def played(kind: str, explains: bool = True) -> MarketPlay:
    keys = {} if explains else {"explain_payments": "false"}
    return purchase("vcg", **keys) if kind == "purchase" else trade("threshold", **keys)


# What explains a payment, in `justified` and in somebody's own `result`, by the kind of market.
SUMS = {
    "sale": ("winners", ("value", "others_without", "others_with", "reserve")),
    "purchase": ("suppliers", ("offer", "cost_without")),
    "exchange": ("traders", ("value", "keeps", "gain_without")),
}
TOLD = {
    "sale": ("others_without", "others_with", "reserve", "vcg_payment"),
    "purchase": ("more", "most"),
    "exchange": ("more", "keeps"),
}


def findings(kind, change):
    """What V11 finds after a change."""
    verdict = verdict_on(change) if kind == "sale" else played(kind).verdict(change)
    return [finding.text for finding in verdict["V11"].findings]


def row_of(entries, kind, place=0):
    return entries[find(entries, "justified")]["body"][SUMS[kind][0]][place]


def result_of(entries, kind):
    """What the first one that is explained was told."""
    return entries[find(entries, "result", row_of(entries, kind)["bidder"])]["body"]


@pytest.mark.parametrize("kind", SUMS)
def test_what_holds_has_nothing_to_find(kind):
    """Tests the tests."""
    assert findings(kind, lambda entries: None) == []


@pytest.mark.parametrize("kind", SUMS)
@pytest.mark.parametrize("place", ["justified", "result"])
def test_every_sum_is_there_and_right(kind, place):
    """Tests each sum off by a unit, removed, and told where there is none."""
    keys = SUMS[kind][1] if place == "justified" else TOLD[kind]
    where = row_of if place == "justified" else result_of
    for key in keys:

        def more(entries, key=key):
            where(entries, kind)[key] += 1

        def less(entries, key=key):
            del where(entries, kind)[key]

        assert any(f"it says '{key}' of" in text for text in findings(kind, more)), key
        assert any(f"it does not say '{key}' of" in text for text in findings(kind, less)), key
    if place == "result":

        def other(entries):
            foreign = "more" if kind == "sale" else "others_with"
            result_of(entries, kind)[foreign] = 1

        assert any("there is none" in text for text in findings(kind, other))


@pytest.mark.parametrize("kind", ["purchase", "exchange"])
def test_nobody_is_told_sums_that_the_rules_keep(kind):
    """Tests rules that explain nothing, and somebody who gets nothing."""
    play = played(kind, explains=False)
    assert play.verdict().exit_code == 0

    def tell(entries):
        result_of(entries, kind)[TOLD[kind][0]] = 1

    assert any("there is none" in f.text for f in play.verdict(tell)["V11"].findings)


@pytest.mark.parametrize("kind", SUMS)
def test_everybody_is_explained_once_and_nobody_else(kind):
    """Tests a row less, a row twice, and rows in the part of another kind of market."""
    part = SUMS[kind][0]

    def rows(entries):
        return entries[find(entries, "justified")]["body"][part]

    def elsewhere(entries):
        other = next(name for name, _ in SUMS.values() if name != part)
        entries[find(entries, "justified")]["body"][other] = [{"bidder": 0}]

    for change in (lambda e: rows(e).pop(), lambda e: rows(e).append(rows(e)[0])):
        assert any("does not explain" in text for text in findings(kind, change))
    assert any("elsewhere" in text for text in findings(kind, elsewhere))


@pytest.mark.parametrize("kind", SUMS)
def test_the_outcome_without_somebody_is_one_and_the_best(kind):
    """Tests one that is none, one that is worse, and one with the absent person in it."""

    def nothing(entries):
        row = row_of(entries, kind)
        row["allocation_without"] = [[0] * len(b) for b in row["allocation_without"]]

    def too_much(entries):
        row = row_of(entries, kind)
        row["allocation_without"] = [[n + 1 for n in b] for b in row["allocation_without"]]

    def present(entries):
        row = row_of(entries, kind)
        decided = entries[find(entries, "decided")]["body"]
        row["allocation_without"][row["bidder"]] = decided["allocation"][row["bidder"]]

    for change in (nothing, too_much, present):
        assert any("it names another" in text for text in findings(kind, change)), change


def test_units_from_outside_are_a_part_of_the_award_without_somebody():
    """Tests an outside purchase more than is needed, which costs more."""

    def more(entries):
        row = row_of(entries, "purchase")
        row["outside_without"][0] += 1

    assert any("the cheapest one" in text for text in findings("purchase", more))
