"""An allocation of courses at the desk: forms, answers, receipts, secrets, the assignment."""

import json
import time
from dataclasses import replace

import pytest
from course_play import (
    FORMS,
    STUDENTS,
    ZOE,
    assign,
    auditor,
    files,
    open_desk,
    opened,
    published,
    rate_all,
    seat_market,
    student,
)

from boca.core.errors import InputError
from boca.core.market import Market
from boca.live.auction import commands as cmd
from boca.live.auction.courses import BUDGET, CourseRules, course_setup
from boca.live.auction.engine_results import PriceResult, SeatingResult, StudentResult
from boca.live.auction.events import RatedPair
from boca.live.auction.refusal import Refusal
from boca.live.auction.rules import Rules
from boca.live.ledger import check_chain, check_signature, read_lines
from boca.live.people import Who
from boca.markets.courses import read_course_files


@pytest.fixture
def desk(tmp_path):
    desk = open_desk(tmp_path)
    yield desk
    desk.close()


def test_form_is_taken_with_a_receipt_and_replaces_the_one_before(desk):
    """Tests that the last form counts, that all stay in the log, and that a zero is kept."""
    auction = opened(desk)
    ada = student(auction, 0)
    first = desk.rate(ada, {"Algebra": 10, "Art": 0}, (), "key-00001").result()
    second = desk.rate(ada, *FORMS[0], "key-00002").result()
    assert desk.rate(ada, *FORMS[0], "key-00002").result().is_repetition
    assert check_signature(second.content, desk.key.public)
    assert first.content["body"]["ratings"] == {"Algebra": 10, "Art": 0}
    assert desk.receipt(ada, first.hash).content == first.content
    with pytest.raises(Refusal, match="no such receipt"):
        desk.receipt(student(auction, 1), first.hash)
    view = desk.student(ada)
    assert {row.name: row.points for row in view.rows if row.points} == FORMS[0][0]
    assert view.pairs == FORMS[0][1]
    assert len(view.submissions) == 2


@pytest.mark.parametrize(
    ("ratings", "pairs", "words"),
    [
        ({"Algebr": 5}, (), "Algebra"),
        ({"Algebra": 101}, (), "'101', expected a whole number from 0 to 100"),
        ({"Algebra": -1}, (), "'-1'"),
        ({"Algebra": 5.5}, (), "'5.5'"),
        ({"Art": 5}, (), "you cannot take this course"),
        ({}, (RatedPair("Ethics", "Ethics", 5),), "one course twice"),
        ({}, (RatedPair("Ethics", "Musik", 5),), "no such course"),
        ({}, (RatedPair("Algebra", "Logic", 5),), "exclude each other"),
        ({}, (RatedPair("Ethics", "Music", 0),), "points from 1 to 100"),
        ({}, (RatedPair("Ethics", "Music", 101),), "points from 1 to 100"),
        ({}, (RatedPair("Ethics", "Music", 5), RatedPair("Music", "Ethics", 6)), "pair twice"),
        ({}, tuple(RatedPair("Ethics", "Music", 5) for _ in range(31)), "at most 30"),
    ],
)
def test_mistakes_in_a_form_are_named(desk, ratings, pairs, words):
    """Tests that nothing of a form with a mistake is taken; Cleo may not take Art."""
    auction = opened(desk)
    with pytest.raises(Refusal, match=words):
        desk.rate(student(auction, 2), ratings, pairs, "key-00001").result()
    assert not desk.student(student(auction, 2)).has_form


def test_answers_are_about_schedules_that_a_student_may_have(desk):
    """Tests that nonsense is refused, an answer can be changed, and there is a limit."""
    auction = opened(desk, num_questions=1)
    ada = student(auction, 0)
    weeks = ("Ethics", "Art"), ("Algebra", "Ethics")
    with pytest.raises(Refusal, match="Rate courses first"):
        desk.compare(ada, *weeks, "first", "key-00001").result()
    desk.rate(ada, *FORMS[0], "key-00002").result()
    for first, second, answer, words in (
        (("Ethics",), ("Ethics",), "first", "the same"),
        (("Ethics",), ("Ethiks",), "first", "not a course"),
        (("Algebra", "Logic"), ("Ethics",), "first", "together"),
        (("Ethics", "Ethics"), ("Art",), "first", "together"),
        (("Algebra", "Ethics", "Art", "Music"), ("Art",), "first", "together"),
        (*weeks, "neither", "found the answer 'neither'"),
    ):
        with pytest.raises(Refusal, match=words):
            desk.compare(ada, first, second, answer, "key-00003").result()
    desk.compare(ada, *weeks, "first", "key-00004").result()
    # The same two weeks the other way round are the same question.
    desk.compare(ada, *weeks[::-1], "first", "key-00005").result()
    (answer,) = desk.student(ada).answers
    assert (set(answer.first), answer.answer) == ({"Ethics", "Art"}, "second")
    with pytest.raises(Refusal, match="compared 1 pairs"):
        desk.compare(ada, ("Art",), ("Music",), "same", "key-00006").result()
    desk.compare(ada, *weeks, "withdrawn", "key-00007").result()
    assert desk.student(ada).answers == ()
    assert len(desk.student(ada).submissions) == 4


