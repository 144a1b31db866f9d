"""Exact methods for markets whose bundles can all be listed."""
