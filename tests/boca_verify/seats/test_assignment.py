"""Logs of allocations of courses: honest ones hold, forged ones are caught, cuts hold in part."""

import copy
import json

import pytest
from course_play import (
    COURSES,
    FORMS,
    ZOE,
    auditor,
    open_desk,
    opened,
    published,
    rate_all,
    seat_market,
    student,
)
from golden_log import relinked

from boca.live.ledger import canonical
from boca_verify import verify
from boca_verify.verifier import STUMBLED

BUDGET = 10**12


@pytest.fixture(scope="module")
def play(tmp_path_factory):
    """A published allocation with comparisons, its desk, and its whole log."""
    desk = open_desk(tmp_path_factory.mktemp("courses"))
    auction = opened(desk, num_questions=5)
    rate_all(desk, auction)
    for number in (0, 2):
        for turn, answer in enumerate(("first", "second", "same")):
            who = student(auction, number)
            question = desk.question(who).result()
            if question.first is None:
                break
            weeks = question.first, question.second
            desk.compare(who, *weeks, answer, f"answer-{number}-{turn}").result()
    published(desk, auction)
    yield desk, auction, list(desk.log(auditor(auction), auction))
    desk.close()


@pytest.fixture(scope="module")
def changed(tmp_path_factory):
    """A published allocation after a late change that keeps what was given."""
    desk = open_desk(tmp_path_factory.mktemp("changed"))
    auction = opened(desk)
    rate_all(desk, auction)
    published(desk, auction)
    more = seat_market(courses=COURSES.replace("Music,1", "Music,2"))
    desk.change_courses(ZOE, auction, more, "A larger room.", 30).result()
    desk.rate(student(auction, 1), *FORMS[1], "again-000").result()
    published(desk, auction)
    yield desk, auction, list(desk.log(auditor(auction), auction))
    desk.close()


def entries_of(lines):
    rows = [json.loads(line) for line in lines[:-1]]
    return [
        {
            "at": row["envelope"]["at"],
            "kind": row["envelope"]["kind"],
            "body": row["body"],
            "was": row["hash"],
        }
        for row in rows
    ]


def forged(play, change):
    """The verdict on a log that the server itself has forged, sealed and signed."""
    desk, _, lines = play
    entries = entries_of(lines)
    change(entries)
    return verify(relinked(entries, desk.key), key=desk.key.public)


def bodies(entries, kind):
    return [entry["body"] for entry in entries if entry["kind"] == kind]


def test_honest_logs_hold(play, changed):
    """Tests that every check of a whole log holds, also after a late change."""
    for desk, _, lines in (play, changed):
        verdict = verify(lines, key=desk.key.public)
        states = {check.name: check.state for check in verdict.checks}
        assert verdict.exit_code == 0, verdict.summary()
        assert set(states.values()) <= {"holds", "nothing"}
        assert states["V9"] == states["V10"] == states["V11"] == "holds"


def test_cuts_hold_in_part(play):
    """Tests that a student can check its own seat, and the public what is public."""
    desk, auction, _ = play
    own = verify(desk.log(student(auction, 1), auction))
    assert own.exit_code == 3, own.summary()
    assert own["V10"].state == "partly"
    assert "Bob has the best schedule" in own["V10"].sentence
    assert own["V11"].state == "partly"
    public = verify(desk.log(None, auction))
    assert public.exit_code == 3, public.summary()
    assert public["V11"].state == "sealed"


def test_receipts_are_found(play):
    """Tests that a receipt of another log is not in this one."""
    desk, auction, lines = play
    ada = student(auction, 0)
    receipt = desk.receipt(ada, desk.student(ada).submissions[0].hash).content
    assert verify(lines, [receipt])["V3"].state == "holds"
    other = {**receipt, "hash": "0" * 64}
    assert verify(lines, [other])["V3"].state == "fails"


def move_budget(entries):
    seat = bodies(entries, "seated")[0]
    seat["budget"] = seat["first"] + BUDGET // 50


