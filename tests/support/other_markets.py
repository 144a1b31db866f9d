"""Purchases and exchanges in memory, planned and decided by the real engine, with a real log."""

import json
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
from hand_clock import HandClock
from live_play import MECHANISMS
from logged_play import LoggedPlay

from boca.live.auction import commands as cmd
from boca.live.auction.events import Bundle, Entry
from boca.live.auction.rules import AuctionFile, read_auction_file
from boca.live.auction.state import LiveState
from boca.live.auction.submission import (
    BundleValue,
    DemandAnswer,
    Submission,
    ValueAnswer,
    check,
)
from boca.live.clock import to_text
from boca.live.ledger import Record
from boca.live.work import child
from boca.live.work.requests import job_request
from boca.live.work.results import read_outcome, read_plan, read_result

AUCTION = """
[auction]
mechanism = "random"
num_initial = 4
num_per_round = 2
num_total = 8
payment_rule = "PAYMENT"
unit = "1"
max_value = "100000"
publish = "all"
close_early = true
push_bids = 5
"""
FREIGHT = """
name = "freight"

[[lots]]
name = "north"
needed = 2
at_most = 90
baseline = 80

[[lots]]
name = "south"
at_most = 100
baseline = 95

[[lots]]
name = "west"
at_most = 70

[[suppliers]]
name = "Nord"
incumbent = true

[[suppliers]]
name = "Ost"
groups = ["small"]
at_most = 3

[[suppliers]]
name = "Sued"
groups = ["small"]

[[scenarios]]
name = "keep the incumbent"
rules = [{ units = { at_least = 2 }, suppliers = "incumbents", name = "2 units for Nord" }]
"""
FISHING = """
name = "quota"

[[goods]]
name = "cod"
capacity = 4

[[goods]]
name = "plaice"
capacity = 3

[[participants]]
name = "Anna"
endowment = { cod = 3 }

[[participants]]
name = "Birk"
endowment = { cod = 1, plaice = 1 }

[[participants]]
name = "Carla"
endowment = { plaice = 2 }
"""
Truth = Callable[[int, Bundle], int | None]


def cost_of(supplier: int, bundle: Bundle) -> int:
    """What a supplier must be paid: a start, and less for lots that lie together."""
    start, *prices = ((9, 61, 82, 55), (22, 58, 71, 66), (14, 70, 60, 49))[supplier]
    together = 17 * (bundle[0] > 0 and bundle[1] > 0) * (supplier != 1)
    return start + sum(n * p for n, p in zip(bundle, prices, strict=True)) - together


def worth_of(participant: int, bundle: Bundle) -> int:
    """What a holding is worth; the first units more than the last."""
    cod, plaice = ((30, 50), (55, 20), (44, 24))[participant]
    first, second = bundle
    return cod * first + plaice * second - 3 * first * first - 2 * second * second


