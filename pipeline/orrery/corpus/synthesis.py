"""New domains by controlled edits of given ones: drop, add, rename, compose.

For training only, never for tests.

An edit makes one named change (or renames everything), so the difference to the original is known. A planner
decides whether the new domain is solvable.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import filterfalse

from orrery.model import Action, Domain, Literal, Predicate, Problem, TypedName
from orrery.pddl.renaming import PartialNames, Tables
from orrery.pddl.write import write_atom
from orrery.planning.possible import names_twice
from orrery.planning.universe import lifted_atoms

_SYLLABLES = ("ba", "do", "fi", "gu", "ka", "lo", "mi", "nu", "pe", "ra", "so", "tu", "ve", "zi")
Task = tuple[Domain, Sequence[Problem]]


@dataclass(frozen=True)
class SynthesisedDomain:
    """An edited domain, problems of it, and a description of the edit."""

    domain: Domain
    problems: tuple[Problem, ...]
    edit: str
    what: str


def drop(task: Task, rng: random.Random) -> SynthesisedDomain | None:
    """Return the domain with one precondition or effect removed; None if no action can lose one."""
    choices = [
        (replace(action, preconditions=action.preconditions - {literal}), "precondition", literal)
        for action in task[0].actions
        for literal in sorted(action.preconditions)
        if len(action.preconditions) > 1
    ] + [
        (
            replace(action, add=action.add - {atom}, delete=action.delete - {atom}),
            "effect",
            Literal(atom, positive),
        )
        for action in task[0].actions
        for positive, atoms in ((True, action.add), (False, action.delete))
        for atom in sorted(atoms)
        if len(action.add) + len(action.delete) > 1
    ]
    return _edited(task, "drop", choices, rng)


def add(task: Task, rng: random.Random) -> SynthesisedDomain | None:
    """Return the domain with one additional precondition or delete effect over the action's parameters.

    Return None if none fits.
    """
    domain = task[0]
    choices = []
    for action in domain.actions:
        for atom in filterfalse(names_twice, lifted_atoms(domain, action)):
            literal, denied = Literal(atom), Literal(atom, False)
            if action.preconditions.isdisjoint((literal, denied)):
                changed = replace(action, preconditions=action.preconditions | {literal})
                choices.append((changed, "precondition", literal))
            if atom[0] in domain.fluents and atom not in action.add | action.delete:
                choices.append((replace(action, delete=action.delete | {atom}), "effect", denied))
    return _edited(task, "add", choices, rng)


def _edited(
    task: Task, edit: str, choices: Sequence[tuple[Action, str, Literal]], rng: random.Random
) -> SynthesisedDomain | None:
    """Return the domain with one of the ``choices``: an edited action, and the kind of edit."""
    if not choices:
        return None
    domain, problems = task
    changed, kind, literal = rng.choice(choices)
    actions = tuple(changed if action.name == changed.name else action for action in domain.actions)
    inner = write_atom(literal.atom)
    written = inner if literal.positive else f"(not {inner})"
    what = f"{changed.name}: {kind} {written} {'dropped' if edit == 'drop' else 'added'}"
    return SynthesisedDomain(replace(domain, actions=actions), tuple(problems), edit, what)


def rename(task: Task, rng: random.Random) -> SynthesisedDomain:
    """Return the domain with invented names for every type, predicate, action and constant."""
    domain, _ = task
    old = [t.name for t in domain.types] + [p.name for p in domain.predicates]
    old += [a.name for a in domain.actions] + [c.name for c in domain.constants]
    new = _invented(len(set(old)), rng, avoid=set(old))
    names = dict(zip(dict.fromkeys(old), new, strict=True))
    renamed, problems = _renamed(task, lambda word: names.get(word, word), f"{domain.name}-renamed")
    return SynthesisedDomain(renamed, tuple(problems), "rename", f"{len(names)} names invented")


def compose(first: Task, second: Task) -> SynthesisedDomain:
    """Return both domains merged under distinct names, and problems of the two joined in pairs."""
    names = first[0].name, second[0].name
    name = "-and-".join(names)
    first_domain, first_problems = _renamed(first, lambda word: f"{names[0]}-{word}", name)
    second_domain, second_problems = _renamed(second, lambda word: f"{names[1]}-{word}", name)
    domain = Domain(
        name,
        tuple(dict.fromkeys([*first_domain.requirements, *second_domain.requirements])),
        first_domain.types + second_domain.types,
        first_domain.constants + second_domain.constants,
        first_domain.predicates + second_domain.predicates,
        first_domain.actions + second_domain.actions,
        tuple(dict.fromkeys(first_domain.functions + second_domain.functions)),
    )
    joined = tuple(map(_joined, first_problems, second_problems))
    return SynthesisedDomain(domain, joined, "compose", " and ".join(names) + " in one")


def _joined(first: Problem, second: Problem) -> Problem:
    return replace(
        first,
        name=f"{first.name}-and-{second.name}",
        objects=first.objects + second.objects,
        init=first.init | second.init,
        goal=first.goal | second.goal,
        costs=frozenset(dict([*sorted(first.costs), *sorted(second.costs)]).items()),
        metric=first.metric or second.metric,
    )


def _invented(count: int, rng: random.Random, avoid: Iterable[str]) -> list[str]:
    """Return distinct invented words of three syllables."""
    used = set(avoid)
    words: list[str] = []
    while len(words) < count:
        word = "".join(rng.choice(_SYLLABLES) for _ in range(3))
        if word not in used:
            used.add(word)
            words.append(word)
    return words


def _renamed(task: Task, rename_word: Callable[[str], str], name: str) -> Task:
    """Return a domain named ``name`` and its problems with other names, except variables and functions."""
    domain, problems = task

    def renames(names: Iterable[TypedName | Predicate | Action]) -> dict[str, str]:
        return {named.name: rename_word(named.name) for named in names}

    objects = renames([*domain.constants, *(typed for problem in problems for typed in problem.objects)])
    tables = Tables(
        renames(domain.predicates), renames(domain.actions), renames(domain.types), PartialNames(objects)
    )
    return tables.domain(domain, name), [tables.problem(problem, problem.name, name) for problem in problems]


def synthesise(tasks: Mapping[str, Task], rng: random.Random) -> SynthesisedDomain | None:
    """Return one new domain by a random edit of ``tasks``; None if the edit does not apply."""
    names = sorted(tasks)
    name = rng.choice(names)
    edit = rng.choice(("drop", "add", "rename", "compose"))
    if edit == "compose":
        partners = [partner for partner in names if partner != name]
        return compose(tasks[name], tasks[rng.choice(partners)]) if partners else None
    return {"drop": drop, "add": add, "rename": rename}[edit](tasks[name], rng)
