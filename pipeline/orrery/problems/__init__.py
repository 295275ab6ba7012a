"""Distinct problems: quotas, draws, keys, what is accepted, and the rows of solutions."""
