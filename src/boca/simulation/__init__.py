"""Auctions with simulated bidders: where truth and mechanism meet."""

from boca.simulation.simulate import Simulation, simulate

__all__ = ["Simulation", "simulate"]
