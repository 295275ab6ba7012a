"""Generate distinct problems: quotas, draws, keys, acceptance, and the rows of solutions."""
