"""Live auctions in memory whose log can be exported, and that go any way the rules allow."""

import random
from dataclasses import replace
from datetime import datetime, timedelta

from live_play import BUNDLES, Play, plan_result
from small_engine import decide as decide_by_trying

from boca.live.auction import commands as cmd
from boca.live.auction.commands import Command
from boca.live.auction.decide import decide
from boca.live.auction.engine_results import OutcomeResult, PlannedQuery
from boca.live.auction.events import Entry, Event
from boca.live.auction.fold import fold
from boca.live.auction.refusal import Refusal
from boca.live.auction.submission import BundleValue, DemandAnswer, Submission, ValueAnswer, check
from boca.live.clock import to_text
from boca.live.ledger import FIRST, Record, SigningKey
from boca.live.ledger.chain import link
from boca.live.ledger.lines import write_lines
from boca.live.work.requests import job_request

KEY = SigningKey.from_seed(b"\x07" * 32)
GOODS = ("hall", "kitchen", "chairs")


class LoggedPlay(Play):
    """
    A :class:`Play` that keeps real records.

    Parameters
    ----------
    keys
        Of the table [auction].
    """

    def __init__(self, is_rehearsal: bool = False, **keys: object):
        self.records: list[Record] = []
        super().__init__(is_rehearsal, **keys)

    def do(self, command: Command, actor: str = "auctioneer:Zoe") -> list[Event]:
        now = self.clock.now()
        if isinstance(command, cmd.Create):
            command = replace(command, public_key=KEY.public)
        events = decide(self.state, command, now)
        for event in events:
            at = max(now, self.state.at or now)
            body = {"actor": actor, "salt": f"{len(self.records):032x}", **event.to_body()}
            prev = self.state.head or FIRST
            record = link(prev, self.state.seq + 1, to_text(at), "test", event.kind, body)
            entry = Entry(event, record.seq, at, record.hash, record.seal, actor)
            self.records.append(record)
            self.entries.append(entry)
            self.state = fold(self.state, entry)
        return events

    def lines(self) -> list[str]:
        """The full log so far."""
        return list(write_lines(self.records, to_text(self.clock.now()), KEY))


