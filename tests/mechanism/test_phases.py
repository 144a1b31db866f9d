"""Phases: how much of the budget each may use, and which settings are refused."""

import pytest
from additive_learner import AdditiveParams

from boca.core import InputError
from boca.mechanism import Phase
from boca.mechanism.phases import phase_ends
from boca.queries import RandomBundles
from boca.surrogates.registry import Surrogate

PLANNER = RandomBundles(1)


def test_phases_end_one_after_another():
    """
    Tests 50 questions: 10 and 5 are fixed, so that 35 are left to share; a phase outside of the
    budget has no end and moves none.
    """
    phases = [
        Phase("first", PLANNER, num_queries=10),
        Phase("second", PLANNER, share=0.25),
        Phase("outside", PLANNER),
        Phase("third", PLANNER, num_queries=5),
        Phase("last", PLANNER, share=0.75),
    ]
    assert phase_ends(phases, 50) == (10, 18.75, float("inf"), 23.75, 50)
    assert [phase.counts for phase in phases] == [True, True, False, True, True]
    assert phase_ends([], 50) == ()


@pytest.mark.parametrize(
    "settings",
    [
        {"num_queries": 0},
        {"share": 0.0},
        {"share": 1.001},
        {"share": -0.5},
        {"share": float("nan")},
        {"num_queries": 3, "share": 0.5},
        {"num_queries": 1.5},
        {"share": "half"},
        {"share": True},
    ],
)
def test_amounts_without_a_meaning_are_refused(settings):
    """Tests what is no part of a budget."""
    with pytest.raises(InputError):
        Phase("x", PLANNER, **settings)
    with pytest.raises(InputError, match="expected an object"):
        Phase("x", "random")


@pytest.mark.parametrize("settings", [{"num_queries": 1}, {"share": 1.0}, {"share": 0.001}, {}])
def test_a_phase_is_read_as_it_was_written(settings):
    """Tests the smallest and the largest part, and that what is not given is not written."""
    phase = Phase("x", PLANNER, **settings)
    data = phase.to_dict()
    assert data.keys() == {"name", "planner", *settings}
    assert Phase.from_dict(data) == phase
    for missing in ("name", "planner"):
        with pytest.raises(InputError, match="at least name and planner"):
            Phase.from_dict({key: value for key, value in data.items() if key != missing})
    with pytest.raises(InputError, match="budget"):
        Phase.from_dict({**data, "budget": 3})


def test_a_phase_keeps_what_it_learns_with():
    phase = Phase("x", PLANNER, Surrogate("additive", {"": AdditiveParams(0.3)}), share=0.5)
    assert Phase.from_dict(phase.to_dict()) == phase
    assert phase.to_dict().keys() == {"name", "planner", "surrogate", "share"}
