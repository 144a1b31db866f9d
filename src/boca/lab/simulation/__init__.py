"""Auctions with simulated bidders: where truth and mechanism meet."""

from boca.lab.simulation.simulated_auction import Simulation, simulate

__all__ = ["Simulation", "simulate"]
