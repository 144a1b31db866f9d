"""What the pages of auctioneer and auditor show, as plain values."""
