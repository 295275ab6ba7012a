"""A planning task as text for the search component of Fast Downward.

The format is "translator output", version 3, as Fast Downward documents it. Every fact becomes a
variable of two values, so the text follows from our own grounding and nothing is translated twice.
"""

from __future__ import annotations

from collections.abc import Iterable

from orrery.model import Atom
from orrery.planning.task import GroundAction, PlanningTask, bits

_TRUE, _FALSE = 0, 1
_ANY = -1


def write_sas(task: PlanningTask, *, without: int = 0) -> str:
    """Return the task as text; actions that need or add a fact of ``without`` are left out.

    Every action costs one. Actions that can never apply or change nothing are left out too. The goal
    must ask for something, and not for opposites: Fast Downward refuses either.
    """
    operators = [
        lines
        for action in task.actions
        if not (action.positive | action.add) & without and (lines := _operator(action))
    ]
    parts = [
        "begin_version\n3\nend_version\nbegin_metric\n0\nend_metric",
        str(len(task.facts)),
        *(_variable(index, fact) for index, fact in enumerate(task.facts)),
        "0\nbegin_state",
        *(str(_TRUE if task.init >> index & 1 else _FALSE) for index in range(len(task.facts))),
        "end_state\nbegin_goal",
        _section(_pairs(task.goal_positive, task.goal_negative)),
        "end_goal",
        str(len(operators)),
        *operators,
        "0\n",
    ]
    return "\n".join(parts)


def _variable(index: int, fact: Atom) -> str:
    atom = f"{fact[0]}({', '.join(fact[1:])})"
    return f"begin_variable\nvar{index}\n-1\n2\nAtom {atom}\nNegatedAtom {atom}\nend_variable"


def _operator(action: GroundAction) -> str:
    """Return an operator, or the empty string where it cannot apply or changes nothing.

    What is already as the effect would make it is a condition only.
    """
    add, delete = action.add & ~action.positive, action.delete & ~action.negative
    if action.positive & action.negative or not add | delete:
        return ""
    prevail = _pairs(action.positive & ~delete, action.negative & ~add)
    effects = [
        *(f"0 {bit} {_FALSE if action.negative >> bit & 1 else _ANY} {_TRUE}" for bit in bits(add)),
        *(f"0 {bit} {_TRUE if action.positive >> bit & 1 else _ANY} {_FALSE}" for bit in bits(delete)),
    ]
    name = " ".join(action.step)
    return f"begin_operator\n{name}\n{_section(prevail)}\n{_section(effects)}\n1\nend_operator"


def _pairs(positive: int, negative: int) -> list[str]:
    """Return lines of variable and value."""
    return [*(f"{bit} {_TRUE}" for bit in bits(positive)), *(f"{bit} {_FALSE}" for bit in bits(negative))]


def _section(lines: Iterable[str]) -> str:
    """Return lines below their number."""
    rows = list(lines)
    return "\n".join([str(len(rows)), *rows])
