"""A report as a page: Markdown with figures, or LaTeX, and the CSV files that go with it."""

import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from boca.core.files import write_atomically
from boca.core.randomness import format_seeds
from boca.lab.reports.csv_rows import run_rows, summary_rows
from boca.lab.reports.figures.regret import Drawing, draw_regret_curves
from boca.lab.reports.layouts import all_tables, instance_tables, summary_tables
from boca.lab.reports.remarks import remarks
from boca.lab.reports.results import Results, collect
from boca.lab.reports.text_table import to_csv
from boca.lab.studies.packed import ENDING, is_packed, read_packed
from boca.lab.studies.store import Store


@dataclass(frozen=True)
class Section:
    """
    One experiment of a page.

    Parameters
    ----------
    name
        Name of its folder, after which files are named.
    results
        The runs of the experiment.
    """

    name: str
    results: Results

    def write_csv(self, folder: Path) -> list[Path]:
        """Writes ``NAME.csv``, one row per run, and ``NAME-summary.csv``, one row per cell."""
        folder.mkdir(parents=True, exist_ok=True)
        runs, summary = folder / f"{self.name}.csv", folder / f"{self.name}-summary.csv"
        write_atomically(runs, to_csv(run_rows(self.results)))
        write_atomically(summary, to_csv(summary_rows(self.results)))
        return [runs, summary]

    def draw(self, folder: Path, drawing: Drawing = Drawing()) -> list[Path]:
        """Draws the regret plots as ``NAME-regret``, in PNG and SVG unless told otherwise."""
        return draw_regret_curves(self.results, folder, f"{self.name}-regret", drawing)

    def coverage(self) -> list[str]:
        """Exactly which instances were run, one line per cell."""
        lines = []
        for cell in self.results.cells:
            seeds = format_seeds(sorted(cell.runs))
            label = self.results.column(cell)
            lines.append(
                f"{cell.domain} {label}: {len(cell.runs)} of {cell.num_planned}, seeds {seeds}"
            )
        return lines

    def provenance(self) -> list[str]:
        """Which versions on which machines made the runs."""
        stored = [run.stored for run in self.results.runs]
        machines = dict.fromkeys(data["machine"] for data in stored)
        versions = dict.fromkeys(
            ", ".join(f"{name} {version}" for name, version in data["versions"].items())
            for data in stored
        )
        hours = sum(data["seconds"] for data in stored) / 3600
        lines = [
            f"Machine: {'; '.join(machines)}. "
            f"One thread per run; {hours:.2f} hours of runs in all.",
            f"Versions: {'; '.join(versions)}.",
        ]
        kinds = Counter(processor_kind(data) for data in stored if data.get("processor"))
        if kinds:
            each = "; ".join(f"{kind}: {num} runs" for kind, num in kinds.items())
            lines.append(f"Kind of processor, which networks depend on: {each}.")
        flags = dict.fromkeys(str(data.get("compiler_flags", "")) for data in stored)
        if any(flags):
            lines.append(f"Compiler flags: {'; '.join(flags)}.")
        return lines


def processor_kind(stored: Mapping[str, Any]) -> str:
    """The processor of a stored run, and which of the instruction sets that matter it has."""
    sets = stored.get("compiler", {}).get("instruction_sets", [])
    return f"{stored['processor']} with {', '.join(sets) or 'unknown instruction sets'}"


def open_section(path: Path | str) -> Section:
    """The experiment in a folder, or in a packed file."""
    if is_packed(path):
        packed = read_packed(path)
        return Section(packed.name, collect(packed.results, packed.planned()))
    store = Store.open(path)
    return Section(store.path.resolve().name, collect(store.results(), store.planned()))


def report_folder(path: Path) -> Path:
    """Where figures and CSV files of an experiment go unless another place is chosen."""
    if not is_packed(path):
        return path / "report"
    return path.with_name(f"{path.name.removesuffix(ENDING)}-report")


def markdown_page(sections: list[Section], figures: dict[str, Path], folder: Path) -> str:
    """
    A page on some experiments.

    Parameters
    ----------
    sections
        The experiments.
    figures
        Path of each experiment's PNG, by its name.
    folder
        Folder of the page, from which figures are linked.
    """
    parts = ["# Results\n", "Made by `boca experiment report`; do not edit.\n"]
    for section in sections:
        parts.append(f"## {section.name}\n")
        parts.append("\n".join(f"- {line}" for line in remarks(section.results)) + "\n")
        for table in summary_tables(section.results):
            parts.append(table.to_markdown())
        link = os.path.relpath(figures[section.name], folder)
        parts.append(f"![Efficiency loss by number of queries]({Path(link).as_posix()})\n")
        parts.append("### Instances\n")
        parts.append("\n".join(f"- {line}" for line in section.coverage()) + "\n")
        for table in instance_tables(section.results):
            parts.append(table.to_markdown())
        parts.append("### Made by\n")
        parts.append("\n".join(f"- {line}" for line in section.provenance()) + "\n")
    return "\n".join(parts)


def latex_page(sections: list[Section]) -> str:
    """The tables as LaTeX."""
    parts = ["% Tables of boca experiment report; they need the package booktabs.\n"]
    for section in sections:
        parts += [table.to_latex() for table in all_tables(section.results)]
        parts.append("".join(f"% {line}\n" for line in remarks(section.results)))
    return "\n".join(parts)


def csv_page(sections: list[Section]) -> str:
    """One row for each cell of every experiment."""
    rows = [
        {"experiment": section.name, **row}
        for section in sections
        for row in summary_rows(section.results)
    ]
    return to_csv(rows)
