"""Check that no problem is in two splits under any renaming of its objects.

The stored keys come from our own canonical form. Here, a fingerprint that is invariant under renaming sorts
the problems into buckets. If a bucket contains problems of several splits, graphs are built, labels are
refined until they are stable, and a general isomorphism test (VF2 of rustworkx) is applied to each pair. If
it finds no renaming within its limit of steps, a search with a limit of work decides.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations, groupby
from pathlib import Path
from typing import NamedTuple

from orrery.catalog import entry_of
from orrery.checks import automorphisms
from orrery.checks.automorphisms import fingerprint, first_colours, marked, refined
from orrery.checks.graphs import Graph, ObjectGraph, bucket, graph_of
from orrery.checks.verdict_parts import Notes
from orrery.checks.verdicts import UNDECIDED
from orrery.model import Domain, Problem
from orrery.pddl.read import read_problem

ROUNDS = 4  # rounds of refinement; the graphs decide what is equal after them
INIT, GOAL, AVOID = range(3)

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


def profile(domain: Domain, problem: Problem) -> int:
    """Return a number that renamings do not change, and that seldom is equal for other problems."""
    goal = {positive: [g.atom for g in problem.goal if g.positive == positive] for positive in (True, False)}
    facts = marked(domain, {INIT: problem.init, GOAL: goal[True], AVOID: goal[False]})
    return fingerprint(refined(first_colours(domain, problem), facts, ROUNDS), facts)


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


def leaking(root: Path, group: Sequence[PlacedText]) -> list[tuple[str, str]]:
    """Return the result of ``leaks`` for problems of one domain."""
    domain = entry_of(root, group[0].name.split("/")[0]).domain
    return leaks([(name, name.split("/")[1], read_problem(text, domain, name)) for name, text in group])


def leaks(problems: Sequence[tuple[str, str, Problem]]) -> list[tuple[str, str]]:
    """Return a message for each problem (id, split, problem) that is isomorphic to one of another split.

    A message is a pair: the problem and its fault. If the isomorphism is undecided, the fault begins with the
    word that marks undecided results.
    """
    buckets: dict[str, list[_Placed]] = defaultdict(list)
    for name, split, problem in problems:
        graph = graph_of(_structure(problem))
        buckets[bucket(graph)].append(_Placed(name, split, graph, len(problem.objects)))
    return [
        message
        for placed in buckets.values()
        for first, second in _across(placed)
        for message in _judged(first, second)
    ]


class _Placed(NamedTuple):
    """A problem in a split, with its graph; the first vertices are the objects."""

    name: str
    split: str
    graph: Graph
    objects: int


def _judged(first: _Placed, second: _Placed) -> Iterator[tuple[str, str]]:
    """Yield the message on two problems, if there is one."""
    same = automorphisms.same(first.graph, second.graph, first.objects)
    if same is None:
        yield UNDECIDED.rstrip(), f"whether {first.name} is the same problem as {second.name}"
    if same:
        yield first.name, f"is the same problem as {second.name}"


def _across(placed: list[_Placed]) -> Iterator[tuple[_Placed, _Placed]]:
    return ((a, b) for a, b in combinations(placed, 2) if a.split != b.split)


def _structure(problem: Problem) -> ObjectGraph:
    """Return objects by type, facts of the initial state, and goal literals by sign."""
    objects = {typed.name: f"object {' '.join(typed.types)}" for typed in problem.objects}
    facts = [("init", fact) for fact in problem.init]
    facts += [(f"goal {literal.positive}", literal.atom) for literal in problem.goal]
    return ObjectGraph(objects, [(f"{part} {atom[0]}", atom[1:]) for part, atom in facts])
