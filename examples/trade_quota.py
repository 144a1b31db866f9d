"""
Exchanging what participants hold
=================================

Vessels hold fishing quota and say what other holdings would be worth to them. The best trades are
found exactly; what they gain is shared out by a payment rule. VCG payments reward honesty and
leave a hole in the till; the others balance to the last unit. The sheet is
``examples/exchange/quota.csv``; ``boca exchange`` prints the same as tables.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from boca import exchange
from boca.markets.exchange_file import read_exchange

here = Path(__file__).parent if "__file__" in globals() else Path.cwd()
file = read_exchange(here / "exchange" / "quota.csv")
names = [participant.name for participant in file.market.bidders]
trades = {
    rule: exchange(file.reports, file.market, payments=rule)
    for rule in ("threshold", "proportional", "small", "vcg")
}
for rule, result in trades.items():
    print(f"{rule:12} gain {result.gain:g}, payments add up to {result.payments.sum():g}")

# %%
# What everybody gains after paying, by rule.
figure, axes = plt.subplots(figsize=(7, 3.5), layout="constrained")
width = 0.2
for number, (rule, result) in enumerate(trades.items()):
    gains = np.array(result.gains) - result.payments
    axes.bar(np.arange(len(names)) + width * (number - 1.5), gains, width, label=rule)
axes.set_xticks(range(len(names)), names)
axes.set(ylabel="gain after payments", title="Who gains how much from the same trades")
axes.legend(frameon=False)
plt.show()
