"""Seats for students without money: prices of a play money, and what is proven about them."""

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
