"""The sentences of traces; ``grading.traces.lines`` reads them back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from orrery.grading.problem import ActionEffects
from orrery.grading.row import Literal
from orrery.grading.traces.lines import listed
from orrery.model import Atom


def facts(atoms: Iterable[Atom]) -> str:
    """Return a list of facts or actions, sorted."""
    return listed((atom, True) for atom in sorted(atoms))


def needs(subject: str, literals: Sequence[Literal], unmet: Sequence[Literal] = ()) -> str:
    """Return which literals a subject needs, and that they hold, or which of them do not."""
    sentence = f"{subject} needs {listed(literals)}"
    if unmet:
        return f"{sentence}, but {listed(unmet)} {'do' if len(unmet) > 1 else 'does'} not hold."
    return f"{sentence}, which {'hold' if len(literals) > 1 else 'holds'}." if literals else f"{sentence}."


def effects(true: Iterable[Atom], false: Iterable[Atom]) -> str:
    """Return what a step changes."""
    changes = [f"{facts(atoms)} {word}" for atoms, word in ((true, "true"), (false, "false")) if atoms]
    return f"It makes {' and '.join(changes)}." if changes else "It changes nothing."


def step(number: int, atom: Atom, action: ActionEffects, state: set[Atom]) -> str:
    """Return the line of a step that is applicable in a state."""
    condition = needs(f"Step {number}: {facts([atom])}", action.needs)
    return f"{condition} {effects(action.adds - state, action.deletes & state)}"


def never(literals: Sequence[Literal]) -> str:
    """Return literals with the words that they never hold."""
    return f"{listed(literals)} never {'hold together' if len(literals) > 1 else 'holds'}"
