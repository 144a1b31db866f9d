"""Tests of the rules as a log has them."""

import pytest
from golden_log import golden_entries

from boca.core.conduct import Conduct
from boca.live.ledger import Record
from boca_verify.bodies import Damaged
from boca_verify.rules import read_setup


def setup_of(mechanism, conduct=None):
    """The setup of the golden log with another mechanism."""
    body = next(row["body"] for row in golden_entries() if row["kind"] == "configured")
    rules = {**body["rules"], "mechanism": mechanism}
    rules.pop("conduct", None)
    if conduct is not None:
        rules["conduct"] = conduct
    return read_setup(Record({"seq": 1, "kind": "configured"}, "", {**body, "rules": rules}))


def test_a_mechanism_tells_its_pace():
    """Tests that what the log tells counts, whatever the mechanism is called."""
    own = Conduct(has_own_pace=True).to_dict()

    assert setup_of("one of ours", own).most_questions(1) == setup_of("one of ours").num_total
    assert setup_of("hybrid", Conduct().to_dict()).most_questions(1) == 2  # num_per_round
    assert setup_of("hybrid", Conduct().to_dict()).most_questions(0) == 3  # num_initial


def test_logs_that_do_not_tell_it_are_read_by_name():
    """Tests logs from before: four mechanisms chose the number of questions by themselves."""
    assert setup_of("hybrid").most_questions(1) == setup_of("hybrid").num_total
    assert setup_of("random").most_questions(1) == 2


@pytest.mark.parametrize("conduct", [{}, {"has_own_pace": 1}, [True]])
def test_a_damaged_conduct_is_named(conduct):
    """Tests that a log cannot hide behind values that are none."""
    with pytest.raises(Damaged):
        setup_of("random", conduct)
