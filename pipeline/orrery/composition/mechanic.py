"""Mechanics: fragments of planning domains with rules for instances and words, from ``mechanics/<name>/``.

The files are ``mechanic.pddl`` (types, predicates, actions), ``mechanic.yaml`` (roles, attachments,
instances) and ``words.yaml``. A *literal key* names a literal of an action in these files:
``mix pre (mixer ?p)``, ``mix eff (not (lies ?a ?p))``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias
from typing import Literal as OneOf

from pydantic import Field, model_validator

from orrery.composition.wordings import undefined_names
from orrery.config import Names, Range, Share, StrictMapping, read_model
from orrery.model import OBJECT, Action, Atom, Domain, Literal, OrreryError, TypedName, did_you_mean
from orrery.pddl.read import read_domain_file
from orrery.pddl.write import parse_atom, parse_typed, write_atom, write_literal

FOLDER = "mechanics"
LEAST_WORDINGS = 6
TEST_NAMES = 2  # names of a predicate that occur in test only
LEAST_NAMES = 2 * TEST_NAMES
AGENT = "agent"
ANY = "$"  # begins a type in a template of facts: any object of the type
ALWAYS_NAMED = ("place", "thing")  # roles that every theme names
PRECONDITION, EFFECT = "pre", "eff"
BANKS = ("implied", "general")  # keys of the lists whose items have wordings
Faults: TypeAlias = Iterator[tuple[str, str]]
"""Problems, each with its mend."""
Kind = OneOf["move", "handle", "work", "learn", "prepare", "serve"]


class FactRule(StrictMapping):
    """A rule that makes initial facts of an instance; exactly one key besides the options is set.

    ``$type`` stands for a random object of the type, a variable for every object of its predicate's type.
    """

    once: str = ""
    each: str = ""
    all: str = ""
    pair: str = ""
    chain: str = ""
    top: str = ""
    bottom: str = ""
    graph: str = ""
    complement: str = ""
    ways: OneOf["both", "one"] = "both"
    share: Share = 1.0
    of: str = ""

    @property
    def form(self) -> str:
        """The name of the rule: the one key that is set."""
        return next((name for name in RULES if getattr(self, name)), "")

    @property
    def fact(self) -> Atom:
        """The template of the facts."""
        return parse_atom(getattr(self, self.form))


RULES = ("once", "each", "all", "pair", "chain", "top", "bottom", "graph", "complement")


class InstanceRules(StrictMapping):
    """How many objects of each type an instance has, and its initial facts.

    ``unplaced``: types whose objects have no place in the initial state.
    """

    objects: Mapping[str, Range] = Field(default_factory=dict)
    facts: tuple[FactRule, ...] = Field(default=(), strict=False)
    unplaced: Names = ()


class ActionUse(StrictMapping):
    """The kind of an action and its parameters by role, for attachments."""

    kind: Kind
    roles: Mapping[str, str] = Field(default_factory=dict)


class Attachment(StrictMapping):
    """Conditions and effects that a mechanic may add to an action of another mechanic.

    ``to`` is the kind of the action. ``binds`` maps roles of the action to variables of the literals;
    ``adds`` are further parameters. ``required``: the mechanic has no purpose without it.
    """

    to: Kind
    required: bool = False
    binds: Mapping[str, str] = Field(default_factory=dict)
    adds: Names = ()
    precondition: Names = ()
    effect: Names = ()

    @cached_property
    def parameters(self) -> tuple[TypedName, ...]:
        """The further parameters."""
        return tuple(parameter for text in self.adds for parameter in parse_typed(text))

    @cached_property
    def literals(self) -> tuple[tuple[str, Literal], ...]:
        """Pairs of "pre" or "eff" and a literal."""
        conditions = [(PRECONDITION, literal_of(text)) for text in self.precondition]
        return (*conditions, *((EFFECT, literal_of(text)) for text in self.effect))

    @property
    def keys(self) -> list[str]:
        """The keys of the literals, without an action: ``pre (learned)``."""
        return [f"{part} {write_literal(literal)}" for part, literal in self.literals]


class Rules(StrictMapping):
    """The content of ``mechanic.yaml``.

    ``names``: names in PDDL for each predicate that is no role; the last ``TEST_NAMES`` occur in test only.
    """

    about: str
    roles: Mapping[str, str]
    verbs: Mapping[str, str]
    actions: Mapping[str, ActionUse]
    instance: InstanceRules
    imports: Names = ()
    at_most_one: Names = ()
    goals: Names = ()
    names: Mapping[str, Names] = Field(default_factory=dict)
    attachments: Mapping[str, Attachment] = Field(default_factory=dict)

    @property
    def laws(self) -> list[list[Atom]]:
        """The state laws: of the facts of each, at most one holds for any values of the shared variables."""
        return [
            [parse_atom(atom) for atom in re.split(r"(?<=\))\s+(?=\()", law.strip())]
            for law in self.at_most_one
        ]


class Polarity(StrictMapping):
    """Wordings of a fact that is true, and of one that is false."""

    true: Names
    false: Names

    @model_validator(mode="before")
    @classmethod
    def _words_for_booleans(cls, content: Any) -> Any:
        """Return the keys as text: YAML reads the keys ``true`` and ``false`` as booleans."""
        if not isinstance(content, dict):
            return content
        return {str(key).lower() if isinstance(key, bool) else key: value for key, value in content.items()}


class ActionWords(StrictMapping):
    """Phrases for an action: infinitive, gerund, imperatives with parameters, purposes and summaries."""

    infinitive: str
    gerund: str
    do: Names
    purpose: Names
    summary: Names


class Implications(StrictMapping):
    """Sentences whose everyday meaning entails literals."""

    tells: Names
    say: Names


class HowTold(StrictMapping):
    """Keys of the literals that a sentence states, and of those that it implies."""

    stated: Names = ()
    implied: Names = ()


class GeneralRule(StrictMapping):
    """Sentences that each tell the same rules of a world."""

    tells: HowTold
    say: Names


class AttachmentWords(StrictMapping):
    """Sentences for the literals of an attachment."""

    implied: tuple[Implications, ...] = Field(default=(), strict=False)
    general: tuple[GeneralRule, ...] = Field(default=(), strict=False)
    common: Mapping[str, str] = Field(default_factory=dict)


class MechanicWords(AttachmentWords):
    """The content of ``words.yaml``."""

    labels: Mapping[str, Mapping[str, str]] = Field(default_factory=dict)
    facts: Mapping[str, Polarity]
    actions: Mapping[str, ActionWords]
    attachments: Mapping[str, AttachmentWords] = Field(default_factory=dict)


@dataclass(frozen=True)
class Mechanic:
    """A fragment of a domain, with rules and words."""

    name: str
    fragment: Domain
    rules: Rules
    words: MechanicWords

    @property
    def provides(self) -> frozenset[str]:
        """Names of the predicates that the mechanic defines."""
        return frozenset(self.fragment.predicate_named) - frozenset(self.rules.imports)

    @property
    def vocabulary(self) -> frozenset[str]:
        """The roles and verbs that a theme has to name."""
        return frozenset({*self.rules.roles, *self.rules.verbs})


class PlacedWording(NamedTuple):
    """A wording with its place in ``words.yaml`` and the names that it may use."""

    place: str
    text: str
    names: frozenset[str]


def literal_of(text: str) -> Literal:
    """Return the literal of ``(f ?x)`` or ``(not (f ?x))``."""
    inner = re.fullmatch(r"\(not (\(.*\))\)", text.strip())
    return Literal(parse_atom(inner[1] if inner else text.strip()), inner is None)


def literal_key(action: str, part: str, literal: Literal) -> str:
    """Return the key of a literal of an action: ``mix pre (mixer ?p)``."""
    return f"{action} {part} {write_literal(literal)}"


def literal_keys(action: Action) -> list[str]:
    """Return the keys of all literals of an action, sorted: conditions, then effects."""
    effects = [Literal(atom) for atom in action.add] + [Literal(atom, False) for atom in action.delete]
    return [literal_key(action.name, PRECONDITION, literal) for literal in sorted(action.preconditions)] + [
        literal_key(action.name, EFFECT, literal) for literal in sorted(effects)
    ]


@cache
def read_mechanics(root: Path) -> dict[str, Mechanic]:
    """Return the mechanics of ``root/mechanics`` by name, sorted, without searching them for faults.

    ``compose.check`` does that once in a build; every process reads the mechanics, and parsing all of their
    wordings takes a second and a half.

    Raises:
        OrreryError: a file is missing or malformed.
    """
    return {name: _unchecked(root, name) for name in mechanic_names(root)}


def mechanic_names(root: Path) -> list[str]:
    """Return the names of the folders with a ``mechanic.pddl``, sorted."""
    return sorted(path.parent.name for path in root.glob(f"{FOLDER}/*/mechanic.pddl"))


def read_mechanic(root: Path, name: str) -> Mechanic:
    """Return a mechanic that is consistent in itself.

    Raises:
        OrreryError: a file is missing or malformed, or the files contradict each other.
    """
    mechanic = _unchecked(root, name)
    for file, fault, mend in faults(mechanic):
        raise OrreryError(str(root / FOLDER / name / file), fault, mend)
    return mechanic


def _unchecked(root: Path, name: str) -> Mechanic:
    """Return a mechanic whose files may contradict each other."""
    folder = root / FOLDER / name
    fragment = read_domain_file(folder / "mechanic.pddl")
    rules = read_model(folder / "mechanic.yaml", Rules)
    return Mechanic(name, fragment, rules, read_model(folder / "words.yaml", MechanicWords))


def faults(mechanic: Mechanic) -> Iterator[tuple[str, str, str]]:
    """Yield the contradictions between the files of a mechanic: file, problem, mend."""
    yield from (("mechanic.pddl", *fault) for fault in _fragment_faults(mechanic))
    yield from (("mechanic.yaml", *fault) for fault in _rule_faults(mechanic))
    yield from (("words.yaml", *fault) for fault in _word_faults(mechanic))


def _fragment_faults(mechanic: Mechanic) -> Faults:
    domain = mechanic.fragment
    if domain.name != mechanic.name:
        yield f"the domain is named '{domain.name}', its folder '{mechanic.name}'", "give both the same name"
    for action in domain.actions:
        used = {name for key in literal_keys(action) for name in literal_of(key.split(" ", 2)[2]).atom[1:]}
        for parameter in action.parameters:
            if parameter.name not in used:
                yield f"action '{action.name}' does not use {parameter.name}", "remove the parameter"
        if negative := [literal for literal in action.preconditions if not literal.positive]:
            fault = f"action '{action.name}' has the negative condition {write_literal(negative[0])}"
            yield fault, "use a second predicate for the opposite"


def _rule_faults(mechanic: Mechanic) -> Faults:
    domain, rules = mechanic.fragment, mechanic.rules
    predicates, types = set(domain.predicate_named), {typed.name for typed in domain.types}
    actions = set(domain.action_named)
    yield from _unknown("imports", rules.imports, predicates, "predicates")
    yield from _unknown("roles", rules.roles, types | predicates, "types and predicates")
    yield from _missing("roles", types, rules.roles, "type")
    for key in ("verbs", "actions"):
        yield from _unknown(key, getattr(rules, key), actions, "actions")
        yield from _missing(key, actions, getattr(rules, key), "action")
    for name, use in rules.actions.items():
        parameters = {parameter.name for parameter in domain.action_named[name].parameters}
        yield from _unknown(f"actions.{name}.roles", use.roles.values(), parameters, "parameters")
    yield from _name_faults(mechanic)
    yield from _unknown("instance.objects", rules.instance.objects, types, "types")
    yield from _unknown("instance.unplaced", rules.instance.unplaced, types, "types")
    for number, rule in enumerate(rules.instance.facts):
        yield from _fact_rule_faults(f"instance.facts.{number}", rule, domain)
    for number, goal in enumerate(rules.goals):
        yield from _atom_faults(f"goals.{number}", parse_atom(goal), domain)
    for number, law in enumerate(rules.laws):
        for atom in law:
            yield from _atom_faults(f"at_most_one.{number}", atom, domain)
    for name, attachment in rules.attachments.items():
        yield from _attachment_faults(f"attachments.{name}", attachment, domain)


def _fact_rule_faults(place: str, rule: FactRule, domain: Domain) -> Faults:
    forms = [name for name in RULES if getattr(rule, name)]
    if len(forms) != 1:
        yield f"{place} has {len(forms)} rules", f"give it one of {', '.join(RULES)}"
        return
    yield from _atom_faults(place, rule.fact, domain)
    if (rule.form == "complement") != bool(rule.of):
        yield f"{place}: 'complement' and 'of' go together", "give both, or none"
    if rule.of:
        yield from _atom_faults(f"{place}.of", parse_atom(rule.of), domain)


def _attachment_faults(place: str, attachment: Attachment, domain: Domain) -> Faults:
    for _, literal in attachment.literals:
        yield from _atom_faults(place, literal.atom, domain)
    types = {OBJECT, *(typed.name for typed in domain.types)}
    for parameter in attachment.parameters:
        yield from _unknown(f"{place}.adds", parameter.types, types, "types")
    bound = {*attachment.binds.values(), *(parameter.name for parameter in attachment.parameters)}
    used = {variable for _, literal in attachment.literals for variable in literal.atom[1:]}
    for variable in sorted(used ^ bound):
        yield f"{place}: {variable} is not both bound and used", "list it in binds or adds"


def _name_faults(mechanic: Mechanic) -> Faults:
    """Yield predicates that have no names in PDDL, or too few."""
    rules = mechanic.rules
    unnamed = mechanic.provides - set(rules.roles)
    yield from _unknown("names", rules.names, unnamed, "own predicates that are no role")
    yield from _missing("names", unnamed, rules.names, "predicate")
    for predicate, names in rules.names.items():
        if len(names) < LEAST_NAMES:
            yield f"names.{predicate} has {len(names)} names", f"give at least {LEAST_NAMES}"


def _word_faults(mechanic: Mechanic) -> Faults:
    domain, words, rules = mechanic.fragment, mechanic.words, mechanic.rules
    facts = {parse_atom(key)[0] for key in words.facts}
    yield from _unknown("facts", facts, mechanic.provides, "own predicates")
    for key in words.facts:
        yield from _atom_faults(f"facts.{key}", parse_atom(key), domain)
    yield from _missing("facts", mechanic.provides, facts, "predicate")
    yield from _unknown("actions", words.actions, set(domain.action_named), "actions")
    yield from _missing("actions", domain.action_named, words.actions, "action")
    yield from _label_faults(domain, words)
    keys = {key for action in domain.actions for key in literal_keys(action)}
    yield from _telling_faults("", words, keys)
    yield from _unknown("attachments", words.attachments, set(rules.attachments), "attachments")
    yield from _missing("attachments", rules.attachments, words.attachments, "attachment")
    for name in set(words.attachments) & set(rules.attachments):
        yield from _telling_faults(
            f"attachments.{name}.", words.attachments[name], set(rules.attachments[name].keys)
        )
    for place, wordings in _wordings(words):
        if isinstance(wordings, tuple) and len(wordings) < LEAST_WORDINGS:
            yield f"{place} has {len(wordings)} wordings", f"write at least {LEAST_WORDINGS}"
    for phrase in phrases(mechanic):
        yield from _phrase_faults(phrase)
    yield from _unnamed_arguments(mechanic)


def _phrase_faults(phrase: PlacedWording) -> Faults:
    try:
        unknown = sorted(undefined_names(phrase.text) - phrase.names)
    except OrreryError as error:
        yield f"{phrase.place}: {error.where}: {error.problem}", error.mend
        return
    if unknown:
        yield f"{phrase.place} names '{unknown[0]}'", did_you_mean(unknown[0], phrase.names) or "mend it"


def _label_faults(domain: Domain, words: MechanicWords) -> Faults:
    yield from _unknown("labels", words.labels, set(domain.action_named), "actions")
    for name in set(words.labels) & set(domain.action_named):
        variables = {parameter.name.lstrip("?") for parameter in domain.action_named[name].parameters}
        yield from _unknown(f"labels.{name}", words.labels[name], variables, "parameters")


def _unnamed_arguments(mechanic: Mechanic) -> Faults:
    """Yield wordings of facts and imperatives that leave an argument out."""
    for key, polarity in mechanic.words.facts.items():
        yield from _left_out(f"facts.{key}", parse_atom(key)[1:], (*polarity.true, *polarity.false))
    for name, action in mechanic.words.actions.items():
        variables = [parameter.name for parameter in mechanic.fragment.action_named[name].parameters]
        yield from _left_out(f"actions.{name}.do", variables, action.do)


def _left_out(place: str, variables: Iterable[str], wordings: Iterable[str]) -> Faults:
    for text in wordings:
        for variable in variables:
            if variable.lstrip("?") not in undefined_names(text):
                yield f"{place}: '{text}' does not name {variable}", "name every argument"


def _telling_faults(place: str, words: AttachmentWords, keys: set[str]) -> Faults:
    """Yield keys that are not those of literals, and literals of which no general sentence tells."""
    general = {key for rule in words.general for key in (*rule.tells.stated, *rule.tells.implied)}
    for number, rule in enumerate(words.general):
        yield from _unknown(
            f"{place}general.{number}", (*rule.tells.stated, *rule.tells.implied), keys, "literals"
        )
    for number, bank in enumerate(words.implied):
        yield from _unknown(f"{place}implied.{number}", bank.tells, keys, "literals")
    yield from _unknown(f"{place}common", words.common, keys, "literals")
    for key in sorted(keys - general - set(words.common)):
        yield f"{place}general does not tell '{key}'", "add it to a sentence of general, or to common"


def _wordings(content: Any, place: str = "") -> Iterator[tuple[str, str | tuple[str, ...]]]:
    """Yield every wording in a part of ``words.yaml``, and every list of alternative ones, with its place."""
    if isinstance(content, str) or (isinstance(content, tuple) and place.rpartition(".")[2] not in BANKS):
        yield place, content
        return
    if isinstance(content, Implications | GeneralRule):
        content = {"say": content.say}
    parts = enumerate(content) if isinstance(content, tuple) else dict(content).items()
    for key, part in parts:
        yield from _wordings(part, f"{place}.{key}" if place else str(key))


def phrases(mechanic: Mechanic) -> Iterator[PlacedWording]:
    """Yield every wording of a mechanic with the names that it may use."""
    nouns = frozenset({*mechanic.vocabulary, *ALWAYS_NAMED, AGENT})
    for place, wordings in _wordings(mechanic.words):
        part, _, key = place.partition(".")
        names = nouns | ({"action", "doing"} if part == "attachments" else set())
        if part == "facts":
            names |= {variable.lstrip("?") for variable in parse_atom(key.rsplit(".", 1)[0])[1:]}
        if part == "actions" and key.endswith(".do"):
            action = mechanic.fragment.action_named[key.removesuffix(".do")]
            names |= {parameter.name.lstrip("?") for parameter in action.parameters}
        for text in (wordings,) if isinstance(wordings, str) else wordings:
            yield PlacedWording(place, text, names)


def _unknown(place: str, names: Iterable[str], known: Iterable[str], kind: str) -> Faults:
    known = set(known)
    for name in names:
        if name not in known:
            mend = did_you_mean(name, known) or f"{kind}: {', '.join(sorted(known)) or 'none'}"
            yield f"{place} names '{name}', which is not among the {kind}", mend


def _missing(place: str, needed: Iterable[str], names: Iterable[str], kind: str) -> Faults:
    present = set(names)
    for name in needed:
        if name not in present:
            yield f"{place} lacks the {kind} '{name}'", "add it"


def _atom_faults(place: str, atom: Atom, domain: Domain) -> Faults:
    """Yield whether a fact has no declared predicate of its arity, and its unknown types (``$type``)."""
    predicate = domain.predicate_named.get(atom[0]) if atom else None
    if predicate is None or predicate.arity != len(atom) - 1:
        yield (
            f"{place}: {write_atom(atom)} is no fact of the fragment",
            "use a declared predicate and its arity",
        )
    types = [argument.removeprefix(ANY) for argument in atom[1:] if argument.startswith(ANY)]
    yield from _unknown(place, types, [typed.name for typed in domain.types], "types")
