"""
Buying under business rules
===========================

A buyer awards six freight lanes to carriers who offered packages of lanes. Each scenario is a set
of rules; what a rule costs is the difference to the cheapest award without it. The offers are the
files in ``examples/procurement``; ``boca award examples/procurement/award.toml`` makes a page of
the same.
"""

from pathlib import Path

import matplotlib.pyplot as plt

from boca.markets.offer_file import read_offers
from boca.payments import run_scenarios
from boca.payments.scenarios import Scenario

here = Path(__file__).parent if "__file__" in globals() else Path.cwd()
file = read_offers(here / "procurement" / "award.toml")
scenarios = [Scenario("cheapest")]
scenarios += [Scenario(name, rules) for name, rules in file.scenarios.items()]
results = run_scenarios(file.offers, file.market, scenarios, file.at_most, file.baseline)
for result in results:
    if result.award is None:
        rules = " and ".join(rule.title for rule in result.conflict)
        print(f"{result.scenario.name}: impossible, because of {rules}")
    else:
        print(f"{result.scenario.name}: {result.award.cost:,.0f}")

# %%
# What each set of rules costs, and who wins how many units.
awards = [(result.scenario.name, result.award) for result in results if result.award is not None]
names = [name for name, _ in awards]
left = [0.0] * len(names)
figure, axes = plt.subplots(figsize=(8, 3.5), layout="constrained")
for number, supplier in enumerate(file.market.bidders):
    units = [float(award.supplied[number].sum()) for _, award in awards]
    axes.barh(names, units, left=left, label=supplier.name)
    left = [a + b for a, b in zip(left, units, strict=True)]
for place, (_, award) in enumerate(awards):
    axes.text(left[place] + 0.1, place, f"{award.cost:,.0f} €", va="center")
axes.invert_yaxis()
axes.set(xlabel="trucks per week", xlim=(0, 13.5))
axes.legend(loc="center left", bbox_to_anchor=(1, 0.5), frameon=False)
plt.show()
