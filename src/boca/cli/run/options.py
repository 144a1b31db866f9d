"""The options of ``boca run``, and what they mean."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from boca.core.errors import InputError
from boca.lab.domains import DOMAINS
from boca.lab.simulation.mechanisms import get_mechanism
from boca.lab.simulation.run_folder import RunSetup
from boca.mechanism import StoppingParams
from boca.surrogates.hyperparameters import TUNED_DOMAINS

PARAMS_HELP = "TOML file with other hyperparameters: winners of boca tune, or single values."
GENERIC_HELP = (
    "Identical licences as one good with a capacity, or each by itself; the mechanism's choice if "
    "not given."
)
FIRST_HELP = (
    "First queries: independent (own random bundles for each bidder) or published; independent if "
    "not given, published for boca-2023."
)
PROOF_HELP = (
    "Proof of each winner determination: none, optimal, or a gap such as 0.005; none if not given, "
    "0.005 within 600 s for boca-2023."
)
PROVEN_HELP = (
    "Stop when the answers prove that at most this share of the optimal welfare is missing, such "
    "as 0.03; with 0, when the reports prove the allocation efficient."
)
EFFICIENT_HELP = "Stop at 0 % loss, which only an observer can see (as in published experiments)."
PAYMENTS_HELP = (
    "Payment rule: vcg, core or none; of a purchase also offered; of an exchange threshold, "
    "proportional, small, vcg or none. vcg if not given, threshold for an exchange."
)
RANGES_HELP = (
    "Bidders answer value queries with ranges of this width, such as 0.2 for a fifth of the value; "
    "the last tenth of the queries narrows those that matter."
)
OUT_HELP = (
    "Output folder; runs/NAME-SEED-MECHANISM if not given, where NAME is the value model or the "
    "market file without its ending (the folder of a file called market.toml)."
)


@dataclass(frozen=True)
class RunOptions:
    """The options of the command, as typed."""

    domain: Annotated[str, Argument(metavar="DOMAIN", help="Value model or market file.")] = ""
    seed: Annotated[int, Option(help="Seed of the instance and of the auction.")] = 10001
    mechanism: Annotated[str, Option(help="Which mechanism; see above.")] = "boca"
    q: Annotated[
        float | None,
        Option(help="Published hyperparameters for this quantile: 0.6, 0.75, 0.9 or 0.95."),
    ] = None
    params_file: Annotated[Path | None, Option("--params", help=PARAMS_HELP)] = None
    generic: Annotated[bool | None, Option("--generic/--items", help=GENERIC_HELP)] = None
    initial: Annotated[int, Option(help="Initial queries per bidder.")] = 40
    per_round: Annotated[int, Option(help="Queries per bidder and round.")] = 4
    budget: Annotated[int, Option(help="Queries per bidder in total.")] = 100
    proof: Annotated[str | None, Option(help=PROOF_HELP)] = None
    acquisition: Annotated[
        str | None, Option(help="Instead of the mechanism's: upper, mean, bounded or envelope.")
    ] = None
    payments: Annotated[str | None, Option(help=PAYMENTS_HELP)] = None
    first: Annotated[str | None, Option(help=FIRST_HELP)] = None
    patience: Annotated[
        int | None, Option(help="Stop after this many rounds without growth of welfare.")
    ] = None
    max_seconds: Annotated[float | None, Option(help="Start no round after this time.")] = None
    stop_when_proven: Annotated[float | None, Option(metavar="GAP", help=PROVEN_HELP)] = None
    ranges: Annotated[float, Option(metavar="WIDTH", help=RANGES_HELP)] = 0.0
    stop_when_efficient: Annotated[bool, Option("--stop-when-efficient", help=EFFICIENT_HELP)] = (
        False
    )
    out: Annotated[Path | None, Option(help=OUT_HELP)] = None
    resume: Annotated[Path | None, Option(help="Continue the run in this folder.")] = None
    force: Annotated[bool, Option("--force", help="Overwrite an existing output folder.")] = False
    as_json: Annotated[bool, Option("--json", help="Print the result as JSON only.")] = False
    quiet: Annotated[bool, Option("--quiet", help="Print the last lines only.")] = False

    @property
    def market(self) -> str:
        """The value model in small letters, or the market file."""
        if not self.domain:
            raise InputError(
                "Received no market; expected a value model (gsvm, lsvm, srvm, mrvm, toy, lanes, "
                "exchange-lsvm) or the path of a market file. Try: boca run lsvm --seed 10001"
            )
        return self.domain.lower() if self.domain.lower() in DOMAINS else self.domain

    @property
    def published_q(self) -> float | None:
        """The quantile of published hyperparameters; with a file, --q chooses among its winners."""
        return self.q if self.params_file is None else None

    @property
    def proof_wanted(self) -> str | float | None:
        """A word, a gap, or the mechanism's own."""
        try:
            return None if self.proof is None else float(self.proof)
        except ValueError:
            return self.proof

    @property
    def stopping(self) -> StoppingParams:
        """When the auction stops before its budget."""
        return StoppingParams(
            max_seconds=self.max_seconds,
            patience=self.patience,
            when_proven=self.stop_when_proven == 0,
            proven_gap=self.stop_when_proven or None,
        )

    def setup(self) -> RunSetup:
        """What a new run is about; refuses what could only be ignored."""
        self._check()
        generic = self.generic
        if generic is None:
            generic = get_mechanism(self.mechanism).merges_copies and self.market in DOMAINS
        preset, is_model = get_mechanism(self.mechanism), self.market in DOMAINS
        first = self.first or ("published" if preset.published_start and is_model else "")
        return RunSetup(
            self.market,
            self.seed,
            generic,
            first == "published",
            self.stop_when_efficient or preset.stop_when_efficient,
            self.ranges,
        )

    def _check(self) -> None:
        market, mechanism, first = self.market, self.mechanism, self.first
        if first not in (None, "independent", "published"):
            raise InputError(f"Received --first {first}; expected independent or published.")
        if not 0 <= self.ranges <= 1:
            raise InputError(
                f"Received --ranges {self.ranges:g}; expected a share of the values, from 0 to 1."
            )
        preset = get_mechanism(mechanism)
        if first == "published" and not preset.asks_first_queries:
            raise InputError(
                f"Received --first published for {mechanism}, which asks no first queries; "
                "leave it out."
            )
        q = self.published_q
        if q is not None and (not preset.has_quantiles or market not in TUNED_DOMAINS):
            raise InputError(
                f"Received --q {q:g} for {mechanism} on '{market}'; published quantiles exist for "
                f"boca and mvnn on {', '.join(TUNED_DOMAINS)}. Leave out --q."
            )
        if market not in DOMAINS and (self.generic or first == "published"):
            option = "--generic" if self.generic else "--first published"
            raise InputError(
                f"Received {option} for '{market}'; it exists for {', '.join(DOMAINS)}."
            )
        gap = self.stop_when_proven
        if gap is not None and not 0 <= gap < 1:
            raise InputError(
                f"Received --stop-when-proven {gap:g}; expected a share of the optimal welfare, at "
                "least 0 and below 1, such as 0.03."
            )