def cheap(entries):
    """Says that the dearest course is cheaper, so that its price is not what was paid."""
    body = bodies(entries, "assigned")[0]
    dear = max(range(5), key=lambda j: body["prices"][j])
    body["prices"][dear] -= BUDGET // 10
    names = [row["name"] for row in bodies(entries, "configured")[0]["market"]["courses"]]
    for seat in bodies(entries, "seated"):
        if names[dear] in seat["courses"]:
            seat["cost"] -= BUDGET // 10


def take_away(entries):
    """Takes one course from a student, with all that follows from it."""
    names = [row["name"] for row in bodies(entries, "configured")[0]["market"]["courses"]]
    assigned = bodies(entries, "assigned")[0]
    for seat in bodies(entries, "seated"):
        free = [c for c in seat["courses"] if assigned["prices"][names.index(c)] == 0]
        if free:
            seat["courses"].remove(free[0])
            assigned["taken"][names.index(free[0])] -= 1
            return
    raise AssertionError("nobody has a free course")


def oversell(entries):
    """Gives the single seat of Ethics to everybody."""
    for seat in bodies(entries, "seated"):
        if "Ethics" not in seat["courses"]:
            seat["courses"], seat["held"] = ["Ethics"], []
            seat["cost"] = bodies(entries, "assigned")[0]["prices"][2]
    bodies(entries, "assigned")[0]["taken"] = [0, 0, 3, 0, 0]


def swap_order(entries):
    first, second = bodies(entries, "seated")[:2]
    for key in ("first", "budget"):
        first[key], second[key] = second[key], first[key]


def insert(kind, **fields):
    """A record more, after the last one that students sent."""

    def change(entries):
        last = max(k for k, e in enumerate(entries) if e["kind"] in ("rated", "compared"))
        model = copy.deepcopy(entries[last])
        body = {**model["body"], "salt": "11" * 16, "request": "forged-01", **fields}
        entries.insert(last + 1, {"at": model["at"], "kind": kind, "body": body})

    return change


def edit(kind, place=0, **fields):
    return lambda entries: bodies(entries, kind)[place].update(fields)


def reason(entries, key):
    """Some reason why a student did not get a course that says something."""
    rows = [row for body in bodies(entries, "believed") for row in body["missed"]]
    return next(row for row in rows if key in row)


def late(entries):
    """A form that was received after the deadline."""
    body = bodies(entries, "rated")[0]
    body["received"] = body["received"].replace("2026", "2027")


def swapped(entries):
    """Believes the opposite of what a student rated."""
    body = bodies(entries, "believed")[1]
    body["ratings"] = [1_000_000 - n for n in body["ratings"]]


def nudged(entries):
    """Moves a learned worth by a fifth of a point."""
    body = bodies(entries, "believed")[0]
    body["ratings"][0] += 2_000


