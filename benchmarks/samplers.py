"""
How good each sampler of ``boca tune`` is after the same number of trials.

``python benchmarks/samplers.py formula`` searches LSVM's ranges for the smallest value of random
formulas, which cost nothing: everything is as in a real search but for the trainings.
``python benchmarks/samplers.py studies NAME=JOURNAL ...`` reads real searches that ``boca tune``
has left behind, also unfinished ones.
"""

import argparse
from collections.abc import Sequence
from typing import Any

import numpy as np
import optuna

from boca.core.randomness import Seeds
from boca.lab.studies.tuning.choosing import SAMPLERS, distributions
from boca.lab.studies.tuning.choosing.unit_cube import UnitCube
from boca.lab.studies.tuning.measuring import Measurement
from boca.lab.studies.tuning.scores import best_of, score_trials
from boca.lab.studies.tuning.search import open_search, run_trials, suggested_params
from boca.lab.studies.tuning.setup import TuningSetup
from boca.lab.studies.tuning.storage import open_storage
from boca.lab.studies.tuning.trials import DONE
from boca.surrogates.ranges import Choice, Space, usual_space

AT = (15, 20, 30, 40, 60)  # trials after which searches are compared
NOISE = 0.1  # of one instance, as a share of the value, as in LSVM
BEST = 1.0  # smallest value of every formula


class Formula:
    """
    A number for every point of a space, at least ``BEST``.

    The logarithm is a bowl around a random point, steep along few axes and flat along most, plus a
    random constant for each choice, plus a few products of two axes. Diverged trainings are not
    smooth either: it is at most three.

    Parameters
    ----------
    space
        The ranges.
    seed
        Which formula.
    """

    def __init__(self, space: Space, seed: int):
        rng = Seeds(seed).child("formula").generator()
        num = len(space.dimensions)
        self._cube = UnitCube(distributions(space))
        self._space = space
        self._centre = rng.uniform(0.1, 0.9, num)
        steepness = rng.exponential(1, num) ** 3
        self._steepness = 12 * steepness / steepness.sum()
        self._extra = [
            rng.exponential(0.15, len(dimension.values)) * (rng.random() < 0.7)
            if isinstance(dimension, Choice)
            else None
            for dimension in space.dimensions.values()
        ]
        self._products = [
            (rng.integers(num), rng.integers(num), rng.normal(0, 0.5)) for _ in range(6)
        ]

    def __call__(self, point: dict[str, Any]) -> float:
        """The number at a point."""
        row = self._cube.row_of(point)
        away = row - self._centre
        total = abs(sum(weight * away[i] * away[j] for i, j, weight in self._products))
        for place, steepness, one, extra in zip(
            row, self._steepness, away, self._extra, strict=True
        ):
            total += steepness * one**2 if extra is None else extra[int(place * len(extra))]
        least = sum(extra.min() for extra in self._extra if extra is not None)
        return float(BEST * np.exp(min(total - least, 3.0)))


class FormulaEngine:
    """
    Measures by a formula, with the noise of an instance.

    Parameters
    ----------
    formula
        The formula.
    points
        Points by parameters, which this engine is told before it measures.
    """

    num_workers = 1

    def __init__(self, formula: Formula):
        self._formula = formula
        self.points: dict[str, dict[str, Any]] = {}

    def measure(self, setup: TuningSetup, params: Any, number: int) -> Measurement:
        """The number of a point on an instance."""
        point = self.points[repr(params)]
        rng = Seeds(number).child("noise", repr(sorted(point.items()))).generator()
        value = self._formula(point) * (1 + NOISE * rng.standard_normal())
        return {"scores": dict.fromkeys(setup.targets, value), "seconds": 0.0}

    def close(self) -> None:
        """Nothing to end."""


def search_formula(sampler: str, seed: int, num_trials: int) -> list[float]:
    """True values of the points that looked best after some trials of a search."""
    space = usual_space("mvnn", None, "lsvm")
    setup = TuningSetup("lsvm", "national", space, criterion="mae", seed=seed)
    engine = FormulaEngine(formula := Formula(space, seed))
    progress = open_search(optuna.storages.InMemoryStorage(), "x", setup, num_trials, sampler, "")
    suggest = suggested_params(setup)

    def params_of(trial: optuna.Trial) -> Any:
        params = suggest(trial)
        engine.points[repr(params)] = dict(trial.params)
        return params

    run_trials(progress, params_of, engine, poll_seconds=0.01)
    trials = progress.trials.all()
    bests = [best_of(score_trials(trials[:num], "all")) for num in AT if num <= num_trials]
    return [formula(best.trial.params) / BEST for best in bests if best is not None]


def compare_formulas(num_seeds: int, num_trials: int) -> None:
    """Prints a table of means over formulas."""
    shown = [num for num in AT if num <= num_trials]
    print("| sampler | " + " | ".join(f"{num} trials" for num in shown) + " |")
    print("|---|" + "--:|" * len(shown))
    for sampler in SAMPLERS:
        rows = np.array([search_formula(sampler, seed, num_trials) for seed in range(num_seeds)])
        errors = rows.std(axis=0, ddof=1) / np.sqrt(num_seeds) if num_seeds > 1 else 0 * rows[0]
        cells = [f"{m:.2f} ± {e:.2f}" for m, e in zip(rows.mean(axis=0), errors, strict=True)]
        print(f"| `{sampler}` | " + " | ".join(cells) + " |", flush=True)


def compare_studies(journals: Sequence[str]) -> None:
    """Prints the best criterion of real searches after some trials, for each target."""
    rows = []
    for text in journals:
        name, _, path = text.partition("=")
        storage = open_storage(path)
        names = [one.study_name for one in optuna.get_all_study_summaries(storage)]
        study = optuna.load_study(study_name=min(names, key=len), storage=storage)
        setup = TuningSetup.from_dict(study.user_attrs["setup"])
        trials = [trial for trial in study.get_trials() if trial.state in DONE]
        for target in setup.targets:
            bests = [best_of(score_trials(trials[:num], target)) for num in AT]
            cells = [
                f"{best.value:.2f}" if best is not None and num <= len(trials) else ""
                for best, num in zip(bests, AT, strict=True)
            ]
            rows.append((target, name, cells))
    print("| q | sampler | " + " | ".join(f"{num} trials" for num in AT) + " |")
    print("|---|---|" + "--:|" * len(AT))
    for target, name, cells in sorted(rows, key=lambda row: row[0]):
        print(f"| {target} | {name} | " + " | ".join(cells) + " |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    kinds = parser.add_subparsers(dest="kind", required=True)
    formula = kinds.add_parser("formula")
    formula.add_argument("--seeds", type=int, default=8, help="number of formulas")
    formula.add_argument("--trials", type=int, default=60)
    studies = kinds.add_parser("studies")
    studies.add_argument("journals", nargs="+", metavar="NAME=JOURNAL")
    arguments = parser.parse_args()
    if arguments.kind == "formula":
        compare_formulas(arguments.seeds, arguments.trials)
    else:
        compare_studies(arguments.journals)


if __name__ == "__main__":
    main()
