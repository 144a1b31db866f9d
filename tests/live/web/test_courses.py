"""An allocation of courses through the browser, from upload to verified result."""

import json
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from course_play import COURSES, STUDENTS, files
from live_browser import NARROW, WIDE, Visit
from live_server import Person

from boca_verify import verify

NAME = "Spring term"


def upload(boss, path, sent, **fields):
    """Sends the registrar's form with files."""
    return boss.client.post(
        boss.url + path,
        data={"csrf": boss.form_token(), **fields},
        files=[("files", (name, content, "text/csv")) for name, content in sent.items()],
        headers=boss.headers(),
    )


@pytest.fixture(scope="module")
def boss(server):
    """The registrar; the clerk's session, as the link works once."""
    server.token()
    return server.boss


@pytest.fixture(scope="module")
def running(boss):
    """An allocation that takes answers: its id, and three students who are signed in."""
    fields = {"name": NAME, "minutes": "600", "questions": "5"}
    answer = upload(boss, "/new/courses", files(), **fields)
    auction = answer.headers["location"].split("/")[2]
    page = boss.post(f"/a/{auction}/bidders", {"do": "everybody"}).text
    people = []
    for link in re.findall(r'class="secret">([^<]+)<', page):
        people.append(Person(boss.url))
        people[-1].enter(link)
    # Before the start there is nothing to type.
    draft = people[0].get(f"/a/{auction}/ratings").text
    assert "Algebra" in draft
    assert 'name="points-0"' not in draft
    boss.post(f"/a/{auction}/do/start", {"key": "start-courses"})
    return auction, people


def hidden(page, name):
    return re.findall(rf'name="{name}" value="([^"]*)"', page)


def test_form_and_comparison_without_scripts(running):
    """Tests typed numbers, mistakes that keep what was typed, receipts, and changed answers."""
    auction, (ada, *_) = running
    here = f"/a/{auction}"
    wrong = ada.post(f"{here}/ratings", {"points-0": "500", "points-2": "80"})
    assert wrong.status_code == 422
    assert "found &#39;500&#39;" in wrong.text
    assert 'value="80"' in wrong.text
    alone = {"pair-first": ["Art"], "pair-second": ["Art"], "pair-kind": ["not_both"],
             "pair-points": ["5"]}  # fmt: skip
    assert "two different courses" in ada.post(f"{here}/ratings", alone).text
    assert "at least one course" in ada.post(f"{here}/ratings", {}).text
    clash = {"points-0": "5", "pair-first": ["Algebra"], "pair-second": ["Logic"],
             "pair-kind": ["together"], "pair-points": ["5"]}  # fmt: skip
    assert "exclude each other" in ada.post(f"{here}/ratings", clash).text
    form = {"points-0": "50", "points-2": "80", "points-3": "20", "pair-first": ["Ethics", ""],
            "pair-second": ["Art", ""], "pair-kind": ["not_both", "together"],
            "pair-points": ["15", ""]}  # fmt: skip
    taken = ada.post(f"{here}/ratings", form)
    receipt = ada.get(taken.headers["location"])
    assert "Ethics + Art: -15" in receipt.text
    assert ada.get(taken.headers["location"] + ".json").json()["body"]["ratings"]["Ethics"] == 80
    question = ada.get(f"{here}/compare").text
    weeks = {name: hidden(question, name) for name in ("first", "second")}
    basis = hidden(question, "basis")[0]
    answered = ada.post(f"{here}/compare", {**weeks, "answer": "same", "basis": basis})
    assert "Noted" in ada.get(answered.headers["location"]).text
    changed = ada.post(f"{here}/compare", {**weeks, "answer": "withdrawn", "back": "said"})
    assert changed.headers["location"] == f"{here}/said"
    said = ada.get(f"{here}/said").text
    assert "compared nothing" in said
    assert "Ethics: 80 points" in said
    assert "Ethics + Art: -15" in said
    refused = ada.post(f"{here}/compare", {"first": ["Algebra", "Logic"], "answer": "first"})
    assert (refused.status_code, "cannot take these" in refused.text) == (422, True)


def test_pages_belong_to_their_kind(running, boss, sale):
    """Tests that students have no pages of auctions, and the other way round."""
    auction, (ada, bob, _) = running
    for page in ("push", "sheet", "answers", "check", "demand/r0-b1-q1"):
        assert ada.get(f"/a/{auction}/{page}").status_code == 404
    for page in ("ratings", "compare", "said"):
        assert sale["Club A"].get(sale.path(page)).status_code == 404
        assert boss.get(f"/a/{auction}/{page}").status_code == 404
    for page in ("change", "assignment.csv"):
        assert boss.get(sale.path(page)).status_code == 404
        assert bob.get(f"/a/{auction}/{page}").status_code == 404
    assert boss.get(f"/a/{auction}/bidders/1").status_code == 404
    assert "Ada" not in bob.get(f"/a/{auction}/rules.json").text
    assert "Bob" not in ada.get(f"/a/{auction}/public").text


