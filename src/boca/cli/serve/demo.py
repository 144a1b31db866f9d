"""``boca serve --demo``: an auction or an allocation of courses with programs and one person."""

import json
import signal
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer

from boca.cli.serve.running_server import RunningServer, ending_with_threads
from boca.core.settings import check_choice
from boca.live.auction.commands import Start
from boca.live.auction.courses import CourseRules, course_setup
from boca.live.bots.clerk import Clerk
from boca.live.bots.client import Client
from boca.live.desk import Desk
from boca.markets.courses import read_course_files

BOTS = Path(__file__).parents[2] / "live" / "bots"


@dataclass(frozen=True)
class Demo:
    """
    One of the demos.

    Parameters
    ----------
    market
        Its market file.
    you
        Whom the person acts for.
    words
        What is announced on every page.
    lead
        What the terminal says.
    desk
        Whose desk the second link opens.
    has_values
        Whether the file tells what things are worth to the bots; they draw it otherwise.
    """

    market: Path
    you: str
    words: str
    lead: str
    desk: str = "auctioneer"
    has_values: bool = True


DEMOS = {
    "sell": Demo(
        BOTS / "farm_shop.toml",
        "Dora's cafe",
        "This is a demo: Ann, Ben and Cleo's kitchen are programs, you are Dora's cafe. Answer as "
        "you like. If you want a suggestion: an apple is worth 2.20 to you, bread 5.00, cheese "
        "5.50, honey 4.80, and bread with honey 2.00 more.",
        "An auction is running: three bots and you share out what a farm shop has left.",
    ),
    "buy": Demo(
        BOTS / "deliveries.toml",
        "Dora's van",
        "This is a demo: Ann's van, Ben's bikes and Cleo's cart are programs, you are Dora's van. "
        "Answer as you like. If you want a suggestion: a delivery to or from the market costs you "
        "40.00, one to the school 30.00, one from the dairy 35.00, and 8.00 less in all if you "
        "drive to the market and back.",
        "A purchase is running: a farm buys its deliveries from three bots and you.",
        desk="buyer",
        has_values=False,
    ),
    "exchange": Demo(
        BOTS / "allotments.toml",
        "Dora",
        "This is a demo: Ann, Ben and Cleo are programs, you are Dora. Answer as you like. If you "
        "want a suggestion: a tomato plant is worth 2.00 to you, a bean plant 3.50, a rose 4.00.",
        "An exchange is running: three bots and you exchange plants before the season.",
    ),
}


def run_demo(url: str, host: str, port: int, kind: str = "sell") -> None:
    """A whole auction with three bots and one person, in a folder that is thrown away."""
    check_choice((*DEMOS, "courses"), kind=kind)
    if kind == "courses":
        run_courses(url, host, port)
        return
    demo = DEMOS[kind]
    with tempfile.TemporaryDirectory(prefix="boca-demo-") as folder:
        server = RunningServer(Path(folder) / "data", url, host, port)
        with server.listen() as listener, ending_with_threads() as ended, server.desk() as desk:
            service = ended.ends(server.uvicorn(desk))
            thread = threading.Thread(target=service.run, args=([listener],), name="http")
            thread.start()
            bots = None
            try:
                auctioneer = auctioneer_token(desk)
                local = f"http://{host}:{port}"
                link, tokens = set_up(Clerk(Client(local, auctioneer)), demo)
                tokens["auctioneer"] = auctioneer
                bots = start_bots(local, tokens, Path(folder), demo)
                desk_link = desk.people.first_link(person=demo.desk).result()
                show(link, f"{server.url}/enter/{desk_link.token}", demo)
                wait_for_end(thread)
            finally:
                if bots is not None:
                    bots.terminate()
                    bots.wait()
                service.should_exit = True
                thread.join()


# Minutes that the demo of courses takes answers.
COURSE_MINUTES = 10


