"""Orrery: rebuilds planning-language benchmarks with every answer proven."""

__version__ = "0.1.0"
