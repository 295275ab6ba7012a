"""Scoring of what models write: read with tolerance, solved, compared with the gold, counted."""
