"""What the live table of an auction shows."""

import pytest

from boca.cli.progress import COLUMNS, six_digits


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0.0, "0"),
        (12.5, "12.5"),
        (8320.7, "8,320.7"),
        (999_999.4, "999,999"),
        (999_999.6, "1.00000e+06"),
        (8.3207e9, "8.32070e+09"),
        (8.31996e9, "8.31996e+09"),
        (-8.3e-7, "-8.30000e-07"),
    ],
)
def test_welfare_is_written_in_six_digits(number, text):
    """Tests that large numbers keep their last zeros: losses below each other are compared."""
    assert six_digits(number) == text


def test_large_welfare_fits_its_column():
    """Tests the values of MRVM, which have billions."""
    assert len(six_digits(8.3207e9)) == dict(COLUMNS)["welfare"]
