"""Any commands in any order: what is in memory is what the log says, and nothing else is raised."""

import json
import os
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta

import numpy as np
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from live_play import BUNDLES, Play, nobody_wins, plan_result

from boca.live.auction import commands as cmd
from boca.live.auction.audience import PUBLIC, Viewer, seen_by
from boca.live.auction.engine_results import OutcomeResult, PlannedQuery
from boca.live.auction.events import KINDS, from_body
from boca.live.auction.fold import fold_all
from boca.live.auction.refusal import Refusal
from boca.live.auction.submission import BundleValue, DemandAnswer, Submission, ValueAnswer, check
from boca.live.auction.views import bidder_view, progress, public_view, result_view
from boca.live.clock import to_text
from boca.live.ledger import canonical

EXAMPLES = int(os.environ.get("BOCA_EXAMPLES", "100"))
# Where examples start; the number of steps to come there is the place in the list.
WAY = ("draft", "planning", "stuck", "planning again", "ready", "open", "paused", "open again",
       "stopping", "stopped", "deciding", "decided", "published")  # fmt: skip
texts = st.sampled_from(["", "x", "because", " ", "\x00", "é" * 3000])
amounts = st.one_of(
    st.integers(0, 2000).map(str), st.sampled_from(["", "-1", "1.234", "1e5", "99999999999"])
)
queries = st.builds("r{}-b{}-q{}".format, st.integers(0, 3), st.integers(1, 3), st.integers(1, 3))
bundles = st.dictionaries(
    st.sampled_from(["hall", "kitchen", "chairs", "cellar"]),
    st.integers(-1, 4),
    max_size=3,
)
submissions = st.builds(
    Submission,
    st.lists(st.builds(ValueAnswer, queries, amounts), max_size=3).map(tuple),
    st.lists(queries, max_size=2).map(tuple),
    st.lists(st.builds(BundleValue, bundles, amounts), max_size=2).map(tuple),
    st.lists(st.builds(BundleValue, bundles, amounts), max_size=2).map(tuple),
    st.just(()),
    st.sampled_from([None, None, "", "stale"]),
    st.lists(st.builds(DemandAnswer, queries, bundles), max_size=2).map(tuple),
)
rules_of_auctions = st.fixed_dictionaries(
    {
        "open_rounds": st.sampled_from(["auto", "by hand"]),
        "close_early": st.booleans(),
        "extensions": st.integers(0, 1),
        "corrections": st.sampled_from(["never", "round", "always"]),
        "last_call_minutes": st.sampled_from([0, 5]),
        "monotone": st.sampled_from(["warn", "require"]),
        "publish": st.sampled_from(["own", "outcome", "all"]),
        "push_bids": st.integers(0, 2),
        "sealed_from_auctioneer": st.booleans(),
    }
)


POINTS = {"mechanism": "hybrid", "points": {"hall": 2, "kitchen": 1, "chairs": 1}}
more_rules = st.sampled_from([{}, {"spending_caps": {"Ben": "9.00"}}, POINTS, POINTS])


