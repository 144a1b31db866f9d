"""Which of two bundles: questions, answers, and all answers of a bidder."""

import json

import numpy as np
import pytest

from boca.core import Comparison, ComparisonQuery, Comparisons, InputError, Reason

A, B, C = [1, 1, 0], [0, 1, 1], [1, 0, 0]


def test_an_answer_says_which_bundle_is_better():
    """Tests both answers; "about the same" leaves the order alone."""
    query = ComparisonQuery(2, A, B, Reason("improvement", predicted=1.5))
    assert query.answered("first").better_first[0].tolist() == A
    assert query.answered("second").better_first[0].tolist() == B
    assert query.answered("same").better_first[0].tolist() == A
    assert query.answered("second").answer == "second"


def test_a_pair_is_known_in_either_order():
    """Tests that nobody is asked the same twice with the sides changed."""
    answers = Comparisons().add(Comparison(A, B, "first"))
    assert answers.was_asked(np.array(B), np.array(A))
    assert answers.was_asked(np.array(A), np.array(B))
    assert not answers.was_asked(np.array(A), np.array(C))


def test_answers_are_immutable_and_can_be_corrected():
    """Tests that adding and correcting give new values."""
    one = Comparisons().add(Comparison(A, B, "first"))
    two = one.add(Comparison(C, B, "same"))
    mended = two.correct(0, "second")
    assert [len(x) for x in (one, two, mended)] == [1, 2, 2]
    assert [c.answer for c in mended] == ["second", "same"]
    assert [c.answer for c in two] == ["first", "same"]
    with pytest.raises(ValueError, match="read-only"):
        two.given[0].first[0] = 5
    for number in (-1, 2):
        with pytest.raises(InputError, match="one of the 2 answers"):
            two.correct(number, "first")


def test_plain_values_and_back():
    """Tests the way through JSON, for logs."""
    answers = Comparisons((Comparison(A, B, "first"), Comparison(C, B, "same")))
    back = Comparisons.from_list(json.loads(json.dumps(answers.to_list())))
    assert back == answers
    assert hash(back.given[0]) == hash(answers.given[0])
    assert back != answers.correct(1, "second")
    query = ComparisonQuery(2, A, B, Reason("improvement", predicted=1.5))
    assert ComparisonQuery.from_dict(json.loads(json.dumps(query.to_dict()))) == query
    assert query != ComparisonQuery(2, B, A, query.reason)
    assert len({query, ComparisonQuery(2, A, B, query.reason)}) == 1


def test_what_is_not_a_comparison_is_refused():
    """Tests one message each."""
    with pytest.raises(InputError, match="with itself"):
        ComparisonQuery(0, A, A, Reason("improvement"))
    with pytest.raises(InputError, match="shapes"):
        ComparisonQuery(0, A, [1, 0], Reason("improvement"))
    with pytest.raises(InputError, match="negative"):
        Comparison(A, [0, -1, 0], "first")
    with pytest.raises(InputError, match="expected first, second or same"):
        Comparison(A, B, "both")
    with pytest.raises(InputError, match="one market"):
        Comparisons((Comparison(A, B, "first"), Comparison([1, 0], [0, 1], "first")))