@pytest.mark.parametrize(
    ("sent", "words"),
    [
        ({}, "Choose the files"),
        ({"courses.csv": b"course,seats\nA,x\n", "students.csv": b"student\nB\n"}, "found &#39;x"),
        ({"marks.csv": b"a\n"}, "Found &#39;marks.csv&#39;"),
        ({"all.zip": b"PK nonsense"}, "cannot be read"),
        ({"courses.csv": b"course,seats,minimum\nA,3,2\n", "students.csv": b"student\nB\n"},
         "column &#39;minimum&#39;"),
    ],
)  # fmt: skip
def test_uploads_that_cannot_be_used_are_explained(boss, sent, words):
    """Tests that the page says what is wrong, and that nothing is made."""
    fields = {"name": "x", "minutes": "60", "questions": "5"}
    answer = upload(boss, "/new/courses", sent, **fields)
    assert answer.status_code == 422
    assert words in answer.text


def test_one_zip_is_as_good_as_files(boss, tmp_path):
    """Tests a folder in an archive, with ratings that are not read."""
    path = tmp_path / "tables.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files().items():
            archive.writestr(f"spring/{name}", content)
        archive.writestr("spring/ratings.csv", "nonsense")
    sent = {"tables.zip": path.read_bytes()}
    fields = {"name": "zipped", "minutes": "60", "questions": "5"}
    assert upload(boss, "/new/courses", sent, **fields).status_code == 303


def test_rehearsal_runs_by_itself(boss, running):
    """Tests the button: a copy with everybody's ratings, marked as a rehearsal."""
    auction, _ = running
    answer = boss.post(f"/a/{auction}/rehearse", {"key": "rehearse-courses"})
    page = boss.get(answer.headers["location"]).text
    assert "3 of 3" in page
    assert "REHEARSAL" in page


class Watcher:
    """Looks at every page: axe, width, complaints; and keeps pictures where they are wanted."""

    def __init__(self):
        self.found: list[str] = []
        self.folder = os.environ.get("BOCA_PICTURES")

    def look(self, visit, name, has_scripts=True):
        page = visit.page
        if has_scripts:
            self.found += visit.axe()
            overflow = page.evaluate("document.documentElement.scrollWidth > innerWidth")
            assert not overflow, f"{name} scrolls sideways"
        if self.folder:
            Path(self.folder).mkdir(parents=True, exist_ok=True)
            page.screenshot(path=f"{self.folder}/{name}.png", full_page=True)


def test_whole_allocation_in_the_browser(server, boss, browser, tmp_path):
    """
    Tests a registrar and three students, one without scripts and one on a phone, from upload to
    the published and verified result, and a late change that keeps what was given.
    """
    watcher = Watcher()
    desk = Visit(browser, server.url, WIDE)
    desk.sign_in(boss)
    page = desk.page
    page.goto(f"{server.url}/new/courses")
    for name, content in files().items():
        (tmp_path / name).write_bytes(content)
    page.get_by_label("Name", exact=True).fill("Autumn term")
    page.get_by_label("courses, students").set_input_files([tmp_path / n for n in files()])
    page.get_by_label("Minutes for answers").fill("600")
    watcher.look(desk, "new")
    page.get_by_role("button", name="Create this allocation").click()
    page.get_by_role("button", name="Create links for all 3").click()
    page.locator(".secret").first.wait_for()
    watcher.look(desk, "links")
    links = page.locator(".secret").all_inner_texts()
    here = page.url.rpartition("/")[0]
    page.goto(f"{here}/do/start")
    watcher.look(desk, "start")
    page.get_by_role("button", name="Start taking answers").click()

    sizes = [(WIDE, False), (NARROW, True), (WIDE, True)]
    visits = [Visit(browser, server.url, size, scripts) for size, scripts in sizes]
    forms = [
        {"Algebra": 50, "Ethics": 80, "Art": 20},
        {"Ethics": 90, "Art": 40, "Music": 30},
        {"Ethics": 70, "Logic": 60, "Music": 50},
    ]
    for k, (visit, link, form) in enumerate(zip(visits, links, forms, strict=True)):
        _rate(watcher, visit, link, form, k)
        _compare(watcher, visit, here, k)
    page.goto(f"{here}/run")
    assert "3 of 3" in page.locator("dl.outcome").inner_text()
    watcher.look(desk, "desk")
    _do(page, here, "stop", "End the answers now", reason="All have answered.")
    _do(page, here, "close", "Share out the seats", name="Autumn term")
    page.goto(f"{here}/outcome")
    page.get_by_role("link", name="Publish the assignment").wait_for()
    watcher.look(desk, "assignment")
    _do(page, here, "publish", "Publish the assignment", name="Autumn term")
    for k, visit in enumerate(visits):
        visit.page.goto(f"{here}/result")
        assert "Your budget" in visit.page.locator("main").inner_text()
        watcher.look(visit, f"result-{k}", sizes[k][1])
        visit.page.goto(f"{here}/rules")
        watcher.look(visit, f"rules-{k}", sizes[k][1])
    page.goto(f"{here}/public")
    watcher.look(desk, "public")
    assert "Cleo" not in page.locator("main").inner_text()
    auction = here.rpartition("/")[2]
    log = boss.get(f"/a/{auction}/log.jsonl").text
    before = {body["bidder"]: set(body["courses"]) for body in bodies(log, "seated")}
    _check_logs(server, boss, auction, visits[1], tmp_path)

    page.goto(f"{here}/change")
    (tmp_path / "courses.csv").write_text(COURSES.replace("Ethics,1", "Ethics,2"))
    (tmp_path / "students.csv").write_text(STUDENTS)
    page.get_by_label("courses, students").set_input_files([tmp_path / n for n in files()])
    page.get_by_label("Reason").fill("A larger room was found.")
    watcher.look(desk, "change")
    page.get_by_role("button", name="Make the change").click()
    _do(page, here, "close", "Share out the seats", name="Autumn term")
    page.goto(f"{here}/outcome")
    page.get_by_role("link", name="Publish the assignment").wait_for()
    _do(page, here, "publish", "Publish the assignment", name="Autumn term")
    after = bodies(boss.get(f"/a/{auction}/log.jsonl").text, "seated")[-3:]
    for body in after:
        assert before[body["bidder"]] <= set(body["courses"])
    visits[2].page.goto(f"{here}/result")
    watcher.look(visits[2], "result-after-change")
    assert watcher.found == []
    assert [visit.complaints for visit in (desk, *visits)] == [[]] * 4
    for visit in (desk, *visits):
        visit.close()


