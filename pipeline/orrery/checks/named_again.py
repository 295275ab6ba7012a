"""What a generator makes again of a problem's stream, under the names that the problem was given."""

from __future__ import annotations

from orrery.checks.inputs import CheckedProblem, split_of
from orrery.language.names import renamed
from orrery.model import Generated


def named_again(checked: CheckedProblem, made: Generated) -> Generated:
    """Return what was made again with the names that are drawn for the objects of the row."""
    row, problem = checked.row, made.problem
    objects = checked.entry.name_pools.kinded(problem.objects, problem.init)
    names = checked.entry.names_of(objects, split_of(row["id"]), checked.inputs.seed, row["seed_path"])
    return renamed(made, names)
