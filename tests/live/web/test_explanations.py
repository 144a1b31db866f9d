"""What people are told is true: rules with reserve prices, losers, choices, cancelled auctions."""

import re
from dataclasses import replace
from types import SimpleNamespace

import pytest
from live_play import Play
from live_server import market_text, new_sale
from other_markets import FISHING, MarketPlay, worth_of

from boca.core.goods import Good, budget_of_credits, limit_of_goods
from boca.core.market import Bidder, Market
from boca.live.auction.audience import Viewer, seen_by
from boca.live.auction.events import Justification, Result
from boca.live.auction.money import Money
from boca.live.auction.reasons import why_paid
from boca.live.auction.sentence import Sentence
from boca.live.auction.submission import BundleValue, Submission
from boca.live.auction.views import OutcomeRow, bidder_view, progress, result_view, setup
from boca.live.web.texts import load
from boca.live.web.views.basket import Basket, BasketItem
from boca.live.web.views.check_view import at_most_words, counts_words
from boca.live.web.views.courses import budget_words
from boca.live.web.views.results import payment_steps, why_settled, why_words
from boca.live.web.views.rules_words import rules_words

EN = load("en")


def all_rules(play):
    words = rules_words(EN, setup(play.state))
    return " ".join(s for chapter in words.sections for s in chapter.sentences)


def test_the_rules_say_how_many_credits_a_good_has():
    """Tests that a budget of credits can be understood, and that nobody else reads of credits."""
    assert rules_words(EN, setup(Play().state)).credits == ()
    goods = (Good("hall"), Good("chairs", 3))
    budget = budget_of_credits((2.0, 0.5), 3.0)
    total = limit_of_goods("at_most", (0, 1), 2, goods)
    market = Market(goods, (Bidder("Ann", limits=(total,)), Bidder("Ben", limits=(total, budget))))
    told = replace(setup(Play().state), market=market)
    assert rules_words(load("de"), told).credits == ("2", "0,5")
    assert rules_words(EN, told, bidder=1).credits == ("2", "0.5")
    assert rules_words(EN, told, bidder=0).credits == ()


@pytest.mark.parametrize("rule", ["vcg", "core"])
def test_the_rules_say_what_reserve_prices_do(rule):
    """Tests that allocation, payment and example are those of the auction."""
    told = all_rules(Play(payment_rule=rule, reserve={"hall": "3.00"}))
    assert "less the reserve prices of what they receive" in told
    assert "stay unsold" in told
    assert "whose reserve price is 2" in told
    assert "reserve prices, and on top" in told or "at least their reserve prices" in told
    assert "the sum of the values that bidders reported is as large as possible" not in told
    assert "reserve" not in all_rules(Play(payment_rule=rule, reserve={"hall": "0.00"}))


def loser(play, *reports):
    """What a bidder that gets nothing is told, after some bids of its own."""
    for bundle, value in reports:
        named = dict(zip(("hall", "kitchen", "chairs"), bundle, strict=True))
        play.submit(Submission(pushes=(BundleValue(named, value),)))
    result = Result(0, (0, 0, 0), 0, 0)
    state = replace(play.state, phase="published", results={0: result})
    view = result_view(seen_by(state, Viewer("bidder", 0)), 0, play.clock.now())
    return why_words(EN, view)


def opened(**rules):
    """An auction with an open round."""
    play = Play(**rules)
    play.open()
    return play


def test_a_bid_beyond_the_limits_is_not_called_too_low():
    """Tests that the full bundle, whose value sets the scale, is no bid that others outbid."""
    play = opened()
    market = play.state.market.to_dict()
    market["bidders"][0]["limits"] = [
        {"name": "at most 1 in total", "coefficients": [1, 1, 1], "bound": 1}
    ]
    play.submit(Submission(pushes=(BundleValue({"hall": 1, "kitchen": 1, "chairs": 3}, "9.00"),)))
    play.state = replace(play.state, market=Market.from_dict(market))
    told = loser(play)
    assert "more than you can receive, such as 9.00" in told
    assert "others" not in told.lower()
    play.submit(Submission(pushes=(BundleValue({"hall": 1}, "5.00"),)))
    assert "could have won was 5.00 EUR for hall" in loser(play)


def test_bids_below_reserve_prices_are_told_apart():
    """Tests the other way to lose without a rival."""
    play = opened(reserve={"hall": "8.00", "kitchen": "8.00", "chairs": "8.00"})
    told = loser(play, ((0, 1, 0), "7.99"))
    assert told.startswith("None of your bids reached the reserve prices")
    assert "7.99" in told


def test_only_bids_that_could_win_are_compared_with_others():
    """Tests that the highest bid that is told is one that others outbid."""
    play = opened(reserve={"hall": "8.00"})
    told = loser(play, ((1, 0, 0), "7.00"), ((0, 1, 0), "2.00"))
    assert "at least as much" in told
    assert "2.00 EUR for kitchen" in told
    assert "7.00" not in told


