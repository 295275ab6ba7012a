"""Check that no problem is in two splits under any renaming of its objects.

The stored keys come from our own canonical form. Here, a fingerprint that is invariant under renaming sorts
the problems into groups. If a group contains problems of several splits, each pair is tested for isomorphism
by colour refinement and a search with a limit of work.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, groupby
from pathlib import Path
from typing import NamedTuple

from orrery.catalog import entry_of
from orrery.checks import automorphisms
from orrery.checks.automorphisms import ObjectGraph, graph_of
from orrery.checks.inputs import split_of
from orrery.checks.verdict_parts import Notes
from orrery.checks.verdicts import undecided
from orrery.model import Problem
from orrery.pddl.read import read_problem

# Problems of one domain and profile in several splits.
SHARED = """
    WITH
        placed AS (
            SELECT name, row, key, text, split_part(row, '/', 1) AS domain, split_part(row, '/', 2) AS split
            FROM notes WHERE name IN ({names})
        ),
        shared AS (
            SELECT domain, key FROM placed GROUP BY domain, key
            HAVING min(split) <> max(split) AND bool_or(name = '{first}')
        )
    SELECT domain, key, row, coalesce(nullif(text, ''), problem_pddl)
    FROM placed JOIN shared USING (domain, key) LEFT JOIN problems ON problems.id = row
    ORDER BY domain, key, row
"""


class PlacedText(NamedTuple):
    """A problem in PDDL with the id of its row, which contains its domain and split."""

    name: str
    text: str


def profile(problem: Problem) -> int:
    """Return a number that renamings do not change, and that seldom is equal for other problems."""
    return automorphisms.profile(graph_of(_structure(problem)))


def shared(notes: Notes, names: Sequence[str], problems: Sequence[Path]) -> list[list[PlacedText]]:
    """Return groups of problems with the same profile in several splits.

    ``names`` are the names of the notes that are compared; each group has a note of the first one. The text
    of a note is a problem in PDDL; if it is empty, the problem is that of the row in ``problems`` with this
    id.
    """
    statement = SHARED.format(names=", ".join(f"'{name}'" for name in names), first=names[0])
    rows = notes.select(statement, problems=problems)
    return [
        [PlacedText(name, text) for _, _, name, text in group]
        for _, group in groupby(rows, key=lambda row: (row[0], row[1]))
    ]


def faults(root: Path, notes: Notes, names: Sequence[str], problems: Sequence[Path]) -> list[str]:
    """Return a message for each problem of ``shared`` that is isomorphic to one of another split."""
    messages = []
    for group in shared(notes, names, problems):
        domain = entry_of(root, group[0].name.split("/")[0]).domain
        placed = [(name, split_of(name), read_problem(text, domain, name)) for name, text in group]
        messages += leaks(placed)
    return messages


def leaks(problems: Sequence[tuple[str, str, Problem]]) -> list[str]:
    """Return a message for each problem (id, split, problem) that is isomorphic to one of another split."""
    placed = [(name, split, graph_of(_structure(problem))) for name, split, problem in problems]
    messages = []
    for (name, split, graph), (second, another_split, another_graph) in combinations(placed, 2):
        is_same = split != another_split and automorphisms.same(graph, another_graph)
        if is_same is None:
            messages.append(undecided(f"whether {name} is the same problem as {second}"))
        elif is_same:
            messages.append(f"{name} is the same problem as {second}")
    return messages


def _structure(problem: Problem) -> ObjectGraph:
    """Return objects by type, facts of the initial state, and goal literals by sign."""
    objects = {typed.name: f"object {' '.join(typed.types)}" for typed in problem.objects}
    facts = [("init", fact) for fact in problem.init]
    facts += [(f"goal {literal.positive}", literal.atom) for literal in problem.goal]
    return ObjectGraph(objects, [(f"{part} {atom[0]}", atom[1:]) for part, atom in facts])