def bodies(log, kind):
    """Open bodies of a kind in a log."""
    rows = [json.loads(line) for line in log.splitlines()]
    return [r["body"] for r in rows if r.get("envelope", {}).get("kind") == kind and "body" in r]


def _rate(watcher, visit, link, form, k):
    """Enters, rates courses and confirms."""
    page, has_scripts = visit.page, k > 0
    page.goto(link)
    page.get_by_role("button", name="Enter").click()
    page.wait_for_url(re.compile(r"/ratings"))
    assert page.locator("[data-slider]").first.is_visible() == has_scripts
    watcher.look(visit, f"ratings-empty-{k}", has_scripts)
    for course, points in form.items():
        page.get_by_label(f"Points of {course}").fill(str(points))
        if has_scripts:
            assert page.get_by_label(f"Slider for {course}").input_value() == str(points)
    if has_scripts:
        page.get_by_label("Find a course").fill("eth")
        assert page.locator("#courses tbody tr:visible").count() == 1
        page.get_by_label("Find a course").fill("")
    if k == 0:
        page.get_by_label("First course of pair 1").select_option("Ethics")
        page.get_by_label("Second course of pair 1").select_option("Art")
    watcher.look(visit, f"ratings-{k}", has_scripts)
    page.get_by_role("button", name="Confirm my ratings").click()
    page.wait_for_url(re.compile(r"/receipts/"))
    watcher.look(visit, f"receipt-{k}", has_scripts)


def _compare(watcher, visit, here, k):
    """Answers a few questions, each in another way."""
    page, has_scripts = visit.page, k > 0
    page.goto(f"{here}/compare")
    for name in ("I prefer week A", "About the same")[: k + 1]:
        watcher.look(visit, f"compare-{k}", has_scripts)
        page.get_by_role("button", name=name).click()
        page.wait_for_url(re.compile(r"done="))
        assert "Noted" in page.locator("main").inner_text()
    page.goto(f"{here}/said")
    watcher.look(visit, f"said-{k}", has_scripts)


def _do(page, here, command, button, **fields):
    """A command of the registrar with what has to be said."""
    page.goto(f"{here}/do/{command}")
    for field, text in fields.items():
        page.locator(f"#{field}").fill(text)
    page.get_by_role("button", name=button).click()
    page.wait_for_url(re.compile(r"/(run|outcome)$"))


def _check_logs(server, boss, auction, visit, folder):
    """The student's own log by the command line, and what the server's own check found."""
    cookie = next(c for c in visit.context.cookies() if c["name"] == "__Host-boca")
    bob = Person(server.url, cookie["value"])
    path = folder / "bob.jsonl"
    path.write_text(bob.get(f"/a/{auction}/log.jsonl").text)
    command = [sys.executable, "-m", "boca", "verify", str(path)]
    ended = subprocess.run(command, capture_output=True, text=True)
    assert ended.returncode == 3, ended.stdout + ended.stderr
    assert "FAILS" not in ended.stdout
    assert "Bob has the best schedule that it could afford" in ended.stdout
    public = verify(boss.get(f"/a/{auction}/public.jsonl").text.splitlines())
    assert public.exit_code == 3
