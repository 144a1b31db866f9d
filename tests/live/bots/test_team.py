"""Bots against a real server."""

import json

import pytest
from live_server import LiveServer, market_text

from boca.core.errors import InputError
from boca.core.market import Market
from boca.live.bots.client import Client, Refused
from boca.live.bots.recruiting import read_tokens, recruit

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    server = LiveServer(tmp_path_factory.mktemp("bots") / "data").start()
    yield server
    server.stop()


def played_team(server, folder, text):
    """The bots of a market's bidders, after a whole auction that a clerk closed and published."""
    clerk = server.clerk()
    market, token_file = folder / "market.toml", folder / "tokens.json"
    market.write_text(text)
    auction = clerk.create(text)
    tokens = {name: clerk.token(auction, name) for name in clerk.bidders(auction)}
    clerk.do(auction, "start", {"accept_missing": False})
    content = {"auction": auction, "tokens": tokens, "auctioneer": clerk.client.token}
    token_file.write_text(json.dumps(content))
    team = recruit(read_tokens(token_file), server.url, market)
    assert team.run() == "published"
    return team


def test_bots_and_a_clerk_play_a_whole_auction(server, tmp_path):
    """Tests that programs alone get from the first question to a published result."""
    team = played_team(server, tmp_path, market_text(3, num_initial="2", num_total="3"))
    results = [bot.client.get(f"/auctions/{bot.auction}/result") for bot in team.bots]
    assert any(result["bundle"] for result in results)
    for bot, result in zip(team.bots, results, strict=True):
        # Bots say the truth: what they are said to value is what they value.
        assert result["value"] == bot.truth.value(result["bundle"], "0.01")
        assert float(result["payment"]) <= float(result["value"])


def test_bots_play_an_auction_that_announces_prices(server, tmp_path):
    """
    Tests a small hybrid auction from the first question to a published result: bots answer demand
    queries by their true values, so that they are never warned, and win at most what they value.
    """
    text = market_text(2, mechanism='"hybrid"', num_initial="1", num_total="3")
    team = played_team(server, tmp_path, text)
    for bot in team.bots:
        book = bot.client.get(f"/auctions/{bot.auction}/queries")["queries"]
        assert {query["type"] for query in book} == {"value", "demand"}
        for query in book:
            if query["type"] == "demand":
                prices = query["prices"]
                cost = sum(n * float(prices[good]) for good, n in query["bundle"].items())
                assert float(query["cost"]) == pytest.approx(cost)
                market_seen = Market.from_dict(bot._setup["market"])
                assert query["bundle"] == bot.truth.wanted(prices, market_seen, bot.row)
        result = bot.client.get(f"/auctions/{bot.auction}/result")
        true_value = bot.truth.value(result["bundle"], "0.01")
        assert float(result["payment"]) <= float(result["value"]) <= float(true_value)
        receipts = bot.client.get(f"/auctions/{bot.auction}/receipts")["receipts"]
        assert not any(receipt["body"]["warnings"] for receipt in receipts)
        assert any(receipt["body"].get("demands") for receipt in receipts)


def test_bots_keep_to_spending_caps_and_points(server, tmp_path):
    """Tests a whole auction in which a bot could say more than its cap and choose more points."""
    points = {"hall": 3, "kitchen": 2, "chairs": 1}
    text = market_text(
        2,
        mechanism='"hybrid"',
        num_initial="1",
        num_total="4",
        spending_caps='{ "Club A" = "13.00" }',
        points="{ hall = 3, kitchen = 2, chairs = 1 }",
        eligibility='{ "Club B" = 2 }',
    )
    team = played_team(server, tmp_path, text)
    for bot, cap, first in zip(team.bots, (13.0, 1000.0), (8, 2), strict=True):
        book = bot.client.get(f"/auctions/{bot.auction}/queries")["queries"]
        chosen = [query for query in reversed(book) if query["type"] == "demand"]
        assert chosen[0]["eligibility"] == first
        for query in chosen:
            used = sum(n * points[good] for good, n in query["bundle"].items())
            assert used <= query["eligibility"]
            assert float(query["cost"]) <= cap
        values = [float(query["value"]) for query in book if query["value"] is not None]
        assert values
        assert max(values) <= cap
        result = bot.client.get(f"/auctions/{bot.auction}/result")
        assert float(result["payment"]) <= cap


def test_wrong_token_is_refused_in_a_sentence(server):
    """Tests what somebody sees who copied a token in part."""
    with pytest.raises(Refused, match="not signed in"):
        Client(server.url, "nonsense").get("/auctions/abc/rules")


@pytest.mark.parametrize(
    "content",
    [
        "",
        "[]",
        '{"auction": "a", "tokens": {}}',
        '{"tokens": 3}',
        '{"auction": "a", "tokens": {"Ann": 3}}',
        '{"auction": "a", "tokens": {"Ann": "t"}, "strategies": 1}',
    ],
)
def test_bad_file_of_tokens_is_told(tmp_path, content):
    """Tests that a mistake names the file and shows what it should hold."""
    path = tmp_path / "tokens.json"
    path.write_text(content)
    (tmp_path / "market.toml").write_text(market_text(2))
    with pytest.raises(InputError, match="expected JSON such as"):
        recruit(read_tokens(path), "http://localhost:1", tmp_path / "market.toml")


def test_unknown_bidder_is_told(tmp_path):
    """Tests tokens that belong to another market."""
    path = tmp_path / "tokens.json"
    path.write_text('{"auction": "a", "tokens": {"Zoe": "t"}}')
    (tmp_path / "market.toml").write_text(market_text(2))
    with pytest.raises(InputError, match="no bidder 'Zoe'"):
        recruit(read_tokens(path), "http://localhost:1", tmp_path / "market.toml")
