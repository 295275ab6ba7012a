"""Check that an abstract text determines its problem, up to objects that its row leaves open.

The text was generated from parameters. A second problem with the same parameters, but other random numbers
for the roles of its objects, must be equivalent. If initial state and goal refer to each other, the two
problems are compared directly. Otherwise, the second problem gives a *reply* to the text: its initial state,
goal, or both replace the abstract parts, with the names in the text and any names for the other objects.
Scoring must accept this reply: strictly, or up to an exchange of open objects.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import Any

from orrery.checks.verdicts import undecided
from orrery.equivalence.closure import Rule
from orrery.equivalence.graph import Undecided
from orrery.equivalence.keys import Keys, keys
from orrery.equivalence.verdicts import EquivalenceOutcome, compare
from orrery.model import Atom, Domain, Literal, Problem

Names = Mapping[str, str]


def equal_up_to_names(first: Any, second: Any, names: frozenset[str]) -> bool:
    """Return whether two parameters, JSON values, are equal up to the ``names`` of objects.

    Parameters may contain values drawn when a problem was generated, such as the place of each robot.
    Different values give a different text; then nothing can be concluded from the other problem.
    """
    return bool(_shape(first, names) == _shape(second, names))


def _shape(value: Any, names: frozenset[str]) -> Any:
    """Return the value with a mark in place of each name; the order of names is ignored."""
    if isinstance(value, Mapping):
        return sorted((str(_shape(key, names)), repr(_shape(inner, names))) for key, inner in value.items())
    if isinstance(value, list | tuple):
        return [_shape(inner, names) for inner in value]
    return ("name",) if value in names else value


def aligned(first: Any, second: Any, names: frozenset[str]) -> Names | None:
    """Return which name of ``first`` corresponds to each name of ``second``; None if the values differ."""
    return next(_alignments(first, second, names, {}), None)


def _alignments(first: Any, second: Any, names: frozenset[str], pairing: Names) -> Iterator[Names]:
    """Yield the renamings that make ``first`` equal to ``second`` and extend ``pairing``."""
    if isinstance(first, Mapping) and isinstance(second, Mapping):
        if len(first) == len(second):
            # Values with single names restrict the renaming most, and are compared first.
            items = sorted(first.items(), key=lambda item: isinstance(item[1], Mapping))
            yield from _items_aligned(items, dict(second), names, pairing)
    elif isinstance(first, list | tuple) and isinstance(second, list | tuple):
        if len(first) == len(second):
            yield from _all_aligned(list(zip(first, second, strict=True)), names, pairing)
    elif isinstance(first, str) and isinstance(second, str) and {first, second} <= names:
        if pairing.get(first, second) == second and (first in pairing or second not in pairing.values()):
            yield {**pairing, first: second}
    elif type(first) is type(second) and first == second:
        yield pairing


def _all_aligned(pairs: list[tuple[Any, Any]], names: frozenset[str], pairing: Names) -> Iterator[Names]:
    if not pairs:
        yield pairing
        return
    for extended in _alignments(*pairs[0], names, pairing):
        yield from _all_aligned(pairs[1:], names, extended)


def _items_aligned(
    items: list[tuple[str, Any]], images: dict[str, Any], names: frozenset[str], pairing: Names
) -> Iterator[Names]:
    if not items:
        yield pairing
        return
    (key, value), *remaining = items
    for image_key, image in images.items():
        for extended in _all_aligned([(key, image_key), (value, image)], names, pairing):
            yield from _items_aligned(
                remaining,
                {key_left: value_left for key_left, value_left in images.items() if key_left != image_key},
                names,
                extended,
            )


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
            problem = replace(problem, init=frozenset(_moved(fact, complete_names) for fact in redrawn.init))
        else:
            goal = frozenset(
                Literal(_moved(literal.atom, complete_names), literal.positive) for literal in redrawn.goal
            )
            problem = replace(problem, goal=goal)
    return problem


def _completed(domain: Domain, problem: Problem, redrawn: Problem, pairing: Names) -> Names:
    """Return the renaming extended to all objects.

    The omitted objects get names of their kind, in reverse order.
    """
    mine, theirs = _kinds(domain, redrawn), _kinds(domain, problem)
    complete = dict(pairing)
    for kind, members in mine.items():
        free = [name for name in theirs.get(kind, ()) if name not in pairing.values()]
        unpaired = [name for name in members if name not in pairing]
        complete |= dict(zip(unpaired, reversed(free), strict=False))
    return complete


def _kinds(domain: Domain, problem: Problem) -> dict[object, list[str]]:
    """Return the objects grouped by types and unary static facts, sorted."""
    unary_facts = defaultdict(list)
    for fact in sorted(problem.init):
        if fact[0] not in domain.fluents and len(fact) == 2:
            unary_facts[fact[1]].append(fact[0])
    names_by_kind: dict[object, list[str]] = defaultdict(list)
    for typed in sorted(problem.objects):
        names_by_kind[typed.types, tuple(unary_facts[typed.name])].append(typed.name)
    return names_by_kind


def _moved(atom: Atom, move: Names) -> Atom:
    return (atom[0], *(move.get(name, name) for name in atom[1:]))


def own_keys(domain: Domain, problem: Problem, row: Mapping[str, Any], rule: Rule | None) -> list[str]:
    """Return a fault if the stored keys of ``row`` are not those of ``problem`` as published."""
    try:
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
