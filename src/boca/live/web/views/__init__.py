"""What a page shows, as plain values made from the state of an auction."""
