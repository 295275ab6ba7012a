"""The fragments that a composed domain consists of, read again by the names in its row.

A row names its mechanics, theme and attachments. Their files determine every statement of the domain (see
``statements``) up to the order of parameters and the names of predicates, which are drawn from a list; both
are taken from the domain itself. ``plain`` names are those of the mechanics, ``themed`` ones of the row.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, product
from pathlib import Path
from typing import NamedTuple

from orrery.checks.statements import Statement, Tree, Typed, statements, tree_of
from orrery.composition.mechanic import (
    FOLDER,
    TEST_NAMES,
    Attachment,
    AttachmentWords,
    Mechanic,
    read_mechanics,
)
from orrery.composition.theme import ThemeFile, identifier, read_theme
from orrery.composition.wordings import worded
from orrery.model import OrreryError

REQUIREMENTS = (":strips", ":typing")
PARTS = {"pre": "needs", "eff": "makes"}
ARTICLES = ("a", "an", "the")
TEST = "test"
MOST_NAMINGS = 64  # of lists of names that predicates may have
HEADINGS = ("domain", "requirement")
LITERAL_KINDS = frozenset(PARTS.values())


class AttachedFragment(NamedTuple):
    """An attachment at an action; ``variables`` maps its variables to those of the action."""

    mechanic: str
    name: str
    action: str
    attachment: Attachment
    variables: Mapping[str, str]
    added: tuple[Typed, ...]

    def statement(self, key: str) -> Statement:
        """Return the statement of a key of the attachment, such as ``pre (learned)``."""
        part, _, text = key.partition(" ")
        return (PARTS[part], self.action, substituted(tree_of(text), self.variables))

    @property
    def statements(self) -> Iterator[Statement]:
        """The conditions and effects that the attachment adds."""
        for part, texts in (("pre", self.attachment.precondition), ("eff", self.attachment.effect)):
            yield from (self.statement(f"{part} {text}") for text in texts)


class WordGroup(NamedTuple):
    """Words for literals of an action: those of its mechanic, or of an attachment at it."""

    action: str
    words: AttachmentWords
    attached: AttachedFragment | None

    def statements(self, keys: Iterable[str]) -> list[Statement]:
        """Return the statements of those keys that are literals of the action."""
        if self.attached is not None:
            return [self.attached.statement(key) for key in keys]
        statements_of_keys = map(statement_of_key, keys)
        return [statement for statement in statements_of_keys if statement[1] == self.action]


@dataclass(frozen=True, eq=False)
class Fragments:
    """The files of the mechanics and the theme that a row names, and what they state together."""

    root: Path
    mechanics: Mapping[str, Mechanic]
    theme: ThemeFile
    attached: tuple[AttachedFragment, ...]
    words: Mapping[str, str]
    split: str
    gold: Counter[Statement]

    @cached_property
    def names(self) -> dict[str, str]:
        """The themed names of types, predicates and actions."""
        return min(self._namings(), key=lambda names: len(self._unnamed(names) - self.gold.keys()))

    def _unnamed(self, names: Mapping[str, str]) -> set[Statement]:
        return {renamed_statement(statement, names) for statement in self.literals}

    def _namings(self) -> Iterator[dict[str, str]]:
        """Yield the names that the files allow in this split, with predicates that the domain declares."""
        names = {
            role: identifier(self.words[role])
            for mechanic in self.mechanics.values()
            for role in mechanic.rules.roles
        }
        for action in self.owner:
            names[action] = self._action_name(action)
        declared = {statement[1]: statement for statement in self.gold if statement[0] == "predicate"}
        choices: dict[str, list[str]] = {}
        for mechanic in self.mechanics.values():
            for predicate, listed in mechanic.rules.names.items():
                allowed = listed[-TEST_NAMES:] if self.split == TEST else listed[:-TEST_NAMES]
                statement = ("predicate", predicate, self.predicates[predicate])
                choices[predicate] = [
                    name
                    for name in (*allowed, *self._last_resort(predicate))
                    if declared.get(name) == renamed_statement(statement, {**names, predicate: name})
                ] or [allowed[0]]
        for chosen in islice(product(*choices.values()), MOST_NAMINGS):
            yield {**names, **dict(zip(choices, chosen, strict=True))}

    def _last_resort(self, predicate: str) -> Iterator[str]:
        """Yield the name of a predicate all of whose names are taken: with the number of the composition."""
        for statement in self.gold:
            if statement[0] == "domain":
                yield f"{predicate}-{statement[1].rpartition('-')[2]}"

    def _action_name(self, action: str) -> str:
        """Return the verb of an action; in test, its infinitive phrase without articles."""
        if self.split != TEST:
            return identifier(self.words[action])
        phrase = worded(self.owner[action].words.actions[action].infinitive, self.words)
        return identifier(" ".join(word for word in phrase.split() if word not in ARTICLES))

    @cached_property
    def owner(self) -> dict[str, Mechanic]:
        """The mechanic of each action."""
        return {
            name: mechanic for mechanic in self.mechanics.values() for name in mechanic.fragment.action_named
        }

    @cached_property
    def plain(self) -> frozenset[Statement]:
        """The statements of the domain in plain names, with parameters in the order of the domain."""
        orders = {statement[2]: statement[3] for statement in self.gold if statement[0] == "action"}
        return frozenset(
            self._ordered(statement, orders) if statement[0] == "action" else statement
            for statement in self._fragments
        )

    def _ordered(self, action: Statement, orders: Mapping[str, tuple[Typed, ...]]) -> Statement:
        """Return the statement of an action with the same parameters in the order of the domain."""
        kind, keyword, name, parameters = action
        order = [variable for variable, _ in orders.get(self.names[name], ())]
        if sorted(order) != sorted(variable for variable, _ in parameters):
            return action
        return (kind, keyword, name, tuple(sorted(parameters, key=lambda typed: order.index(typed[0]))))

    @cached_property
    def _fragments(self) -> frozenset[Statement]:
        """The statements of the mechanics and attachments, united."""
        united: set[Statement] = set()
        for name in self.mechanics:
            text = (self.root / FOLDER / name / "mechanic.pddl").read_text(encoding="utf-8")
            united |= {statement for statement in statements(text) if statement[0] not in HEADINGS}
        for attached in self.attached:
            united |= set(attached.statements)
        return frozenset(
            self._extended(*statement) if statement[0] == "action" else statement for statement in united
        )

    def _extended(self, kind: str, keyword: str, name: str, parameters: tuple[Typed, ...]) -> Statement:
        added = [
            parameter for attached in self.attached if attached.action == name for parameter in attached.added
        ]
        return (kind, keyword, name, (*parameters, *dict.fromkeys(added)))

    def _of_kind(self, *kinds: str) -> list[Statement]:
        return [statement for statement in self._fragments if statement[0] in kinds]

    @cached_property
    def parameters(self) -> dict[str, tuple[Typed, ...]]:
        """The parameters of each action, with those that attachments add."""
        return {statement[2]: statement[3] for statement in self.plain if statement[0] == "action"}

    @cached_property
    def predicates(self) -> dict[str, tuple[Typed, ...]]:
        """The parameters of each predicate."""
        return {name: parameters for _, name, parameters in self._of_kind("predicate")}

    @cached_property
    def literals(self) -> frozenset[Statement]:
        """The conditions and effects of all actions, in plain names."""
        return frozenset(self._of_kind(*LITERAL_KINDS))

    @cached_property
    def ancestors(self) -> dict[str, frozenset[str]]:
        """The types above each type, with itself."""
        parents = {name: kinds for _, name, kinds in self._of_kind("type")}

        def above(kind: str) -> Iterator[str]:
            yield kind
            for parent in parents.get(kind, ()):
                yield from above(parent)

        return {kind: frozenset((*above(kind), "object")) for kind in (*parents, "object")}

    def fits(self, kinds: Sequence[str], required: Sequence[str]) -> bool:
        """Return whether a variable of one type may stand where another type is required."""
        return any(set(required) & self.ancestors[kind] for kind in kinds)

    def word_groups(self, action: str) -> Iterator[WordGroup]:
        """Yield the words of an action's mechanic, then those of the attachments at it."""
        yield WordGroup(action, self.owner[action].words, None)
        for attached in self.attached:
            if attached.action == action:
                yield WordGroup(action, self._words_of(attached), attached)

    def _words_of(self, attached: AttachedFragment) -> AttachmentWords:
        return self.mechanics[attached.mechanic].words.attachments[attached.name]

    @cached_property
    def common(self) -> frozenset[Statement]:
        """The literals that the words declare to be common knowledge."""
        return frozenset(
            statement
            for action in self.parameters
            for group in self.word_groups(action)
            for statement in group.statements(group.words.common)
        )

    def themed(self, statement: Statement) -> Statement:
        """Return a statement with the names of the theme."""
        return renamed_statement(statement, self.names)


