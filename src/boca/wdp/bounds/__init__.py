"""Upper bounds on welfare: prices, columns, and one bidder's best bundle at prices."""