def test_nothing_counts_after_the_deadline(desk):
    """Tests the deadline, and that it can be moved until then."""
    auction = opened(desk)
    desk.clock.turn(minutes=59)
    desk.command(ZOE, auction, cmd.Extend(10, "A bus was late.")).result()
    desk.clock.turn(minutes=10)
    desk.rate(student(auction, 0), *FORMS[0], "key-00001").result()
    desk.clock.turn(minutes=2)
    with pytest.raises(Refusal, match="after the deadline"):
        desk.rate(student(auction, 0), {}, (), "key-00002").result()
    desk.watch.tick()
    desk.command(ZOE, auction, cmd.Announce("Thank you.")).result()
    assert desk.state_of(auction).phase == "stopped"
    with pytest.raises(Refusal, match="Nothing can be changed now"):
        desk.rate(student(auction, 0), {}, (), "key-00003").result()


def test_question_is_about_the_student_alone_and_changes_with_answers(desk):
    """Tests that a question comes from form, answers and prices, and never repeats."""
    auction = opened(desk)
    ada = student(auction, 0)
    desk.rate(ada, *FORMS[0], "key-00001").result()
    seen = set()
    for number in range(4):
        question = desk.question(ada).result()
        weeks = frozenset((question.first, question.second))
        assert weeks not in seen
        seen.add(weeks)
        desk.compare(ada, question.first, question.second, "same", f"key-1000{number}").result()
    assert desk.question(ada).result().tentative


def test_course_with_no_points_is_never_given(desk):
    """Tests that 0 forbids a course, in questions and in the assignment, unless it is needed."""
    auction = opened(desk)
    rate_all(desk, auction)
    ada, bob = student(auction, 0), student(auction, 1)
    desk.rate(ada, {"Algebra": 50, "Ethics": 0, "Logic": 0, "Music": 0}, (), "key-1").result()
    desk.rate(bob, {"Ethics": 0, "Art": 40}, (), "key-2").result()
    for number in range(3):
        question = desk.question(ada).result()
        if question.first is None:
            break
        weeks = {*question.first, *question.second, *question.tentative}
        assert weeks <= {"Algebra", "Art"}
        desk.compare(ada, question.first, question.second, "first", f"key-2{number}").result()
    desk.rate(student(auction, 2), {"Logic": 10}, (), "key-3").result()
    seats = published(desk, auction).courses.seats
    assert set(seats[0].courses) <= {"Algebra", "Art"}
    assert "Ethics" in seats[1].courses  # required


def test_prices_are_renewed_in_the_background(desk):
    """Tests that enough new forms bring new prices, which questions then use."""
    auction = opened(desk)
    rate_all(desk, auction)
    assert desk.state_of(auction).courses.priced is None
    for number in range(2):
        desk.rate(student(auction, 0), *FORMS[0], f"again-{number}").result()
    for _ in range(1000):
        if desk.state_of(auction).courses.priced is not None:
            break
        time.sleep(0.02)
    state = desk.state_of(auction)
    assert len(state.courses.priced.prices) == 5
    assert max(state.courses.priced.prices) > 0
    assert state.courses.num_new == 0


def test_assignment_gives_everybody_its_best_and_says_why(desk):
    """Tests the whole way to a published assignment: seats, budgets, reasons."""
    auction = opened(desk)
    rate_all(desk, auction)
    state = published(desk, auction)
    assigned = state.courses.assigned
    assert assigned.clears
    assert assigned.num_best == 3
    taken = [0] * 5
    for number in range(3):
        result = desk.seat(student(auction, number))
        assert result.cost <= result.budget
        assert abs(result.budget - result.first) <= 0.01 + 1e-12
        for cell in result.courses:
            taken[state.market.numbers[cell.name]] += 1
    assert tuple(taken) == assigned.taken
    # Ethics has one seat and everybody wants it most; who has it depends on the drawn order.
    weeks = [{cell.name for cell in desk.seat(student(auction, k)).courses} for k in range(3)]
    assert sum("Ethics" in week for week in weeks) == 1
    for number in range(3):
        result = desk.seat(student(auction, number))
        missed = {row.course: row for row in result.missed}
        assert ("Ethics" in missed) == ("Ethics" not in weeks[number])
        if "Ethics" in missed:
            assert missed["Ethics"].instead is None
            assert missed["Ethics"].price > result.budget


