"""The JSON API: what programs see of an auction, and do in it."""
