"""Making problems and their texts: what is wanted of each task, draws, what is accepted, and the words."""
