"""Live auctions in memory whose log can be exported, and that go any way the rules allow."""

import copy
import json
import random
from dataclasses import replace
from datetime import datetime, timedelta

from golden_log import Change, relinked
from live_play import BUNDLES, Play, plan_result
from small_engine import decide as decide_by_trying

from boca.live.auction import commands as cmd
from boca.live.auction.activity import count_points
from boca.live.auction.audience import Viewer, may_open
from boca.live.auction.commands import Command
from boca.live.auction.decide import decide
from boca.live.auction.engine_results import OutcomeResult, PlannedQuery
from boca.live.auction.events import Entry, Event
from boca.live.auction.fold import fold
from boca.live.auction.refusal import Refusal
from boca.live.auction.state import QueryState
from boca.live.auction.submission import BundleValue, DemandAnswer, Submission, ValueAnswer, check
from boca.live.clock import to_text
from boca.live.ledger import FIRST, Record, SigningKey
from boca.live.ledger.canonical import canonical
from boca.live.ledger.chain import link
from boca.live.ledger.lines import write_lines
from boca.live.work.requests import job_request
from boca_verify import verify
from boca_verify.verdict import Verdict

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

    def cut(self, viewer: Viewer) -> list[str]:
        """The log as somebody may take it away now, without the bodies that are sealed for them."""
        lines = self.lines()
        cut = []
        for line, entry in zip(lines, self.entries, strict=False):
            value = json.loads(line)
            if not may_open(entry.event, viewer, self.state, self.state.round):
                del value["body"]
            cut.append(canonical(value))
        return [*cut, lines[-1]]

    def verdict(self, change: Change = lambda entries: None) -> Verdict:
        """What the verifier says about the log after a change, sealed and signed again."""
        entries = [
            {"at": r.at, "kind": r.kind, "body": copy.deepcopy(r.body), "was": r.hash}
            for r in self.records
        ]
        change(entries)
        return verify(relinked(entries, KEY))


