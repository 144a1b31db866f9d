"""Live auctions with people: pure functions, the log on disk, child processes, pages."""
