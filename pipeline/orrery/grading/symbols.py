"""The symbols that begin the entries of an answer (actions or predicates), and the objects of the problem."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from .pddl import TypeSets
from .plans.wordings import ReplyWordings, wordings_of
from .problem import GradedProblem, identifier_of, letters_of, read_problem
from .row import Atom, Row, needed_value, value
from .words import FILLERS, SUMS, word_set

_NAME = re.compile(r"[a-z0-9][\w-]*")
# Words of an aside in parentheses, which are not names of facts, actions or objects.
_ASIDE_WORDS = word_set(
    "a an the is are was were be been being it its this that these those there not no already still also so"
    " then than and or but which where while has have had can cannot must should will would both all any only"
    " as if because since when now here most least more less needed required done of from to in on at by for"
    " with into onto after before"
)
_ASIDE_BEGINNINGS = _ASIDE_WORDS | SUMS | word_set("note see e.g i.e assuming step running cumulative")
_CALL = re.compile(r"[a-z] [a-z]+\(")
_CALLED = re.compile(r"\b[a-z]+(?: [a-z]+){1,3}(?=\()")


@dataclass(frozen=True, slots=True)
class Symbols:
    """The symbols that begin entries, with the types of their arguments, and their wordings.

    ``strangers`` are symbols of other expressions. An expression that begins with one is not read as a
    misspelled entry. ``negatable``: an entry may be negated. Symbols follow from the problem and are not
    compared.
    """

    types: Mapping[str, TypeSets] = field(compare=False)
    problem: GradedProblem
    strangers: Collection[str] = field(compare=False)
    wordings: ReplyWordings
    negatable: bool

    @property
    def objects(self) -> Mapping[str, frozenset[str]]:
        """The objects of the problem, with their types."""
        return self.problem.objects

    def spelled(self, text: str) -> str:
        """Return a text in lower case with names as the PDDL spells them.

        Other forms are an identifier ("pick_up" or "pickup" for "pick-up"), and words before parentheses
        ("pick up(b1)").
        """
        text = self.problem.spellings.sub(lambda word: self._name(word[0]), text)
        return _CALLED.sub(lambda words: self._called(words[0]), text) if _CALL.search(text) else text

    def _name(self, word: str) -> str:
        problem = self.problem
        if word in problem.names:
            return word
        symbol = problem.symbols_by_letters.get(letters_of(word))
        return symbol or problem.objects_by_identifier.get(identifier_of(word), word)

    def _called(self, words: str) -> str:
        """Return words that end before parentheses, with the last of them joined if they are a name."""
        parts = words.split()
        for first in range(len(parts)):
            name = self.problem.symbols_by_letters.get("".join(parts[first:]), "")
            if name in self.types:
                return " ".join((*parts[:first], name))
        return words

    def has_arity_of(self, atom: Atom) -> bool:
        """Return whether ``atom`` begins with one of the symbols and has its number of arguments."""
        return bool(atom) and atom[0] in self.types and len(self.types[atom[0]]) == len(atom) - 1

    def is_about_objects(self, atom: Atom) -> bool:
        """Return whether all arguments are objects, and there is at least one."""
        objects = self.objects
        return len(atom) > 1 and atom[0] not in objects and all(name in objects for name in atom[1:])

    def is_well_formed(self, atom: Atom) -> bool:
        """Return whether words in parentheses have the form of an entry, possibly with made-up names.

        An aside such as "(since b1 is clear)" contains a word that is no name: "since" or "is".
        """
        names = [word for word in atom if word not in self.objects]
        if not all(map(_NAME.fullmatch, names)) or atom[0] in self.objects or not atom[0][0].isalpha():
            return False
        if atom[0] in _ASIDE_BEGINNINGS and atom[0] not in self.types:
            return False
        if len(atom) == 1:
            return "-" in atom[0] or "_" in atom[0]
        return _ASIDE_WORDS.isdisjoint(name for name in names[1:] if name not in self.types)

    def is_made_up(self, token: str | Atom) -> bool:
        """Return whether a token is an entry in parentheses with a made-up name; a word is none."""
        if not isinstance(token, tuple) or not token or token[0] in self.types or token[0] in self.strangers:
            return False
        return self.is_well_formed(token)

    def is_bare_form(self, words: Sequence[str]) -> bool:
        """Return whether words without parentheses have the form of an entry that is made up: "fly x y".

        They are a name and names of objects; a made-up object is one letter or has a digit. After a name of
        the domain, one such word is enough. A single word has a hyphen.
        """
        if not words or words[0] in self.objects or words[0] in FILLERS or not words[0][0].isalpha():
            return False
        head, *names = words
        if not names:
            return "-" in head or "_" in head
        if head in self.objects.get(names[0], ()) or (head in _ASIDE_BEGINNINGS and head not in self.types):
            return False
        counted = names[:1] if head in self.types and head not in _ASIDE_BEGINNINGS else names
        return all(name in self.objects or self.is_like_an_object(name) for name in counted)

    @staticmethod
    def is_like_an_object(word: str) -> bool:
        """Return whether a word looks like the name of an object: one letter, or with a digit, no number."""
        is_letter = len(word) == 1 and word.isalpha() and word not in ("a", "i")
        return is_letter or (not word.isdigit() and any(map(str.isdigit, word)))

    def is_strange(self, atom: Atom) -> bool:
        """Return whether words in parentheses are an expression of the other kind: an action among facts."""
        is_stranger = bool(atom) and atom[0] in self.strangers
        return is_stranger and (len(atom) == 1 or self.is_well_formed(atom))

    def accept(self, atom: Atom, marked: bool) -> bool:
        """Return whether ``atom`` counts as an answer, right or wrong.

        What begins with another kind of symbol counts only if the answer is ``marked``: after ``ANSWER:``, or
        in a list of answers.
        """
        if atom[0] in self.types:
            return self.has_arity_of(atom) or len(atom) == 1 or self.is_well_formed(atom)
        if atom[0] in self.strangers:
            return marked and (self.is_about_objects(atom) or len(atom) == 1)
        return self.is_well_formed(atom)


def pddl_texts(row: Row) -> tuple[str, str]:
    """Return the domain and the problem of a row in PDDL; raise ValueError if the row lacks one."""
    domain, problem = (
        value(row, f"{part}_pddl") or needed_value(row, f"PDDL_{part}") for part in ("domain", "problem")
    )
    return domain, problem


def problem_of(row: Row) -> GradedProblem:
    """Return the problem of a row.

    Raises:
        ValueError: The row has no valid domain or problem.
    """
    return read_problem(*pddl_texts(row))


def step_symbols(row: Row) -> Symbols:
    """Return the symbols of the actions of a row."""
    problem = problem_of(row)
    domain = problem.domain
    return Symbols(domain.parameters, problem, domain.predicates, wordings_of(row, domain, "actions"), False)


def fact_symbols(row: Row) -> Symbols:
    """Return the symbols of the facts of a row."""
    problem = problem_of(row)
    domain = problem.domain
    strangers = domain.parameters.keys() - domain.predicates.keys()
    return Symbols(domain.predicates, problem, strangers, wordings_of(row, domain, "facts"), True)
