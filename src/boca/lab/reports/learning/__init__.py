"""Tables of what surrogates learn."""
