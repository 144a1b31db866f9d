"""A bidder that is a program: it looks, answers with its true values, and confirms."""

import hashlib
import json
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from boca.bots.client import Client, Refused
from boca.bots.truth import Truth


@dataclass(frozen=True)
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
    """

    client: Client
    auction: str
    truth: Truth

    def look(self) -> str:
        """Looks once, answers what is open, and says in which phase the auction is."""
        phase: str = self.client.get(f"/auctions/{self.auction}")["phase"]
        if phase == "open":
            self.answer()
        return phase

    def answer(self) -> int:
        """Answers all open queries in one submission; how many there were."""
        book = self.client.get(f"/auctions/{self.auction}/queries")
        queries = [query for query in book["queries"] if query["status"] == "open"]
        if queries:
            answers = [
                {"query": query["id"], "value": self.truth.value(query["bundle"], self.unit)}
                for query in queries
                if query["type"] == "value"
            ]
            demands = [
                {"query": query["id"], "bundle": self.truth.wanted(query["prices"])}
                for query in queries
                if query["type"] == "demand"
            ]
            self.send({"answers": answers, "demands": demands, "basis": book["basis"]})
        return len(queries)

    def send(self, submission: dict[str, Any]) -> dict[str, Any]:
        """Sends a submission; warnings are confirmed, since a program means what it says."""
        path = f"/auctions/{self.auction}/submissions"
        try:
            return self.client.post(path, submission, key_of(submission))
        except Refused as refusal:
            warnings = refusal.problem.get("warnings")
            if not warnings:
                raise
        confirmed = {**submission, "confirmed": [warning["id"] for warning in warnings]}
        return self.client.post(path, confirmed, key_of(confirmed))

    @cached_property
    def unit(self) -> str:
        """The smallest amount of the auction's money."""
        unit: str = self.client.get(f"/auctions/{self.auction}/rules")["rules"]["unit"]
        return unit


def key_of(submission: dict[str, Any]) -> str:
    """The same for the same submission, so that a retry is taken once."""
    text = json.dumps(submission, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:40]
