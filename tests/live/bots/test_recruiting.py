"""Files of tokens that cannot be used."""

import pytest

from boca.core.errors import InputError
from boca.live.bots.recruiting import parse_tokens


@pytest.mark.parametrize(
    "text",
    [
        "",
        "5",
        "null",
        "{}",
        '{"auction": 3, "tokens": {"Ann": "t"}}',
        "[" * 100_000 + "]" * 100_000,
    ],
)
def test_what_holds_no_tokens_is_one_sentence(text):
    """Tests other JSON and none; deep nesting ended in a traceback."""
    with pytest.raises(InputError, match="cannot be used; expected JSON such as"):
        parse_tokens(text)
