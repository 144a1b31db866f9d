"""Networks that learn a bidder's mean only: the mechanisms that BOCA is compared with."""