def fragments_of(
    root: Path,
    mechanics: Sequence[str],
    theme: str,
    attachments: Iterable[str],
    split: str,
    gold: Counter[Statement],
) -> Fragments:
    """Return the fragments that a row of a split names; ``gold`` are the statements of its domain.

    Raises:
        OrreryError: there is no such mechanic, theme, attachment or action, or a file is faulty.
    """
    available = read_mechanics(root)
    if unknown := [name for name in mechanics if name not in available]:
        raise OrreryError(f"{root / FOLDER}", f"has no mechanic '{unknown[0]}', which a row names")
    chosen = {name: available[name] for name in mechanics}
    content = read_theme(root, theme, frozenset(available))
    attached: list[AttachedFragment] = []
    for name in attachments:
        attached.append(_attached_fragment(chosen, name, attached))
    return Fragments(root, chosen, content.content, tuple(attached), content.names(chosen), split, gold)


def _attached_fragment(
    mechanics: Mapping[str, Mechanic], path: str, before: Iterable[AttachedFragment]
) -> AttachedFragment:
    """Return the attachment of ``mechanic/attachment/action``, its variables bound to those of the action.

    Raises:
        OrreryError: there is none, or the action is not of its kind.
    """
    owner, _, ending = path.partition("/")
    name, _, action = ending.partition("/")
    target = next((mechanic for mechanic in mechanics.values() if action in mechanic.rules.actions), None)
    attachment = mechanics[owner].rules.attachments.get(name) if owner in mechanics else None
    if target is None or attachment is None:
        raise OrreryError(f"attachment {path}", "is none of these mechanics at one of their actions")
    use = target.rules.actions[action]
    if use.kind != attachment.to or target.name == owner or not set(attachment.binds) <= set(use.roles):
        raise OrreryError(f"attachment {path}", f"cannot be attached to the action '{action}'")
    variables = {variable: use.roles[role] for role, variable in attachment.binds.items()}
    names = {parameter.name for parameter in target.fragment.action_named[action].parameters}
    names |= {name for attached in before if attached.action == action for name, _ in attached.added}
    added: list[Typed] = []
    for parameter in attachment.parameters:
        variables[parameter.name] = _new_name(parameter.name, names)
        names.add(variables[parameter.name])
        added.append((variables[parameter.name], parameter.types))
    return AttachedFragment(owner, name, action, attachment, variables, tuple(added))


