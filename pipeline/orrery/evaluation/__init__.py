"""Models asked on every table, and scored: tasks and scorers for Inspect, and what is made of replies."""