ALGEBRA, LOGIC, ETHICS, ART, MUSIC = range(5)


def nobody(number):
    """A student who gets nothing."""
    first = BUDGET + 4 * BUDGET // 100 * number // 3
    return StudentResult((), (), first, first, True, (0,) * 5, (), ())


HONEST = SeatingResult(
    (replace(nobody(0), courses=(ETHICS,)), nobody(1), nobody(2)),
    (0, 0, BUDGET, 0, 0), 50.0, 25.0, True, 0, 0, 0, 1.0, {},
)  # fmt: skip


def with_student(number, **fields):
    students = list(HONEST.students)
    students[number] = replace(students[number], **fields)
    return replace(HONEST, students=tuple(students))


@pytest.mark.parametrize(
    ("result", "words"),
    [
        (replace(HONEST, students=HONEST.students[:2]), "does not fit"),
        (replace(HONEST, prices=(0,) * 4), "does not fit"),
        (replace(HONEST, prices=(0, -1, BUDGET, 0, 0)), "does not fit"),
        (with_student(1, courses=(ETHICS,)), "oversells Ethics"),
        (with_student(0, courses=()), "Ethics has a price and empty seats"),
        (with_student(1, courses=(ALGEBRA, LOGIC)), "limits of Bob"),
        (with_student(2, courses=(ART,)), "limits of Cleo"),
        (with_student(1, held=(MUSIC,)), "limits of Bob"),
        (with_student(1, courses=(MUSIC, MUSIC)), "a course that is none"),
        (with_student(1, courses=(5,)), "a course that is none"),
        (with_student(0, budget=BUDGET - 1), "budget of Ada"),
        (with_student(1, budget=2 * BUDGET), "budget of Bob"),
        (with_student(1, ratings=(0,) * 4), "no utilities of Bob"),
    ],
)
def test_assignments_are_checked_as_if_a_stranger_had_sent_them(tmp_path, result, words):
    """Tests that the server itself looks at seats, limits and budgets of what a child brings."""
    desk = open_desk(tmp_path, works=False)
    auction = opened(desk)
    desk.command(ZOE, auction, cmd.Stop("Over.")).result()
    desk.command(ZOE, auction, cmd.Close()).result()
    with pytest.raises(Refusal, match=words):
        desk.writer.send(auction, cmd.TakeSeating(result)).result()
    desk.writer.send(auction, cmd.TakeSeating(HONEST)).result()
    assert desk.state_of(auction).phase == "decided"
    desk.close()


def test_prices_that_fit_nothing_are_not_taken(tmp_path):
    """Tests sizes and signs of prices for questions."""
    desk = open_desk(tmp_path, works=False)
    auction = opened(desk)
    good = PriceResult((0,) * 5, (BUDGET,) * 3, 50.0, 25.0, 1.0, {})
    for wrong in (replace(good, prices=(0,)), replace(good, budgets=(-1,) * 3)):
        with pytest.raises(Refusal, match="do not fit"):
            desk.writer.send(auction, cmd.TakePrices("0" * 64, wrong)).result()
    desk.writer.send(auction, cmd.TakePrices("0" * 64, good)).result()
    assert desk.state_of(auction).courses.priced.prices == (0,) * 5
    desk.close()


def opened_bodies(desk, who, auction):
    """Kind -> bodies that somebody may read."""
    log = read_lines(desk.log(who, auction))
    check_chain(log.records)
    bodies = {}
    for record in log.records:
        if record.body is not None:
            bodies.setdefault(record.kind, []).append(record.body)
    return bodies


def test_what_a_student_says_is_seen_by_nobody_else(desk):
    """Tests the cuts of the log: registrar, student, public, auditor, before and after."""
    auction = opened(desk)
    rate_all(desk, auction)
    weeks = ("Ethics", "Art"), ("Algebra", "Ethics")
    desk.compare(student(auction, 0), *weeks, "first", "key-00001").result()
    mine = opened_bodies(desk, ZOE, auction)
    assert not {"rated", "compared"} & mine.keys()
    assert "enrolled" in mine
    assert desk.students(ZOE, auction)[0].num_answers == 1
    shown = json.dumps([str(book) for book in desk.students(ZOE, auction)])
    assert "Ethics" not in shown
    assert [row.body for row in desk.records(ZOE, auction) if row.kind == "rated"] == [None] * 3
    published(desk, auction)
    public = opened_bodies(desk, None, auction)
    assert "assigned" in public
    assert not {"rated", "compared", "believed", "seated", "enrolled"} & public.keys()
    assert "Cleo" not in json.dumps(public)
    own = opened_bodies(desk, student(auction, 1), auction)
    for kind in ("rated", "seated", "believed"):
        assert [body["bidder"] for body in own[kind]] == [1]
    assert "compared" not in own
    assert "enrolled" not in own
    assert "Cleo" not in json.dumps(own)
    assert not {"rated", "compared", "believed"} & opened_bodies(desk, ZOE, auction).keys()
    assert len(opened_bodies(desk, ZOE, auction)["seated"]) == 3
    assert len(opened_bodies(desk, auditor(auction), auction)["rated"]) == 3


