"""What was decided: bids, the best allocation of them, and what winners pay."""
