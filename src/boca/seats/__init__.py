"""Seats shared out fairly without money: schedules, prices in a play money, and what is proven."""

from boca.seats.assign import assign_seats
from boca.seats.envy import Envy, measure_envy
from boca.seats.explain import Shortfall, reason_for
from boca.seats.params import SeatParams
from boca.seats.rules import SeatRules
from boca.seats.search import SearchProgress
from boca.seats.seating import PriceList, Seating

__all__ = [
    "Envy",
    "PriceList",
    "SearchProgress",
    "SeatParams",
    "SeatRules",
    "Seating",
    "Shortfall",
    "assign_seats",
    "measure_envy",
    "reason_for",
]
