"""What ``import orrery`` offers: fresh and stored tasks with their prompts, and the score of a reply."""
