"""New domains by controlled edits of given ones: drop, add, rename, compose. For training, never for tests.

An edit changes one thing that can be named (or every name), so that what the new domain differs in is
known. Whether it can still be solved is for a planner to say.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

from orrery.model import EQUAL, OBJECT, Action, Atom, Domain, Literal, Predicate, Problem, TypedName

_SYLLABLES = ("ba", "do", "fi", "gu", "ka", "lo", "mi", "nu", "pe", "ra", "so", "tu", "ve", "zi")
Task = tuple[Domain, Sequence[Problem]]


@dataclass(frozen=True)
class SynthesisedDomain:
    """A domain that an edit made, problems of it, and the edit in words."""

    domain: Domain
    problems: tuple[Problem, ...]
    edit: str
    what: str


def drop(task: Task, rng: random.Random) -> SynthesisedDomain | None:
    """Return one precondition or effect less; None where an action has none to spare."""
    domain, problems = task
    choices = [
        (action, "precondition", literal)
        for action in domain.actions
        for literal in sorted(action.preconditions)
        if len(action.preconditions) > 1
    ] + [
        (action, "effect", Literal(atom, positive))
        for action in domain.actions
        for positive, atoms in ((True, action.add), (False, action.delete))
        for atom in sorted(atoms)
        if len(action.add) + len(action.delete) > 1
    ]
    if not choices:
        return None
    action, kind, literal = rng.choice(choices)
    if kind == "precondition":
        changed = replace(action, preconditions=action.preconditions - {literal})
    else:
        changed = replace(action, add=action.add - {literal.atom}, delete=action.delete - {literal.atom})
    what = f"{action.name}: {kind} {_text(literal)} dropped"
    return SynthesisedDomain(_with(domain, changed), tuple(problems), "drop", what)


def add(task: Task, rng: random.Random) -> SynthesisedDomain | None:
    """Return the domain with one more precondition or delete effect over the action's parameters.

    Return None where none fits.
    """
    domain, problems = task
    choices = [
        (action, kind, atom)
        for action in domain.actions
        for atom in _atoms(domain, action)
        for kind in ("precondition", "effect")
        if _is_new(domain, action, kind, atom)
    ]
    if not choices:
        return None
    action, kind, atom = rng.choice(choices)
    if kind == "precondition":
        literal = Literal(atom)
        changed = replace(action, preconditions=action.preconditions | {literal})
    else:
        literal = Literal(atom, False)
        changed = replace(action, delete=action.delete | {atom})
    what = f"{action.name}: {kind} {_text(literal)} added"
    return SynthesisedDomain(_with(domain, changed), tuple(problems), "add", what)


def _is_new(domain: Domain, action: Action, kind: str, atom: Atom) -> bool:
    """Return whether an addition changes the action, and no static fact is deleted."""
    if kind == "effect":
        return atom[0] in domain.fluents and atom not in action.add | action.delete
    return Literal(atom) not in action.preconditions and Literal(atom, False) not in action.preconditions


def _atoms(domain: Domain, action: Action) -> list[Atom]:
    """Return the atoms of all predicates over an action's parameters that fit by type, without one twice."""
    found: list[Atom] = []
    for predicate in domain.predicates:
        places = [
            [p.name for p in action.parameters if domain.fits(p.types, wanted.types)]
            for wanted in predicate.parameters
        ]
        found += [(predicate.name, *names) for names in product(*places) if len(set(names)) == len(names)]
    return found


def rename(task: Task, rng: random.Random) -> SynthesisedDomain:
    """Return every type, predicate, action and constant under a made-up name."""
    domain, problems = task
    old = [t.name for t in domain.types] + [p.name for p in domain.predicates]
    old += [a.name for a in domain.actions] + [c.name for c in domain.constants]
    new = _invented(len(set(old)), rng, avoid=set(old))
    names = dict(zip(dict.fromkeys(old), new, strict=True))
    renamed = _renamed(domain, names.get, f"{domain.name}-renamed")
    what = f"{len(names)} names invented"
    return SynthesisedDomain(
        renamed, tuple(_problem(p, names.get, renamed.name) for p in problems), "rename", what
    )


