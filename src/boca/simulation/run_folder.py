"""The folder that one run leaves behind."""

import csv
import io
import json
import shutil
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import tomli_w

from boca.core.errors import InputError
from boca.core.files import write_atomically
from boca.domains import load_domain
from boca.domains.domain import Domain
from boca.mechanism import AuctionParams, AuctionState, Callback, RoundRecord
from boca.simulation.observer import PathEntry
from boca.simulation.provenance import machine, versions
from boca.simulation.simulate import Simulation


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
    """

    domain: str
    seed: int
    generic: bool = False
    published_start: bool = False
    stop_when_efficient: bool = False

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

    def write_params(self, setup: RunSetup, params: AuctionParams) -> None:
        """Writes what was asked for, and with which versions."""
        content = {
            "run": asdict(setup),
            "auction": without_none(params.to_dict()),
            "versions": versions(),
        }
        write_atomically(self.params_file, tomli_w.dumps(content))

    def read_setup(self) -> RunSetup:
        """Reads what :meth:`write_params` wrote about the run."""
        try:
            content = tomllib.loads(self.params_file.read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise InputError(
                f"There is no run to resume in {self.path}: {self.params_file.name} is missing."
            ) from None
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            raise InputError(f"Cannot read {self.params_file}: {error}.") from None
        run = content.get("run", {})
        known = {field.name for field in fields(RunSetup)}
        if not isinstance(run, dict) or not {"domain", "seed"} <= run.keys() <= known:
            raise InputError(f"{self.params_file} has no table [run] with domain and seed.")
        return RunSetup(**run)

    def read_state(self) -> AuctionState:
        """Reads the last saved state."""
        return AuctionState.load(self.state_file)

    def write_rounds(self, history: Sequence[RoundRecord], path: Sequence[PathEntry]) -> None:
        """Writes one row per finished round."""
        losses = {entry.round: entry.efficiency_loss for entry in path}
        rows = [record.row() | {"efficiency_loss": losses.get(record.round)} for record in history]
        text = io.StringIO()
        if rows:
            writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
        write_atomically(self.rounds_file, text.getvalue())

    def write_result(self, setup: RunSetup, simulation: Simulation) -> dict[str, Any]:
        """Writes and returns everything about the finished run."""
        result = {
            "run": asdict(setup),
            "auction": simulation.state.params.to_dict(),
            **simulation.to_dict(),
            "versions": versions(),
            "machine": machine(),
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


def without_none(values: Any) -> Any:
    """Nested mappings and lists without None entries, which TOML cannot hold."""
    if isinstance(values, Mapping):
        return {key: without_none(value) for key, value in values.items() if value is not None}
    if isinstance(values, list | tuple):
        return [without_none(value) for value in values]
    return values