def _new_name(name: str, names: Iterable[str]) -> str:
    """Return the name, with the least number that makes it new."""
    present, number, new = set(names), 2, name
    while new in present:
        new, number = f"{name}{number}", number + 1
    return new


def statement_of_key(key: str) -> Statement:
    """Return the statement of a literal key: ``mix pre (mixer ?p)``."""
    action, part, text = key.split(" ", 2)
    return (PARTS[part], action, tree_of(text))


def substituted(tree: Tree, variables: Mapping[str, str]) -> Tree:
    """Return a literal with other variables."""
    if tree[0] == "not":
        return ("not", substituted(tree[1], variables))
    return (tree[0], *(variables.get(argument, argument) for argument in tree[1:]))


def renamed_statement(statement: Statement, names: Mapping[str, str]) -> Statement:
    """Return a statement with other names of types, predicates and actions."""

    def new(name: str) -> str:
        return names.get(name, name)

    def typed(parameters: Iterable[Typed]) -> tuple[Typed, ...]:
        return tuple((name, tuple(map(new, kinds))) for name, kinds in parameters)

    def literal(tree: Tree) -> Tree:
        return ("not", literal(tree[1])) if tree[0] == "not" else (new(tree[0]), *tree[1:])

    kind = statement[0]
    if kind == "type":
        return (kind, new(statement[1]), tuple(map(new, statement[2])))
    if kind == "predicate":
        return (kind, new(statement[1]), typed(statement[2]))
    if kind == "action":
        return (kind, statement[1], new(statement[2]), typed(statement[3]))
    return (kind, new(statement[1]), literal(statement[2]))
