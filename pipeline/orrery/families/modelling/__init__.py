"""Texts to PDDL actions and domains: tolerant reading, exact comparison, and what a wrong answer lacks."""