class RandomPlay:
    """
    An auction in which anything may happen next.

    Parameters
    ----------
    seed
        Decides everything.
    """

    def __init__(self, seed: int):
        self.rng = rng = random.Random(seed)
        self.play = LoggedPlay(
            num_total=rng.choice([4, 6]),
            open_rounds=rng.choice(["auto", "by hand"]),
            close_early=rng.random() < 0.5,
            extensions=rng.choice([0, 1, 2]),
            push_bids=rng.choice([0, 2, 10]),
            corrections=rng.choice(["never", "round", "always"]),
            last_call_minutes=rng.choice([0, 5]),
            monotone=rng.choice(["warn", "require"]),
            publish=rng.choice(["own", "outcome", "all"]),
            reserve=rng.choice([{}, {"hall": "0.40"}]),
            round_minutes=[20, 10],
        )
        # In some auctions the child processes fail more often than not.
        self.failing = rng.choice([0.0, 0.0, 0.1, 0.7])
        self.play.start()

    def run(self, steps: int = 60) -> LoggedPlay:
        """Some steps; commands that are refused change nothing."""
        for _ in range(steps):
            self.play.clock.turn(seconds=self.rng.choice([0, 1, 20, 200]))
            command, actor = self.next_command()
            try:
                self.play.do(command, actor)
            except Refusal:
                continue
        return self.play

    def next_command(self) -> tuple[Command, str]:
        """What the phase waits for, most of the time; else anything."""
        rng, state = self.rng, self.play.state
        if rng.random() < 0.25:
            return self.interruption(), "auctioneer:Zoe"
        if state.job is not None and rng.random() < self.failing:
            return cmd.Fail(state.job, "Error", "it broke"), "server"
        match state.phase:
            case "planning":
                return self.plan(), "server"
            case "ready":
                return cmd.OpenRound(), "auctioneer:Zoe"
            case "open" if rng.random() < 0.75:
                return self.submission()
            case "open":
                self.play.clock.time = max(self.play.clock.time, self.after_deadline())
                return cmd.CloseRound(state.round), "server"
            case "paused":
                return cmd.Resume("go on"), "auctioneer:Zoe"
            case "stuck":
                return cmd.Retry(), "auctioneer:Zoe"
            case "stopped":
                return cmd.Close(), "auctioneer:Zoe"
            case "deciding":
                return cmd.TakeOutcome(self.outcome()), "server"
            case _:
                return cmd.Publish(), "auctioneer:Zoe"

    def interruption(self) -> Command:
        rng = self.rng
        choices: list[Command] = [
            cmd.Announce("hear, hear"),
            cmd.Invite(rng.choice(["dora", "emil"]), f"access-{rng.random()}", rng.choice([0, 1])),
            cmd.Join("dora", 0),
            cmd.Revoke("access-0", "lost"),
            cmd.Extend(rng.choice([1, 30]), "more time"),
            cmd.Pause("a break"),
            cmd.Retry(),
            cmd.Outage(to_text(self.play.clock.now() - timedelta(seconds=rng.choice([5, 500])))),
        ]
        if rng.random() < 0.1:
            choices = [cmd.Stop("enough"), cmd.Cancel("rain"), cmd.ClockJump(60.0)]
        return rng.choice(choices)

    def after_deadline(self) -> datetime:
        deadline = self.play.state.deadline
        assert deadline is not None
        return deadline + timedelta(seconds=2)

    def plan(self) -> Command:
        """New bundles, or prices; or the end."""
        rng, state = self.rng, self.play.state
        rules = state.rules
        assert rules is not None
        num = rules.num_initial if state.round < 0 else rules.num_per_round
        if state.num_asked[0] + num > rules.num_total:
            stop = plan_result([], "the budget is used up")
            return cmd.TakePlan(state.plan_from, replace(stop, step={"record": {"round": 0}}))
        queries = []
        for bidder, book in enumerate(state.books):
            known = set(book.reports) | {q.query.bundle for q in book.queries.values()}
            new = rng.sample([b for b in BUNDLES if b not in known], num)
            for bundle in new:
                prices = tuple(rng.randint(0, 60) for _ in GOODS) if rng.random() < 0.3 else None
                queries.append(PlannedQuery(bidder, () if prices else bundle, {}, prices))
        return cmd.TakePlan(state.plan_from, plan_result(queries))

    def submission(self) -> tuple[Command, str]:
        """Answers, demands, declines, pushes and corrections of somebody; all warnings ticked."""
        rng, state = self.rng, self.play.state
        bidder = rng.choice([0, 1])
        book = state.books[bidder]
        answers, demands, declines = [], [], []
        for name, asked in book.queries.items():
            if rng.random() < 0.4:
                continue
            if rng.random() < 0.15:
                declines.append(name)
            elif asked.query.type == "demand":
                demands.append(DemandAnswer(name, self.counts()))
            else:
                answers.append(ValueAnswer(name, self.amount(asked.query.bundle)))
        pushes = [BundleValue(self.counts(), "1.00")] if rng.random() < 0.2 else []
        corrections = [
            BundleValue(dict(zip(GOODS, bundle, strict=True)), self.amount(bundle))
            for bundle in list(book.reports)
            if rng.random() < 0.1
        ]
        submission = Submission(
            tuple(answers),
            tuple(declines),
            tuple(pushes),
            tuple(corrections),
            demands=tuple(demands),
        )
        warnings = check(state, bidder, submission, "page").warnings
        ticked = replace(submission, confirmed=tuple(warning.id for warning in warnings))
        received = to_text(self.play.clock.now())
        if rng.random() < 0.1:
            return cmd.Submit(bidder, ticked, received, "operator", "by phone"), "auctioneer:Zoe"
        persons = [p.name for p in state.persons if p.bidder == bidder]
        person = rng.choice(persons)
        command = cmd.Submit(bidder, ticked, received, sender=person)
        return command, f"bidder:{bidder}/{person}"

    def counts(self) -> dict[str, int]:
        return dict(zip(GOODS, self.rng.choice(BUNDLES), strict=True))

    def amount(self, bundle: tuple[int, ...]) -> str:
        units = sum(n * w for n, w in zip(bundle, (60, 40, 20), strict=True))
        return f"{(units + self.rng.randint(0, 5)) / 100:.2f}"

    def outcome(self) -> OutcomeResult:
        """Decided by trying every allocation of the bids."""
        request = job_request(self.play.state)
        result = decide_by_trying({**request, "reports": request["bids"]})
        return OutcomeResult(
            tuple(map(tuple, result["allocation"])),
            tuple(map(float, result["payments"])),
            {int(i): tuple(map(tuple, rows)) for i, rows in result["without"].items()},
            "vcg",
            "every allocation was tried",
            0.0,
            {},
        )
