"""Equivalence of problems of a domain: problem graphs, goal closures, canonical keys."""