def run_courses(url: str, host: str, port: int) -> None:
    """Courses for nine simulated students and one person, who may be the registrar as well."""
    with tempfile.TemporaryDirectory(prefix="boca-demo-") as folder:
        server = RunningServer(Path(folder) / "data", url, host, port)
        with server.listen() as listener, ending_with_threads() as ended, server.desk() as desk:
            service = ended.ends(server.uvicorn(desk))
            thread = threading.Thread(target=service.run, args=([listener],), name="http")
            thread.start()
            try:
                for line in set_up_courses(desk, url):
                    typer.echo(line)
                wait_for_end(thread)
            finally:
                service.should_exit = True
                thread.join()


def set_up_courses(desk: Desk, url: str) -> list[str]:
    """Makes and starts the allocation; what the person is told."""
    registrar = desk.people.enter(desk.people.first_link(person="demo").result().token).result().who
    files = {path.name: path.read_bytes() for path in (BOTS / "term").iterdir()}
    market = course_setup(read_course_files(files, "Demo term"))
    rules = CourseRules.of(COURSE_MINUTES)
    auction = desk.create_courses(registrar, market, rules, is_rehearsal=True).result().auction
    desk.command(registrar, auction, Start("demo", True)).result()
    desk.simulate_students(registrar, auction, people={0}).result()
    link = desk.invite(registrar, auction, 0, market.bidders[0].name).result()
    office = desk.people.first_link(person="registrar").result()
    return [
        "Courses are being shared out: nine simulated students have rated them, you are Dora.",
        f"Your link as a student, works once: {url}/enter/{link.token}",
        f"Your link as the registrar, in another browser: {url}/enter/{office.token}",
        f"Answers are taken for {COURSE_MINUTES} minutes, or until the registrar ends them; then "
        "share out the seats and publish.",
        "Ctrl-C ends the demo; nothing of it is kept.",
    ]


def auctioneer_token(desk: Desk) -> str:
    """A token of the auctioneer, made with access to the data."""
    link = desk.people.first_link(person="demo").result()
    entered = desk.people.enter(link.token).result()
    return desk.people.api_token(entered.who).result().token


def set_up(clerk: Clerk, demo: Demo = DEMOS["sell"]) -> tuple[str, dict[str, Any]]:
    """Creates and starts the demo's auction; the person's link, and the bots' tokens."""
    auction = clerk.create(demo.market.read_text(encoding="utf-8"), is_rehearsal=True)
    others = [name for name in clerk.bidders(auction) if name != demo.you]
    tokens = {name: clerk.token(auction, name) for name in others}
    link = clerk.link(auction, demo.you, "Dora")
    clerk.do(auction, "announce", {"text": demo.words})
    clerk.do(auction, "start", {"accept_missing": True})
    return link, {"auction": auction, "tokens": tokens}


def start_bots(
    url: str, tokens: dict[str, Any], folder: Path, demo: Demo = DEMOS["sell"]
) -> "subprocess.Popen[bytes]":
    """The bots, and a clerk who closes and publishes, as a program of their own."""
    path = folder / "tokens.json"
    path.write_text(json.dumps(tokens), encoding="utf-8")
    command = [sys.executable, "-m", "boca", "bots"]
    command += [str(demo.market)] if demo.has_values else []
    return subprocess.Popen(
        [*command, "--url", url, "--token-file", str(path), "--think", "1-5"],
        stdout=subprocess.DEVNULL,
    )


def show(link: str, desk_link: str, demo: Demo = DEMOS["sell"]) -> None:
    """Tells the person where to go."""
    typer.echo(demo.lead)
    typer.echo(f"Your link as {demo.you}, works once: {link}")
    typer.echo(f"The {demo.desk}'s link, for another browser or a private window: {desk_link}")
    typer.echo("Ctrl-C ends the demo; nothing of it is kept.")


def wait_for_end(thread: threading.Thread) -> None:
    """Until Ctrl-C, SIGTERM or the end of the server."""
    told = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: told.set())
    try:
        while thread.is_alive() and not told.is_set():
            time.sleep(0.2)
    except KeyboardInterrupt:
        pass
