"""Domains by other authors: sources, repairs, filters, solved problems, contamination and published sets."""