def test_late_change_keeps_what_was_given(desk):
    """Tests a second run with one more student and one more seat: nobody loses a course."""
    auction = opened(desk)
    rate_all(desk, auction)
    before = published(desk, auction).courses.seats
    more = STUDENTS + "Dan,3,,,\n"
    market = seat_market(students=more)
    desk.change_courses(ZOE, auction, market, "Dan came late.", 30).result()
    dan = Who("s3", "session", "bidder", auction, 3, "Dan", "", None)
    desk.invite(ZOE, auction, 3, "Dan").result()
    assert set(desk.student(student(auction, 0)).kept) == set(before[0].courses)
    assert not desk.state_of(auction).is_stopping
    desk.rate(dan, {"Algebra": 50, "Ethics": 90, "Art": 10}, (), "key-00009").result()
    state = published(desk, auction)
    for number, seat in before.items():
        assert set(seat.courses) <= set(state.courses.seats[number].courses)
        assert set(state.courses.seats[number].held) == set(seat.courses)
    assert "Algebra" in state.courses.seats[3].courses
    assert "Ethics" not in state.courses.seats[3].courses
    with pytest.raises(Refusal, match="stay at their places"):
        desk.change_courses(ZOE, auction, seat_market(), "Dan is gone.", 0).result()


def test_kinds_do_not_mix(desk):
    """Tests that an allocation cannot be made into an auction, nor asked for its students."""
    auction = desk.create_courses(ZOE, seat_market(), CourseRules.of(60)).result().auction
    other = Market.simple(2, 3)
    with pytest.raises(Refusal, match="made from uploaded tables"):
        desk.writer.send(auction, cmd.Configure(Rules(), other), ZOE.actor).result()
    with pytest.raises(Refusal, match="rehearsals only"):
        desk.simulate_students(ZOE, auction).result()
    with pytest.raises(Refusal, match="This is for the auctioneer"):
        desk.rehearse_courses(student(auction, 0), auction, None)
    with pytest.raises(Refusal, match="follow a published"):
        desk.change_courses(ZOE, auction, seat_market(), "No.", 0).result()


def test_rehearsal_has_simulated_students(desk):
    """Tests that a copy has everybody's form, and can be assigned like any other."""
    auction = opened(desk)
    copy = desk.rehearse_courses(ZOE, auction, "rehearse-1").result().auction
    state = desk.state_of(copy)
    assert state.is_rehearsal
    assert all(row.has_form for row in desk.students(ZOE, copy))
    assert assign(desk, copy).courses.assigned.clears


def test_everything_is_the_same_after_a_restart(tmp_path):
    """Tests that a state comes from its log alone."""
    desk = open_desk(tmp_path)
    auction = opened(desk)
    rate_all(desk, auction)
    before = published(desk, auction)
    desk.close()
    desk = open_desk(tmp_path)
    after = desk.state_of(auction)
    assert after.courses == before.courses
    assert after.books == before.books
    assert after.head == before.head
    desk.close()


def test_upload_with_what_is_not_built_is_refused():
    """Tests that columns without effect are not silently ignored."""
    courses = "course,seats,reserved\nAlgebra,4,Maths: 2\n"
    with pytest.raises(InputError, match="column 'reserved'"):
        course_setup(read_course_files(files(courses, "student\nA\n"), "spring"))
    with pytest.raises(InputError, match="column 'priority'"):
        course_setup(read_course_files(files(students="student,priority\nA,1\nB,2\n"), "spring"))
    with pytest.raises(InputError, match="without slashes"):
        course_setup(read_course_files(files(students="student\nA/B\n"), "spring"))
    with pytest.raises(InputError, match="The upload has 1 mistake"):
        read_course_files(files("course,seats\nAlgebra,0\n", "student\nA\n"), "spring")
    with pytest.raises(InputError, match="0 to 50 per student"):
        CourseRules.of(60, 51)
    with pytest.raises(InputError, match="minutes for answers"):
        CourseRules.of(0.5)
    assert BUDGET == 10**12
