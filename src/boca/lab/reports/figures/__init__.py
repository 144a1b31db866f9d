"""Figures: compute the numbers elsewhere, draw them here."""
