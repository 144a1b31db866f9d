"""Programs that take part in live auctions through the HTTP API, like anybody else."""
