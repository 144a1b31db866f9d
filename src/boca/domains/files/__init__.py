"""Markets with true values from files."""
