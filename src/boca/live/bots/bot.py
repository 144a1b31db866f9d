"""A bidder that is a program: it looks, thinks, answers by its strategy, and confirms."""

import hashlib
import json
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from boca.core.goods import Limit
from boca.core.market import Market
from boca.core.query import Query, Reason
from boca.core.randomness import Seeds
from boca.lab.simulation.strategies import Strategy, Truthful
from boca.live.bots.client import Client, Refused
from boca.live.bots.manner import Thinking
from boca.live.bots.truth import Truth, to_units

WHY = Reason("asked by the server")


@dataclass
class Bot:
    """
    One bidder's program.

    Parameters
    ----------
    client
        With a token of the bidder.
    auction
        Where it takes part.
    truth
        What bundles are worth to it.
    strategy
        What it says of that.
    thinking
        How long it takes to answer a round.
    seeds
        Of the time to think.
    """

    client: Client
    auction: str
    truth: Truth
    strategy: Strategy = field(default_factory=Truthful)
    thinking: Thinking = field(default_factory=Thinking)
    seeds: Seeds = field(default_factory=lambda: Seeds(0))

    def __post_init__(self) -> None:
        # Round -> when it has thought enough; rounds with nothing left to answer.
        self._ready_at: dict[int, float] = {}
        self._done: set[int] = set()
        self._has_accepted = False

    def look(self, round_: int, now: float) -> int:
        """
        Answers an open round once it has thought about it; how many queries were answered.

        Parameters
        ----------
        round_
            The open round.
        now
            Seconds of a clock that only goes forwards.
        """
        if round_ not in self._ready_at:
            pause = self.thinking.seconds(self.seeds.child("think", self.truth.name, round_))
            self._ready_at[round_] = now + pause
        if now < self._ready_at[round_] or round_ in self._done:
            return 0
        num_answered = self.answer()
        self._done.add(round_)
        return num_answered

    def answer(self) -> int:
        """Answers or declines all open queries in one submission; how many there were."""
        book = self.client.get(f"/auctions/{self.auction}/queries")
        queries = [query for query in book["queries"] if query["status"] == "open"]
        if queries:
            num_answered = sum(query["status"] == "answered" for query in book["queries"])
            self.send({**self.reply(queries, num_answered), "basis": book["basis"]})
        return len(queries)

    def reply(self, queries: list[dict[str, Any]], num_answered: int) -> dict[str, Any]:
        """What the strategy says to some queries."""
        answers: list[dict[str, str]] = []
        demands: list[dict[str, Any]] = []
        declines: list[str] = []
        for query in queries:
            # Strategies are about values; what is wanted at prices is said truthfully.
            is_demand = query["type"] == "demand"
            bundle = self._wanted(query) if is_demand else query["bundle"]
            value = self._said(bundle, num_answered + len(answers) + len(demands))
            if value is None:
                declines.append(query["id"])
            elif is_demand:
                demands.append({"query": query["id"], "bundle": bundle})
            else:
                answers.append({"query": query["id"], "value": to_units(value, self.unit)})
        return {"answers": answers, "demands": demands, "declines": declines}

    def send(self, submission: dict[str, Any]) -> dict[str, Any]:
        """Sends a submission; warnings are confirmed, since a program means what it says."""
        path = f"/auctions/{self.auction}/submissions"
        if self._setup["rules"].get("accept_rules") and not self._has_accepted:
            self._accept()
        try:
            return self.client.post(path, submission, key_of(submission))
        except Refused as refusal:
            warnings = refusal.problem.get("warnings")
            if not warnings:
                raise
        confirmed = {**submission, "confirmed": [warning["id"] for warning in warnings]}
        return self.client.post(path, confirmed, key_of(confirmed))

    def _accept(self) -> None:
        """Accepts the rules; that they were accepted before does not matter."""
        path = f"/auctions/{self.auction}/accept"
        with suppress(Refused):
            self.client.post(path, {"rules": self._setup["hash"]}, "accept-the-rules")
        self._has_accepted = True

    def _said(self, bundle: dict[str, int], num_answered: int) -> float | None:
        """What the bot says about a bundle, within what the rules allow; None to decline."""
        counts = np.array([bundle.get(good["name"], 0) for good in self._setup["market"]["goods"]])
        query = Query(self.row, counts, WHY)
        amount = self.truth.amount(bundle)
        value = None if amount is None else self.strategy(query, amount, num_answered)
        if isinstance(value, tuple):  # of a range, what the bot bids
            value = value[0]
        most = self._cap or float(self._setup["rules"]["max_value"])
        return None if value is None else min(value, most)

    @property
    def _cap(self) -> float | None:
        """The bot's spending cap; None if it has none."""
        caps = self._setup["rules"].get("spending_caps", {})
        return float(caps[self.truth.name]) if self.truth.name in caps else None

    def _wanted(self, query: dict[str, Any]) -> dict[str, int]:
        """What leaves the bot most at the prices of a query, of all that it may choose."""
        market = Market.from_dict(self._setup["market"])
        prices, names = query["prices"], [good.name for good in market.goods]
        bidders = list(market.bidders)
        limits = bidders[self.row].limits
        if self._cap is not None:
            limits += (Limit(tuple(float(prices[name]) for name in names), self._cap),)
        if query["eligibility"] is not None:
            points = self._setup["rules"]["points"]
            limits += (Limit(tuple(points[name] for name in names), query["eligibility"]),)
        bidders[self.row] = replace(bidders[self.row], limits=limits)
        return self.truth.wanted(prices, replace(market, bidders=tuple(bidders)), self.row)

    @cached_property
    def row(self) -> int:
        """The bidder's place in the market."""
        names = [bidder["name"] for bidder in self._setup["market"]["bidders"]]
        return names.index(self.truth.name)

    @cached_property
    def _setup(self) -> dict[str, Any]:
        return self.client.get(f"/auctions/{self.auction}/rules")

    @property
    def unit(self) -> str:
        """The smallest amount of the auction's money."""
        unit: str = self._setup["rules"]["unit"]
        return unit


def key_of(submission: dict[str, Any]) -> str:
    """The same for the same submission, so that a retry is taken once."""
    text = json.dumps(submission, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:40]