class RandomPlay:
    """
    An auction in which anything may happen next.

    Parameters
    ----------
    seed
        Decides everything.
    fixed
        Keys of the table [auction] that it does not decide.
    """

    def __init__(self, seed: int, **fixed: object):
        self.rng = rng = random.Random(seed)
        # A stream of their own, so that auctions without these rules are what they were.
        self.own = own = random.Random(-1 - seed)
        drawn: dict[str, object] = {}
        if own.random() < 0.3:
            drawn["spending_caps"] = {"Ann": own.choice(["0.40", "0.70"]), "Ben": "0.60"}
        if own.random() < 0.3:
            drawn |= {"mechanism": "hybrid", "points": {"hall": 3, "kitchen": 2, "chairs": 1}}
            drawn["eligibility"] = own.choice([{}, {"Ann": 5}, {"Ann": 7, "Ben": 4}])
        drawn |= {
            "num_total": rng.choice([4, 6]),
            "open_rounds": rng.choice(["auto", "by hand"]),
            "close_early": rng.random() < 0.5,
            "extensions": rng.choice([0, 1, 2]),
            "push_bids": rng.choice([0, 2, 10]),
            "corrections": rng.choice(["never", "round", "always"]),
            "last_call_minutes": rng.choice([0, 5]),
            "monotone": rng.choice(["warn", "require"]),
            "publish": rng.choice(["own", "outcome", "all"]),
            "reserve": rng.choice([{}, {"hall": "0.40"}]),
            "round_minutes": [20, 10],
            "ranges": rng.random() < 0.8,
            "second_person": rng.choice([[], ["close", "publish", "entry", "link", "auditor"]]),
            "approval": rng.random() < 0.2,
            "accept_rules": rng.random() < 0.5,
        }
        self.play = LoggedPlay(**{**drawn, **fixed})
        # In some auctions the child processes fail more often than not.
        self.failing = rng.choice([0.0, 0.0, 0.1, 0.7])
        self.sent: tuple[cmd.Submit, str] | None = None  # what a second person may confirm
        for bidder, person in enumerate(("dora", "emil")):
            self.play.do(cmd.Invite(person, f"second-{bidder}", bidder))
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
            return self.interruption()
        if state.job is not None and rng.random() < self.failing:
            return cmd.Fail(state.job, "Error", "it broke"), "server"
        match state.phase:
            case "planning":
                return self.plan(), "server"
            case "ready":
                return cmd.OpenRound(), "auctioneer:Zoe"
            case "open" if rng.random() < (0.9 if state.setup[0].points else 0.75):
                return self.submission()
            case "open":
                self.play.clock.time = max(self.play.clock.time, self.after_deadline())
                return cmd.CloseRound(state.round), "server"
            case "paused":
                return cmd.Resume("go on"), "auctioneer:Zoe"
            case "stuck":
                return cmd.Retry(), "auctioneer:Zoe"
            case "stopped":
                who = self.auctioneer()
                return cmd.Close(who=who), f"auctioneer:{who}"
            case "deciding":
                return cmd.TakeOutcome(self.outcome()), "server"
            case _:
                who = self.auctioneer()
                return cmd.Publish(who=who), f"auctioneer:{who}"

    def auctioneer(self) -> str:
        """One of two, for acts that can need both."""
        return self.rng.choice(["Zoe", "Yan"])

    def interruption(self) -> tuple[Command, str]:
        """What nobody waits for: of the auctioneer, or of a bidder."""
        rng, state = self.rng, self.play.state
        bidder = rng.choice([0, 1])
        person = ("ann", "ben")[bidder]
        if rng.random() < 0.3:
            said = rng.choice([
                cmd.Inquire(bidder, "May we see the kitchen?"),
                cmd.Accept(bidder, person, state.configured),
            ])  # fmt: skip
            return said, f"bidder:{bidder}/{person}"
        who = self.auctioneer()
        choices: list[Command] = [
            cmd.Announce("hear, hear"),
            cmd.Invite(rng.choice(["dora", "emil"]), f"access-{rng.random()}", bidder, who=who),
            cmd.Invite("frida", f"access-{rng.random()}", who=who),
            cmd.Join("dora", 0),
            cmd.Revoke("access-0", "lost"),
            cmd.Extend(rng.choice([1, 30]), "more time"),
            cmd.Pause("a break"),
            cmd.Retry(),
            cmd.Outage(to_text(self.play.clock.now() - timedelta(seconds=rng.choice([5, 500])))),
        ]
        choices += [
            cmd.Reply(asked.hash, "You may.", rng.choice([None, "May one see the kitchen?"]))
            for asked in state.inquiries[-1:]
        ]
        choices += [cmd.Withdraw(pending.hash) for pending in state.proposals.values()]
        if rng.random() < 0.1:
            choices = [cmd.Stop("enough"), cmd.Cancel("rain"), cmd.ClockJump(60.0)]
        return rng.choice(choices), f"auctioneer:{who}"

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
            ranges = sorted(book.mosts.keys() - set(book.declined))
            if ranges and rng.random() < 0.6:
                queries.append(PlannedQuery(bidder, rng.choice(ranges), {"source": "narrow"}))
                new = new[1:]
            for bundle in new:
                share = 0.8 if rules.points else 0.3
                prices = tuple(rng.randint(0, 60) for _ in GOODS) if rng.random() < share else None
                queries.append(PlannedQuery(bidder, () if prices else bundle, {}, prices))
        return cmd.TakePlan(state.plan_from, plan_result(queries))

    def submission(self) -> tuple[Command, str]:
        """Answers, demands, declines, pushes and corrections of somebody; all warnings ticked."""
        rng, state = self.rng, self.play.state
        if self.sent is not None and rng.random() < 0.4:
            return self.confirmation(*self.sent)
        bidder = rng.choice([0, 1])
        book = state.books[bidder]
        answers, demands, declines = [], [], []
        # Whoever does not answer at announced prices has no points left.
        passed_over = 0.1 if state.setup[0].points else 0.4
        is_careful = rng.random() < 0.5  # answers what is open, and nothing else
        for name, asked in book.queries.items():
            if rng.random() < passed_over or (is_careful and asked.status != "open"):
                continue
            if rng.random() < 0.15:
                declines.append(name)
            elif asked.query.type == "demand":
                demands.append(DemandAnswer(name, self.choice(bidder, asked)))
            else:
                answers.append(ValueAnswer(name, self.answer(asked, bidder)))
        pushes = (
            [BundleValue(self.counts(), "1.00")] if rng.random() < 0.2 and not is_careful else []
        )
        corrections = [
            BundleValue(dict(zip(GOODS, bundle, strict=True)), self.amount(bundle, bidder))
            for bundle in list(book.reports)
            if rng.random() < 0.1 and not is_careful
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
            who = self.auctioneer()
            entry = cmd.Submit(bidder, ticked, received, "operator", "by phone", who=who)
            self.sent = entry, f"auctioneer:{who}"
            return self.sent
        persons = [p.name for p in state.persons if p.bidder == bidder]
        person = rng.choice(persons)
        command = cmd.Submit(bidder, ticked, received, sender=person, who=person)
        self.sent = command, f"bidder:{bidder}/{person}"
        return self.sent

    def confirmation(self, sent: cmd.Submit, actor: str) -> tuple[Command, str]:
        """The same once more, perhaps by another person."""
        now = to_text(self.play.clock.now())
        if sent.channel == "operator":
            who = self.auctioneer()
            return replace(sent, received=now, who=who), f"auctioneer:{who}"
        person = self.rng.choice(
            [p.name for p in self.play.state.persons if p.bidder == sent.bidder]
        )
        again = replace(sent, received=now, sender=person, who=person)
        return again, f"bidder:{sent.bidder}/{person}"

    def answer(self, asked: QueryState, bidder: int) -> str:
        """A value or a range; mostly inside the one that is to be narrowed."""
        if asked.within is None or self.rng.random() < 0.2:
            return self.amount(asked.query.bundle, bidder)
        least, most = sorted(self.rng.randint(*asked.within) for _ in range(2))
        return f"{least / 100:.2f}-{most / 100:.2f}"

    def counts(self) -> dict[str, int]:
        return dict(zip(GOODS, self.rng.choice(BUNDLES), strict=True))

    def choice(self, bidder: int, asked: QueryState) -> dict[str, int]:
        """Any bundle; with points mostly one that the bidder may choose, but not always."""
        state = self.play.state
        rules, market = state.setup
        most = state.eligibility(bidder, asked.round)
        if most is None or self.own.random() < 0.1:
            return self.counts()
        points = rules.points_of(market)
        few = [b for b in BUNDLES if count_points(b, points) <= most]
        return dict(zip(GOODS, self.own.choice([(0, 0, 0), *few]), strict=True))

    def amount(self, bundle: tuple[int, ...], bidder: int) -> str:
        units = sum(n * w for n, w in zip(bundle, (60, 40, 20), strict=True))
        units += self.rng.randint(0, 5)
        rules, market = self.play.state.setup
        most = units
        if rules.ranges and self.rng.random() < 0.5:
            most += self.rng.randint(0, 40)
        if self.own.random() < 0.9:  # else beyond a spending cap, if there is one
            cap = rules.most_of(market, bidder)
            units, most = min(units, cap), min(most, cap)
        end = f"-{most / 100:.2f}" if most > units else ""
        return f"{units / 100:.2f}{end}"

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
