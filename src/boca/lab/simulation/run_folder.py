"""The folder that one run leaves behind."""

import hashlib
import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
import tomli_w

from boca.core.csv_text import csv_text
from boca.core.errors import InputError
from boca.core.files import read_toml, write_atomically
from boca.core.randomness import Seeds
from boca.lab.domains import load_domain
from boca.lab.domains.domain import Domain
from boca.lab.simulation.observer import PathEntry
from boca.lab.simulation.provenance import provenance, versions
from boca.lab.simulation.simulated_auction import Simulation
from boca.lab.simulation.strategies import Ranging, Strategy, Truthful
from boca.mechanism import AuctionParams, AuctionState, Callback, RoundRecord

# Random bundles that the fingerprint of true values looks at.
NUM_SAMPLES = 200


@dataclass(frozen=True)
class RunSetup:
    """
    Which auction a run is about: enough to start it again.

    Parameters
    ----------
    domain
        Name of a value model or path to a market file.
    seed
        Of the instance and of the auction's random choices.
    generic
        Whether identical licences are one good with a capacity.
    published_start
        Whether the first bundles are those of the published experiments.
    stop_when_efficient
        Whether an observer ends the auction at 0 % loss.
    ranges
        Width of the ranges that bidders answer with, as a share of their values; 0 for values.
    """

    domain: str
    seed: int
    generic: bool = False
    published_start: bool = False
    stop_when_efficient: bool = False
    ranges: float = 0.0

    @property
    def strategy(self) -> Strategy:
        """How bidders answer."""
        return Ranging(self.ranges, self.seed) if self.ranges else Truthful()

    def to_dict(self) -> dict[str, Any]:
        """The set-up as plain values; ranges only where there are any."""
        values = asdict(self)
        return values if self.ranges else {k: v for k, v in values.items() if k != "ranges"}

    def load(self) -> Domain:
        """The market with its true values."""
        return load_domain(self.domain, seed=self.seed, generic=self.generic)