FORGED = {
    "a form from somebody else": (edit("rated", actor="bidder:1/Bob"), "V6"),
    "a form by the registrar": (edit("rated", actor="auctioneer:Zoe"), "V6"),
    "a form after the deadline": (late, "V6"),
    "a course that does not exist": (edit("rated", ratings={"Astrology": 100}), "V6"),
    "more points than allowed": (edit("rated", ratings={"Ethics": 101}), "V6"),
    "a course that is forbidden": (edit("rated", 2, ratings={"Art": 10}), "V6"),
    "a pair of one course": (
        edit("rated", pairs=[{"first": "Art", "second": "Art", "points": 5}]),
        "V6",
    ),
    "weeks that clash": (edit("compared", first=["Algebra", "Logic"]), "V6"),
    "a week against itself": (edit("compared", first=["Art"], second=["Art"]), "V6"),
    "an answer that is none": (edit("compared", answer="maybe"), "V6"),
    "an answer before any rating": (
        lambda entries: entries.__setitem__(
            slice(None), [e for e in entries if e["kind"] != "rated"]
        ),
        "V6",
    ),
    "an answer turned round": (
        lambda entries: [
            body.update(answer={"first": "second", "second": "first"}.get(body["answer"], "first"))
            for body in bodies(entries, "compared")
        ],
        "V11",
    ),
    "an answer left out": (
        lambda entries: entries.remove(next(e for e in entries if e["kind"] == "compared")),
        "V11",
    ),
    "a form put in": (
        insert("rated", bidder=1, actor="bidder:1/Bob", ratings={"Art": 100}, pairs=[]),
        "V11",
    ),
    "another utility than the form": (swapped, "V11"),
    "a learned utility that is nudged": (nudged, "V11"),
    "another spread of ratings": (edit("assigned", spread=30.0), "V11"),
    "less envy than there is": (
        lambda entries: bodies(entries, "assigned")[0].update(
            envious=bodies(entries, "assigned")[0]["envious"] + 1
        ),
        "V11",
    ),
    "envy within one course": (edit("assigned", beyond_one=7), "V11"),
    "envy against the order": (edit("assigned", against_order=7), "V11"),
    "a course taken away": (take_away, "V10"),
    "more best seats than there are": (edit("assigned", num_best=2), "V10"),
    "a price that is too low": (cheap, "V10"),
    "a reason with another price": (
        lambda entries: reason(entries, "price").update(price=1),
        "V10",
    ),
    "a reason with other points": (
        lambda entries: reason(entries, "less").update(less=123),
        "V10",
    ),
    "a reason with another week": (
        lambda entries: reason(entries, "less").update(instead=[]),
        "V10",
    ),
    "a course with a price that is not full": (
        lambda entries: bodies(entries, "configured")[0]["market"]["courses"][2].update(seats=9),
        "V10",
    ),
    "an oversold course": (oversell, "V9"),
    "a wrong count": (edit("assigned", taken=[0, 0, 0, 0, 0]), "V9"),
    "a wrong sum": (edit("seated", cost=1), "V9"),
    "a budget moved too far": (move_budget, "V9"),
    "another order of budgets": (swap_order, "V9"),
    "a course that somebody held": (edit("seated", 1, held=["Art"], courses=["Art"]), "V9"),
    "a schedule beyond a limit": (
        lambda entries: [
            bodies(entries, "enrolled")[0]["students"][1].update(max_courses=0),
            bodies(entries, "believed")[1]["student"].update(max_courses=0),
        ],
        "V9",
    ),
    "other limits than enrolled": (
        lambda entries: bodies(entries, "believed")[0]["student"].update(max_courses=9),
        "V9",
    ),
    "a seat that is missing": (
        lambda entries: entries.remove([e for e in entries if e["kind"] == "seated"][-1]),
        "V9",
    ),
    "a record out of order": (
        lambda entries: entries.insert(
            5, entries.pop(next(k for k, e in enumerate(entries) if e["kind"] == "assigned"))
        ),
        "V4",
    ),
    "a kind of auctions": (insert("submitted"), "V4"),
    "a course without seats": (
        lambda entries: bodies(entries, "configured")[0]["market"]["courses"][0].update(seats=0),
        "V5",
    ),
}


def claims_nothing(entries):
    """Takes every claim back, as an operator would who hopes that nobody then looks."""
    for body in bodies(entries, "assigned"):
        body.update(clears=False, num_best=0)
    for body in bodies(entries, "seated"):
        body["is_best"] = False


def give(entries, schedules, price=0):
    """Another assignment at one price for everything, with all sums right and nothing claimed."""
    claims_nothing(entries)
    names = [row["name"] for row in bodies(entries, "configured")[0]["market"]["courses"]]
    seats = bodies(entries, "seated")
    for seat, courses in zip(seats, schedules, strict=True):
        cost = price * len(courses)
        seat.update(courses=courses, held=[], cost=cost, budget=max(seat["first"], cost))
    taken = [sum(name in courses for courses in schedules) for name in names]
    bodies(entries, "assigned")[0].update(prices=[price] * len(names), taken=taken)
    for body in bodies(entries, "believed"):
        body["missed"] = []


