"""TODO corpus."""