class MarketPlay(LoggedPlay):
    """
    One purchase or exchange.

    Parameters
    ----------
    market
        The text of a market file without its table ``[auction]``.
    payment_rule
        Of the rules.
    keys
        Lines of the table ``[auction]`` that are replaced: key -> TOML.
    """

    def __init__(self, market: str, payment_rule: str, is_rehearsal: bool = False, **keys: str):
        self.clock, self.entries, self.records = HandClock(), list[Entry](), list[Record]()
        self.state = LiveState("test")
        lines = AUCTION.replace("PAYMENT", payment_rule).splitlines()
        lines = [line for line in lines if line.split(" ")[0] not in keys]
        text = "\n".join([market, *lines, *(f"{key} = {value}" for key, value in keys.items())])
        self.file: AuctionFile = read_auction_file(text, MECHANISMS)
        self.do(
            cmd.Create(
                self.file.rules,
                self.file.market,
                7,
                "00" * 32,
                "0",
                is_rehearsal,
                notes=self.file.notes,
            )
        )

    def start(self) -> None:
        for i, bidder in enumerate(self.file.market.bidders):
            self.do(cmd.Invite(bidder.name.lower(), f"access-{i}", i))
            self.do(cmd.Join(bidder.name.lower(), i))
        self.do(cmd.Start("Zoe"))

    def plan_by_engine(self) -> None:
        """The next questions, or the end of them."""
        result = {**child.plan(job_request(self.state)), "seconds": 0.0}
        plan = read_result(json.dumps(result).encode(), read_plan)
        self.do(cmd.TakePlan(self.state.plan_from, plan), "server")

    def say(self, bidder: int, submission: Submission) -> None:
        """Submits and ticks every warning."""
        found = check(self.state, bidder, submission, "page")
        assert not found.mistakes, found.mistakes
        ticked = replace(submission, confirmed=tuple(w.id for w in found.warnings))
        person = self.file.market.bidders[bidder].name.lower()
        self.do(
            cmd.Submit(bidder, ticked, to_text(self.clock.now()), sender=person),
            f"bidder:{bidder}/{person}",
        )

    def answer_all(self, truth: Truth) -> None:
        """Everybody answers everything; None declines."""
        for i, book in enumerate(self.state.books):
            asked = [q.query for q in book.open]
            said = {q.id: truth(i, q.bundle) for q in asked if q.prices is None}
            answers = tuple(ValueAnswer(q, str(n)) for q, n in said.items() if n is not None)
            declines = tuple(q for q, n in said.items() if n is None)
            demands = tuple(
                DemandAnswer(q.id, self.wanted(i, q.prices, truth)) for q in asked if q.prices
            )
            if asked:
                self.say(i, Submission(answers, declines, demands=demands))

    def wanted(self, bidder: int, prices: tuple[int, ...], truth: Truth) -> dict[str, int]:
        """What leaves somebody most at some prices, which suppliers are paid."""
        market = self.file.market
        sign = -1 if market.sense == "buy" else 1

        def left(bundle: Bundle) -> int:
            cost = sum(n * price for n, price in zip(bundle, prices, strict=True))
            return sign * (((truth(bidder, bundle) or 0) if any(bundle) else 0) - cost)

        rows = product(*(range(good.capacity + 1) for good in market.goods))
        best = max((b for b in rows if market.allows(bidder, np.array(b))[0]), key=left)
        return {good.name: n for good, n in zip(market.goods, best, strict=True) if n}

    def push(self, bidder: int, bundle: Bundle, units: int) -> None:
        """One offer or value that nobody asked for."""
        counts = {g.name: n for g, n in zip(self.file.market.goods, bundle, strict=True) if n}
        self.say(bidder, Submission(pushes=(BundleValue(counts, str(units)),)))

    def ask(self, truth: Truth) -> None:
        """From the start to the end of all questions."""
        self.start()
        while True:
            self.plan_by_engine()
            if self.state.phase == "stopped":
                return
            self.answer_all(truth)

    def outcome(self) -> Any:
        """What the engine decides, through JSON as between the two processes."""
        result = {**child.decide(job_request(self.state)), "seconds": 0.0}
        return read_result(json.dumps(result).encode(), read_outcome)

    def end(self) -> None:
        """Closed, decided and published."""
        self.do(cmd.Close())
        self.do(cmd.TakeOutcome(self.outcome()), "server")
        self.do(cmd.Publish())


def purchase(payment_rule: str = "vcg", market: str = FREIGHT, **keys: str) -> MarketPlay:
    """A purchase that was asked, answered, decided and published."""
    play = MarketPlay(market, payment_rule, **keys)
    play.ask(cost_of)
    play.end()
    return play


def trade(payment_rule: str = "threshold", truth: Truth = worth_of, **keys: str) -> MarketPlay:
    """An exchange that was asked, answered, decided and published."""
    play = MarketPlay(FISHING, payment_rule, **keys)
    play.ask(truth)
    play.end()
    return play
