"""Check that tables agree: rows on a problem must match its row in ``problems``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

SAME = {"PDDL_domain": "domain_pddl"}
# Each row has its own name; the task of a question is that of its state, which has its own check.
OWN = frozenset({"id"})
OF_STATE = frozenset({"num_facts", "num_actions", "num_states", "plan", "h_star"})


def check(row: Mapping[str, Any], problem: Mapping[str, Any]) -> list[str]:
    """Return the columns in which a text or question differs from the row of its problem."""
    own_columns = OWN | (OF_STATE if "state_source" in row else frozenset())
    pairs = [(name, SAME.get(name, name)) for name in sorted(row.keys() - own_columns)]
    return [
        f"{name} is not that of its problem"
        for name, problem_column in pairs
        if problem_column in problem and row[name] != problem[problem_column]
    ]
