"""Tests of values in market files."""

import pytest
from stall import MARKET, write_stall

from boca.core import InputError
from boca.lab.domains.files import load_market_file

# What is wrong; how the market file is changed; what the message must say.
BROKEN_VALUES = {
    "unknown good in values": (
        ("Cheese = 4", "Cheesecake = 4"),
        "('Ben'), values, key 'Cheesecake': found 'Cheesecake', which is no good of this market; "
        "did you mean 'Cheese'?",
    ),
    "negative value": (
        ("Apple = 3", "Apple = -3"),
        "('Ben'), values, key 'Apple': found the number -3; expected at least 0. Leave out a good",
    ),
    "value that is not a number": (
        ("Apple = 3", "Apple = nan"),
        "key 'Apple': found the number nan; expected a finite number.",
    ),
    "value too large for a float": (
        ("Apple = 3", "Apple = 1" + "0" * 400),
        "key 'Apple': found a number of about 400 digits; expected at most 1e+15.",
    ),
    "value beyond reason": (
        ("Apple = 3", "Apple = 3e20"),
        "key 'Apple': found the number 3e+20; expected at most 1e+15. Use a larger unit.",
    ),
    "value falls": (
        ("value = -2", "value = -3.5"),
        "key 'synergies': the value falls by up to 0.5 when 'Apple' is added, because its negative "
        "synergies together exceed its own value of 3. Raise that value or weaken",
    ),
    "null in a path": (
        ('bids = "bids.csv"', 'bids = "bids\\u0000.csv"'),
        "('Ann'), key 'bids': found the text 'bids\\x00.csv'; expected one line of text",
    ),
    "synergy of three goods": (
        ('goods = ["Apple", "Cheese"]', 'goods = ["Apple", "Bread", "Cheese"]'),
        "synergies number 1, key 'goods': found 3 goods; a synergy is between two goods.",
    ),
    "synergy without a value": (
        (", value = -2", ""),
        "('Ben'), synergies number 1: the key 'value' is missing; add a number.",
    ),
    "synergy given twice": (
        ("value = -2 }]", 'value = -1 }, { goods = ["Cheese", "Apple"], value = 1 }]'),
        "synergies number 2, key 'goods': the synergy of 'Apple' and 'Cheese' is given twice",
    ),
    "synergies are a number": (
        ('synergies = [{ goods = ["Apple", "Cheese"], value = -2 }]', "synergies = 3"),
        "key 'synergies': found the number 3; expected synergies = [{ goods",
    ),
    "bids and values": (
        ('bids = "bids.csv"', 'bids = "bids.csv"\nvalues = { Apple = 1 }'),
        "('Ann'), key 'values': found both 'bids' and 'values'; expected one of them",
    ),
    "neither bids nor values": (
        ('bids = "bids.csv"\n', ""),
        "('Ann'), key 'values': found neither 'bids' nor 'values'; expected one of them",
    ),
    "bids and synergies": (
        ('bids = "bids.csv"', 'bids = "bids.csv"\nsynergies = []'),
        "('Ann'), key 'synergies': found synergies together with bids",
    ),
    "values are a list": (
        ("values = { Apple = 3, Cheese = 4 }", "values = [3, 4]"),
        "key 'values': found a list of 2; expected a value for each good",
    ),
    "bidder who wants nothing": (
        (MARKET[MARKET.index("Apple = 3") :], "Apple = 0 }"),
        "('Ben'), key 'values': this bidder values nothing; give a value or leave the bidder out.",
    ),
    "no bids file": (
        ('bids = "bids.csv"', 'bids = "bits.csv"'),
        "There is no bid file '{folder}/bits.csv'. Check the name.",
    ),
    "bids file outside": (
        ('bids = "bids.csv"', 'bids = "."'),
        "is a folder; name the bid file inside it.",
    ),
    "bid beyond a limit": (
        ("[every_bidder]", "[every_bidder]\nat_most = 1"),
        "('Ann'), key 'bids': line 4 of 'bids.csv' can never win, because of the limit "
        "'at most 1 in total'; remove the line or relax the limit.",
    ),
}


@pytest.mark.parametrize("case", BROKEN_VALUES)
def test_mistake_in_the_values(case, tmp_path):
    """Tests that each mistake is named with its file and key, what was found and what to do."""
    (old, new), message = BROKEN_VALUES[case]
    assert old in MARKET
    path = write_stall(tmp_path, MARKET.replace(old, new, 1))

    with pytest.raises(InputError) as caught:
        load_market_file(path)
    assert message.replace("{folder}", str(tmp_path)) in str(caught.value)
    assert str(tmp_path) in str(caught.value)
