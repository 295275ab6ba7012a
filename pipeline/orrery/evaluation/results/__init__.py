"""Results of evaluations: tables of scores, shares with intervals, and comparisons of two runs."""
