"""``boca auction``: an auction with people, driven by hand through files."""

import json
from functools import partial
from pathlib import Path
from typing import Any

import typer

from boca.cli.console_tables import as_json, console, table
from boca.cli.mechanism_options import check_options_matter, check_sheet_suffices
from boca.cli.outcome_table import outcome_table
from boca.cli.progress import OFF_BY_NO_MORE, estimate, is_long
from boca.core.bundle import format_bundle
from boca.core.errors import InputError
from boca.core.files import write_atomically
from boca.core.query import Query
from boca.core.wording import amount, counted
from boca.markets import load_market
from boca.markets.answer_sheet import question_sheet, read_answers
from boca.mechanism import Auction, AuctionState, Callback, auction_params

app = typer.Typer(
    help="Run an auction with people, by hand: questions and answers are files.",
    no_args_is_help=True,
)

# Where the outcome of a closed auction is kept, in its folder.
OUTCOME = "outcome.json"

FOLDER = typer.Argument(..., help="Folder of the auction.")


def register(root: typer.Typer) -> None:
    """Adds the command to the command line."""
    root.add_typer(app, name="auction")


@app.command()
def start(
    context: typer.Context,
    market: Path = typer.Argument(..., help="Market file (.toml); values are not needed."),
    folder: Path = FOLDER,
    mechanism: str = typer.Option("boca", help="Mechanism that asks for values, such as boca."),
    initial: int = typer.Option(10, help="First questions per bidder."),
    per_round: int = typer.Option(3, help="Questions per bidder and round."),
    budget: int = typer.Option(25, help="Questions per bidder in total."),
    payments: str | None = typer.Option(
        None,
        help="Payment rule: vcg (if not given), core or none; of an exchange threshold (if not "
        "given), proportional, small, vcg or none.",
    ),
    seed: int = typer.Option(0, help="Seed of the auction's random choices."),
    ranges: bool = typer.Option(
        False,
        "--ranges",
        help="Keep a tenth of the questions for narrowing ranges that bidders answer with.",
    ),
) -> None:
    """Begin an auction and write its first questions."""
    if _state_file(folder).exists():
        raise InputError(
            f"There is an auction in {folder} already, and it is not overwritten. Go on with: "
            f"boca auction ask {folder}; or choose another folder."
        )
    # The rules of live auctions are for servers; here the options count.
    file = load_market(market, extra_tables=("auction",))
    goods = file.market
    chosen: dict[str, Any] = {} if payments is None else {"payment_rule": payments}
    params = auction_params(
        mechanism,
        goods,
        num_initial=initial,
        num_per_round=per_round,
        num_total=budget,
        reserve=tuple(file.reserve.tolist()),
        seed=seed,
        ranges=ranges,
        **chosen,
    )
    check_sheet_suffices(params, goods)
    check_options_matter(context, mechanism, partial(auction_params, mechanism, goods))
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"Cannot make the folder {folder}: {error.strerror}.") from None
    _ask(folder, Auction.start(goods, params))


@app.command()
def ask(
    folder: Path = FOLDER,
    give_up: bool = typer.Option(
        False, "--give-up", help="Decline all open questions and plan the next round."
    ),
) -> None:
    """Write the open questions; once all are answered, work out the next ones."""
    auction = _load(folder)
    if give_up:
        auction.decline_open()
    _ask(folder, auction)


@app.command()
def answer(
    folder: Path = FOLDER,
    sheet: Path = typer.Argument(..., help="Filled-in questions (.csv with , or ;, or .xlsx)."),
    push: bool = typer.Option(
        False, "--push", help="Also take values of bundles that nobody asked about."
    ),
) -> None:
    """Take the answers of a sheet: all of them, or none if one is wrong."""
    auction = _load(folder)
    _check_values_only(folder, auction.state)
    market = auction.state.market
    answers = read_answers(sheet, market)
    open_keys = {q.key for q in auction.state.pending if isinstance(q, Query)}
    goods = [good.name for good in market.goods]
    for entry in answers:
        query = entry.bidder, entry.bundle.tobytes()
        known = entry.bundle in auction.state.reports[entry.bidder]
        if query not in open_keys and not known and not push:
            name = market.bidders[entry.bidder].name
            raise InputError(
                f"{sheet}: nothing was taken. Nobody asked {name} about "
                f"{format_bundle(entry.bundle, goods)}; correct the row, or add --push to take it."
            )
        if entry.value is None:
            auction.decline(entry.bidder, entry.bundle)
        else:
            auction.tell(entry.bidder, entry.bundle, entry.value)
    auction.save(_state_file(folder))
    console().print(
        f"{counted(len(answers), 'answer')} taken; "
        f"{counted(len(auction.state.pending), 'question', 'is')} open."
    )
    if auction.state.pending:
        _write_questions(folder, auction)
    else:
        console().print(f"Next: boca auction ask {folder}")


