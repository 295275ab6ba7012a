"""State facts in fluent prose: lists of names, clauses with a shared subject, several facts in a sentence.

    Cars c1, c2 and c5 are at location l2, the others at location l1. The ferry is at location l1 and empty.

Every sentence is derived from the wordings of the domain's macros (see ``inflection``). The wordings are
converted to patterns once; each text then groups its facts and inserts the names. ``checks.reading.prose``
reads the sentences back.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache, cached_property, lru_cache
from itertools import chain, pairwise
from random import Random
from types import MappingProxyType
from typing import NamedTuple, TypeAlias

from orrery.language.choices import ChosenSentences, held_out
from orrery.language.inflection import (
    ARTICLES,
    HOLDER,
    PREPOSITIONS,
    holders,
    listed,
    nouns_of,
    subject_of,
)
from orrery.language.words import NEGATION, Words, form, listing, macro_name, number
from orrery.model import OBJECT, Atom, Domain, Literal, OrreryError

CHAIN = 4  # maximum number of clauses of one predicate in a sentence
NAMES = 14  # maximum number of names
CLAUSES_KEPT = 100_000
MERGED = 3  # maximum number of predicates of one subject in a sentence

Names: TypeAlias = Mapping[str, Sequence[str]]


class ClauseForm(NamedTuple):
    """A wording for a list at one argument (or for none): formats of ``np`` and the arguments.

    ``gapped`` leaves out the verb, "" where that does not do. ``nouns`` and ``noun`` stand before
    the names of the list. ``verb`` and ``after_verb`` follow the ``start``, the format of the subject; they
    are "" if other clauses cannot share the subject. ``of_all``: "all" may stand before the noun.
    ``before`` are the arguments that are named before the list.
    """

    whole: str
    gapped: str
    noun: str
    nouns: str
    start: str
    verb: str
    after_verb: str
    position: int
    variant: int
    of_all: bool = False
    before: tuple[int, ...] = ()


class ClauseForms(NamedTuple):
    """The wordings that fit a place; those from ``last`` on are held out, the others are ``ordinary``."""

    every: Sequence[ClauseForm]
    ordinary: Sequence[ClauseForm]
    held_out: Sequence[ClauseForm]
    last: int

    @classmethod
    def of(cls, shapes: Sequence[ClauseForm], last: int) -> ClauseForms:
        """Return the choice among these shapes."""
        ordinary, apart = ([s for s in shapes if (s.variant >= last) == held] for held in (False, True))
        return cls(shapes, ordinary, apart, last)


class ProseClause(NamedTuple):
    """A clause for some facts: the words, and the words after the subject if other clauses may share it."""

    text: str
    subject: str
    verb: str
    after_verb: str
    plural: bool
    names: int
    free: bool = False  # whether "it" may refer to the subject
    alone: bool = False  # whether it must be the first clause of its sentence


class ObjectOrder(NamedTuple):
    """The objects of a problem: their names by kind (``names_by_type``), and the position of each name.

    ``letters``: how many letters a name counts in the length of a sentence, if not its own.
    """

    names: Names
    place: Mapping[str, int]
    letters: Mapping[str, int] = MappingProxyType({})

    @classmethod
    def of(cls, names: Names) -> ObjectOrder:
        """Return the order of names by kind."""
        return cls(names, {name: i for i, name in enumerate(chain.from_iterable(names.values()))})

    def places(self, arguments: Sequence[str]) -> tuple[int, ...]:
        """Return the positions of some names; facts are stated in the order of these positions."""
        return tuple(map(self.place.__getitem__, arguments))

    def length(self, text: str) -> int:
        """Return the length of a sentence."""
        words = _WORD.findall(text) if self.letters else ()
        return len(text) + sum(self.letters.get(word, len(word)) - len(word) for word in words)


class ProseWriter:
    """Writes prose for the facts of one domain; wordings are converted to patterns at first use."""

    def __init__(self, words: Words, domain: Domain) -> None:
        """Prepare to state facts in ``words``."""
        self.words, self.domain = words, domain
        self.singles, self.lists = cache(self._singles), cache(self._lists)
        self.listable, self.has_others = cache(self._listable), cache(self._has_others)
        self.single_clause = lru_cache(maxsize=CLAUSES_KEPT)(self._single_clause)

    def prose(
        self, facts: Iterable[Literal], objects: ObjectOrder, rng: Random, *,
        held: bool = False, shuffled: bool = False, wordings: Mapping[str, int] | None = None,
    ) -> ChosenSentences:  # fmt: skip
        """Return sentences that state exactly the given literals.

        If ``held``, held-out wordings may occur, and half of the choices take one. With ``wordings``, a
        predicate has the same wording in the whole text: the given one, if it fits. If ``shuffled``, the
        sentences are in random order; otherwise, they are sorted by predicate.

        Raises:
            OrreryError: the domain lacks a predicate.
        """
        units, held_out = self.units(facts, objects, rng, held=held, shuffled=shuffled, wordings=wordings)
        return ChosenSentences(
            [f"{'. '.join([_capital(part, objects) for part in unit])}." for unit in units], held_out
        )

    def units(
        self, facts: Iterable[Literal], objects: ObjectOrder, rng: Random, *,
        held: bool = False, shuffled: bool = False, pronouns: bool = True,
        wordings: Mapping[str, int] | None = None,
    ) -> tuple[list[tuple[str, ...]], bool]:  # fmt: skip
        """Return sentences without capitals and full stops, and whether some of their wording is held out.

        The sentences of one element stay together: the second refers to the subject of the first as "it" or
        "they".
        """
        by_predicate: dict[str, list[tuple[str, ...]]] = {}
        denied: list[Atom] = []
        for atom, positive in facts:
            if positive:
                by_predicate.setdefault(atom[0], []).append(atom[1:])
            else:
                denied.append(atom)
        if unknown := by_predicate.keys() - self.domain.predicate_named.keys():
            raise OrreryError(
                self.domain.name, f"has no predicate {min(unknown)}", "use only predicates of the domain"
            )
        text, clauses = _Text(self, objects, rng, held, wordings), list[ProseClause]()
        for predicate in self.domain.predicates:
            if facts_of_predicate := by_predicate.get(predicate.name):
                clauses += text.about(predicate.name, sorted(facts_of_predicate, key=objects.places))
        units = text.merged(clauses, pronouns)
        for name, *arguments in sorted(denied, key=lambda atom: (atom[0], objects.places(atom[1:]))):
            units.append((NEGATION + text.single(name).whole.format(*arguments),))
        if shuffled:
            units.sort(key=lambda _: text.chance())
        return units, text.apart

    @cached_property
    def nouns(self) -> frozenset[str]:
        """The nouns before names in the wordings of the domain."""
        return nouns_of(clause for p in self.domain.predicates for clause in self._clauses(p.name))

    @cached_property
    def compounds(self) -> frozenset[str]:
        """The nouns of types that have several words."""
        names = [typed.name for typed in self.domain.types]
        named = (name for name in names if macro_name("type", name) in self.words.macros)
        nouns = (self.words.say("type", name) for name in named)
        return frozenset(noun for noun in nouns if " " in noun)

    def _clauses(self, predicate: str) -> list[str]:
        """Return all wordings of a predicate, with placeholders for its arguments."""
        arguments = holders(self.domain.predicate_named[predicate].arity)
        return [
            self.words.say("fact", predicate, *arguments, variant=variant)
            .rstrip(" .")
            .replace("{", "{{")
            .replace("}", "}}")
            for variant in range(self.words.variants("fact", predicate))
        ]

    def ordinary(self, predicate: str) -> int:
        """Return how many wordings of a predicate, the first ones, may occur in every split."""
        count = self.words.variants("fact", predicate)
        return count - held_out(count)

    def _singles(self, predicate: str) -> ClauseForms:
        """Return the wordings of a predicate for single facts."""
        return ClauseForms.of(
            [_single(clause, variant) for variant, clause in enumerate(self._clauses(predicate))],
            self.ordinary(predicate),
        )

    def _lists(self, predicate: str, position: int) -> ClauseForms:
        """Return the wordings of a predicate that allow a list of names as an argument."""
        shapes = [
            _for_lists(clause, position, variant, self.nouns | self.compounds)
            for variant, clause in enumerate(self._clauses(predicate))
        ]
        return ClauseForms.of([shape for shape in shapes if shape is not None], self.ordinary(predicate))

    def _listable(self, predicate: str, held: bool) -> tuple[int, ...]:
        """Return the arguments of a predicate that a list may replace, the last one first.

        Some arguments may have only held-out wordings.
        """
        last_first = reversed(range(self.domain.predicate_named[predicate].arity))
        lists = {position: self.lists(predicate, position) for position in last_first}
        return tuple(at for at, choice in lists.items() if (choice.every if held else choice.ordinary))

    @cached_property
    def kinds(self) -> Mapping[tuple[str, int], tuple[str, ...]]:
        """The kinds of objects that fit an argument, by predicate and argument."""
        kinds_at: dict[tuple[str, int], tuple[str, ...]] = {}
        above = {parent for typed in self.domain.types for parent in typed.types}
        leaves = [typed.name for typed in self.domain.types if typed.name not in above]
        static = [
            p.name for p in self.domain.predicates if p.arity == 1 and p.name not in self.domain.fluents
        ]
        for predicate in self.domain.predicates:
            for position, parameter in enumerate(predicate.parameters):
                fitting = tuple(kind for kind in leaves if self.domain.fits((kind,), parameter.types))
                kinds_at[predicate.name, position] = fitting if leaves else tuple(static) or (OBJECT,)
            if not leaves and predicate.name in static:  # the predicate is the kind
                kinds_at[predicate.name, 0] = ()
        return kinds_at

    def _has_others(self, predicate: str, position: int) -> bool:
        """Return whether no other argument of a predicate has the kinds of this one.

        "Place a is linked to the others" would be ambiguous: it might exclude places that were linked before.
        """
        positions = range(self.domain.predicate_named[predicate].arity)
        kinds_of_others = {kind for i in positions if i != position for kind in self.kinds[predicate, i]}
        return kinds_of_others.isdisjoint(self.kinds[predicate, position])

    @cached_property
    def plurals(self) -> Mapping[str, str]:
        """The plural of the noun for each kind; kinds without a noun of their own are missing."""
        plurals = {}
        for kind in set(chain.from_iterable(self.kinds.values())):
            if kind == OBJECT:
                if len(self.nouns) == 1:
                    plurals[kind] = form(next(iter(self.nouns)), 2)
            elif macro_name("type", kind) in self.words.macros:
                plurals[kind] = form(self.words.say("type", kind), 2)
            else:
                plurals[kind] = form(kind.replace("_", " ").replace("-", " "), 2)
        return plurals

    @cached_property
    def said_of_one(self) -> frozenset[tuple[str, str]]:
        """Verb and rest of the wordings that describe one named object alone."""
        return frozenset(
            (shape.verb, shape.after_verb)
            for p in self.domain.predicates
            for shape in self.singles(p.name).every
            if "{" in shape.start and "{" not in shape.after_verb
        )

    def _single_clause(self, predicate: str, variant: int, fact: tuple[str, ...]) -> ProseClause:
        """Return the clause for a single fact in a wording."""
        return self.clause(self.singles(predicate).every[variant], "", fact, fact)

    def clause(
        self, shape: ClauseForm, phrase: str, arguments: Sequence[str], names: Sequence[str]
    ) -> ProseClause:
        """Return the clause of a shape, with its subject if other clauses may share it."""
        text = shape.whole.format(*arguments, np=phrase)
        says_others = phrase.startswith("the other")
        if not shape.verb:
            return ProseClause(text, "", "", "", False, len(names), alone=says_others)
        subject = shape.start.format(*arguments, np=phrase)
        plural = "{np}" in shape.start
        count = len(names) if shape.position < 0 else len(arguments)
        free = (
            (shape.verb, shape.after_verb) not in self.said_of_one if shape.position < 0 else count == 1
        ) or plural  # fmt: skip
        after = shape.after_verb.format(*arguments, np=phrase)
        return ProseClause(text, subject, shape.verb, after, plural, count, free, says_others)


class _Text:
    """The state of one text that is being written: its names, and the wordings chosen for it."""

    def __init__(
        self,
        writer: ProseWriter,
        objects: ObjectOrder,
        rng: Random,
        held: bool,
        wordings: Mapping[str, int] | None,
    ) -> None:
        self.writer, self.objects, self.names, self.chance = writer, objects, objects.names, rng.random
        self.held, self.settled, self.wordings = held, wordings is not None, wordings or {}
        self.apart = False
        self.chosen: dict[object, ClauseForm] = {}

    def choose(self, choice: ClauseForms, predicate: str, key: object) -> ClauseForm:
        """Return an allowed wording; the same one for the same key if the text has fixed wordings."""
        if self.settled and key in self.chosen:
            return self.chosen[key]
        shapes, preferred = choice.every, self.wordings.get(predicate, -1)
        if choice.held_out:
            held = self.held and (preferred >= choice.last if preferred >= 0 else self.chance() < 0.5)
            shapes = (choice.held_out if held else choice.ordinary) or shapes
        shape = next((shape for shape in shapes if shape.variant == preferred), None)
        if shape is None:
            shape = shapes[int(self.chance() * len(shapes))]
        self.chosen[key] = shape
        self.apart |= shape.variant >= choice.last
        return shape

    def single(self, predicate: str) -> ClauseForm:
        """Return a wording for a single fact."""
        return self.choose(self.writer.singles(predicate), predicate, predicate)

    def about(self, predicate: str, facts: list[tuple[str, ...]]) -> list[ProseClause]:
        """Return clauses that state the facts of a predicate."""
        arity = len(facts[0])
        position = self.listed_at(predicate, facts, arity) if len(facts) > 1 else -1
        if position < 0:
            return self.alone(predicate, facts)
        shape = self.choose(self.writer.lists(predicate, position), predicate, (predicate, position))
        if arity == 1:
            names = [name for (name,) in facts]
            return [self.writer.clause(shape, self.phrase(shape, predicate, names, ()), (), names)]
        groups = _groups(facts, position)
        second_position = 1 - position
        if arity > 2 or second_position not in self.writer.listable(predicate, self.held):
            return self.chained(predicate, position, shape, list(groups.items()))
        # Facts with separate clauses, such as the edges to the center of a star, may share another argument.
        alone = [arguments for arguments, names in groups.items() if len(names) == 1]
        shared = _groups(
            [(*arguments[:position], *groups[arguments], *arguments[position + 1 :]) for arguments in alone],
            second_position,
        )
        if len(shared) == len(alone):
            return self.chained(predicate, position, shape, list(groups.items()))
        lists = [(arguments, names) for arguments, names in groups.items() if len(names) > 1]
        clauses = self.chained(predicate, position, shape, lists)
        shape = self.choose(
            self.writer.lists(predicate, second_position), predicate, (predicate, second_position)
        )
        return [*clauses, *self.chained(predicate, second_position, shape, list(shared.items()))]

    def listed_at(self, predicate: str, facts: list[tuple[str, ...]], arity: int) -> int:
        """Return the argument at which lists give the fewest clauses; -1 if no argument allows lists."""
        best, fewest = -1, len(facts)
        for position in self.writer.listable(predicate, self.held):
            if arity == 1:
                return position
            count = len({fact[:position] + fact[position + 1 :] for fact in facts})
            if count < fewest:
                best, fewest = position, count
        return best

    def alone(self, predicate: str, facts: list[tuple[str, ...]]) -> list[ProseClause]:
        """Return a clause for each fact; some clauses are joined without their verbs."""
        clauses, shape = [], self.single(predicate)
        if len(facts) > 1 and shape.gapped and (self.settled or self.chance() < 0.5):
            size = 2 + int(self.chance() * (CHAIN - 1))
            for at in range(0, len(facts), size):
                chunk = facts[at : at + size]
                if len(chunk) == 1:
                    clauses.append(self.writer.single_clause(predicate, shape.variant, chunk[0]))
                    continue
                parts = [(shape.gapped if i else shape.whole).format(*fact) for i, fact in enumerate(chunk)]
                clauses.append(ProseClause(_joined(parts, plain=True), "", "", "", False, 0))
            return clauses
        # Every chosen wording is used.
        shapes = [shape, *(self.single(predicate) for _ in facts[1:])]
        clause = self.writer.single_clause
        return [clause(predicate, shape.variant, fact) for shape, fact in zip(shapes, facts, strict=True)]

    def chained(
        self,
        predicate: str,
        position: int,
        shape: ClauseForm,
        groups: list[tuple[tuple[str, ...], list[str]]],
    ) -> list[ProseClause]:
        """Return clauses on lists of names that differ in the other arguments, several in a sentence."""
        if self.chance() < 0.5:
            groups.sort(key=lambda group: len(group[1]))
        clauses: list[ProseClause] = []
        at = 0
        while at < len(groups):
            if not self.settled and at:
                shape = self.choose(self.writer.lists(predicate, position), predicate, (predicate, position))
            limit = 1 if self.chance() < 0.2 else 2 + int(self.chance() * (CHAIN - 1))
            parts: list[str] = []
            mentioned: set[str] = set()
            count, first = 0, at
            simple = True
            while at < len(groups) and at - first < limit:
                arguments, names = groups[at]
                count += len(names) + 1
                if parts and count > NAMES:
                    break
                mentioned.update([arguments[i] for i in shape.before])
                phrase = (
                    self.phrase(shape, predicate, names, mentioned, position)
                    if len(names) > 1 or parts
                    else ""
                )
                if phrase:
                    simple = False
                    part = (shape.gapped if parts and shape.gapped else shape.whole).format(
                        *arguments, np=phrase
                    )
                else:
                    form_of_one = self.writer.singles(predicate).every[shape.variant]
                    fact = (*arguments[:position], names[0], *arguments[position + 1 :])
                    part = (form_of_one.gapped if parts and shape.gapped else form_of_one.whole).format(*fact)
                parts.append(part)
                mentioned.update(names)
                mentioned.update(arguments)
                at += 1
                if not shape.gapped and (shape.verb or not shape.noun):
                    break
            if len(parts) > 1:
                whole = not shape.gapped
                clauses.append(
                    ProseClause(_joined(parts, plain=simple, whole=whole), "", "", "", False, 0, alone=True)
                )
            else:
                arguments, names = groups[first]
                if len(names) > 1:
                    before = {arguments[i] for i in shape.before}
                    phrase = self.phrase(shape, predicate, names, before, position)
                    clauses.append(self.writer.clause(shape, phrase, arguments, names))
                else:
                    fact = (*arguments[:position], names[0], *arguments[position + 1 :])
                    clauses.append(self.writer.single_clause(predicate, shape.variant, fact))
        return clauses

    def phrase(
        self,
        shape: ClauseForm,
        predicate: str,
        names: list[str],
        mentioned: Collection[str],
        position: int = 0,
    ) -> str:
        """Return the names as a list with its noun, or as "all" of a kind, or as "the others" of a kind.

        ``mentioned`` are the names earlier in the sentence. The result is "" for a single name that is not
        such a remainder.
        """
        for kind in self.writer.kinds[predicate, position]:
            all_of = self.names.get(kind, ())
            noun = self.writer.plurals.get(kind)
            if noun is None or len(all_of) < 2 or len(names) > len(all_of) or self.chance() < 0.3:
                continue
            if len(names) == len(all_of):
                if shape.of_all and set(names) == set(all_of):
                    return self.all_of(noun, len(names))
            elif mentioned and shape.nouns == f"{noun} " and self.writer.has_others(predicate, position):
                remaining = [name for name in all_of if name not in mentioned]
                if (
                    1 < len(remaining) < len(all_of)
                    and len(remaining) == len(names)
                    and set(remaining) == set(names)
                ):
                    return "the others" if self.chance() < 0.6 else f"the other {noun}"
        return shape.nouns + listing(names) if len(names) > 1 else ""

    def all_of(self, noun: str, count: int) -> str:
        """Return a phrase for all objects of a kind; ``count`` is two or more."""
        if count == 2:
            return f"both {noun}" if self.chance() < 0.7 else f"the two {noun}"
        drawn = self.chance()
        return (
            f"all {noun}"
            if drawn < 0.4
            else f"all the {noun}"
            if drawn < 0.7
            else f"all {number(count)} {noun}"
        )

    def merged(self, clauses: list[ProseClause], pronouns: bool) -> list[tuple[str, ...]]:
        """Return units of sentences: clauses on one subject are merged, or a pronoun begins the second."""
        by_subject: dict[str, list[ProseClause]] = {}
        units: list[list[ProseClause]] = []
        for clause in clauses:
            subject = clause.subject
            if subject:
                unit = by_subject.get(subject)
                if (
                    unit is not None
                    and not clause.alone
                    and len(unit) < MERGED
                    and _mergeable(unit[-1], clause)
                ):
                    unit.append(clause)
                    continue
                by_subject[subject] = unit = [clause]
                units.append(unit)
            else:
                units.append([clause])
        return self.joined(
            [
                ((unit[0].text,) if len(unit) == 1 else self.unit(unit, pronouns), unit[0].alone)
                for unit in units
            ]
        )

    def unit(self, clauses: list[ProseClause], pronouns: bool) -> tuple[str, ...]:
        """Return one or two sentences on one subject with two or more predicates."""
        first, *later = clauses
        drawn = self.chance()
        if pronouns and drawn < 0.2 and len(later) == 1 and first.free and later[0].free:
            return (first.text, f"{'they' if first.plural else 'it'} {later[0].verb} {later[0].after_verb}")
        drop = all(clause.verb == first.verb and _plain(clause.after_verb) for clause in clauses)
        # Either all or none: "has a for b, for c and carries d" is not a list.
        shorter = _shorter(clauses)
        if all(shorter):
            parts = [first.text, *shorter]
        elif drop and first.verb in ("is", "are"):
            parts = [first.text, *(clause.after_verb for clause in later)]
        else:
            parts = [first.text, *(f"{clause.verb} {clause.after_verb}".rstrip() for clause in later)]
        if len(parts) == 2:
            return (" and ".join(parts),)
        return (f"{', '.join(parts[:-1])}{',' if _has_list(parts) else ''} and {parts[-1]}",)

    def joined(self, units: list[tuple[tuple[str, ...], bool]]) -> list[tuple[str, ...]]:
        """Return the units; some neighbouring units of one short sentence are joined."""
        sentences: list[tuple[str, ...]] = []
        before, chance = False, self.chance
        for unit, alone in units:
            text = unit[0]
            is_plain = len(unit) == 1 and "," not in text and " and " not in text
            short = is_plain and self.objects.length(text) < SHORT
            if short and before and not alone and chance() < 0.25:
                sentences[-1] = (sentences[-1][0] + JOINTS[int(chance() * len(JOINTS))] + text,)
                before = False
                continue
            sentences.append(unit)
            before = short
        return sentences


HOLDER_INDEX = re.compile(r"\{(\d+)\}")
_WORD = re.compile(r"[\w-]+")
SHORT = 60  # maximum number of characters of a sentence that may be joined with another
JOINTS = (", and ", "; ")
NEGATIVE = frozenset({"not", "no", "nothing", "cannot", "each", "none", "never"})
MODAL = frozenset({"can", "cannot", "may", "must", "does", "do", "has", "have", "will"})


def _groups(facts: Iterable[tuple[str, ...]], position: int) -> dict[tuple[str, ...], list[str]]:
    """Return the names at a position, grouped by the other arguments; the key has "" at the position."""
    names_of: dict[tuple[str, ...], list[str]] = {}
    for fact in facts:
        names_of.setdefault((*fact[:position], "", *fact[position + 1 :]), []).append(fact[position])
    return names_of


def _plain(predicate: str) -> bool:
    """Return whether the words after a verb can share the verb with other words."""
    if predicate.startswith(("not ", "the ", "a ", "an ", "no ", "one ")):
        return False
    return " where " not in predicate and " to " not in f" {predicate}"


def _mergeable(before: ProseClause, after: ProseClause) -> bool:
    """Return whether one clause can follow another without its subject."""
    if "where " not in before.after_verb or " where " not in f" {before.after_verb}":
        return True
    return before.after_verb.startswith("where ") and after.after_verb.startswith("where ")


def _shorter(clauses: Sequence[ProseClause]) -> list[str]:
    """Return the part of each later clause that ``_after_common`` keeps; "" if it keeps nothing."""
    pairs = pairwise(clauses)
    return [
        _after_common(first.after_verb, second.after_verb) if first.verb == second.verb else ""
        for first, second in pairs
    ]


def _after_common(before: str, after: str) -> str:
    """Return the words after the common beginning, if they begin with "from", "where" or a similar word."""
    old, new = before.split(" "), after.split(" ")
    if old[0] == new[0] == "where":
        return after
    at = 0
    while at < len(old) and at < len(new) and old[at] == new[at]:
        at += 1
    while at > 0 and (at >= len(new) or new[at] not in PREPOSITIONS or new[at - 1] in PREPOSITIONS):
        at -= 1
    shared = at and new[at] != "of" and "not" not in new[:at]
    return " ".join(new[at:]) if shared and old[at : at + 1] == new[at : at + 1] else ""


def _has_list(parts: Sequence[str]) -> bool:
    return any("," in part or " and " in part for part in parts)


def _joined(parts: Sequence[str], *, plain: bool, whole: bool = False) -> str:
    """Return clauses joined into one, with a comma before the last if they contain lists."""
    if len(parts) == 2:
        return f"{parts[0]} and {parts[1]}" if plain else f"{parts[0]},{' and' if whole else ''} {parts[1]}"
    return f"{', '.join(parts[:-1])}{'' if plain else ','} and {parts[-1]}"


def _capital(text: str, objects: ObjectOrder) -> str:
    """Return the text with a capital, unless it begins with the name of an object."""
    if text.partition(" ")[0].rstrip(",") in objects.place:
        return text
    return text[:1].upper() + text[1:]


def _format(text: str) -> str:
    return HOLDER.sub(r"{\1}", text)


def _single(clause: str, variant: int) -> ClauseForm:
    """Return the shape of a wording without lists."""
    whole = _format(clause)
    subject = subject_of(clause)
    if subject is None or "," in clause:
        return ClauseForm(whole, "", "", "", "", "", "", -1, variant)
    start = f"{subject.start} {{{subject.position}}}".strip() if subject.position >= 0 else subject.start
    predicate = _format(subject.after_verb)
    gapped = _gapped(start, subject.verb, predicate)
    return ClauseForm(whole, gapped, "", "", start, subject.verb, predicate, subject.position, variant)


def _for_lists(clause: str, position: int, variant: int, nouns: Collection[str]) -> ClauseForm | None:
    """Return the shape of a wording with a list at an argument; None if it allows no list."""
    if (listing_form := listed(clause, position, nouns)) is None:
        return None
    subject = subject_of(clause)
    start, verb, predicate, subject_position = "", "", "", -1
    if subject is not None and subject.position == position and listing_form.subject:
        subject_position = position
        words_after = listing_form.clause.removeprefix("{np} ").split(" ")
        if words_after[0] == subject.verbs:
            start, verb, predicate = "{np}", words_after[0], " ".join(words_after[1:])
    elif subject is not None and not listing_form.subject:
        subject_position = subject.position
        start = f"{subject.start} {{{subject_position}}}".strip() if subject_position >= 0 else subject.start
        verb, predicate = subject.verb, listing_form.clause.removeprefix(f"{start} {subject.verb}").strip()
    # Without nouns, one could not tell where one list ends and the next begins.
    gapped = _gapped(start, verb, predicate) if listing_form.nouns else ""
    of_all = NEGATIVE.isdisjoint(listing_form.clause.split(" "))
    before = tuple(int(i) for i in HOLDER_INDEX.findall(listing_form.clause.partition("{np}")[0]))
    return ClauseForm(
        listing_form.clause,
        gapped,
        listing_form.noun,
        listing_form.nouns,
        start,
        verb,
        predicate,
        subject_position,
        variant,
        of_all,
        before,
    )


def _gapped(start: str, verb: str, predicate: str) -> str:
    """Return a clause without its verb, for "... and cars c and d at location l1"; "" if the verb is needed.

    If the subject is always the same, it is omitted too: "... from waypoint w2 to waypoint w3".
    """
    words = predicate.split(" ")
    if not verb or "{" not in predicate or words[0] in ("not", "where", *ARTICLES, "the"):
        return ""
    if "{" not in start:
        if predicate.count("{") < 2:
            return ""
        first = next(at for at, word in enumerate(words) if word in PREPOSITIONS or "{" in word)
        while "{" in words[first] and first and words[first - 1] not in PREPOSITIONS:
            first -= 1
        return (
            "" if words[first] == "of" or not ARTICLES.isdisjoint(words[:first]) else " ".join(words[first:])
        )
    if verb in MODAL and ("{" not in words[0] and "{" not in words[-1]):
        return ""
    adverb = words[0].endswith("ly") or words[0] in PREPOSITIONS
    if verb in ("is", "are") and not adverb and words[1:2] and words[1] in PREPOSITIONS:
        words = words[1:]
    if start.startswith("{") and "{" in words[0]:
        return ""  # two names in a row are no clause
    bare = len(words) <= 2 and "{" in words[-1]
    if words[0] not in PREPOSITIONS and words[0] != "directly" and not (bare and verb not in ("is", "are")):
        return ""
    return f"{start} {' '.join(words)}"
