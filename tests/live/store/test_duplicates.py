"""Sent twice, taken once: retries, reordering, another body, two tabs, restarts."""

import os
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)
from live_play import BUNDLES, MECHANISMS, market_text, plan_result
from whole_auction import ZOE, bidder_of

from boca.live.auction import commands as cmd
from boca.live.auction.commands import Start, Submit
from boca.live.auction.engine_results import PlannedQuery
from boca.live.auction.refusal import Refusal
from boca.live.auction.submission import DemandAnswer, Submission, ValueAnswer
from boca.live.desk import Desk
from boca.live.store import events as event_table
from boca.live.store.repetitions import digest_of

pytestmark = pytest.mark.slow

EXAMPLES = int(os.environ.get("BOCA_EXAMPLES", "50"))


def machine(new_url):
    """A state machine whose examples each have a database of their own."""

    class Duplicates(RuleBasedStateMachine):
        """Clients that repeat themselves; keeps what each key was first answered with."""

        @initialize()
        def open(self):
            self.folder = tempfile.TemporaryDirectory()
            self.url = new_url()
            self.desk = self.new_desk()
            text = market_text(num_initial=3, round_minutes=[60000, 60000])
            self.auction = self.desk.create(ZOE, text, "the-creation").result().auction
            for bidder, person in enumerate(("ann", "ben")):
                self.desk.invite(ZOE, self.auction, bidder, person).result()
            self.desk.command(ZOE, self.auction, cmd.Start("Zoe", True), "the-start").result()
            planned = [PlannedQuery(b, bundle, {}) for b in (0, 1) for bundle in BUNDLES[:2]]
            planned += [PlannedQuery(b, (), {}, (5, 5, 5)) for b in (0, 1)]
            from_ = self.desk.writer.state(self.auction).plan_from
            self.desk.writer.send(self.auction, cmd.TakePlan(from_, plan_result(planned))).result()
            self.answered = {}
            self.waiting = []

        def new_desk(self):
            return Desk(
                Path(self.folder.name),
                self.url,
                works=False,
                is_ticking=False,
                mechanisms=MECHANISMS,
            )

        @rule(
            bidder=st.integers(0, 1),
            key=st.integers(0, 3),
            value=st.integers(1, 3),
            basis=st.sampled_from([None, None, "", "stale"]),
            waits=st.booleans(),
        )
        def submit(self, bidder, key, value, basis, waits):
            answers = (
                ValueAnswer(f"r0-b{bidder + 1}-q1", f"{value}"),
                ValueAnswer(f"r0-b{bidder + 1}-q2", f"{2 * value}"),
            )
            demand = DemandAnswer(f"r0-b{bidder + 1}-q3", {"chairs": 2 + value % 2})
            submission = Submission(answers, basis=basis, demands=(demand,))
            who = bidder_of(self.auction, bidder)
            future = self.desk.submit(who, submission, f"some-key-{key}")
            self.waiting.append(((bidder, key), (value, basis), future))
            if not waits:
                self.collect()

        @rule()
        def collect(self):
            """Answers come in whatever order; each key has one first answer."""
            for key, demand, future in self.waiting:
                try:
                    receipt = future.result(30)
                except Refusal as refusal:
                    if refusal.cause == "conflict" and "key" in refusal.sentence:
                        assert self.answered[key][0] != demand
                    continue
                if key in self.answered:
                    first_demand, first = self.answered[key]
                    assert first_demand == demand
                    assert first == receipt.content
                    assert receipt.is_repetition
                else:
                    assert not receipt.is_repetition
                    self.answered[key] = (demand, receipt.content)
            self.waiting = []

        @rule()
        def create_again(self):
            text = market_text(num_initial=3, round_minutes=[60000, 60000])
            again = self.desk.create(ZOE, text, "the-creation").result()
            assert again.is_repetition
            assert again.auction == self.auction
            with pytest.raises(Refusal):
                self.desk.create(ZOE, market_text(), "the-creation").result()

        @rule()
        def start_again(self):
            done = self.desk.command(ZOE, self.auction, cmd.Start("Zoe", True), "the-start")
            assert done.result().is_repetition

        @rule()
        def restart(self):
            self.collect()
            self.desk.close()
            self.desk = self.new_desk()
            if self.desk.writer.state(self.auction).phase == "paused":  # a slow machine
                self.desk.command(ZOE, self.auction, cmd.Resume()).result()

        @invariant()
        def one_event_per_key(self):
            if not hasattr(self, "answered") or self.waiting:
                return
            with self.desk.database.connect() as connection:
                records = event_table.read(connection, self.auction)
            keys = [(r.body["actor"], r.body["request"]) for r in records if "request" in r.body]
            assert len(keys) == len(set(keys))
            submitted = [r for r in records if r.kind == "submitted"]
            assert {r.hash for r in submitted} == {
                content["hash"] for _, content in self.answered.values()
            }

        def teardown(self):
            if hasattr(self, "desk"):
                self.desk.close()
                self.folder.cleanup()

    return Duplicates


def run(new_url, examples):
    run_state_machine_as_test(
        machine(new_url),
        settings=settings(
            max_examples=examples,
            stateful_step_count=30,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )


def test_one_event_per_key_on_sqlite():
    """Tests whatever clients may do with their keys."""
    run(lambda: None, EXAMPLES)


def test_one_event_per_key_on_postgres(postgres):
    """Tests the same on the other database, more briefly."""
    run(postgres.new_database, max(EXAMPLES // 10, 3))


def test_requests_from_before_are_still_known():
    """
    Tests that a request sent to an older server, which stored this digest, is a repetition when its
    sender, who never got the answer, sends it to this one.
    """
    demands = (DemandAnswer("r0-b1-q2", {"hall": 1}),)
    submission = Submission((ValueAnswer("r0-b1-q1", "5"),), demands=demands)
    stored = "5536ff2149874e8947f5360e4923955362e88c361efa09f194984558be4423a1"

    command = Submit(0, submission, "2026-11-16T09:02:00.000000Z")
    assert digest_of(command) == stored
    assert digest_of(replace(command, sender="ann", who="ann")) == stored
    assert digest_of(Start("Zoe")) != digest_of(Start("Yan"))
