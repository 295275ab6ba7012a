"""Compositions: a theme and two to six mechanics, drawn and joined to one domain.

Mechanics share the types and predicates of the same name. Attachments add conditions and effects of one
mechanic to actions of others. All is drawn from the stream ``composed/<number>`` of the root seed.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import NamedTuple, TypeAlias, TypeVar

from orrery.composition.mechanic import (
    EFFECT,
    FOLDER,
    PRECONDITION,
    TEST_NAMES,
    Attachment,
    Mechanic,
    literal_key,
    mechanic_names,
    read_mechanic,
    read_mechanics,
)
from orrery.composition.theme import Theme, identifier, read_theme, theme_faults, theme_names
from orrery.composition.wordings import worded
from orrery.generator_kit import shuffled
from orrery.model import Action, Atom, Domain, Literal, OrreryError, Predicate, TypedName
from orrery.pddl.renaming import Tables, symbol_names
from orrery.pddl.write import write_literal
from orrery.planning.execution import substituted
from orrery.seeds import digest, stream

HELD_OUT_SHARE = 0.125  # of mechanics: they occur in test only
SPLIT_SHARES = {"train": 0.75, "validation": 0.1}  # of the sets of other mechanics; the rest is for testing
COMPOSED = "composed"
_NAME = re.compile(rf"{COMPOSED}-(0|[1-9]\d*)")
POSITION = "at"  # every composition has exactly one mechanic that moves the agent
NUMBERS_OF_MECHANICS = (2, 3, 4, 5, 6)
WEIGHTS_OF_NUMBERS = (1, 2, 3, 5, 6)  # small compositions are kept more often than large ones
FEWEST_ACTIONS, MOST_ACTIONS = 4, 20
OPTIONAL_SHARE = 0.5  # of the optional attachments that fit
ARTICLES = ("a", "an", "the")
REQUIREMENTS = (":strips", ":typing")


def split_of_composition(mechanics: Iterable[str], seed: int, *, test_only: bool) -> str:
    """Return the split that a set of mechanics gives.

    A composition with a held-out mechanic, or with a theme that is ``test_only``, is for testing. Otherwise
    the set of mechanics decides.
    """
    names = sorted(mechanics)
    if test_only or any(is_held_out(seed, name) for name in names):
        return "test"
    place = _place(seed, "split", *names)
    for split, share in SPLIT_SHARES.items():
        if place < share:
            return split
        place -= share
    return "test"


def is_held_out(seed: int, mechanic: str) -> bool:
    """Return whether a mechanic occurs in test only."""
    return _place(seed, "mechanic", mechanic) < HELD_OUT_SHARE


def _place(seed: int, *path: str) -> float:
    return int.from_bytes(digest(seed, "composed", *path)) / 2**256


Mechanics: TypeAlias = Mapping[str, Mechanic]


class NotComposed(Exception):
    """A drawn composition is not a domain that is kept: the rule that it breaks, and where."""

    def __init__(self, rule: str, detail: str = "") -> None:
        """Store both."""
        self.rule, self.detail = rule, detail
        super().__init__(f"{rule}: {detail}" if detail else rule)


class Attached(NamedTuple):
    """An attachment at an action; ``variables`` maps its variables to those of the action."""

    mechanic: str
    name: str
    attachment: Attachment
    action: str
    variables: Mapping[str, str]


class LiteralSource(NamedTuple):
    """A literal of a composed action, and the mechanic and key under which its words stand."""

    action: str
    part: str
    literal: Literal
    mechanic: str
    attachment: str  # empty: a literal of the mechanic's own action
    key: str

    @property
    def composed_key(self) -> str:
        """The key of the literal in the composed domain, with the names of the mechanics."""
        return literal_key(self.action, self.part, self.literal)


@dataclass(frozen=True)
class Composition:
    """A theme, mechanics and attachments, with the domain that they give.

    The order of declarations and parameters, and the names of predicates, are drawn for each composition. So
    that no action can be copied from train, a domain for testing has other names of predicates and actions.
    """

    number: int
    seed: int
    theme: Theme
    mechanics: Mechanics
    attached: tuple[Attached, ...]

    @property
    def name(self) -> str:
        """The name of the domain: ``composed-17``."""
        return f"{COMPOSED}-{self.number}"

    @cached_property
    def plain_domain(self) -> Domain:
        """The domain in the names of the mechanics."""
        fragments = [mechanic.fragment for mechanic in self.mechanics.values()]
        actions = [action for fragment in fragments for action in fragment.actions]
        rng = stream(self.seed, COMPOSED, self.number, "order")
        return Domain(
            self.name,
            REQUIREMENTS,
            _united(fragment.types for fragment in fragments),
            (),
            tuple(shuffled(_united(fragment.predicates for fragment in fragments), rng)),
            tuple(
                self._composed(replace(action, parameters=tuple(shuffled(action.parameters, rng))))
                for action in shuffled(actions, rng)
            ),
        )

    def _composed(self, action: Action) -> Action:
        """Return an action of a mechanic with the parameters and literals of its attachments."""
        further = [
            TypedName(attached.variables[parameter.name], parameter.types)
            for attached in self.attached
            for parameter in attached.attachment.parameters
            if attached.action == action.name
        ]
        literals = [(one.part, one.literal) for one in self.sources if one.action == action.name]
        effects = [literal for part, literal in literals if part == EFFECT]
        return replace(
            action,
            parameters=(*action.parameters, *further),
            preconditions=frozenset(literal for part, literal in literals if part == PRECONDITION),
            add=frozenset(literal.atom for literal in effects if literal.positive),
            delete=frozenset(literal.atom for literal in effects if not literal.positive),
        )

    @property
    def split(self) -> str:
        """The split of the domain."""
        return split_of_composition(self.mechanics, self.seed, test_only=self.theme.content.test_only)

    @cached_property
    def words(self) -> dict[str, str]:
        """Nouns and verbs of the theme by role."""
        return self.theme.names(self.mechanics)

    @cached_property
    def pddl_names(self) -> dict[str, str]:
        """Names in PDDL of types, predicates and actions, by their names in the mechanics."""
        roles = {role for mechanic in self.mechanics.values() for role in mechanic.rules.roles}
        names = {role: identifier(self.words[role]) for role in sorted(roles)}
        for mechanic in self.mechanics.values():
            for action in mechanic.fragment.action_named:
                names[action] = self._action_name(mechanic, action)
        rng = stream(self.seed, COMPOSED, self.number, "names")
        for mechanic in self.mechanics.values():
            for predicate, choices in sorted(mechanic.rules.names.items()):
                allowed = choices[-TEST_NAMES:] if self.split == "test" else choices[:-TEST_NAMES]
                free = [name for name in allowed if name not in names.values()]
                names[predicate] = rng.choice(free or [f"{predicate}-{self.number}"])
        return names

    def _action_name(self, mechanic: Mechanic, action: str) -> str:
        """Return the verb of the theme; for testing, the infinitive phrase without articles."""
        if self.split != "test":
            return identifier(self.words[action])
        phrase = worded(mechanic.words.actions[action].infinitive, self.words)
        return identifier(" ".join(word for word in phrase.split() if word not in ARTICLES))

    @cached_property
    def domain(self) -> Domain:
        """The domain in the names of the theme."""
        return self.tables.domain(self.plain_domain, self.name)

    @cached_property
    def tables(self) -> Tables:
        """The tables that rename problems and plans of the mechanics as those of the theme."""
        return symbol_names(self.pddl_names)

    @cached_property
    def laws(self) -> list[list[Atom]]:
        """The state laws: of the facts of each, at most one holds for any values of the shared variables."""
        return [law for mechanic in self.mechanics.values() for law in mechanic.rules.laws]

    @cached_property
    def sources(self) -> tuple[LiteralSource, ...]:
        """All literals of the domain with the origin of their words, by action; a literal occurs once."""
        sources = {source.composed_key: source for source in self._sources()}
        return tuple(sources.values())

    def _sources(self) -> Iterator[LiteralSource]:
        for name, mechanic in self.mechanics.items():
            for action in mechanic.fragment.actions:
                for attached in self.attached:
                    if attached.action == action.name:
                        yield from _attached_sources(attached)
                for part, literal in _literals(action):
                    key = literal_key(action.name, part, literal)
                    yield LiteralSource(action.name, part, literal, name, "", key)

    def mechanic_of(self, action: str) -> Mechanic:
        """Return the mechanic that defines an action, by its name there."""
        return next(m for m in self.mechanics.values() if action in m.fragment.action_named)


def _attached_sources(attached: Attached) -> Iterator[LiteralSource]:
    for part, literal in attached.attachment.literals:
        key = f"{part} {write_literal(literal)}"
        bound = Literal(substituted(literal.atom, attached.variables), literal.positive)
        yield LiteralSource(attached.action, part, bound, attached.mechanic, attached.name, key)


def _literals(action: Action) -> Iterator[tuple[str, Literal]]:
    yield from ((PRECONDITION, literal) for literal in sorted(action.preconditions))
    yield from ((EFFECT, Literal(atom)) for atom in sorted(action.add))
    yield from ((EFFECT, Literal(atom, False)) for atom in sorted(action.delete))


def number_of(domain: str) -> int | None:
    """Return the number of the composition with this name: 17 for ``composed-17``; None for other names."""
    match = _NAME.fullmatch(domain)
    return int(match[1]) if match else None


def compose(root: Path, seed: int, number: int) -> Composition:
    """Return the composition ``number`` of a seed.

    Raises:
        NotComposed: what was drawn is not a domain within the bounds.
        OrreryError: a file of a mechanic or theme is faulty.
    """
    mechanics = read_mechanics(root)
    rng = stream(seed, COMPOSED, number)
    theme = read_theme(root, rng.choice(theme_names(root)), frozenset(mechanics))
    fitting = {name: mechanics[name] for name in sorted(theme.content.mechanics)}
    drawn = _drawn_mechanics(theme, fitting, rng)
    attached = _with_own_variables(drawn, _drawn_attachments(drawn, rng))
    composition = Composition(number, seed, theme, drawn, attached)
    if not FEWEST_ACTIONS <= len(composition.plain_domain.actions) <= MOST_ACTIONS:
        raise NotComposed("number of actions")
    if twice := _doubled(composition.pddl_names.values()):
        raise NotComposed("two parts of the domain have one name", twice)
    for action in composition.plain_domain.actions:
        if any(_contradicts(law, action) for law in composition.laws):
            raise NotComposed("the conditions of an action contradict a state law", action.name)
    return composition


def _doubled(names: Iterable[str]) -> str:
    """Return the first name that occurs twice, or ""."""
    return next((name for name, count in Counter(names).items() if count > 1), "")


def _contradicts(law: Sequence[Atom], action: Action) -> bool:
    """Return whether an action needs two facts of which a law allows at most one."""
    needed: dict[tuple[str, ...], set[str]] = {}
    for literal in action.preconditions:
        values = law_values(law, literal.atom)
        if values is not None:
            needed.setdefault(values, set()).add(literal.atom[0])
    return any(len(predicates) > 1 for predicates in needed.values())


def law_values(law: Sequence[Atom], fact: Atom) -> tuple[str, ...] | None:
    """Return the values of the variables that all atoms of a law share; None: it is not about the fact.

    A law of one atom has no shared variables: it allows one fact of its predicate in all.
    """
    shared = sorted(set(law[0][1:]).intersection(*(atom[1:] for atom in law))) if len(law) > 1 else []
    for template in law:
        if template[0] == fact[0] and len(template) == len(fact):
            values = dict(zip(template[1:], fact[1:], strict=True))
            return tuple(values[variable] for variable in shared)
    return None


def _drawn_mechanics(theme: Theme, fitting: Mechanics, rng: random.Random) -> dict[str, Mechanic]:
    """Return mechanics of which exactly one provides each predicate that some import.

    No two have the same name for different roles in the theme.
    """
    [number] = rng.choices(NUMBERS_OF_MECHANICS, WEIGHTS_OF_NUMBERS)
    drawn = [rng.choice(_providers(fitting, POSITION))]
    others = [name for name in fitting if name not in drawn]
    rng.shuffle(others)
    for name in others:
        if len(drawn) < number and not any(fitting[name].provides & fitting[one].provides for one in drawn):
            drawn.append(name)
            drawn += _suppliers(fitting, drawn, rng)
    if len(drawn) > NUMBERS_OF_MECHANICS[-1]:
        raise NotComposed("number of mechanics")
    if shared := _shared_name(theme, drawn):
        raise NotComposed("two mechanics have one name in the theme", shared)
    return {name: fitting[name] for name in sorted(drawn)}


def _shared_name(theme: Theme, drawn: Iterable[str]) -> str:
    """Return a name that the theme gives to different roles of these mechanics, or ""."""
    roles: dict[str, str] = {}
    for mechanic in drawn:
        for role, name in theme.content.mechanics[mechanic].items():
            if roles.setdefault(identifier(name), role) != role:
                return name
    return ""


def _suppliers(fitting: Mechanics, drawn: Sequence[str], rng: random.Random) -> list[str]:
    """Return the mechanics that provide what ``drawn`` import and do not provide."""
    suppliers: list[str] = []
    present = frozenset().union(*(fitting[name].provides for name in drawn))
    for needed in sorted(
        {predicate for name in drawn for predicate in fitting[name].rules.imports} - present
    ):
        if not any(needed in fitting[name].provides for name in suppliers):
            suppliers.append(rng.choice(_providers(fitting, needed)))
    return suppliers


def _providers(fitting: Mechanics, predicate: str) -> list[str]:
    providers = [name for name, mechanic in fitting.items() if predicate in mechanic.provides]
    if not providers:
        raise NotComposed("no mechanic of the theme provides a predicate", predicate)
    return providers


def _drawn_attachments(mechanics: Mechanics, rng: random.Random) -> Iterator[Attached]:
    """Yield the drawn attachments: required ones at one action or more, optional ones at one or none.

    Raises:
        NotComposed: no action takes a required attachment.
    """
    for name, mechanic in mechanics.items():
        for attachment_name, attachment in sorted(mechanic.rules.attachments.items()):
            targets = list(_targets(mechanics, name, attachment_name, attachment))
            if attachment.required:
                if not targets:
                    raise NotComposed("a required attachment fits no action", f"{name}/{attachment_name}")
                yield from rng.sample(targets, rng.randint(1, min(len(targets), 2)))
            elif targets and rng.random() < OPTIONAL_SHARE:
                yield rng.choice(targets)


def _with_own_variables(mechanics: Mechanics, drawn: Iterable[Attached]) -> tuple[Attached, ...]:
    """Return the attachments with names of their own for the parameters that they add to one action."""
    taken = {
        action.name: {parameter.name for parameter in action.parameters}
        for mechanic in mechanics.values()
        for action in mechanic.fragment.actions
    }
    attached = []
    for one in drawn:
        variables = dict(one.variables)
        for parameter in one.attachment.parameters:
            variables[parameter.name] = _fresh(parameter.name, taken[one.action])
            taken[one.action].add(variables[parameter.name])
        attached.append(one._replace(variables=variables))
    return tuple(attached)


def _targets(mechanics: Mechanics, owner: str, name: str, attachment: Attachment) -> Iterator[Attached]:
    """Yield the attachment at each action of its kind whose parameters it can bind by role and type."""
    for other, mechanic in mechanics.items():
        for action_name, use in mechanic.rules.actions.items():
            if other == owner or use.kind != attachment.to or not set(attachment.binds) <= set(use.roles):
                continue
            bound = {variable: use.roles[role] for role, variable in attachment.binds.items()}
            further = {parameter.name: parameter.name for parameter in attachment.parameters}
            attached = Attached(owner, name, attachment, action_name, bound | further)
            if _well_typed(mechanics, attached, mechanic.fragment):
                yield attached


def _well_typed(mechanics: Mechanics, attached: Attached, target: Domain) -> bool:
    """Return whether the bound parameters have the types of the attachment's literals."""
    owner = mechanics[attached.mechanic].fragment
    types = {p.name: p.types for p in target.action_named[attached.action].parameters}
    bound = attached.attachment.binds.values()
    return all(
        target.fits(types[attached.variables[variable]], parameter.types)
        for _, literal in attached.attachment.literals
        for variable, parameter in zip(
            literal.atom[1:], owner.predicate_named[literal.atom[0]].parameters, strict=True
        )
        if variable in bound
    )


