"""Equivalence of problems of a domain: problem graphs, goal closure, canonical keys."""
