import pytest

from boca.core.errors import InputError
from boca.live.mail.address import check_address, one_line


@pytest.mark.parametrize("text", ["ann@example.org", " a.b+c@mail.example.co.uk ", "x@localhost"])
def test_plain_addresses_are_taken(text):
    assert check_address(text) == text.strip()


@pytest.mark.parametrize(
    "text",
    [
        "ann",
        "ann@",
        "@example.org",
        "ann@example.org\r\nBcc: eve@example.org",
        "ann@example.org\nBcc: eve@example.org",
        "ann@example.org, eve@example.org",
        "ann@example.org>",
        "Ann <ann@example.org>",
        '"ann eve"@example.org',
        "ann eve@example.org",
        "ann@example..org",
        "ann@-example.org",
        "ann@exa\x00mple.org",
        "ann@ex\u00e4mple.org",
        "a" * 65 + "@example.org",
        "a@" + "b" * 260,
    ],
)
def test_everything_else_is_refused(text):
    """Tests that nothing gets into the head of a mail, or to a second address, by an address."""
    with pytest.raises(InputError, match="expected one such as"):
        check_address(text)


def test_names_are_one_line():
    """Tests that no name, subject or text can begin another header."""
    assert one_line("Ann\r\nBcc: eve@example.org\x00\u2028x") == "Ann Bcc: eve@example.org x"
