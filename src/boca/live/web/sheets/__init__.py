"""Questions as a spreadsheet that a bidder takes away, fills in and brings back."""
