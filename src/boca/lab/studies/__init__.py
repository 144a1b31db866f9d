"""Many runs: grids, where they are stored, and who does them."""
