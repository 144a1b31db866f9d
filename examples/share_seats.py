"""
Seats for students, without money
=================================

Every student has the same play money, but for a little that breaks ties. Prices are searched for at
which everybody's favourite schedule can be had at once.
"""

import matplotlib.pyplot as plt
import numpy as np

import boca
from boca.functions import AdjustedSum, Adjustment

COURSES = {"Algebra": 1, "Statistics": 2, "Ethics": 3}  # seats
RATINGS = {"Ada": [90, 40, 10], "Bilal": [80, 70, 20], "Chiara": [60, 50, 40]}

at_most_two = boca.Limit((1.0, 1.0, 1.0), 2.0, "courses")
market = boca.Market(
    tuple(boca.Good(name, seats) for name, seats in COURSES.items()),
    tuple(boca.Bidder(name, limits=(at_most_two,)) for name in RATINGS),
)
utilities = [AdjustedSum(np.array(ratings)) for ratings in RATINGS.values()]
# Chiara likes Algebra and Ethics more together.
utilities[2] = AdjustedSum(utilities[2].ratings, (Adjustment.together([0, 2], 25.0),))

seating = boca.assign_seats(market, utilities, seed=1)
for number, student in enumerate(RATINGS):
    print(f"{student}: {', '.join(seating.schedule(number))} for {seating.costs[number]:.2f}")
print("prices:", dict(zip(COURSES, seating.prices.round(2).tolist(), strict=True)))
print("clearing error:", seating.error, "- Pareto efficient:", seating.is_efficient)

# %%
# What each schedule costs, and the budgets that nobody exceeds.
figure, axes = plt.subplots(figsize=(6, 3), layout="constrained")
below = np.zeros(len(RATINGS))
for course, price in zip(COURSES, seating.prices, strict=True):
    costs = np.array([price * (course in seating.schedule(k)) for k in range(len(RATINGS))])
    axes.bar(list(RATINGS), costs, bottom=below, label=course)
    below += costs
axes.plot(list(RATINGS), seating.budgets, "k_", markersize=40, label="budget")
axes.set(ylabel="play money", title="Schedules at their prices")
axes.legend(loc="center left", bbox_to_anchor=(1, 0.5), frameon=False)
plt.show()
