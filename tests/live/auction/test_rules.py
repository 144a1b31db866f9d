"""Rules are read strictly and come back from the log as they were."""

import pytest
from live_play import MARKET, market_text, read

from boca.core.errors import InputError
from boca.live.auction.rules import Rules


def test_defaults_need_no_table():
    """Tests that a market file alone is an auction."""
    rules, market = read(MARKET)
    assert rules == Rules()
    assert market.name == "village hall"


def test_values_of_the_market_file_are_not_read():
    """Tests that the server cannot know what bidders keep to themselves."""
    text = MARKET.replace('name = "Ann"', 'name = "Ann"\nvalues = "nonsense"')
    _, market = read(text)
    assert "nonsense" not in str(market.to_dict())


def test_every_key_is_read():
    """Tests a table in which nothing has its default."""
    rules, market = read(
        market_text(
            mechanism="svr", payment_rule="core", currency="CHF", unit="0.05", max_value="100.00",
            reserve={"hall": "3.00"}, round_minutes=[5, 2.5], open_rounds="by hand",
            close_early=True, extensions=1, extension_minutes=3, push_bids=0, corrections="always",
            last_call_minutes=4, monotone="require", typo_factor=8, publish="all",
            explain_payments=False, show_reasons="numbers", sealed_from_auctioneer=True,
            listed=True, language="de", solve_seconds=3,
        )
    )  # fmt: skip
    assert rules.reserve_units(market) == [60, 0, 0]
    assert rules.most_units == 2000
    assert rules.minutes(0) == 5
    assert rules.minutes(7) == 2.5
    assert Rules.from_dict(rules.to_dict()) == rules


def test_reserve_prices_may_stand_at_the_goods():
    """Tests the key of market files, and that two prices for one good are refused."""
    text = market_text().replace('name = "hall"', 'name = "hall"\nreserve = 2.5')
    rules, market = read(text)
    assert rules.reserve_units(market) == [250, 0, 0]
    both = market_text(reserve={"hall": "3.00"}).replace(
        'name = "hall"', 'name = "hall"\nreserve = 2.5'
    )
    with pytest.raises(InputError, match="too"):
        read(both)


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"mechnism": "boca"}, "did you mean 'mechanism'"),
        ({"stopping": {"max_seconds": "5"}}, "means nothing here"),
        ({"mechanism": "cca"}, "'mechanism': found 'cca'"),
        ({"num_total": 1}, "at most num_total"),
        ({"num_total": 500}, "at most 200"),
        ({"num_per_round": 0}, "at least 1"),
        ({"max_value": "10000000000.01"}, "at most 1,000,000,000,000 units"),
        ({"max_value": "0"}, "at least one"),
        ({"max_value": 5}, "'max_value'"),
        ({"unit": "0.03", "max_value": "10.00"}, "finer"),
        ({"reserve": {"halle": "3.00"}}, "did you mean 'hall'"),
        ({"reserve": {"hall": "3.001"}}, "finer"),
        ({"round_minutes": [0, 5]}, "more than 0"),
        ({"round_minutes": [5]}, "two numbers"),
        ({"close_early": "yes"}, "true or false"),
        ({"typo_factor": 1}, "more than 1"),
        ({"language": "xx"}, "'language'"),
        ({"publish": "everything"}, "'publish'"),
    ],
)
def test_mistakes_name_the_key(keys, message):
    """Tests that each mistake is one sentence with the place in it."""
    with pytest.raises(InputError, match=message):
        read(market_text(**keys))


def test_too_large_an_auction_is_refused():
    """Tests the documented limit of bidders; one less is taken."""
    bidders = "".join(f'[[bidders]]\nname = "b{k}"\n' for k in range(100))
    goods = '[[goods]]\nname = "hall"\n'
    assert read(goods + bidders)[1].num_bidders == 100
    with pytest.raises(InputError, match="101 bidders"):
        read(goods + bidders + '[[bidders]]\nname = "one more"\n')


def test_mechanisms_with_a_clock_need_prices_to_start_from():
    """Tests that whoever chooses a clock sets it, for every good, and nobody else does."""
    start = {"hall": "1.00", "kitchen": "0.50", "chairs": "0.25"}
    rules, market = read(market_text(mechanism="mlhca", start_prices=start))
    assert rules.start_units(market) == [100, 50, 25]
    assert Rules.from_dict(rules.to_dict()) == rules
    assert read(market_text(mechanism="hybrid"))[0].start_units(market) == []
    for keys, message in (
        ({"mechanism": "ml-cca"}, "start_prices"),
        ({"mechanism": "ml-cca", "start_prices": {"hall": "1.00"}}, "no price of 'kitchen'"),
        ({"mechanism": "boca", "start_prices": start}, "announces none"),
        ({"mechanism": "hybrid", "start_prices": {**start, "hall": "0"}}, "more than 0"),
        ({"mechanism": "hybrid", "start_prices": {**start, "hall": "0.001"}}, "finer"),
        ({"mechanism": "hybrid", "start_prices": {**start, "halls": "1"}}, "halls"),
    ):
        with pytest.raises(InputError, match=message):
            read(market_text(**keys))
