"""A student's and the registrar's way through an allocation of courses."""

import re

from album import Album
from live_server import LiveServer, Person

from boca.cli.serve.demo import BOTS

NAME = "Autumn term"
TABLES = [BOTS / "term" / f"{name}.csv" for name in ("courses", "students", "conflicts")]
# Points of one student; the others have the same ones, moved along.
POINTS = (40, 70, 20, 90, 60, 55, 85, 30, 15, 25)


def allot(server: LiveServer, desk: Album, student: Album) -> None:
    """From the upload to the published assignment and a late change."""
    clerk = server.clerk()
    desk.sign_in(server.boss.cookie)
    here, links = upload(desk, server.url)
    auction = here.rpartition("/")[2]
    student.take("courses-enter", links[0])
    student.page.get_by_role("button", name="Enter").click()
    student.page.wait_for_url("**/ratings")
    student.take("courses-ratings-draft")
    clerk.do(auction, "start", {"accept_missing": True})
    rate(student, here)
    desk.take("courses-desk-open", f"{here}/run")
    others_rate(server.url, auction, links[1:])
    compare(student, here)
    for page in ("run", "mails", "log"):
        desk.take(f"courses-desk-{page}-answered", f"{here}/{page}")
    assign(desk, student, here)


def upload(desk: Album, url: str) -> tuple[str, list[str]]:
    """Tables with a slip, then without; where the allocation is, and everybody's links."""
    page = desk.page
    desk.take("courses-new", f"{url}/new/courses")
    page.get_by_label("Name", exact=True).fill(NAME)
    desk.press(page.locator("button.main"), "courses-new-error")
    page.goto(f"{url}/new/courses")
    page.get_by_label("Name", exact=True).fill(NAME)
    page.locator("#files").set_input_files(TABLES)
    page.locator("button.main").click()
    page.wait_for_url("**/bidders")
    here = page.url.removesuffix("/bidders")
    desk.take("courses-desk-bidders", f"{here}/bidders")
    desk.press(page.get_by_role("button", name="Create links for all"), "courses-desk-links")
    links = page.locator(".secret").all_inner_texts()
    for step in ("run", "rules", "rehearse", "do/start", "public"):
        desk.take(f"courses-desk-{step.replace('/', '-')}-draft", f"{here}/{step}")
    return here, links


def rate(student: Album, here: str) -> None:
    """The form, empty, with a slip, and filled in."""
    page = student.page
    student.take("courses-ratings", f"{here}/ratings")
    fields = page.locator("#courses input.copies")
    for k, points in enumerate(POINTS):
        fields.nth(k).fill(str(points))
    fields.first.fill("400")
    student.press(page.locator("form button.main"), "courses-ratings-error")
    page.locator("#courses input.copies").first.fill("40")
    page.locator("#pair-first-1").select_option("Statistics")
    page.locator("#pair-second-1").select_option("Algorithms")
    page.locator("#pair-points-1").fill("15")
    student.save("courses-ratings-filled")
    page.locator("form button.main").click()
    page.wait_for_url("**/receipts/**")
    student.take("courses-receipt")
    student.take("courses-ratings-sent", f"{here}/ratings")


def others_rate(url: str, auction: str, links: list[str]) -> None:
    """Everybody else enters and rates, without a browser."""
    for number, link in enumerate(links, start=1):
        person = Person(url)
        person.enter(link)
        page = person.get(f"/a/{auction}/ratings").text
        fields = re.findall(r'name="(points-[0-9]+)"', page)
        points = POINTS[number:] + POINTS[:number]
        form = {field: str(points[k % len(points)]) for k, field in enumerate(fields)}
        person.post(f"/a/{auction}/ratings", form)


def compare(student: Album, here: str) -> None:
    """Two weeks, an answer, and everything that was said."""
    page = student.page
    student.take("courses-compare", f"{here}/compare")
    for button in ("I prefer week A", "About the same"):
        page.get_by_role("button", name=button).click()
        page.wait_for_url("**done=**")
    student.take("courses-compare-noted")
    for step in ("said", "rules", "told", "sessions", "public"):
        student.take(f"courses-{step}", f"{here}/{step}")


def assign(desk: Album, student: Album, here: str) -> None:
    """Seats are shared out and published; then a late change is asked for."""
    page = desk.page
    desk.take("courses-desk-stop", f"{here}/do/stop")
    page.locator("#reason").fill("Everybody has answered.")
    page.locator("form button.main").click()
    page.wait_for_url("**/run")
    desk.take("courses-desk-stopped")
    student.take("courses-ratings-closed", f"{here}/ratings")
    desk.take("courses-desk-close", f"{here}/do/close")
    page.locator("#name").fill(NAME)
    page.locator("form button.main").click()
    page.goto(f"{here}/outcome")
    page.locator("a[href='do/publish']").wait_for()
    student.take("courses-result-before", f"{here}/result")
    for step in ("run", "outcome", "do/publish"):
        desk.take(f"courses-desk-{step.replace('/', '-')}", f"{here}/{step}")
    page.locator("#name").fill(NAME)
    page.locator("form button.main").click()
    page.goto(f"{here}/proofs")
    page.get_by_text("holds", exact=True).first.wait_for()
    for step in ("proofs", "outcome", "run", "change"):
        desk.take(f"courses-desk-{step}-published", f"{here}/{step}")
    student.take("courses-result", f"{here}/result")
    student.take("courses-public-after", f"{here}/public")