@pytest.mark.parametrize(
    ("units", "bid", "words"),
    [
        (400, 400, "Counts as a bid of 4.00 EUR. A value"),
        (400, 500, "since you also want it at prices that add up to this"),
        (400, 700, "by all your answers together"),
    ],
)
def test_what_a_choice_counts_as_is_explained_truly(units, bid, words):
    """Tests the price itself, the same bundle at another price, and what other answers prove."""
    play = opened()
    view = bidder_view(play.state, 0, play.clock.now())
    item = BasketItem("r1-b1-q1", "demand", (1, 0, 0), units=units)
    other = BasketItem("r1-b1-q2", "demand", (1, 0, 0), units=500)
    assert words in counts_words(EN, view, Basket((item, other)), item, bid)
    named = BasketItem("push", "push", (1, 0, 0), units=bid)
    told = counts_words(EN, view, Basket((item, other, named)), item, bid)
    assert "the value that you named" in told


def test_a_cancelled_auction_promises_no_result(server, clerk):
    """Tests the pages on which a bidder and the auctioneer would wait for ever."""
    sale = new_sale(server, clerk, market_text(2))
    clerk.do(sale.auction, "cancel", {"reason": "A storm."})
    text = sale["Club A"].get(sale.path("result")).text
    assert "was cancelled, so there is no result" in text
    assert "not published yet" not in text
    desk = server.boss.get(sale.path("outcome")).text
    assert "was cancelled, so there is no outcome" in desk
    assert not re.search("once the questions are over", desk)


def test_names_of_goods_stay_as_they_are_in_a_trade():
    """Tests that a sentence begins with a large letter, and that no good loses its own."""
    play = MarketPlay(FISHING.replace("cod", "Cod").replace("plaice", "Plaice"), "threshold")
    play.ask(worth_of)
    play.end()
    view = progress(play.state, play.clock.now(), is_sealed=False)
    words = " ".join(why_settled(load("en", "exchange"), view, row) for row in view.outcome)
    assert "Gives " in words
    assert "Cod" in words
    assert "cod" not in words


def test_prices_of_courses_are_written_as_in_the_readers_language():
    """Tests the mark before the decimals."""
    assert budget_words(load("en"), 0.2581) == "0.258"
    assert budget_words(load("de"), 0.2581) == "0,258"


def test_what_a_bidder_pays_at_most_is_compared_only_where_it_changes():
    """Tests that "at most 5.00, without it at most 5.00" is not said."""
    view = SimpleNamespace(
        setup=setup(Play().state), bidder=0, exposure=SimpleNamespace(largest=500, cap=None)
    )
    for units, told in ((400, "you still pay at most"), (700, "without it, at most 5.00")):
        bids = {(1, 0, 0): max(units, 500)}
        checked = SimpleNamespace(reports=(units,), demands=(), bids=bids)
        assert told in at_most_words(EN, view, checked)


@pytest.mark.parametrize(("value", "keeps", "kept"), [(1750, 800, 587), (0, 800, 475)])
def test_the_sum_behind_a_trade_adds_up(value, keeps, kept):
    """Tests that the lines give what is paid, or received: nobody has to turn signs round."""
    money = Money("EUR", "0.01")
    gaps = {"value": value, "keeps": keeps, "kept": kept}
    why = Sentence("trade.why", {name: money.show(units) for name, units in gaps.items()})
    result = SimpleNamespace(
        setup=SimpleNamespace(kind="exchange", money=money),
        payment=value - keeps - kept,
        reasons=(why,),
    )
    *lines, (_, total) = payment_steps(EN, result)
    signed = [amount.replace("\u2212 ", "-").replace("+ ", "") for _, amount in lines]
    assert sum(round(100 * float(text.split()[0])) for text in signed) == abs(result.payment)
    assert total == money.show(abs(result.payment))


def amounts(words):
    """The amounts in a sentence, in whole money."""
    return [int(float(number)) for number in re.findall(r"\d+(?:\.\d+)?", words)]


@pytest.mark.parametrize("language", ["en", "de", "fr"])
@pytest.mark.parametrize("rule", ["vcg", "core"])
@pytest.mark.parametrize("reserve", [0, 34])
def test_the_sums_behind_a_payment_add_up_where_they_are_shown(language, rule, reserve):
    """
    Tests others without it 414, with it 155, and 34 of reserve prices: whoever reads 293 under VCG
    can add it up, as the staff and as the bidder.
    """
    t = load(language)
    play = Play(payment_rule=rule, reserve={"hall": "3.00"} if reserve else {})
    view, vcg = SimpleNamespace(setup=setup(play.state), total=None), 259 + reserve
    unit = int(1 / float(view.setup.rules.money.size))
    paid = vcg + 7 * (rule == "core")
    term = Justification(0, 500 * unit, 414 * unit, 155 * unit, reserve * unit, ())
    row = OutcomeRow(0, "Ann", (1, 0, 0), paid * unit, term)
    by_rule = [414, 155] + ([reserve] if reserve else []) + ([vcg] if rule == "core" else [])
    assert amounts(why_settled(t, view, row).replace(",", ".")) == [*by_rule, paid]

    result = Result(0, (1, 0, 0), 500 * unit, paid * unit, 414 * unit, 155 * unit, reserve * unit)
    if rule == "core":
        result = replace(result, vcg_payment=vcg * unit)
    told = amounts(t.say(why_paid(result, view.setup.rules, None)[-1:]).replace(",", "."))
    if rule == "vcg":
        assert told == [414, 155, *([259, 34] if reserve else []), paid]
    else:
        assert told == [vcg, *([259, 34] if reserve else []), 7, paid]