# One student has everything that fits, or nobody has anything; then again at absurd prices.
UNFAIR = {
    "one student has everything": ([["Algebra", "Ethics", "Art"], [], []], 0),
    "all seats stay empty": ([[], [], []], 0),
    "nobody can afford anything": ([[], [], []], 2 * BUDGET),
    "one student gets what nobody can afford": ([["Algebra", "Ethics", "Art"], [], []], 2 * BUDGET),
}


@pytest.mark.parametrize("what", UNFAIR)
def test_an_unfair_assignment_fails_although_nothing_is_claimed(play, what):
    """Tests that V10 decides for every student, whatever the operator claims or does not."""
    verdict = forged(play, lambda entries: give(entries, *UNFAIR[what]))
    assert verdict.exit_code == 1, verdict.summary()
    assert verdict["V9"].state == "holds"
    assert verdict["V10"].state == "fails"


def test_an_honest_assignment_without_claims_holds_in_part(play):
    """Tests that a verdict of 0 needs the claims, and that V10 says what holds without them."""
    verdict = forged(play, claims_nothing)
    assert verdict.exit_code == 3
    assert verdict["V10"].state == "partly"
    assert "Less is claimed than holds" in verdict["V10"].sentence


def test_an_earlier_run_is_checked_too(changed):
    """Tests that what a first run gave away wrongly is not right because it is kept afterwards."""
    _, _, lines = changed
    assert len(bodies(entries_of(lines), "assigned")) == 2

    def lose(entries):
        """Cleo never gets her free course: not in the first run, so nothing is kept later."""
        claims_nothing(entries)
        taken = bodies(entries, "assigned")[0]["taken"]
        first = bodies(entries, "seated")[0]
        lost, first["courses"] = first["courses"], []
        names = [row["name"] for row in bodies(entries, "configured")[0]["market"]["courses"]]
        for course in lost:
            taken[names.index(course)] -= 1
        first["cost"] = 0

    verdict = forged(changed, lose)
    assert verdict["V10"].state == "fails"
    seen = {finding.record for finding in verdict["V10"].findings}
    kinds = [entry["kind"] for entry in entries_of(lines)]
    assert min(seen) < kinds.index("changed")

    def oversell(entries):
        bodies(entries, "assigned")[0]["taken"][0] += 1

    verdict = forged(changed, oversell)
    assert verdict["V9"].state == "fails"
    assert verdict["V10"].state == "skipped"


@pytest.mark.parametrize("what", FORGED)
def test_forged_logs_are_caught(play, what):
    """Tests that a log which the server itself forged fails, and where."""
    change, name = FORGED[what]
    verdict = forged(play, change)
    assert verdict[name].state == "fails", verdict.summary()


def test_prices_from_the_future_are_caught(play):
    """Tests that prices for questions name a record before them."""
    priced = {"prices": [0] * 5, "budgets": [BUDGET] * 3, "centre": 50.0, "spread": 25.0,
              "seconds": 1.0, "versions": {}, "actor": "server", "from": "0" * 64}  # fmt: skip
    assert forged(play, insert("priced", **priced))["V7"].state == "fails"


def test_prices_are_those_of_all_courses_and_students(play):
    """Tests how often prices were renewed, and lists that are too short."""
    priced = {"prices": [0] * 5, "budgets": [BUDGET] * 3, "centre": 50.0, "spread": 25.0,
              "seconds": 1.0, "versions": {}, "actor": "server"}  # fmt: skip

    def renewed(**other):
        def change(entries):
            insert("priced", **{**priced, "from": entries[0]["was"], **other})(entries)

        return forged(play, change)["V7"]

    before = bodies(entries_of(play[2]), "priced")
    check = renewed()
    assert check.state == "holds"
    assert check.sentence.startswith(f"Prices were renewed {len(before) + 1} time")
    for other in ({"prices": [0] * 4}, {"budgets": [BUDGET] * 2}):
        assert renewed(**other).state == "fails"


