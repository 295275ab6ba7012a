"""Grading of plans and of answers about plans, with one file in ``tasks`` for each task.

Rows of these groups contain the domain and the problem, so a reply is simulated here. ``pddl`` and
``simulation`` do that. ``markup``, ``tokens``, ``wordings`` and ``lines`` read a reply, in PDDL or in words.
``blocks`` finds the part of a reply that is the answer.
"""
