"""Scoring of model replies: read with tolerance, solved, compared with the gold, counted."""