@pytest.mark.parametrize("sealed", ["configured", "enrolled"])
def test_prices_whose_rules_are_sealed_have_a_verdict(play, sealed):
    """Tests open prices where nobody can see how many courses or students there are."""
    desk, _, lines = play
    entries = entries_of(lines)
    insert("priced", **{"prices": [0] * 5, "budgets": [BUDGET] * 3, "centre": 50.0, "spread": 25.0,
                        "seconds": 1.0, "versions": {}, "actor": "server",
                        "from": entries[0]["was"]})(entries)  # fmt: skip
    cut = []
    for line in relinked(entries, desk.key):
        value = json.loads(line)
        if value.get("envelope", {}).get("kind") == sealed:
            del value["body"]
        cut.append(canonical(value) + "\n")
    verdict = verify(cut, key=desk.key.public)
    assert verdict["V7"].state == "holds"
    assert not any(check.sentence.startswith(STUMBLED) for check in verdict.checks)


@pytest.fixture(scope="module")
def shrunk(tmp_path_factory):
    """A late change to a smaller room: two have Art, and one of them can keep it."""
    desk = open_desk(tmp_path_factory.mktemp("shrunk"))
    auction = opened(desk)
    rate_all(desk, auction)
    published(desk, auction)
    less = seat_market(courses=COURSES.replace("Art,2", "Art,1"))
    desk.change_courses(ZOE, auction, less, "A smaller room.", 30).result()
    published(desk, auction)
    yield desk, auction, list(desk.log(auditor(auction), auction))
    desk.close()


def test_the_first_by_name_keeps_a_seat_where_not_all_can(shrunk):
    """Tests an honest log of a smaller room, in which Ada keeps what Bob has to give back."""
    desk, _, lines = shrunk
    verdict = verify(lines, key=desk.key.public)
    assert verdict.exit_code == 0, verdict.summary()
    first, last = (
        [body["courses"] for body in bodies(entries_of(lines), "seated")[k : k + 3]] for k in (0, 3)
    )
    assert ["Art" in courses for courses in first] == [True, True, False]
    assert ["Art" in courses for courses in last] == [True, False, False]


def test_own_logs_of_a_smaller_room_accuse_nobody(shrunk):
    """Tests that Bob's own log says no more than it can know, and still sees what must be kept."""
    desk, auction, _ = shrunk
    for number in range(3):
        lines = list(desk.log(student(auction, number), auction))
        assert verify(lines).exit_code == 3, verify(lines).summary()


def test_own_logs_see_what_had_to_be_kept(changed):
    """Tests a student's own log, in which a course that all could keep was taken from it."""
    desk, auction, lines = changed
    entries = entries_of(lines)
    lost = bodies(entries, "seated")[-2]["held"].pop()
    own = [json.loads(line) for line in desk.log(student(auction, 1), auction)]
    cut = []
    for line, row in zip(relinked(entries, desk.key), own, strict=True):
        value = json.loads(line)
        if "body" not in row:
            value.pop("body", None)
        cut.append(canonical(value) + "\n")
    check = verify(cut, key=desk.key.public)["V9"]
    assert f"Bob lost {lost}, which it had before." in [f.sentence for f in check.findings]


def test_somebody_else_cannot_keep_it(shrunk):
    """Tests that the server does not choose who keeps a seat in a smaller room."""

    def favour(entries):
        claims_nothing(entries)
        ada, bob, _ = bodies(entries, "seated")[-3:]
        for seat, change in ((ada, "remove"), (bob, "append")):
            for key in ("courses", "held"):
                getattr(seat[key], change)("Art")
        bob["courses"].sort()

    sentences = " ".join(f.sentence for f in forged(shrunk, favour)["V9"].findings)
    assert "Ada lost Art, which it had before." in sentences
    assert "Bob keeps Art, where there is no room for it by the order of names." in sentences


def test_what_was_given_cannot_be_taken_in_a_second_run(changed):
    """Tests that a course that somebody had before is missed."""

    def lose(entries):
        last = bodies(entries, "seated")[-3:]
        seat = next(seat for seat in last if seat["held"])
        seat["held"] = seat["held"][1:]

    verdict = forged(changed, lose)
    assert verdict["V9"].state == "fails"
