"""Questions to the auctioneer on the pages of both."""

import re

import pytest
from live_server import market_text, new_sale


@pytest.fixture(scope="module")
def sale(server, clerk):
    return new_sale(server, clerk, market_text(2))


def test_a_question_is_answered_to_one_and_to_all(sale, server):
    """Tests the way of two questions: escaped, answered, and told to whom they belong."""
    ann, ben, boss = sale["Club A"], sale["Club B"], server.boss
    for text in ("Is <b>parking</b> free?", "Until when?"):
        assert ann.post(sale.path("ask"), {"text": text, "number": "0"}).status_code == 303
    # The same form sent again is the same question.
    assert ann.post(sale.path("ask"), {"text": "Until when?", "number": "0"}).status_code == 303
    page = boss.get(sale.path("inquiries")).text
    assert page.count("Is &lt;b&gt;parking&lt;/b&gt; free?") == 2  # and in the field for all
    first, second = re.findall(r'name="to" value="(\w+)"', page)
    alone = {"to": first, "text": "Yes, it is.", "do": "one"}
    assert boss.post(sale.path("inquiries"), alone).status_code == 303
    told = {"to": second, "text": "Until noon.", "question": "When does it end?", "do": "all"}
    assert boss.post(sale.path("inquiries"), told).status_code == 303

    own, other = ann.get(sale.path("ask")).text, ben.get(sale.path("ask")).text
    assert "Yes, it is." in own
    assert "Yes, it is." not in other
    assert "parking" not in other
    for page in (own, other):
        assert "When does it end?" in page
        assert "Until noon." in page
    assert "Club A" not in other


def test_mistakes_are_told_and_nothing_is_lost(sale, server):
    """Tests a blank question, a blank answer, and a question that is not there."""
    ben, boss = sale["Club B"], server.boss
    blank = ben.post(sale.path("ask"), {"text": " ", "number": "0"})
    assert blank.status_code == 422
    assert "Please give a question" in blank.text
    long = ben.post(sale.path("ask"), {"text": "x" * 2001, "number": "0"})
    assert long.status_code == 422
    assert "x" * 2001 in long.text
    lost = boss.post(sale.path("inquiries"), {"to": "0" * 64, "text": "What?", "do": "one"})
    assert lost.status_code == 404
    assert "no such question" in lost.text
