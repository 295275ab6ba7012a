"""Tasks and rewards in the formats of training libraries for language models."""
