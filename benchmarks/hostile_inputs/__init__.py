"""Inputs that nobody should send, and what the command line makes of them."""
