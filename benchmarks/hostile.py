"""
Hostile inputs for every command and every kind of file: each must end with a result, or with one
line that says what is wrong; without a traceback, within a minute and within a gigabyte.

    python benchmarks/hostile.py                     # 1,600 inputs: a corpus, the rest drawn
    python benchmarks/hostile.py --inputs 300 --seed 7 --only wdp
    python benchmarks/hostile.py --again FOLDER/12-wdp-bids-csv
    python benchmarks/hostile.py --only visitors     # attacks on a running server, and nothing else

Inputs are drawn by hypothesis from valid files and command lines; a seed gives the same ones.
Those that fail are saved, with what was printed, in a folder that can be given to ``--again``.
A server that has started is told to stop after some seconds. A running one is visited in the end:
spreadsheets, sign-in storms, floods and rubbish, beside a rival whose calls are timed.
"""

import argparse
import os
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before numpy: threads do not survive a fork
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("MPLBACKEND", "agg")

from hostile_inputs.case import Case, Outcome, Verdict, judge
from hostile_inputs.corpus import corpus
from hostile_inputs.live import live_corpus, make_data
from hostile_inputs.pool import Limits, prepare, run_all, warm_up
from hostile_inputs.targets import draw_cases, file_targets, option_bases, option_cases
from hostile_inputs.valid import FILES, TEMPLATES

OPTION_WEIGHT = 40


def make_templates(folder: Path) -> None:
    """Lets valid commands make the folders that hostile ones find."""
    for template in TEMPLATES:
        work = folder / "work"
        work.mkdir()
        prepare(Case("", "", (), FILES), work, folder)
        for words in (*template.before, template.words):
            code = _run_here(partial(_command, words), work)
            if code != 0:
                sys.exit(f"error: 'boca {' '.join(words)}' ended with {code}; it is valid.")
        for name in template.deleted:
            (work / template.name / name).unlink()
        shutil.move(work / template.name, folder / template.name)
        shutil.rmtree(work)
    if _run_here(partial(make_data, folder / "data"), folder) != 0:
        sys.exit("error: the data folder of a server could not be made.")


def _command(words: tuple[str, ...]) -> None:
    from boca.cli.main import main

    main(list(words))


def _run_here(work_on: Callable[[], None], work: Path) -> int:
    """The exit code of some work, in a copy of this process and a folder that stays."""
    process = os.fork()
    if process == 0:
        code = 1
        try:
            os.chdir(work)
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            work_on()
            code = 0
        except SystemExit as stop:
            code = stop.code if isinstance(stop.code, int) else 0
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


