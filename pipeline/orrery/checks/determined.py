"""Check that an abstract text determines its problem, up to objects that its row leaves open.

The text was generated from parameters. A second problem with the same parameters, but other random numbers
for the roles of its objects, must be equivalent. If initial state and goal refer to each other, the two
problems are compared directly. Otherwise, the second problem gives a *reply* to the text: its initial state,
goal, or both replace the abstract parts, with the names in the text and any names for the other objects.
Scoring must accept this reply: strictly, or up to an exchange of open objects.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

from orrery.checks.automorphisms import ObjectGraph, OutOfWork, graph_of, isomorphism, kinds, moved
from orrery.checks.verdicts import undecided
from orrery.equivalence.closure import Rule
from orrery.equivalence.graph import Undecided
from orrery.equivalence.keys import Keys, as_spelled, keys, keys_of
from orrery.equivalence.problem_equivalence import EquivalenceOutcome, compare
from orrery.model import Atom, Domain, Literal, Problem

Names = Mapping[str, str]


def aligned(first: Any, second: Any, names: frozenset[str]) -> Names | None:
    """Return which name of ``first`` corresponds to each name of ``second``; None if the values differ.

    Parameters may contain values drawn when a problem was generated, such as the place of each robot.
    Different values give a different text; then nothing can be concluded from the other problem.
    """
    structures = [_structure(value, names) for value in (first, second)]
    with suppress(OutOfWork):
        if (places := isomorphism(*map(graph_of, structures))) is not None:
            mine, theirs = (list(structure.objects) for structure in structures)
            return {mine[place]: theirs[image] for place, image in places.items()}
    return None


def _structure(value: Any, names: frozenset[str]) -> ObjectGraph:
    facts = list(_stated(value, names, "", ()))
    return ObjectGraph(dict.fromkeys((name for _, listed in facts for name in listed), "name"), facts)


def _stated(value: Any, names: frozenset[str], path: str, before: Atom) -> Iterator[tuple[str, Atom]]:
    """Yield the size or value at each path in a JSON value, and the names at and along the path."""
    if isinstance(value, Mapping):
        items: Iterable[tuple[Any, Any]] = value.items()
    elif isinstance(value, list | tuple):
        items = enumerate(value)
    else:
        yield (path, (*before, value)) if value in names else (f"{path} {value!r}", before)
        return
    yield f"{path} {len(value)}", before
    for key, inner in items:
        if key in names:
            yield from _stated(inner, names, f"{path}/", (*before, key))
        else:
            yield from _stated(inner, names, f"{path}/{key!r}", before)


def reply_of(
    domain: Domain,
    problem: Problem,
    redrawn: Problem,
    renamings: Mapping[str, Names],
    named_objects: Mapping[str, Collection[str]],
    *,
    by_init: bool = False,
) -> Problem:
    """Return the problem with parts of ``redrawn`` in place of its own, in the problem's names.

    ``renamings`` maps, for each part, the objects of ``redrawn`` to those of the problem. ``named_objects``
    has the names in the text for each part to replace. Objects in static relations keep the names of the
    initial state; other objects take any name of their kind. If ``by_init``, all objects keep the names of
    the initial state: open objects do not matter then, because names that change the goal make it
    unreachable, and no text means an unreachable goal.
    """
    linked = {
        name for fact in redrawn.init if fact[0] not in domain.fluents and len(fact) > 2 for name in fact[1:]
    }
    layout = {name: to for name, to in renamings["init"].items() if by_init or name in linked}
    for part, names in named_objects.items():
        partial_names = {name: to for name, to in renamings[part].items() if to in names}
        partial_names |= {
            name: to
            for name, to in layout.items()
            if name not in partial_names and to not in partial_names.values()
        }
        complete_names = _completed(domain, problem, redrawn, partial_names)
        if part == "init":
            problem = replace(problem, init=frozenset(moved(fact, complete_names) for fact in redrawn.init))
        else:
            goal = frozenset(
                Literal(moved(literal.atom, complete_names), literal.positive) for literal in redrawn.goal
            )
            problem = replace(problem, goal=goal)
    return problem


def _completed(domain: Domain, problem: Problem, redrawn: Problem, pairing: Names) -> Names:
    """Return the renaming extended to all objects.

    The omitted objects get names of their kind, in reverse order.
    """
    mine, theirs = kinds(domain, redrawn), kinds(domain, problem)
    complete = dict(pairing)
    for kind, members in mine.items():
        free = [name for name in theirs.get(kind, ()) if name not in pairing.values()]
        unpaired = [name for name in members if name not in pairing]
        complete |= dict(zip(unpaired, reversed(free), strict=False))
    return complete


def own_keys(
    domain: Domain, problem: Problem, row: Mapping[str, Any], rule: Rule | None, *, spelled: bool = False
) -> list[str]:
    """Return a fault if the stored keys of ``row`` are not those of ``problem`` as published.

    If ``spelled``, they are those of the goal as written, without its closure.
    """
    try:
        if spelled:
            problem_keys = keys_of(domain, problem, as_spelled(domain, problem))
        else:
            problem_keys = keys(domain, problem, rule=rule)
    except Undecided as error:
        return [undecided(f"its keys: {error}")]
    stored = Keys(row["strict_key"], row["loose_key"])
    return [] if problem_keys == stored else ["its stored keys are not its own"]


def check(
    domain: Domain,
    problem: Problem,
    redrawn: Problem,
    row: Mapping[str, Any],
    *,
    abstract_parts: Collection[str],
    open_objects: Collection[str] | None,
    rule: Rule | None,
) -> list[str]:
    """Return how ``redrawn``, another problem that fits the text, differs from the problem.

    ``abstract_parts`` are the parts with an abstract text: "init", "goal" or both. ``open_objects`` may be
    exchanged. They are None if init and goal refer to each other; if only one part is abstract then, the
    other part may differ. The stored keys of ``row`` must be those of ``problem``.
    """
    if faults := own_keys(domain, problem, row, rule):
        return faults
    stored = Keys(row["strict_key"], row["loose_key"])
    if open_objects is None and len(abstract_parts) == 1:
        return _one_part(domain, redrawn, stored, next(iter(abstract_parts)), rule)
    verdict = compare(
        domain,
        redrawn,
        problem,
        placeholder=bool(open_objects),
        open_objects=open_objects,
        rule=rule,
        gold_key=stored,
    )
    if verdict.outcome is EquivalenceOutcome.UNDECIDED:
        return [undecided(f"whether its text determines it: {verdict.reason}")]
    same = verdict.outcome is EquivalenceOutcome.EQUIVALENT
    return [] if same else [f"its abstract text also fits a problem with {verdict.reason}"]


def _one_part(domain: Domain, redrawn: Problem, stored: Keys, part: str, rule: Rule | None) -> list[str]:
    """Return how the initial state or the goal differs from that of the problem with the ``stored`` keys."""
    try:
        redrawn_keys = keys(domain, redrawn, rule=rule)
    except Undecided as error:
        return [undecided(f"whether its text determines it: {error}")]
    same = redrawn_keys.init == stored.init if part == "init" else redrawn_keys.goal == stored.goal
    return [] if same else [f"its abstract text also fits a problem with another {part}"]
