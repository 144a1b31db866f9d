"""Checks of settings: types first, then ranges, whatever reader values came through."""

from dataclasses import dataclass, field
from typing import Any, Literal

import pytest

from boca.core.errors import InputError
from boca.core.settings import check_at_least, check_choice, check_positive, check_types, plain

HUGE = 10**5000


@dataclass(frozen=True)
class Inner:
    word: str = "a"


@dataclass(frozen=True)
class Everything:
    """A field of each type that settings have."""

    flag: bool = True
    count: int = 3
    share: float = 0.5
    name: str = "x"
    kind: Literal["a", "b"] = "a"
    limit: float | None = None
    numbers: tuple[float, ...] = (1.0,)
    proof: str | float = "none"
    inner: Inner = Inner()
    anything: Any = None

    def __post_init__(self) -> None:
        check_types(self)


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("flag", 1, "true or false"),
        ("flag", "yes", "true or false"),
        ("count", True, "a whole number"),
        ("count", 2.5, "a whole number"),
        ("count", "3", "a whole number"),
        ("count", float("inf"), "a whole number"),
        ("share", float("nan"), "a number"),
        ("share", False, "a number"),
        ("share", None, "a number"),
        ("name", 5, "a text"),
        ("kind", "c", "one of a, b"),
        ("kind", [], "one of a, b"),
        ("limit", "soon", "a number or nothing"),
        ("numbers", 5, "a list, each a number"),
        ("numbers", [1, "b"], "a list, each a number"),
        ("proof", None, "a text or a number"),
        ("inner", {"word": "a"}, "an object of Inner"),
    ],
    ids=str,
)
def test_what_is_of_another_type_is_named(name, value, expected):
    """Tests every type with what is nearly one of it, and a number too long to be written."""
    with pytest.raises(InputError) as error:
        Everything(**{name: value})
    said = str(error.value)
    assert said.startswith(f"Received {name} = ")
    assert said.endswith(f"; expected {expected}.")
    assert len(said) < 200


def test_what_is_of_the_type_passes():
    """Tests whole numbers as floats, numbers as whole numbers, lists for tuples, and nothing."""
    Everything(count=3.0, share=2, numbers=[1, 2.5], limit=None, proof=0.1, anything=object())
    Everything(kind="b", limit=3, proof="optimal", flag=False)


def test_numbers_too_long_to_be_written_are_refused_in_words():
    """Tests that a message about a number of 5,000 digits is no error of its own."""
    with pytest.raises(InputError, match=r"thousands of digits; expected a whole number"):
        Everything(count=HUGE)
    with pytest.raises(InputError, match=r"thousands of digits; expected"):
        check_positive(x=-HUGE)
    with pytest.raises(InputError, match=r"thousands of digits; expected"):
        check_at_least(1, x=-HUGE)
    with pytest.raises(InputError, match=r"thousands of digits; expected one of a"):
        check_choice(["a"], x=HUGE)


def test_later_settings_are_left_out_at_their_default():
    """Tests that stored settings do not change with a setting that did not exist then."""

    @dataclass(frozen=True)
    class Grown:
        old: int = 1
        new: int = field(default=2, metadata={"later": True})

    assert plain(Grown()) == {"old": 1}
    assert plain(Grown(new=3)) == {"old": 1, "new": 3}
