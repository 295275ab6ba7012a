"""Fixed rules: the first, the last or the middle candidate, and the most or the least of every measure."""

from __future__ import annotations

from collections.abc import Sequence

from orrery.dataset.adversary.targets import Trial
from orrery.dataset.adversary.tried import Scores, Tried, by_number
from orrery.families.attack import PICK

FEW = 6  # candidates that may be told by their number
FORMS = ("length", "same object twice in one")  # what is known of a reply before anything is read


def fixed(trials: Sequence[Trial]) -> list[Tried]:
    """Return every fixed rule with its scores."""
    found = []
    for name in sorted({name for t in trials for each in t.target.candidates for name in each.measures}):
        numbers = [[float(each.measures.get(name, 0)) for each in t.target.candidates] for t in trials]
        less = [[-n for n in some] for some in numbers]
        compares = name not in FORMS
        found.append(Tried(f"most {name}", by_number(trials, numbers), compares=compares))
        found.append(Tried(f"least {name}", by_number(trials, less), compares=compares))
    return found + _places(trials)


def _places(trials: Sequence[Trial]) -> list[Tried]:
    """Return the rules that go by the order in which candidates are listed."""
    counts = [len(t.target.candidates) if t.target.form == PICK else 0 for t in trials]
    if not any(counts):
        return []
    found = [
        Tried("first candidate", _at(trials, [0 if n else None for n in counts])),
        Tried("last candidate", _at(trials, [n - 1 if n else None for n in counts])),
        Tried("middle candidate", _at(trials, [n // 2 if n else None for n in counts])),
    ]
    if max(counts) <= FEW:
        inner = range(1, max(counts) - 1)
        found += [
            Tried(f"candidate {p + 1}", _at(trials, [p if p < n else None for n in counts])) for p in inner
        ]
    return found


def _at(trials: Sequence[Trial], places: Sequence[int | None]) -> Scores:
    """Return the scores of the candidates at ``places``; None where there is none."""
    return [
        None if place is None else float(trial.target.candidates[place].right)
        for trial, place in zip(trials, places, strict=True)
    ]
