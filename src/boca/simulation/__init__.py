"""Auctions with simulated bidders: where truth and mechanism meet."""
