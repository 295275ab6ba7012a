"""Read the English that Orrery writes with a grammar derived from the wordings of the templates."""
