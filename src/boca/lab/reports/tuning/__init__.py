"""Pages about searches for hyperparameters."""