class AnyCommands(RuleBasedStateMachine):
    """Plays an auction with whatever comes to mind."""

    @initialize(
        keys=rules_of_auctions,
        more=more_rules,
        is_rehearsal=st.booleans(),
        phase=st.sampled_from(WAY),
    )
    def create(self, keys, more, is_rehearsal, phase):
        """Starts somewhere on the way, since most of it is hard to come to by chance."""
        self.play = play = Play(is_rehearsal, round_minutes=[10, 5], **keys, **more)
        steps = (
            play.start,
            lambda: self.fail("plan", 3),
            lambda: self.press(cmd.Retry()),
            play.plan,
            self.open_round,
            lambda: self.pause("lunch"),
            self.resume,
            lambda: self.stop("enough"),
            lambda: [self.time_passes(11) for _ in range(4)],
            lambda: self.press(cmd.Close()),
            self.nobody_wins,
            lambda: self.press(cmd.Publish()),
        )
        for step in steps[: WAY.index(phase)]:
            step()

    def attempt(self, command, actor="auctioneer:Zoe"):
        before = self.play.state
        try:
            events = self.play.do(command, actor)
        except Refusal:
            assert self.play.state is before
            return
        assert events
        for event in events:
            # What goes to the log comes back from it.
            body = json.loads(canonical(event.to_body()))
            assert from_body(event.kind, body) == event
            assert event.kind in KINDS

    @rule(minutes=st.sampled_from([0.001, 1, 4, 11]))
    def time_passes(self, minutes):
        self.play.clock.turn(minutes=minutes)
        state = self.play.state
        if state.phase == "open" and self.play.clock.now() > state.deadline:
            self.attempt(cmd.CloseRound(state.round), "server")

    @rule(round_number=st.integers(-1, 3))
    def close_some_round(self, round_number):
        self.attempt(cmd.CloseRound(round_number), "server")

    @rule(
        bidder=st.sampled_from([0, 1, 1, 2, None]),
        person=st.sampled_from(["ann", "ben", "", "a/b"]),
    )
    def invite(self, bidder, person):
        self.attempt(cmd.Invite(person, "access", bidder))

    @rule(bidder=st.integers(0, 2), person=st.sampled_from(["ann", "ben", "eve"]))
    def join(self, bidder, person):
        self.attempt(cmd.Join(person, bidder))

    @rule(accept=st.booleans())
    def start(self, accept):
        self.attempt(cmd.Start("Zoe", accept))

    @rule(num=st.integers(1, 2))
    def good_plan(self, num):
        if self.play.state.phase == "planning":
            with suppress(Refusal):  # nothing new left to ask, or the budget is used up
                self.play.plan(num)

    @rule(prices=st.tuples(*[st.integers(0, 500)] * 3))
    def announce_prices(self, prices):
        """Everybody is asked what it wants at some prices, and about a bundle."""
        if self.play.state.phase == "planning":
            planned = [PlannedQuery(bidder, (), {"source": "clock"}, prices) for bidder in (0, 1)]
            command = cmd.TakePlan(self.play.state.plan_from, plan_result(planned))
            self.attempt(command, "server")

    @rule(
        rows=st.lists(
            st.tuples(st.integers(-1, 2), st.sampled_from([*BUNDLES, (0, 0, 0), (9, 0, 0), (1,)])),
            max_size=4,
        ),
        stop=st.sampled_from([None, None, "enough"]),
        is_stale=st.booleans(),
        prices=st.sampled_from([None, None, (5, 0, 3), (1,), (-1, 0, 0), (10**15, 0, 0)]),
    )
    def any_plan(self, rows, stop, is_stale, prices):
        from_ = "stale" if is_stale else self.play.state.plan_from
        planned = [PlannedQuery(bidder, bundle, {}, prices) for bidder, bundle in rows]
        self.attempt(cmd.TakePlan(from_, plan_result(planned, stop)), "server")

    @rule()
    def open_round(self):
        self.attempt(cmd.OpenRound())

    @rule(bidder=st.integers(0, 2), submission=submissions, late=st.sampled_from([0, 0, 999]))
    def any_submission(self, bidder, submission, late):
        received = to_text(self.play.clock.now() + timedelta(minutes=late))
        self.attempt(cmd.Submit(bidder, submission, received), f"bidder:{bidder}/person")

    @rule(bidder=st.integers(0, 1), value=st.integers(0, 3000), declines=st.booleans())
    def good_submission(self, bidder, value, declines):
        state = self.play.state
        if state.phase != "open" or not state.books[bidder].open:
            return
        query = state.books[bidder].open[0].query
        worth = str(value + 100 * sum(query.bundle))
        submission = Submission((ValueAnswer(query.id, worth),))
        if query.type == "demand":
            wanted = {"hall": value % 2, "chairs": value % 4}
            submission = Submission(demands=(DemandAnswer(query.id, wanted),))
        if declines:
            submission = Submission(declines=(query.id,))
        self.submit(bidder, submission)

    def submit(self, bidder, submission):
        """Sends something with all warnings ticked."""
        found = check(self.play.state, bidder, submission, "page")
        ticked = replace(submission, confirmed=tuple(w.id for w in found.warnings))
        now = to_text(self.play.clock.now())
        self.attempt(cmd.Submit(bidder, ticked, now), f"bidder:{bidder}/person")

    @rule(bidder=st.integers(0, 1), bundle=st.sampled_from([*BUNDLES, (0, 0, 0)]))
    def choose_again(self, bidder, bundle):
        """Another answer to the last demand query, which may contradict all others."""
        state = self.play.state
        if state.phase == "open" and state.books[bidder].demands:
            query = list(state.books[bidder].demands)[-1]
            wanted = dict(zip(("hall", "kitchen", "chairs"), bundle, strict=True))
            self.submit(bidder, Submission(demands=(DemandAnswer(query, wanted),)))

    @rule(minutes=st.sampled_from([-1, 0, 0.5, 20, 1e9]), reason=texts)
    def extend(self, minutes, reason):
        self.attempt(cmd.Extend(minutes, reason))

    @rule(reason=texts)
    def pause(self, reason):
        self.attempt(cmd.Pause(reason))

    @rule()
    def resume(self):
        self.attempt(cmd.Resume())

    @rule(seconds=st.sampled_from([-5, 10, 600]))
    def outage(self, seconds):
        alive = to_text(self.play.clock.now() - timedelta(seconds=seconds))
        self.attempt(cmd.Outage(alive), "server")

    @rule(reason=texts)
    def stop(self, reason):
        self.attempt(cmd.Stop(reason))

    @rule(job=st.sampled_from(["plan", "decide"]), times=st.integers(1, 4))
    def fail(self, job, times):
        for _ in range(times):
            self.attempt(cmd.Fail(job, "Error", "message", self.play.state.plan_from), "server")

    @rule(command=st.sampled_from([cmd.Close(), cmd.Close(), cmd.Retry(), cmd.Publish()]))
    def press(self, command):
        self.attempt(command)

    @rule(text=texts)
    def announce(self, text):
        self.attempt(cmd.Announce(text))

    @rule(reason=texts, sure=st.integers(0, 9))
    def cancel(self, reason, sure):
        if not sure:
            self.attempt(cmd.Cancel(reason))

    @rule()
    def nobody_wins(self):
        self.attempt(cmd.TakeOutcome(nobody_wins()), "server")

    @rule(
        rows=st.lists(st.sampled_from([*BUNDLES, (0, 0, 0), (1,)]), min_size=2, max_size=2),
        payments=st.lists(st.sampled_from([0.0, 5.0, -3.0, float("nan")]), min_size=2, max_size=2),
        verified=st.sampled_from([None, "scip"]),
    )
    def any_outcome(self, rows, payments, verified):
        empty = ((0, 0, 0), (0, 0, 0))
        result = OutcomeResult(
            tuple(rows), tuple(payments), {0: empty, 1: empty}, "vcg", verified, 0.1, {}
        )
        self.attempt(cmd.TakeOutcome(result), "server")

    @rule(seconds=st.sampled_from([-3600.0, 3600.0]))
    def clock_jumps(self, seconds):
        self.attempt(cmd.ClockJump(seconds), "server")

    @invariant()
    def memory_is_the_fold_of_the_log(self):
        if hasattr(self, "play"):
            assert fold_all("test", self.play.entries) == self.play.state

    @invariant()
    def times_never_go_back(self):
        if hasattr(self, "play"):
            times = [entry.at for entry in self.play.entries]
            assert times == sorted(times)

    @invariant()
    def bids_are_whole_units_within_the_rules(self):
        if not hasattr(self, "play"):
            return
        state = self.play.state
        for bidder, book in enumerate(state.books):
            bids = state.bids(bidder)
            most = state.rules.most_of(state.market, bidder)
            assert all(type(u) is int and 0 <= u <= most for u in bids.values())
            assert {bundle: bids[bundle] for bundle in book.reports} == book.values
            wanted = {demand.bundle for demand in book.demands.values() if any(demand.bundle)}
            assert bids.keys() == book.reports.keys() | wanted
            for choice in state.choices(bidder).values():
                assert choice.eligibility is None or choice.could_be(np.array([choice.bundle]))
                if choice.bundle in wanted - book.reports.keys():
                    assert bids[choice.bundle] >= choice.cost(choice.bundle)

    @rule()
    def look_at_every_view(self):
        now, state = self.play.clock.now(), self.play.state
        for bidder in (0, 1):
            seen = seen_by(state, Viewer("bidder", bidder))
            bidder_view(seen, bidder, now)
            result_view(seen, bidder, now)
        public_view(seen_by(state, PUBLIC), now)
        for role in ("auctioneer", "auditor"):
            progress(seen_by(state, Viewer(role)), now, False)


AnyCommands.TestCase.settings = settings(
    max_examples=EXAMPLES,
    stateful_step_count=50,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
TestAnyCommands = AnyCommands.TestCase
