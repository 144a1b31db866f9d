"""Simulated students who compare schedules: what they say, and who knows what."""

import numpy as np
import pytest

from boca.core import Reason, Seeds
from boca.core.comparison import ComparisonQuery
from boca.functions import AdjustedSum, Adjustment
from boca.lab.domains.courses import CourseSetting, draw_courses
from boca.lab.simulation.course_questions import (
    Habits,
    SimulatedStudents,
    best_part,
    interviews,
)
from boca.queries.comparisons import ComparisonParams
from boca.surrogates.pairwise import PairwiseParams

SMALL = CourseSetting(num_students=12, num_courses=12, most=4)


def a_query(bidder=0):
    return ComparisonQuery(bidder, [1, 0, 1], [0, 1, 1], Reason("test"))


def students(utilities, **habits):
    return SimulatedStudents(utilities, Habits(**habits), Seeds(3))


def test_true_answers():
    """Tests better, worse, and about the same at the very edge."""
    one, other = AdjustedSum([9, 5, 1]), AdjustedSum([5, 9, 1])
    answer = students([one, other])
    assert [answer(a_query(k), 0) for k in (0, 1)] == ["first", "second"]
    assert students([one], same_within=4.0)(a_query(), 0) == "same"
    assert students([one], same_within=3.9)(a_query(), 0) == "first"
    assert students([AdjustedSum([5, 5, 1])])(a_query(), 0) == "same"


def test_a_course_that_spoils_a_schedule_is_dropped():
    """Tests that utilities are those of the best part."""
    spoilt = AdjustedSum([9, 5, 1], (Adjustment.together([0, 2], -5.0),))
    assert best_part(spoilt, np.array([1, 0, 1])) == 9
    assert best_part(spoilt, np.array([0, 0, 0])) == 0
    assert best_part(spoilt, np.array([1, 1, 1])) == 14


def test_noise_and_patience_have_streams_of_their_own():
    """Tests that errors differ between answers, not between runs, and that some students stop."""
    close = [AdjustedSum([5, 4, 1])] * 200
    answer = students(close, noise=20.0)
    said = [answer(a_query(k), 0) for k in range(200)]
    assert 70 < said.count("first") < 130
    assert said == [students(close, noise=20.0)(a_query(k), 0) for k in range(200)]
    assert said != [answer(a_query(k), 1) for k in range(200)]
    # Of 200 students who answer 0 to 4 questions, about 160, 120, 80, 40 and none.
    early = students(close, most_answers=4)
    left = [sum(early(a_query(k), t) is not None for k in range(200)) for t in range(5)]
    assert left[0] == pytest.approx(160, abs=20)
    assert left[2] == pytest.approx(80, abs=22)
    assert left[4] == 0


def test_the_mechanism_knows_forms_and_answers_alone():
    """
    Tests that nothing calls a true utility but the student who answers: with utilities that raise
    outside an answer, everything runs, and with answers that do not depend on them, they do not
    matter.
    """
    instance = draw_courses(SMALL, 20_001)
    is_asked = False

    class Secret:
        capacities = np.ones(12, dtype=np.int64)

        def __init__(self, utility):
            self.utility = utility

        def __call__(self, bundles):
            assert is_asked, "somebody looked at a true utility"
            return self.utility(bundles)

    truth = students([Secret(u) for u in instance.utilities])

    def ask(query, number):
        nonlocal is_asked
        is_asked = True
        answer = truth(query, number)
        is_asked = False
        return answer

    stages = list(interviews(instance.market, instance.forms, ask, (0, 3)))
    assert [stage.num_answers for stage in stages] == [0, 3]
    assert all(len(belief.comparisons) == 3 for belief in stages[-1].beliefs)
    with pytest.raises(AssertionError, match="true utility"):
        truth(a_query(), 0)


def test_questions_follow_the_answers_of_one_student_only():
    """Tests that without pooling another student's answers change prices, not beliefs."""
    instance = draw_courses(SMALL, 20_002)
    alone = PairwiseParams(is_pooled=False)

    def run(liar):
        def ask(query, number):
            return "second" if query.bidder == liar else "first"

        return list(interviews(instance.market, instance.forms, ask, (0, 4), alone))[-1]

    one, other = run(0), run(1)
    differ = [
        not np.array_equal(a.mean.linear, b.mean.linear)
        for a, b in zip(one.beliefs, other.beliefs, strict=True)
    ]
    assert differ == [True, True] + [False] * 10


def test_who_stops_is_asked_no_more_and_prices_are_renewed():
    """Tests numbers of questions, and that the same seed gives the same end."""
    instance = draw_courses(SMALL, 20_001)
    asked = []

    def ask(query, number):
        asked.append((query.bidder, number))
        return None if number == 2 and query.bidder < 5 else "first"

    def run():
        return list(interviews(instance.market, instance.forms, ask, (1, 4), renewal=2, seed=5))

    stages = run()
    assert [len(b.comparisons) for b in stages[-1].beliefs] == [2] * 5 + [4] * 7
    assert len(asked) == 12 * 3 + 7
    again = run()
    assert np.array_equal(
        stages[-1].seating.allocation.bundles, again[-1].seating.allocation.bundles
    )
    assert np.array_equal(stages[-1].chances, again[-1].chances)


def test_questions_are_those_of_the_rule():
    """Tests that the rule that was asked for decides, and that there is one by default."""
    instance = draw_courses(SMALL, 20_001)

    def rules(questions):
        seen = set()

        def ask(query, number):
            seen.add(query.reason.source)
            return "first"

        list(interviews(instance.market, instance.forms, ask, (1,), None, questions))
        return seen

    assert rules(ComparisonParams("random")) == {"random"}
    assert rules(None) == {"improvement"}


def test_chances_are_those_of_answers():
    """
    Tests calibration: where the belief gave the first schedule a chance, it was preferred about as
    often, on students whose forms have the mistakes of the model.
    """
    chances = []
    for seed in range(20_001, 20_003):
        instance = draw_courses(CourseSetting(num_students=40), seed)
        truth = students(instance.utilities)
        questions = ComparisonParams()
        stages = list(
            interviews(instance.market, instance.forms, truth, (0, 6), None, questions, seed)
        )
        chances.append(stages[-1].chances)
    rows = np.concatenate(chances)
    assert len(rows) > 450
    for low, high in ((0, 0.3), (0.3, 0.7), (0.7, 1.0)):
        some = rows[(rows[:, 0] >= low) & (rows[:, 0] <= high)]
        error = np.sqrt(0.25 / len(some))
        assert abs(some[:, 0].mean() - some[:, 1].mean()) < 0.08 + 2 * error, (low, len(some))
    # The answers are better predicted than by a coin, and not perfectly.
    brier = ((rows[:, 0] - rows[:, 1]) ** 2).mean()
    assert 0.1 < brier < 0.24
