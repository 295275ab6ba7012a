"""Readers of the English that Orrery writes: a grammar made from the wordings of the templates."""
