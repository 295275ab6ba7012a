"""The library of ``import orrery``: fresh and stored tasks with their prompts, and the score of a reply."""
