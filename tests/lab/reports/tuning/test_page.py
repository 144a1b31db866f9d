"""The page of a search."""

from optuna.trial import TrialState, create_trial
from tuning_parts import QUICK, quick_setup

from boca.lab.reports.tuning.page import Search, comparison_table, summary, winners_table
from boca.lab.studies.tuning.choosing import distributions
from boca.lab.studies.tuning.validation import Compared
from boca.lab.studies.tuning.winners import Reference, Winner
from boca.surrogates.ranges import make_params


def make_search(ratio: float) -> Search:
    """A search of one trial whose winner is worse than the defaults by a factor."""
    measured = {f"instance {i}": {"scores": {"all": 1.0}, "seconds": 2.0} for i in range(1, 7)}
    trial = create_trial(
        value=1.0,
        params={"penalty": 1.0, "kernel": "gaussian"},
        distributions=distributions(QUICK),
        user_attrs=measured,
    )
    lost = create_trial(state=TrialState.FAIL, user_attrs=measured)
    winner = make_params("svr", {"penalty": 1.0, "kernel": "gaussian"})
    return Search(
        quick_setup(),
        [trial, lost],
        {"all": Winner("all", 0, winner, {}, 1.0)},
        Reference("defaults", {"all": make_params("svr", {})}),
        (101, 102),
        [Compared("all", {101: ratio, 102: ratio}, {101: 1.0, 102: 1.0})],
    )


def test_verdict_is_in_words():
    """Tests both sides of five per cent."""
    good, bad = summary(make_search(1.04)), summary(make_search(1.06))

    assert "at most 5 % worse than the defaults configuration: +4.0 % on 101-102" in good[-1]
    assert "more than 5 % worse than the defaults configuration: +6.0 % on 101-102" in bad[-1]


def test_what_was_passed_on_is_counted_once():
    """Tests that measurements of interrupted trials, which their copies have too, count once."""
    lines = " ".join(summary(make_search(1.0)))

    assert "1 trials on all instances (1-6), 0 given up early, 1 interrupted" in lines
    assert "6 measurements of 15 reports, which took 12 seconds in all" in lines


def test_tables():
    """Tests that winners stand next to what they are compared with, where they differ."""
    search = make_search(0.5)
    rows = {row[0]: row[1:] for row in winners_table(search).rows}

    assert rows["penalty"] == ("1", "100")
    assert rows["kernel"] == ("gaussian", "quadratic")
    assert "epsilon" not in rows  # the same for both
    assert comparison_table(search).rows == (("all", "0.5", "1", "0.500", "-0.5 ± 0"),)
