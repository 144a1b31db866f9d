"""Slow work in child processes: plan a round, decide the outcome, look at new rules."""
