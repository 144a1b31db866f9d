"""What the owner of a data folder does beside the running server: copies, checks, exports."""
