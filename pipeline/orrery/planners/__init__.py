"""Planners behind one vocabulary of outcomes: exhaustive sweeps, Fast Downward, unified-planning."""
