"""What evaluations found: tables of scores, their shares with intervals, and comparisons of two runs."""
