"""Planners that announce prices and ask what bidders want."""