def _fresh(name: str, taken: Iterable[str]) -> str:
    """Return a variable that is not taken: the name itself, or with a number."""
    taken, number, fresh = set(taken), 2, name
    while fresh in taken:
        fresh, number = f"{name}{number}", number + 1
    return fresh


Declaration = TypeVar("Declaration", TypedName, Predicate)


def _united(declared: Iterable[Sequence[Declaration]]) -> tuple[Declaration, ...]:
    """Return the declarations of all fragments, each name once; ``clashes`` tells whether they agree."""
    united: dict[str, Declaration] = {}
    for declaration in chain.from_iterable(declared):
        united.setdefault(declaration.name, declaration)
    return tuple(united.values())


def clashes(fragments: Mapping[str, Domain]) -> Iterator[OrreryError]:
    """Yield what mechanics declare differently: types, predicates, and actions of one name."""
    declared: dict[tuple[str, str], tuple[str, object]] = {}
    for mechanic, fragment in fragments.items():
        for kind, name, meaning in _declarations(mechanic, fragment):
            first, known = declared.setdefault((kind, name), (mechanic, meaning))
            if known != meaning:
                yield OrreryError(
                    f"{FOLDER}/{mechanic}/mechanic.pddl",
                    f"declares the {kind} '{name}' differently than {FOLDER}/{first}",
                    "declare it alike, or rename one",
                )


