"""Grading of plans, and of what is said about plans: a file in ``tasks`` for what is asked.

Rows of these groups carry the domain and the problem that a plan is judged by, so a reply is simulated here.
``pddl`` and ``simulation`` do that; ``markup``, ``tokens``, ``wordings`` and ``lines`` read what is said, as
PDDL or in words, and ``blocks`` finds the part of a reply that is meant.
"""
