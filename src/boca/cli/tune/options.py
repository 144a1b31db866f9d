"""The options of ``boca tune``, and what they mean."""

import shlex
import sys
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from boca.core.errors import InputError
from boca.core.randomness import parse_seeds
from boca.lab.domains import DOMAINS
from boca.lab.studies.tuning.setup import NUM_FINALISTS, short_name
from boca.surrogates.hyperparameters import QUANTILES

# Instances that a search does not choose by, unless others are given.
FIRST_HELD_OUT, MOST_HELD_OUT = 101, 40

REPORTS_HELP = "State of an auction (state.json): cross-validate on its reports."
VALIDATE_HELP = (
    "Seeds of further instances on which winners are compared with published or usual parameters, "
    "such as 101-140; none for no comparison. By default twice as many as --instances, at most "
    "40, from 101 on."
)
STORAGE_HELP = "Database URL, such as sqlite:///study.db; a journal in the folder by default."
SCHEDULER_HELP = "Address of a Dask scheduler, such as tcp://10.0.0.1:8786 (extra 'cluster')."


@dataclass(frozen=True)
class TuneOptions:
    """The options of the command, as typed. Checked on construction."""

    domain: Annotated[str, Argument(metavar="DOMAIN", help="Value model or market file.")]
    bidder_type: Annotated[
        str | None,
        Option("--type", help="Bidder type; every type, one after the other, if not given."),
    ] = None
    trials: Annotated[int, Option(help="Configurations in all, those done before included.")] = 60
    instances: Annotated[str, Option(help="Seeds of the instances, such as 1-20 or 3,7.")] = "1-20"
    sampler: Annotated[str, Option(help="Sampler: gp, tpe, or random (the paper).")] = "gp"
    finalists: Annotated[
        int,
        Option(
            help="Best trials per quantile that are measured again before one wins; 1 for none."
        ),
    ] = NUM_FINALISTS
    criterion: Annotated[
        str | None,
        Option(help="How configurations are judged, see above; paper for mvnn, mae for others."),
    ] = None
    q: Annotated[str, Option("--q", help="Quantiles that get a winner each, with commas.")] = (
        ",".join(map(str, QUANTILES))
    )
    surrogate: Annotated[
        str,
        Option(
            help="Networks: mvnn, joint (a shared layer), mixed (values and demands), mean-net."
        ),
    ] = "mvnn"
    ranges: Annotated[Path | None, Option(help="TOML file with other ranges.")] = None
    generic: Annotated[bool, Option("--generic", help="Count identical goods.")] = False
    train: Annotated[int | None, Option(help="Reports per bidder; as in the paper, else 50.")] = (
        None
    )
    test: Annotated[int | None, Option(help="Test bundles; as in the paper, else 1024.")] = None
    reports: Annotated[Path | None, Option(help=REPORTS_HELP)] = None
    folds: Annotated[int, Option(help="With --reports: parts of a bidder's reports.")] = 5
    validate: Annotated[str | None, Option(help=VALIDATE_HELP)] = None
    out: Annotated[Path | None, Option(help="Folder of the results; default runs/tune-NAME.")] = (
        None
    )
    storage: Annotated[str | None, Option(help=STORAGE_HELP)] = None
    study: Annotated[str | None, Option(help="Name of the study; default the market's.")] = None
    workers: Annotated[int | None, Option(help="Trials at once; one per core by default.")] = None
    scheduler: Annotated[str | None, Option(help=SCHEDULER_HELP)] = None
    seed: Annotated[int, Option(help="Seed of trainings and choices.")] = 0
    quiet: Annotated[bool, Option("--quiet", help="Print the last lines only.")] = False

    def __post_init__(self) -> None:
        for name, number in (("trials", self.trials), ("finalists", self.finalists)):
            if number < 1:
                raise InputError(f"Received --{name} {number}; expected at least 1.")
        if self.reports is not None and (self.validate is not None or self.generic):
            raise InputError(
                f"Received --{'generic' if self.validate is None else 'validate'} with --reports; "
                "nobody knows other values than the reports. Leave one of them out."
            )
        if self.scheduler is not None and self.workers is not None:
            raise InputError(
                "Received --workers with --scheduler; a cluster has the workers that were started "
                "for it. Leave out --workers."
            )
        common = set(self.held_out) & set(self.searched)
        if common:
            raise InputError(
                f"Received the instance {min(common)} in --validate and in --instances; a winner "
                "must be validated on instances that did not choose it."
            )

    @cached_property
    def searched(self) -> tuple[int, ...]:
        """Instances of the search."""
        return parse_seeds(self.instances)

    @cached_property
    def held_out(self) -> tuple[int, ...]:
        """
        Instances that winners are compared on.

        The usual ones begin behind those of the search where some would be among them.
        """
        if self.reports is not None:
            return ()
        if self.validate is not None:
            is_none = self.validate.strip().lower() == "none"
            return () if is_none else parse_seeds(self.validate)
        num = min(2 * len(self.searched), MOST_HELD_OUT)
        usual = range(FIRST_HELD_OUT, FIRST_HELD_OUT + num)
        if set(usual) & set(self.searched):
            usual = range(max(self.searched) + 1, max(self.searched) + 1 + num)
        return tuple(usual)

    @property
    def quantiles(self) -> tuple[float, ...]:
        """Numbers between commas, each once."""
        try:
            return tuple(dict.fromkeys(float(word) for word in self.q.split(",") if word.strip()))
        except ValueError:
            message = f"Received --q {self.q}; expected numbers, such as 0.75,0.9."
            raise InputError(message) from None

    @property
    def name(self) -> str:
        """A short name of the market."""
        generic = "-generic" if self.generic else ""
        known = self.domain.lower() in DOMAINS
        return f"{self.domain.lower() if known else short_name(self.domain)}{generic}"

    @property
    def folder(self) -> Path:
        """Folder of the results."""
        return self.out or Path("runs") / f"tune-{self.name}"

    @property
    def file(self) -> Path:
        """File of the winners."""
        return self.folder / "tuned.toml"

    @property
    def place(self) -> str:
        """Where studies are kept."""
        return self.storage or str(self.folder / "study.journal")

    @property
    def command(self) -> str:
        """What was typed; empty where it was not the command line."""
        return shlex.join(["boca", *sys.argv[1:]]) if sys.argv[1:2] == ["tune"] else ""
