"""What a study refuses before it trains."""

import pytest

from boca.core.errors import InputError
from boca.lab.studies.learning.study import LearningStudy


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: LearningStudy("lsvm", 0.9, []), "no instances"),
        (lambda: LearningStudy("lsvm", 1.5, [1]), "between 0 and 1"),
        (lambda: LearningStudy("lsvm", 0.8, [1]), "tuned quantiles"),
        (
            lambda: LearningStudy("lsvm", 0.9, [1], types=["local"]),
            "expected one of national, regional",
        ),
    ],
)
def test_mistakes_are_named(call, words):
    """Tests that nothing is trained before the request is understood."""
    with pytest.raises(InputError, match=words):
        call()
