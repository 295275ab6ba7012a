"""Distinct problems: how many of each task, draws, what is accepted; their keys, plans and proofs."""

from __future__ import annotations

from orrery.families import Family, Table
from orrery.families.problems.rows import problem_rows
from orrery.problems.schemas import GENERATED_PROBLEMS, PROBLEMS, REJECTS, SOLUTIONS

FAMILY = Family(
    tables=(Table(PROBLEMS, problem_rows, apart=("strict_key", "loose_key")),),
    intermediate=(GENERATED_PROBLEMS, REJECTS, SOLUTIONS),
)
