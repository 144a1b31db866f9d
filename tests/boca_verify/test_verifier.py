"""Tests of the verifier on auctions that the server ran."""

import pytest
from golden_log import golden_entries, golden_lines, relinked, verdict_on
from whole_auction import ZOE, bidder_of, drive, open_desk

from boca.live.auction import LiveState, fold
from boca.live.ledger.lines import read_lines
from boca.live.store.events import to_entry
from boca_verify import Unreadable, verify
from boca_verify.verdict import TITLES


@pytest.fixture(scope="module")
def exports(tmp_path_factory):
    """One auction, published in three ways: who looks -> lines, for each way to publish."""
    exports = {}
    for publish in ("own", "outcome", "all"):
        desk = open_desk(tmp_path_factory.mktemp("data"))
        try:
            auction = drive(desk, publish=publish, reserve={"hall": "1.00"}).auction
            for name, who in (("full", ZOE), ("public", None), ("own", bidder_of(auction, 0))):
                exports[publish, name] = list(desk.log(who, auction))
        finally:
            desk.close()
    return exports


def test_an_auction_of_the_server_holds(exports):
    """Tests that an honest auction passes every check."""
    verdict = verify(exports["own", "full"])

    assert [check.name for check in verdict.checks] == list(TITLES)
    assert {check.state for check in verdict.checks} == {"holds"}
    assert verdict.exit_code == 0


@pytest.mark.parametrize(
    ("publish", "cut", "code", "open_checks"),
    [
        ("own", "public", 3, {"V1", "V2", "V3", "V4", "V5"}),
        ("own", "own", 3, {"V1", "V2", "V3", "V4", "V5"}),
        ("outcome", "public", 3, {"V1", "V2", "V3", "V4", "V5"}),
        ("all", "public", 0, set(TITLES)),
        ("all", "own", 0, set(TITLES)),
    ],
)
def test_a_cut_can_be_checked_as_far_as_it_is_open(exports, publish, cut, code, open_checks):
    """Tests who can check what: everybody everything if all is published, else the chain."""
    verdict = verify(exports[publish, cut])

    assert {check.name for check in verdict.checks if check.state == "holds"} == open_checks
    assert verdict.exit_code == code


def test_a_bidder_checks_its_own_part(exports):
    """Tests that a bidder's cut shows that its own answers stand as it gave them."""
    verdict = verify(exports["own", "own"])

    assert verdict["V6"].state == "partly"
    assert verdict["V9"].state == "partly"  # its own result, against its own bids


@pytest.mark.parametrize("text", ["", "hello\n", "{}\n", '{"head":"00"}\n', "\x00\xff"])
def test_what_is_no_log_cannot_be_read(text):
    """Tests that a wrong file is told apart from a damaged log."""
    with pytest.raises(Unreadable, match="not the log of a live auction"):
        verify(text.splitlines(keepends=True))


def test_reasons_of_routine_steps_change_no_verdict():
    """Tests that logs with and without reasons for start, opening, closing and publication hold."""

    def give_reasons(entries):
        for entry in entries:
            if entry["kind"] in ("started", "round-opened", "closed", "published"):
                entry["body"]["reason"] = "as announced"

    assert verdict_on(give_reasons).exit_code == verdict_on(lambda entries: None).exit_code == 0


def test_a_log_with_the_former_word_for_demands_holds():
    """
    Tests that a stored log which says "wishes" for demands is verified, and that the server reads
    the same answers in it, since logs are kept for years.
    """
    lines = golden_lines("wishes")
    assert verify(lines).exit_code == 0

    state = LiveState("stored")
    records = read_lines(lines).records
    for record in records:
        state = fold(state, to_entry(record))
    said = [row for r in records for row in (r.body or {}).get("wishes", [])]
    demands = {query: d.bundle for book in state.books for query, d in book.demands.items()}
    assert demands == {row["query"]: tuple(row["bundle"]) for row in said} != {}


def test_wrong_demands_of_a_former_log_are_found():
    """Tests that what stands under the former word obeys the rules like the present one."""
    entries = golden_entries("wishes")
    body = next(entry["body"] for entry in entries if "wishes" in entry["body"])
    body["wishes"][0]["bundle"] = [9, 0, 0]

    assert verify(relinked(entries))["V6"].state == "fails"