class RunFolder:
    """
    Files of one run: ``params.toml``, ``state.json``, ``rounds.csv``, ``result.json`` and
    ``regret.png``. Nothing is overwritten unless asked for.

    Parameters
    ----------
    path
        The folder.
    """

    def __init__(self, path: Path | str):
        self.path = Path(path)

    @property
    def params_file(self) -> Path:
        return self.path / "params.toml"

    @property
    def state_file(self) -> Path:
        return self.path / "state.json"

    @property
    def rounds_file(self) -> Path:
        return self.path / "rounds.csv"

    @property
    def result_file(self) -> Path:
        return self.path / "result.json"

    @property
    def plot_file(self) -> Path:
        return self.path / "regret.png"

    def create(self, force: bool = False) -> None:
        """Makes the folder; an existing one with files in it is an error unless forced."""
        if self.path.is_file():
            raise InputError(f"The output folder {self.path} is a file; choose another name.")
        if self.path.exists() and any(self.path.iterdir()):
            if not force:
                hint = (
                    f"continue it with --resume {self.path}"
                    if self.state_file.exists() and not self.result_file.exists()
                    else "choose another with --out"
                )
                raise InputError(
                    f"The output folder {self.path} exists already and is not overwritten; "
                    f"{hint}, or overwrite it with --force."
                )
            self._clear()
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            probe = self.path / ".probe"
            probe.touch()
            probe.unlink()
        except OSError as error:
            raise InputError(
                f"Cannot write to the output folder {self.path}: {error.strerror}. "
                "Choose another with --out."
            ) from error

    def _clear(self) -> None:
        """Removes an earlier run, but only what a run writes."""
        for file in (
            self.params_file,
            self.state_file,
            self.rounds_file,
            self.result_file,
            self.plot_file,
        ):
            file.unlink(missing_ok=True)
        shutil.rmtree(self.path / "logs", ignore_errors=True)

    def write_params(self, setup: RunSetup, params: AuctionParams, domain: Domain) -> None:
        """Writes what was asked for, of which truth, and with which versions."""
        content = {
            "run": setup.to_dict(),
            "truth": {"fingerprint": truth_fingerprint(domain)},
            "auction": without_none(params.to_dict()),
            "versions": versions(),
        }
        write_atomically(self.params_file, tomli_w.dumps(content))

    def read_setup(self) -> RunSetup:
        """Reads what :meth:`write_params` wrote about the run."""
        run = self._read_params().get("run", {})
        known = {field.name for field in fields(RunSetup)}
        if not isinstance(run, dict) or not {"domain", "seed"} <= run.keys() <= known:
            raise InputError(f"{self.params_file} has no table [run] with domain and seed.")
        flags = [name for name in run if name not in ("domain", "seed", "ranges")]
        width = run.get("ranges", 0.0)
        if (
            not isinstance(run["domain"], str)
            or isinstance(run["seed"], bool)
            or not isinstance(run["seed"], int)
            or isinstance(width, bool)
            or not (isinstance(width, int | float) and 0 <= width <= 1)
            or not all(isinstance(run[name], bool) for name in flags)
        ):
            raise InputError(
                f"{self.params_file} has a table [run] that cannot be used; expected a name as "
                "domain, a whole number as seed, a share as ranges, and true or false otherwise."
            )
        return RunSetup(**run)

    def read_auction(self, domain: Domain) -> tuple[AuctionParams, AuctionState | None]:
        """
        The settings of a run and its last state; None where it ended before anything was asked.

        Raises unless the run can go on as it began: same true values, same settings.

        Parameters
        ----------
        domain
            The market with its true values, as it is now.
        """
        content = self._read_params()
        truth = content.get("truth")
        if not isinstance(truth, dict) or truth.get("fingerprint") != truth_fingerprint(domain):
            raise InputError(
                f"The true values of '{domain.name}' are not those that the run in {self.path} "
                "began with: its market file, or domain or seed in params.toml, have changed. "
                "Undo that, or start a new run."
            )
        if not self.state_file.exists():
            return AuctionParams.from_dict(content.get("auction", {})), None
        state = AuctionState.load(self.state_file)
        if content.get("auction") != json.loads(json.dumps(without_none(state.params.to_dict()))):
            raise InputError(
                f"The settings in {self.params_file} are not those that the run began with. A run "
                "goes on with its old settings; undo the edit, or start a new run."
            )
        return state.params, state

    def _read_params(self) -> dict[str, Any]:
        return read_toml(self.params_file, "file of settings")

    def write_rounds(self, history: Sequence[RoundRecord], path: Sequence[PathEntry]) -> None:
        """Writes one row per finished round."""
        losses = {entry.round: entry.efficiency_loss for entry in path}
        rows = [record.row() | {"efficiency_loss": losses.get(record.round)} for record in history]
        cells = [[row.get(name) for name in rows[0]] for row in rows]
        text = csv_text(tuple(rows[0]), cells, end="\n") if rows else ""
        write_atomically(self.rounds_file, text)

    def write_result(self, setup: RunSetup, simulation: Simulation) -> dict[str, Any]:
        """Writes and returns everything about the finished run."""
        result = {
            "run": setup.to_dict(),
            "auction": simulation.state.params.to_dict(),
            **simulation.to_dict(),
            **provenance(),
        }
        write_atomically(self.result_file, json.dumps(result, indent=1))
        return result


class Saver(Callback):
    """
    Saves the state whenever something was asked or answered in full.

    Parameters
    ----------
    folder
        Where to.
    """

    def __init__(self, folder: RunFolder):
        self.folder = folder

    def on_asked(self, state: AuctionState, questions: Any) -> None:
        state.save(self.folder.state_file)

    def on_round(self, state: AuctionState, record: RoundRecord) -> None:
        state.save(self.folder.state_file)

    def on_stopped(self, state: AuctionState, reason: str) -> None:
        state.save(self.folder.state_file)

    def on_closed(self, state: AuctionState, outcome: Any) -> None:
        state.save(self.folder.state_file)


def truth_fingerprint(domain: Domain) -> str:
    """
    A short hash of a market and of true values of many bundles, to tell two truths apart.

    Every bidder is looked at with each single copy, the full bundle and random bundles.
    """
    market = domain.market
    bundles = np.concatenate(
        [
            np.eye(market.num_goods, dtype=np.int64),
            market.full_bundle[None, :],
            Seeds(0)
            .child("truth")
            .generator()
            .integers(0, market.capacities + 1, (NUM_SAMPLES, market.num_goods)),
        ]
    )
    digest = hashlib.sha256(market.fingerprint.encode())
    for bidder in range(market.num_bidders):
        digest.update(np.asarray(domain.values(bidder, bundles), dtype=np.float64).tobytes())
    return digest.hexdigest()[:16]


def without_none(values: Any) -> Any:
    """Nested mappings and lists without None entries, which TOML cannot hold."""
    if isinstance(values, Mapping):
        return {key: without_none(value) for key, value in values.items() if value is not None}
    if isinstance(values, list | tuple):
        return [without_none(value) for value in values]
    return values
