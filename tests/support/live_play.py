"""A live auction in memory: commands in, state out, without web, database and engine."""

import hashlib
from dataclasses import replace
from datetime import datetime

from hand_clock import HandClock

from boca.core.market import Market
from boca.live.auction import commands as cmd
from boca.live.auction.commands import Command
from boca.live.auction.decide import decide
from boca.live.auction.engine_results import OutcomeResult, PlannedQuery, PlanResult
from boca.live.auction.events import Entry, Event
from boca.live.auction.fold import fold
from boca.live.auction.rules import Rules, former_conduct, read_auction
from boca.live.auction.state import LiveState
from boca.live.auction.submission import Submission, ValueAnswer, check
from boca.live.clock import to_text

# As the engine tells it, without asking it.
MECHANISMS = {
    name: former_conduct(name)
    for name in ("boca", "mvnn", "nn", "svr", "random", "local", "hybrid", "ml-cca", "mlhca")
}
MARKET = """
name = "village hall"

[[goods]]
name = "hall"

[[goods]]
name = "kitchen"

[[goods]]
name = "chairs"
capacity = 3

[[bidders]]
name = "Ann"

[[bidders]]
name = "Ben"
"""
BUNDLES = tuple(
    (hall, kitchen, chairs)
    for hall in (0, 1)
    for kitchen in (0, 1)
    for chairs in range(4)
    if hall + kitchen + chairs
)


def market_text(**keys: object) -> str:
    """The market with a table [auction] that holds some keys."""
    settings = {"mechanism": "random", "num_initial": 2, "num_per_round": 1, "num_total": 4, **keys}
    lines = [f"{key} = {_toml(value)}" for key, value in settings.items()]
    return MARKET + "\n[auction]\n" + "\n".join(lines) + "\n"


def read(text: str) -> tuple[Rules, Market]:
    """Rules and market of a text, with the mechanisms that there are."""
    return read_auction(text, MECHANISMS)


def _toml(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{k} = {_toml(v)}" for k, v in value.items()) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return f'"{value}"' if isinstance(value, str) else str(value)


class Play:
    """
    One auction with a clock of its own.

    Parameters
    ----------
    keys
        Of the table [auction].
    """

    def __init__(self, is_rehearsal: bool = False, **keys: object):
        self.clock = HandClock()
        self.entries: list[Entry] = []
        self.state = LiveState("test")
        rules, market = read(market_text(**keys))
        self.do(cmd.Create(rules, market, 7, "00" * 32, "0", is_rehearsal))

    def do(self, command: Command, actor: str = "auctioneer:Zoe") -> list[Event]:
        """Carries out a command; a Refusal changes nothing."""
        now = self.clock.now()
        events = decide(self.state, command, now)
        state = self.state
        for event in events:
            entry = _entry(event, state.seq + 1, max(now, state.at or now), actor)
            self.entries.append(entry)
            state = fold(state, entry)
        self.state = state
        return events

    def start(self) -> None:
        """Everybody is invited and has joined; planning begins."""
        for bidder, person in enumerate(("ann", "ben")):
            self.do(cmd.Invite(person, f"access-{bidder}", bidder))
            self.do(cmd.Join(person, bidder))
        self.do(cmd.Start("Zoe"))

    def plan(self, num: int | None = None) -> None:
        """The first unknown bundles become the next questions."""
        rules = self.state.rules
        assert rules is not None
        wanted = num or (rules.num_initial if self.state.round < 0 else rules.num_per_round)
        queries = []
        for bidder, book in enumerate(self.state.books):
            known = set(book.reports) | {q.query.bundle for q in book.queries.values()}
            new = [bundle for bundle in BUNDLES if bundle not in known][:wanted]
            queries += [PlannedQuery(bidder, bundle, {"source": "initial"}) for bundle in new]
        self.do(cmd.TakePlan(self.state.plan_from, plan_result(queries)), "server")

    def open(self) -> None:
        """A first round is open."""
        self.start()
        self.plan()

    def answer(self, bidder: int = 0, received: datetime | None = None, **values: object) -> None:
        """Submits values by query id; underscores stand for dashes; ticks every warning."""
        answers = tuple(
            ValueAnswer(query.replace("_", "-"), str(value)) for query, value in values.items()
        )
        self.submit(Submission(answers), bidder, received)

    def submit(
        self, submission: Submission, bidder: int = 0, received: datetime | None = None
    ) -> None:
        """Submits and ticks every warning."""
        found = check(self.state, bidder, submission, "page")
        ticked = replace(submission, confirmed=tuple(w.id for w in found.warnings))
        at = to_text(received or self.clock.now())
        self.do(cmd.Submit(bidder, ticked, at), f"bidder:{bidder}/{('ann', 'ben')[bidder]}")


def plan_result(queries: list[PlannedQuery], stop: str | None = None) -> PlanResult:
    return PlanResult(tuple(queries), stop, {"record": None}, 0.5, {"boca": "0"})


def nobody_wins(num_bidders: int = 2, num_goods: int = 3) -> OutcomeResult:
    """An outcome in which everybody gets nothing."""
    empty = ((0,) * num_goods,) * num_bidders
    return OutcomeResult(empty, (0.0,) * num_bidders, {}, "vcg", "scip", 0.1, {})


def _entry(event: Event, seq: int, at: datetime, actor: str) -> Entry:
    digest = hashlib.sha256(f"{seq} {event}".encode()).hexdigest()
    return Entry(event, seq, at, digest, digest[::-1], actor)
