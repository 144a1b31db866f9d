"""Award scenarios as files: CSV for spreadsheets, JSON for programs, one page for a meeting."""

import html
import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from boca.core import wording
from boca.core.files import write_atomically
from boca.core.market import Market
from boca.core.money import num_decimals
from boca.lab.reports.figures.style import BLUE, GREY, ORANGE, VERMILION, our_style
from boca.lab.reports.text_table import to_csv
from boca.payments.awarded import Award
from boca.payments.scenarios import ScenarioResult

STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 70rem; padding: 0 1rem;
  color: #1b1b1b; background: #fff; }
table { border-collapse: collapse; margin: 1rem 0; display: block; overflow-x: auto; }
th, td { padding: .3rem .8rem; border-bottom: 1px solid #ddd; text-align: left; }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; }
caption { text-align: left; font-weight: 600; padding: .3rem 0; }
img, svg { max-width: 100%; height: auto; }
.no { color: #9c2400; }
@media (prefers-color-scheme: dark) { body { color: #eee; background: #161616; }
  th, td { border-color: #444; } .no { color: #ff9f80; } svg { background: #fff; } }
"""


def money(amount: float | None) -> str:
    """An amount with its own decimals; empty where there is none."""
    return "" if amount is None else wording.money(amount, max(0, num_decimals([amount])))


def scenario_rows(results: Sequence[ScenarioResult]) -> list[dict[str, Any]]:
    """One row per scenario: what it costs, and against what."""
    rows = []
    for result in results:
        made = result.award
        row: dict[str, Any] = {"scenario": result.scenario.name}
        if made is None:
            row |= {"status": "no award", "conflict": "; ".join(r.title for r in result.conflict)}
        else:
            row |= {
                "status": "optimal" if made.is_proven else "not proven",
                "cost": made.cost,
                "savings": result.savings,
                "rule_cost": result.rule_cost,
                "suppliers": len(made.winners),
                "units_outside": int(made.outside.sum()),
                "outside_cost": made.outside_cost,
                "spend": made.spend,
            }
            if result.unpaid:
                row["no_payments"] = result.unpaid
        rows.append(row)
    keys = dict.fromkeys(key for row in rows for key in row)
    return [{key: row.get(key, "") for key in keys} for row in rows]


def award_rows(results: Sequence[ScenarioResult]) -> list[dict[str, Any]]:
    """One row per scenario, supplier and lot."""
    rows = []
    for result in results:
        if result.award is None:
            continue
        made, market = result.award, result.award.market
        for i in made.winners:
            for j in np.flatnonzero(made.supplied[i]):
                rows.append(
                    {
                        "scenario": result.scenario.name,
                        "supplier": market.bidders[i].name,
                        "lot": market.goods[j].name,
                        "units": int(made.supplied[i, j]),
                        "offer_cost": float(made.costs[i]),
                        "offer_paid": "" if made.payments is None else float(made.payments[i]),
                    }
                )
        for j in np.flatnonzero(made.outside):
            rows.append(
                {
                    "scenario": result.scenario.name,
                    "supplier": "(outside)",
                    "lot": market.goods[j].name,
                    "units": int(made.outside[j]),
                    "offer_cost": float(made.outside[j] * made.at_most[j]),
                    "offer_paid": "",
                }
            )
    return rows


def as_data(results: Sequence[ScenarioResult]) -> list[dict[str, Any]]:
    """Everything as plain values, for JSON."""
    return [
        {
            "scenario": result.scenario.name,
            "rules": [rule.title for rule in result.scenario.rules],
            "award": None if result.award is None else result.award.to_dict(),
            "savings": result.savings,
            "rule_cost": result.rule_cost,
            "neighbours": [
                {"rule": n.rule.title, "bound": n.bound, "cost": n.cost} for n in result.neighbours
            ],
            "conflict": [rule.title for rule in result.conflict],
            "no_payments": result.unpaid or None,
        }
        for result in results
    ]


def write_award(folder: Path, market: Market, results: Sequence[ScenarioResult]) -> list[Path]:
    """Writes scenarios.csv, awards.csv, award.json and page.html; their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    contents = {
        "scenarios.csv": to_csv(scenario_rows(results)),
        "awards.csv": to_csv(award_rows(results)),
        "award.json": json.dumps(as_data(results), indent=1) + "\n",
        "page.html": page(market, results),
    }
    for name, content in contents.items():
        write_atomically(folder / name, content)
    return [folder / name for name in contents]


def page(market: Market, results: Sequence[ScenarioResult]) -> str:
    """One page: the scenarios side by side, a plot, then who supplies what in each."""
    title = html.escape(f"Award scenarios: {market.name}")
    parts = [
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title>',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<style>{STYLE}</style><h1>{title}</h1>",
        f"<p>{market.num_goods} lots, {int(market.capacities.sum())} units, "
        f"{market.num_bidders} suppliers.</p>",
        _scenario_table(market, results),
        plot(results),
    ]
    parts += [_details(result) for result in results]
    return "\n".join(parts) + "\n"


def _scenario_table(market: Market, results: Sequence[ScenarioResult]) -> str:
    head = "".join(
        f'<th scope="col"{"" if k == 0 else " class=n"}>{name}</th>'
        for k, name in enumerate(
            ("scenario", "cost", "savings", "rules cost", "suppliers", "units outside", "spend")
        )
    )
    rows = []
    for result in results:
        name = f'<th scope="row">{html.escape(result.title)}</th>'
        made = result.award
        if made is None:
            reason = html.escape(conflict_in_words(market, result))
            rows.append(f'<tr>{name}<td colspan="6" class="no">{reason}</td></tr>')
            continue
        cells = (
            money(made.cost),
            money(result.savings),
            money(result.rule_cost),
            str(len(made.winners)),
            str(int(made.outside.sum())),
            "no payments" if result.unpaid else money(made.spend),
        )
        rows.append(f"<tr>{name}" + "".join(f'<td class="n">{c}</td>' for c in cells) + "</tr>")
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"


def conflict_in_words(market: Market, result: ScenarioResult) -> str:
    """Why a scenario has no award."""
    if not result.conflict:
        short = [f"'{market.goods[j].name}'" for j in result.uncovered]
        if short:
            return f"No award: all offers together do not cover {', '.join(short)}."
        return (
            "No award: every lot has enough offers, but a supplier gets at most one of its offers "
            "(one row of the sheet), and so they never cover all lots at once, even without rules. "
            "Ask for offers of several lots together, or state at-most prices."
        )
    titles = [f"'{rule.title}'" for rule in result.conflict]
    if len(titles) == 1:
        return f"No award: the offers cannot satisfy the rule {titles[0]}."
    return f"No award: the rules {', '.join(titles[:-1])} and {titles[-1]} conflict."


def plot(results: Sequence[ScenarioResult]) -> str:
    """Cost of every scenario by supplier, as SVG."""
    made = [(r.title, r.award) for r in results if r.award is not None]
    if not made:
        return ""
    market = made[0][1].market
    with our_style():
        figure = Figure(figsize=(8, 0.9 + 0.5 * len(made)), layout="constrained")
        axes = figure.subplots()
        colours = (BLUE, ORANGE, "#009E73", "#CC79A7", "#56B4E9", VERMILION)
        left = np.zeros(len(made))
        for i in range(market.num_bidders):
            costs = np.array([award.costs[i] for _, award in made])
            if costs.any():
                axes.barh(
                    range(len(made)),
                    costs,
                    left=left,
                    color=colours[i % len(colours)],
                    edgecolor="white",
                    label=market.bidders[i].name,
                )
                left += costs
        outside = np.array([award.outside_cost for _, award in made])
        if outside.any():
            axes.barh(range(len(made)), outside, left=left, color=GREY, label="outside")
        axes.set_yticks(range(len(made)), labels=[name for name, _ in made])
        axes.invert_yaxis()
        axes.set_xlabel("cost")
        axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), fontsize=9)
        buffer = io.StringIO()
        figure.savefig(buffer, format="svg", metadata={"Date": None})
    text = buffer.getvalue()
    return text[text.index("<svg") :]


def _details(result: ScenarioResult) -> str:
    name = html.escape(result.title)
    if result.award is None:
        return ""
    made = result.award
    parts = [f"<h2>{name}</h2>"]
    if result.scenario.rules:
        rules = "".join(f"<li>{html.escape(r.title)}</li>" for r in result.scenario.rules)
        parts.append(f"<ul>{rules}</ul>")
    parts.append(_who(made))
    if result.unpaid:
        parts.append(f'<p class="no">No payments. {html.escape(result.unpaid)}</p>')
    if result.neighbours:
        rows = "".join(
            f"<tr><td>{html.escape(n.rule.title)}</td><td>{html.escape(n.bound)}</td>"
            f'<td class="n">{money(n.cost) if n.cost is not None else "no award"}</td></tr>'
            for n in result.neighbours
        )
        parts.append(
            "<table><caption>What other bounds would cost</caption><thead><tr><th>rule</th>"
            f'<th>instead</th><th class="n">cost</th></tr></thead><tbody>{rows}</tbody></table>'
        )
    text = made.explain()
    if text:
        parts += [f"<p>{html.escape(line)}</p>" for line in text.splitlines()]
    return "\n".join(parts)


def _who(made: Award) -> str:
    market = made.market
    head = "".join(f'<th class="n">{html.escape(good.name)}</th>' for good in market.goods)
    rows = []
    for i in made.winners:
        units = "".join(f'<td class="n">{n or ""}</td>' for n in made.supplied[i].tolist())
        paid = "" if made.payments is None else money(float(made.payments[i]))
        rows.append(
            f'<tr><th scope="row">{html.escape(market.bidders[i].name)}</th>{units}'
            f'<td class="n">{money(float(made.costs[i]))}</td><td class="n">{paid}</td></tr>'
        )
    if made.outside.any():
        units = "".join(f'<td class="n">{n or ""}</td>' for n in made.outside.tolist())
        rows.append(
            f'<tr><th scope="row">outside</th>{units}'
            f'<td class="n">{money(made.outside_cost)}</td><td></td></tr>'
        )
    return (
        f"<table><caption>Who supplies what</caption><thead><tr><th>supplier</th>{head}"
        '<th class="n">cost</th><th class="n">paid</th></tr></thead><tbody>'
        f"{''.join(rows)}</tbody></table>"
    )
