"""Domains that others wrote: sources, repairs, filters, decisions, contamination and published sets."""
