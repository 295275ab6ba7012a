"""Worlds: planning problems that one acts in, with exact costs to go."""