def _declarations(mechanic: str, fragment: Domain) -> Iterator[tuple[str, str, object]]:
    """Yield the kind, name and meaning of everything that a fragment declares; actions are never shared."""
    yield from (("type", declared.name, _types(declared)) for declared in fragment.types)
    yield from (("predicate", declared.name, _types(declared)) for declared in fragment.predicates)
    yield from (("action", action.name, mechanic) for action in fragment.actions)


def _types(declaration: TypedName | Predicate) -> tuple[tuple[str, ...], ...]:
    if isinstance(declaration, Predicate):
        return tuple(parameter.types for parameter in declaration.parameters)
    return (declaration.types,)


def check(root: Path) -> None:
    """Raise an OrreryError that names every fault of the mechanics and themes, if there is one."""
    faults = list(faults_of_files(root))
    if faults:
        first, *others = faults
        for other in others:
            first.add_note(f"error: {other}")
        raise first


def faults_of_files(root: Path) -> Iterator[OrreryError]:
    """Yield the first fault of each mechanic, all faults of themes, and contradictions between mechanics."""
    mechanics, unread = {}, set()
    for name in mechanic_names(root):
        try:
            mechanics[name] = read_mechanic(root, name)
        except OrreryError as error:
            unread.add(name)
            yield error
    yield from clashes({name: mechanic.fragment for name, mechanic in mechanics.items()})
    for name in theme_names(root):
        try:
            yield from theme_faults(root, name, mechanics, unread)
        except OrreryError as error:
            yield error
