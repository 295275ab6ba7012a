"""Planners behind one vocabulary of outcomes: exhaustive search, Fast Downward, unified-planning."""
