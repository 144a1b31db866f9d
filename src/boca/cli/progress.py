"""The live table of an auction: one line per round, and what is being done meanwhile."""

import sys
from typing import Any

from rich.console import Console

from boca.core.machine import num_processors
from boca.core.wording import counted
from boca.lab.simulation.observer import Observer
from boca.mechanism import AuctionState, Callback, RoundRecord
from boca.surrogates.hyperparameters import MANY_BIDDERS

# Seconds of one processor for the networks of one bidder: docs/learning.md has 0.6 to 1.2 for
# published networks; defaults are of that size.
SECONDS_PER_TRAINING = 1.2

COLUMNS = (
    ("round", 5),
    ("phase", 11),
    ("queries", 7),
    ("welfare", 11),
    ("loss %", 7),
    ("gap %", 6),
    ("missing %", 9),
    ("learn s", 7),
    ("solve s", 7),
)


# What follows the answers of a bidder that cannot all be true.
OFF_BY_NO_MORE = "What can be missing is claimed only if no answer is off by more."


def is_long(state: AuctionState) -> bool:
    """Whether a round takes so long that people want a word where there is no terminal."""
    return state.market.num_bidders > MANY_BIDDERS


def estimate(state: AuctionState) -> str:
    """How long learning will take, from the last round's, or from what a training takes usually."""
    last = state.history[-1].planning.learning_seconds if state.history else 0.0
    surrogate = state.present_phase.surrogate
    if not last and surrogate is not None and surrogate.name == "mvnn":
        shares = [surrogate.params[bidder.type].steps_fraction for bidder in state.market.bidders]
        last = SECONDS_PER_TRAINING * sum(shares) / num_processors()
    return f", about {last:.0f} s" if last >= 10 else ""


class ProgressTable(Callback):
    """
    Prints a line when a round is complete; a spinner tells what goes on in between.

    Parameters
    ----------
    console
        Where to.
    """

    def __init__(self, console: Console):
        self._console = console
        self._observer: Observer | None = None
        self._status = console.status("")
        self._header_printed = False
        self._named: set[int] = set()

    def watch(self, observer: Observer) -> None:
        """From now on the table shows the loss that an observer sees; only in simulation."""
        self._observer = observer

    def header(self) -> None:
        """Prints the names of the columns."""
        cells = " ".join(f"{name:>{width}}" for name, width in COLUMNS)
        self._console.print(f"[bold]{cells}[/]")
        self._header_printed = True

    def on_learning(self, state: AuctionState) -> None:
        most = max(len(reports) for reports in state.reports)
        about = counted(state.market.num_bidders, "bidder")
        text = f"round {state.round}: learning about {about} from {most} reports each"
        self._show(f"{text}{estimate(state)} ...", is_long=is_long(state))

    def on_solving(self, state: AuctionState) -> None:
        text = f"round {state.round}: looking for the best queries ..."
        self._show(text, is_long=is_long(state))

    def on_asked(self, state: AuctionState, questions: Any) -> None:
        self._show(f"round {state.round}: {len(questions)} questions are out ...")

    def on_round(self, state: AuctionState, record: RoundRecord) -> None:
        if not self._header_printed:
            self.header()
        self._console.print(" ".join(self._cells(record)))
        if any(map(len, state.demands)):  # else nothing is claimed
            for found in state.contradictions:
                if found.bidder not in self._named:
                    self._named.add(found.bidder)
                    text = f"{found.text(state.market)} {OFF_BY_NO_MORE}"
                    self._console.print(text, markup=False, soft_wrap=True)

    def on_stopped(self, state: AuctionState, reason: str) -> None:
        self._status.stop()
        self._console.print(f"[dim]stopped: {reason}[/]")

    def close(self) -> None:
        """Ends the spinner, whatever happened."""
        self._status.stop()

    def _show(self, text: str, is_long: bool = False) -> None:
        if self._console.is_terminal:
            self._status.update(text)
            self._status.start()
        elif is_long and not self._console.quiet:
            # Who has sent the table elsewhere still waits, and wants to know what for.
            print(text, file=sys.stderr, flush=True)

    def _cells(self, record: RoundRecord) -> list[str]:
        loss = None
        if self._observer is not None:
            loss = next(
                (e.efficiency_loss for e in self._observer.path if e.round == record.round), None
            )
        texts = (
            f"{record.round}",
            record.phase[:11],
            f"{record.num_queries}",
            six_digits(record.welfare),
            "-" if loss is None else f"{100 * loss:.3f}",
            "-" if record.gap is None else f"{100 * record.gap:.2f}",
            "-" if record.missing is None else f"{100 * record.missing:.2f}",
            f"{record.planning.learning_seconds:.1f}",
            f"{record.planning.solving_seconds:.1f}",
        )
        return [f"{text:>{width}}" for text, (_, width) in zip(texts, COLUMNS, strict=True)]


def six_digits(number: float) -> str:
    """A number in six digits: as many with a power of ten, so that digits stand in columns."""
    return f"{number:,.6g}" if number == 0 or 1e-4 <= abs(number) < 999_999.5 else f"{number:.5e}"
