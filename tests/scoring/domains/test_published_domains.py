"""Our definitions do what the published ones do: action by action, up to names and the repairs stated here.

Three repairs are allowed. An action may ask that two of its arguments differ, where the published one does
nothing when they are equal. What an action deletes and adds at once it may leave alone. A predicate may be
declared for narrower types, and one that no action and no question needs may be missing.
"""

import json
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import combinations

import pytest

from orrery.model import EQUAL, TypedName
from orrery.pddl.adl import NOT, Formula
from orrery.pddl.conjuncts import conjuncts
from orrery.pddl.soundness import ancestors
from orrery.pddl.tolerant import read_adl
from orrery.pddl.write import write_domain
from orrery.scoring.domains.alignment import align, equal_actions
from tests.every_domain import entry


@dataclass(frozen=True)
class Told:
    """What we call a published domain and its symbols, and how we mend it."""

    name: str
    types: dict = field(default_factory=dict)
    predicates: dict = field(default_factory=dict)
    actions: dict = field(default_factory=dict)
    unequal: tuple = ()  # actions that ask for different arguments
    narrower: tuple = ()  # predicates declared for narrower types
    missing: tuple = ()  # predicates that nothing needs


PUBLISHED = {
    "blocksworld-4ops": Told(
        "blocksworld",
        predicates={"handempty": "arm-empty", "ontable": "on-table"},
        actions={"pick-up": "pickup", "put-down": "putdown"},
    ),
    "ferry": Told("ferry", predicates={"not-eq": "passage"}, narrower=("passage",)),
    "floor-tile": Told("floortile", unequal=("change-color",), missing=("free-color",)),
    "grid": Told("grid", unequal=("pickup-and-loose",)),
    "grid-visit-all": Told("visitall"),
    "gripper-strips": Told("grippers", unequal=("move",)),
    "logistics-strips": Told(
        "logistics",
        types={"locatable": "thing", "movable": "vehicle"},
        unequal=("drive-truck", "fly-airplane"),
    ),
    "rover": Told("rovers"),
}
EVERY_PUBLISHED = pytest.mark.parametrize("published", PUBLISHED)


@cache
def found(folder):
    """The published domains by name; each is written in one way only."""
    rows = map(json.loads, (folder / "acpbench_hard_dev.jsonl").read_text().splitlines())
    domains = [read_adl(text) for text in sorted({row["PDDL_domain"] for row in rows})]
    assert len({domain.name for domain in domains}) == len(domains)
    return {domain.name: domain for domain in domains}


def ours(published):
    domain = read_adl(write_domain(entry(PUBLISHED[published].name).domain))
    assert not domain.faults
    return domain


def renamed(domain, said_so):
    """The published domain under our names."""

    def typed(names):
        return tuple(
            TypedName(each.name, tuple(said_so.types.get(kind, kind) for kind in each.types))
            for each in names
        )

    def formula(this):
        parts = (formula(part) if isinstance(part, Formula) else part for part in this.parts)
        return Formula(said_so.predicates.get(this.head, this.head), tuple(parts), this.variables)

    actions = tuple(
        replace(
            action,
            name=said_so.actions.get(action.name, action.name),
            parameters=typed(action.parameters),
            preconditions=tuple(map(formula, action.preconditions)),
            effects=tuple(map(formula, action.effects)),
        )
        for action in domain.actions
    )
    types = tuple(TypedName(said_so.types.get(name, name), kinds) for name, kinds in typed(domain.types))
    predicates = tuple(
        replace(each, name=said_so.predicates.get(each.name, each.name), parameters=typed(each.parameters))
        for each in domain.predicates
    )
    return replace(domain, types=types, predicates=predicates, actions=actions)


def sides(action, equal=("", "")):
    """Preconditions, added and deleted atoms; the second of ``equal`` takes the name of the first."""

    def atom(this):
        return (this.head, *(equal[0] if part == equal[1] else part for part in this.parts))

    effects = list(conjuncts(action.effects))
    add = {atom(each) for each in effects if each.head != NOT}
    delete = {atom(each.formulas[0]) for each in effects if each.head == NOT}
    return {atom(each) for each in conjuncts(action.preconditions)}, add, delete - add


def net(action):
    """The action without effects that change nothing: adding what is needed, deleting what is added."""
    needs, add, delete = sides(action)
    effects = [Formula(*_split(atom)) for atom in sorted(add - needs)]
    effects += [Formula(NOT, (Formula(*_split(atom)),)) for atom in sorted(delete)]
    return replace(action, effects=tuple(effects))


def _split(atom):
    return atom[0], tuple(atom[1:])


def inequalities(action):
    """The pairs of arguments that an action asks to differ."""
    said_so = (each.formulas[0] for each in conjuncts(action.preconditions) if each.head == NOT)
    return sorted(tuple(each.parts) for each in said_so if each.head == EQUAL)


def without_inequalities(action):
    kept = (
        each
        for each in conjuncts(action.preconditions)
        if not (each.head == NOT and each.formulas[0].head == EQUAL)
    )
    return replace(action, preconditions=tuple(kept))


def by_name(symbols):
    return {each.name: each for each in symbols}


def test_every_published_domain_is_compared(cases):
    assert sorted(found(cases)) == sorted(PUBLISHED)


@EVERY_PUBLISHED
def test_types_and_predicates_are_the_same(cases, published):
    said_so, mine = PUBLISHED[published], ours(published)
    theirs = renamed(found(cases)[published], said_so)
    assert ancestors(mine.types) == ancestors(theirs.types)
    mine, theirs = by_name(mine.predicates), by_name(theirs.predicates)
    assert sorted(set(theirs) - set(mine)) == sorted(said_so.missing)
    assert not set(mine) - set(theirs)
    for name, predicate in mine.items():
        kinds = [[each.types for each in side.parameters] for side in (predicate, theirs[name])]
        assert len(kinds[0]) == len(kinds[1])
        assert (kinds[0] != kinds[1]) == (name in said_so.narrower), name


@EVERY_PUBLISHED
def test_actions_are_the_same(cases, published):
    said_so, mine = PUBLISHED[published], by_name(ours(published).actions)
    theirs = by_name(renamed(found(cases)[published], said_so).actions)
    assert sorted(mine) == sorted(theirs)
    assert sorted(name for name, action in mine.items() if inequalities(action)) == sorted(said_so.unequal)
    for name, action in mine.items():
        one, other = net(without_inequalities(action)), net(theirs[name])
        aligned = align(one, other, typed=True)
        assert equal_actions(one, other) is True, (name, aligned.missing, aligned.redundant)
        assert aligned.equal


@pytest.mark.parametrize("published", [name for name, said_so in PUBLISHED.items() if said_so.unequal])
def test_arguments_must_differ_only_where_the_published_action_would_change_nothing(published):
    for action in ours(published).actions:
        for pair in inequalities(action):
            needs, add, delete = sides(without_inequalities(action), equal=pair)
            assert add <= needs, action.name
            assert not delete, action.name


@EVERY_PUBLISHED
def test_a_change_of_any_literal_is_seen(cases, published):
    """So that the comparison above can fail."""
    theirs = by_name(renamed(found(cases)[published], PUBLISHED[published]).actions)
    for action in ours(published).actions:
        action = net(without_inequalities(action))
        for side in ("preconditions", "effects"):
            literals = list(conjuncts(getattr(action, side)))
            for fewer in combinations(literals, len(literals) - 1):
                assert equal_actions(replace(action, **{side: fewer}), net(theirs[action.name])) is False
