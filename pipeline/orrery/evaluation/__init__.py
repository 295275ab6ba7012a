"""Evaluate models on every table: tasks and scorers for Inspect, replies, scores and reports."""