def compose(task: Task, other: Task) -> SynthesisedDomain:
    """Return both domains merged under distinct names, and each problem joined with one of the other."""
    (one, mine), (two, yours) = task, other
    name = f"{one.name}-and-{two.name}"
    left = _renamed(one, lambda word: f"{one.name}-{word}", name)
    right = _renamed(two, lambda word: f"{two.name}-{word}", name)
    domain = Domain(
        name,
        tuple(dict.fromkeys([*left.requirements, *right.requirements])),
        left.types + right.types,
        left.constants + right.constants,
        left.predicates + right.predicates,
        left.actions + right.actions,
        tuple(dict.fromkeys(left.functions + right.functions)),
    )
    joined = tuple(
        _joined(
            _problem(a, lambda word: f"{one.name}-{word}", name),
            _problem(b, lambda word: f"{two.name}-{word}", name),
        )
        for a, b in zip(mine, yours, strict=False)
    )
    return SynthesisedDomain(domain, joined, "compose", f"{one.name} and {two.name} in one")


def _joined(one: Problem, other: Problem) -> Problem:
    return replace(
        one,
        name=f"{one.name}-and-{other.name}",
        objects=one.objects + other.objects,
        init=one.init | other.init,
        goal=one.goal | other.goal,
        costs=frozenset(dict([*sorted(one.costs), *sorted(other.costs)]).items()),
        metric=one.metric or other.metric,
    )


def _with(domain: Domain, changed: Action) -> Domain:
    actions = tuple(changed if action.name == changed.name else action for action in domain.actions)
    return replace(domain, actions=actions)


def _text(literal: Literal) -> str:
    inner = f"({' '.join(literal.atom)})"
    return inner if literal.positive else f"(not {inner})"


def _invented(count: int, rng: random.Random, avoid: Iterable[str]) -> list[str]:
    """Return distinct invented words of three syllables."""
    taken = set(avoid)
    found: list[str] = []
    while len(found) < count:
        word = "".join(rng.choice(_SYLLABLES) for _ in range(3))
        if word not in taken:
            taken.add(word)
            found.append(word)
    return found


_Naming = Callable[[str], str | None]


def _renamed(domain: Domain, naming: _Naming, name: str) -> Domain:
    """Return the domain under other names; variables, ``object``, ``=`` and functions stay."""

    def say(word: str) -> str:
        kept = word.startswith("?") or word in (OBJECT, EQUAL)
        return word if kept else naming(word) or word

    def typed(names: Iterable[TypedName]) -> tuple[TypedName, ...]:
        return tuple(TypedName(say(each.name), tuple(map(say, each.types))) for each in names)

    def atom(fact: Atom) -> Atom:
        return tuple(map(say, fact))

    actions = tuple(
        Action(
            say(action.name),
            typed(action.parameters),
            frozenset(Literal(atom(each.atom), each.positive) for each in action.preconditions),
            frozenset(map(atom, action.add)),
            frozenset(map(atom, action.delete)),
            action.cost
            if not isinstance(action.cost, tuple)
            else (action.cost[0], *map(say, action.cost[1:])),
        )
        for action in domain.actions
    )
    functions = tuple(Predicate(each.name, typed(each.parameters)) for each in domain.functions)
    predicates = tuple(Predicate(say(each.name), typed(each.parameters)) for each in domain.predicates)
    return Domain(
        name,
        domain.requirements,
        typed(domain.types),
        typed(domain.constants),
        predicates,
        actions,
        functions,
    )


def _problem(problem: Problem, naming: _Naming, domain: str) -> Problem:
    """Return a problem under other names; functions keep theirs."""

    def say(word: str) -> str:
        return word if word in (OBJECT, EQUAL) else naming(word) or word

    def atom(fact: Atom) -> Atom:
        return tuple(map(say, fact))

    return replace(
        problem,
        domain=domain,
        objects=tuple(TypedName(say(each.name), tuple(map(say, each.types))) for each in problem.objects),
        init=frozenset(map(atom, problem.init)),
        goal=frozenset(Literal(atom(each.atom), each.positive) for each in problem.goal),
        costs=frozenset(((term[0], *map(say, term[1:])), value) for term, value in problem.costs),
    )


def synthesise(tasks: Mapping[str, Task], rng: random.Random) -> SynthesisedDomain | None:
    """Return one new domain of ``tasks`` by an edit drawn from the four; None where it does not apply."""
    names = sorted(tasks)
    name = rng.choice(names)
    edit = rng.choice(("drop", "add", "rename", "compose"))
    if edit == "compose":
        others = [other for other in names if other != name]
        return compose(tasks[name], tasks[rng.choice(others)]) if others else None
    return {"drop": drop, "add": add, "rename": rename}[edit](tasks[name], rng)
