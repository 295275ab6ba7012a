"""Inspect finds the tasks by importing this module (entry point ``inspect_ai`` of the package)."""