@app.command()
def status(folder: Path = FOLDER) -> None:
    """Show where an auction stands: who has answered, and welfare round by round."""
    state = _load(folder).state
    out = console()
    rows = table(state.market.name, ("bidder", "asked", "reported", "declined", "open"))
    for i, bidder in enumerate(state.market.bidders):
        num_open = sum(question.bidder == i for question in state.pending)
        cells = (state.num_asked[i], len(state.reports[i]), len(state.declined[i]), num_open)
        rows.add_row(bidder.name, *map(str, cells))
    out.print(rows)
    for record in state.history:
        out.print(
            f"round {record.round} ({record.phase}): reported welfare {amount(record.welfare)}"
        )
    if state.closed and (folder / OUTCOME).exists():
        outcome = json.loads((folder / OUTCOME).read_text())
        out.print(
            f"outcome: reported welfare {amount(outcome['welfare'])}, "
            f"revenue {amount(outcome['revenue'])}"
        )
    for found in state.contradictions:
        out.print(f"{found.text(state.market)} {OFF_BY_NO_MORE}", soft_wrap=True)
    out.print(_phase_in_words(state))


@app.command()
def close(
    folder: Path = FOLDER,
    early: bool = typer.Option(False, "--early", help="Close although questions are left."),
    verify: bool = typer.Option(
        False, "--verify", help="Let a second solver (extra 'scip') find the same welfare."
    ),
    as_text: bool = typer.Option(False, "--json", help="Print JSON with all digits, not a table."),
    out_file: Path | None = typer.Option(
        None, "--out", help="File for the outcome; outcome.json in the folder if left out."
    ),
) -> None:
    """End an auction: who gets what, and at which price; written to a file, too."""
    auction = _load(folder)
    target = folder / OUTCOME if out_file is None else out_file
    if not target.parent.is_dir():
        raise InputError(f"There is no folder '{target.parent}'; create it first.")
    if not (auction.state.stopped or auction.state.closed or early):
        raise InputError(
            f"The auction in {folder} is not over: {_phase_in_words(auction.state)} "
            "Close it all the same with --early."
        )
    outcome = auction.close(verify)
    text = as_json(outcome.to_dict())
    write_atomically(target, text + "\n")
    if target != folder / OUTCOME:
        write_atomically(folder / OUTCOME, text + "\n")
    auction.save(_state_file(folder))
    if as_text:
        print(text)
        return
    out = console()
    out.print(outcome_table(outcome))
    out.print(f"reported welfare {amount(outcome.welfare)}, revenue {amount(outcome.revenue)}")
    out.print(f"The outcome is in {target}.", soft_wrap=True)


def _state_file(folder: Path) -> Path:
    return folder / "state.json"


class PlainProgress(Callback):
    """One line on standard error for each part of planning that takes long."""

    def on_learning(self, state: AuctionState) -> None:
        if is_long(state):
            about = counted(state.market.num_bidders, "bidder")
            typer.echo(f"learning about {about}{estimate(state)} ...", err=True)

    def on_solving(self, state: AuctionState) -> None:
        if is_long(state):
            typer.echo("looking for the best questions ...", err=True)


def _load(folder: Path) -> Auction:
    if not _state_file(folder).exists():
        raise InputError(
            f"There is no auction in {folder}. Begin one with: "
            f"boca auction start MARKET.toml {folder}"
        )
    return Auction.load(_state_file(folder), (PlainProgress(),))


def _ask(folder: Path, auction: Auction) -> None:
    """Works out what is open, and writes it for people."""
    questions = auction.ask()
    auction.save(_state_file(folder))
    if questions:
        _write_questions(folder, auction)
    else:
        console().print(f"Nothing more is asked: {auction.state.stopped}.")
        console().print(f"Next: boca auction close {folder}")


def _write_questions(folder: Path, auction: Auction) -> None:
    _check_values_only(folder, auction.state)
    queries = [query for query in auction.state.pending if isinstance(query, Query)]
    path = folder / "questions.csv"
    write_atomically(path, question_sheet(auction.state.market, queries))
    out = console()
    out.print(
        f"{len(queries)} questions in {path}: fill in the column 'value' (a number, or a range "
        "such as 12-14), then"
    )
    if any(query.reason.source == "narrow" for query in queries):
        out.print("These were answered with ranges, and may decide something: give a number now.")
    out.print(f"  boca auction answer {folder} {path}")


def _check_values_only(folder: Path, state: AuctionState) -> None:
    """Refuses to go on with questions that no sheet can answer."""
    if not all(isinstance(question, Query) for question in state.pending):
        raise InputError(
            f"The auction in {folder} ({state.params.mechanism}) asks what bidders want at prices; "
            "a sheet of answers has room for values only. Begin another one with a mechanism that "
            f"asks for values, such as boca; this one ends with: boca auction close {folder} "
            "--early"
        )


def _phase_in_words(state: AuctionState) -> str:
    if state.closed:
        return "The auction is closed."
    if state.stopped:
        return f"Nothing more is asked: {state.stopped}. Next: close."
    if state.pending:
        return f"{len(state.pending)} questions are open."
    return "All questions are answered. Next: ask."