def choose_cases(templates: Path, count: int, seed: int, only: str | None) -> list[Case]:
    """
    The corpus, and drawn cases up to the number wanted.

    Parameters
    ----------
    templates
        Folder of the folders that valid commands have made.
    count
        How many in all. If the corpus has more, every n-th of it.
    seed
        Whole number that names the draw.
    only
        A sub-command, if the others are not wanted.
    """
    known = [case for case in corpus() + live_corpus() if only in (None, case.command)]
    if len(known) >= count // 2:
        known = known[:: -(-len(known) // max(count // 2, 1))]
    targets = [t for t in file_targets(templates) if only in (None, t.command)]
    bases = [base for base in option_bases() if only in (None, base[0][0])]
    weights = [target.weight for target in targets] + [OPTION_WEIGHT]
    strategies = [target.cases() for target in targets] + [option_cases(bases)]
    left = count - len(known)
    for weight, strategy in zip(weights, strategies, strict=True):
        share = -(-left * weight // sum(weights))
        known += draw_cases(strategy, share, seed)
    return known


def save(folder: Path, number: int, case: Case, outcome: Outcome, templates: Path) -> Path:
    """Keeps a failing input with what it printed."""
    place = folder / f"{number}-{case.command}-{case.kind.replace(' ', '-')}"
    shutil.rmtree(place, ignore_errors=True)
    (place / "work").mkdir(parents=True)
    prepare(case, place / "work", templates)
    (place / "words").write_bytes("\x00".join(case.words).encode(errors="surrogateescape"))
    (place / "output").write_text(outcome.output, errors="backslashreplace")
    (place / "errors").write_text(outcome.errors, errors="backslashreplace")
    return place


def run_again(place: Path) -> None:
    """Runs a saved input in this process, to see what happens."""
    words = (place / "words").read_bytes().decode(errors="surrogateescape").split("\x00")
    copy = Path(tempfile.mkdtemp()) / "work"
    shutil.copytree(place / "work", copy)
    os.chdir(copy)
    print(f"in {copy}: boca {[word[:80] for word in words]!a}")
    from boca.cli.main import main

    main(words)


@dataclass
class Tally:
    """
    What has come of the inputs so far.

    Parameters
    ----------
    verdicts
        How many inputs of a command and a kind ended how.
    slowest, largest
        The most processor seconds and bytes of memory that an input took.
    """

    verdicts: Counter[tuple[str, str, Verdict]] = field(default_factory=Counter)
    slowest: float = 0.0
    largest: int = 0

    def add(self, case: Case, outcome: Outcome, verdict: Verdict) -> None:
        """Counts one more input."""
        self.verdicts[case.command, case.kind, verdict] += 1
        self.slowest = max(self.slowest, outcome.seconds)
        self.largest = max(self.largest, outcome.peak_memory)

    @property
    def num_failures(self) -> int:
        """Inputs that ended in a way that nobody should see."""
        return sum(n for (*_, verdict), n in self.verdicts.items() if not verdict.is_acceptable)

    def print(self) -> None:
        """Shows a row for each command and kind of file, a column for each verdict."""
        columns = list(Verdict)
        print(f"\n{'command':<12}{'kind':<17}{'inputs':>7}" + "".join(f"{c:>10}" for c in columns))
        rows = sorted({(command, kind) for command, kind, _ in self.verdicts})
        for command, kind in rows:
            counts = [self.verdicts[command, kind, column] for column in columns]
            cells = "".join(f"{count or '':>10}" for count in counts)
            print(f"{command:<12}{kind:<17}{sum(counts):>7}{cells}")
        totals = [sum(self.verdicts[command, kind, c] for command, kind in rows) for c in columns]
        print(f"{'all':<29}{sum(totals):>7}" + "".join(f"{total:>10}" for total in totals))
        print(f"slowest {self.slowest:.1f} s, largest {self.largest / 1e6:.0f} MB")


def run_cases(cases: list[Case], templates: Path, options: argparse.Namespace) -> Tally:
    """Runs cases, says which fail and saves them; Ctrl-C keeps what was done."""
    tally = Tally()
    outcomes = run_all(cases, templates, Limits(seconds=options.limit), options.jobs)
    try:
        for done, (number, case, outcome) in enumerate(outcomes, start=1):
            verdict = judge(outcome)
            tally.add(case, outcome, verdict)
            if not verdict.is_acceptable:
                place = save(options.out, number, case, outcome, templates)
                last = (outcome.errors.strip().splitlines() or ["nothing printed"])[-1]
                print(f"{verdict:<10}{place}  {outcome.seconds:.1f} s  {last[:160]}", flush=True)
            if done % 100 == 0:
                print(f"{done} of {len(cases)} inputs", file=sys.stderr, flush=True)
    except KeyboardInterrupt:
        print("interrupted; the table has what was done", file=sys.stderr)
    return tally


def main() -> None:
    """Reads the command line, runs the inputs and ends with 1 if any of them failed."""
    parser = argparse.ArgumentParser(description="Hostile inputs for every command.")
    parser.add_argument("--inputs", type=int, default=1_600)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", metavar="COMMAND")
    parser.add_argument("--limit", type=float, default=60.0, help="processor seconds per input")
    parser.add_argument("--out", type=Path, default=Path("runs/hostile"), help="failing inputs")
    parser.add_argument("--seconds", type=float, default=20.0, help="of each attack on a server")
    parser.add_argument("--again", type=Path, metavar="FOLDER", help="run one saved input")
    options = parser.parse_args()
    if options.again:
        run_again(options.again)

    def visit() -> int:
        from hostile_inputs.visitors import run_visitors  # needs the server's extra

        with tempfile.TemporaryDirectory(prefix="hostile-") as name:
            return run_visitors(Path(name), options)

    if options.only == "visitors":
        sys.exit(1 if visit() else 0)
    warm_up()
    with tempfile.TemporaryDirectory(prefix="hostile-") as name:
        templates = Path(name)
        make_templates(templates)
        cases = choose_cases(templates, options.inputs, options.seed, options.only)
        tally = run_cases(cases, templates, options)
    tally.print()
    num_problems = visit() if options.only is None else 0
    sys.exit(1 if tally.num_failures or num_problems else 0)


if __name__ == "__main__":
    main()
