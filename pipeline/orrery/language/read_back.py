"""From explicit text back to facts: proof that the sentences say what the problem says.

Knows nothing of how a text was put together: it asks the words for each clause with placeholders in
place of objects, makes these clauses patterns, and reads the text with them from left to right.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

from orrery.language.choices import held_out
from orrery.language.words import NEGATION, Words
from orrery.model import Domain, Literal, OrreryError, Predicate

NAME = r"[\w-]+"
# Two families of placeholders, so that a wording that depends on the first letter is met both ways.
PLACEHOLDERS = ("qx{}zq", "ux{}zu")
POINT = "\n- "  # before each point of a list
STOP = r"\.(?: |$)"


@dataclass(frozen=True)
class Pattern:
    """The pattern of one wording of a predicate; the groups are the arguments.

    ``first`` is the word in small letters that the wording begins with; empty where that may vary.
    ``held_out`` says whether the wording is.
    """

    predicate: Predicate
    regex: re.Pattern[str]
    first: str = ""
    held_out: bool = False

    def read(self, text: str, start: int) -> tuple[Literal, int] | None:
        """Return the literal stated at ``start`` and where its sentence ends, or None."""
        if (match := self.regex.match(text, start)) is None:
            return None
        arguments = (match[f"a{i}"].lower() for i in range(self.predicate.arity))
        return Literal((self.predicate.name, *arguments), match["negation"] is None), match.end()


def _any_case(text: str) -> str:
    """Return a regular expression of the text whose first letter may be a capital."""
    return f"(?i:{re.escape(text[:1])}){re.escape(text[1:])}"


def clause_pattern(clause: str, placeholders: list[str], name: str = NAME) -> str:
    """Return the clause as a regular expression.

    Each placeholder is a group ``a<i>`` that matches ``name``, reused where it recurs.

    Raises:
        ValueError: a placeholder does not occur.
    """
    parts = re.split(f"({'|'.join(placeholders)})", clause) if placeholders else [clause]
    seen: set[str] = set()
    pieces = [_any_case(parts[0])]
    for part in parts[1:]:
        if part not in placeholders:
            pieces.append(re.escape(part))
            continue
        group = f"a{placeholders.index(part)}"
        pieces.append(f"(?P={group})" if part in seen else f"(?P<{group}>{name})")
        seen.add(part)
    if len(seen) < len(placeholders):
        raise ValueError(f"the wording {clause!r} does not name all its arguments")
    return "".join(pieces)


@dataclass(frozen=True)
class Inverter:
    """Reads explicit texts of one domain."""

    words: Words
    domain: Domain

    @cached_property
    def patterns(self) -> tuple[Pattern, ...]:
        """One pattern for each different wording of each predicate."""
        found: dict[str, Pattern] = {}
        for predicate in self.domain.predicates:
            for variant in range(self.words.variants("fact", predicate.name)):
                for family in PLACEHOLDERS:
                    pattern = self._pattern(predicate, variant, family)
                    found.setdefault(f"{predicate.name} {pattern.regex.pattern}", pattern)
        return tuple(found.values())

    @cached_property
    def _by_first(self) -> dict[str, tuple[Pattern, ...]]:
        """The patterns that may read a sentence, by its first word; under "" those for any other word."""
        varying = [pattern for pattern in self.patterns if not pattern.first]
        words = sorted({pattern.first for pattern in self.patterns})
        return {
            word: (*varying, *(p for p in self.patterns if p.first == word and word)) for word in ["", *words]
        }

    def _pattern(self, predicate: Predicate, variant: int, family: str) -> Pattern:
        placeholders = [family.format(i) for i in range(predicate.arity)]
        clause = self.words.fact((predicate.name, *placeholders), variant).rstrip(" .")
        try:
            regex = f"(?P<negation>{_any_case(NEGATION)})?{clause_pattern(clause, placeholders)}{STOP}"
            count = self.words.variants("fact", predicate.name)
            apart = variant >= count - held_out(count)
            return Pattern(predicate, re.compile(regex), _first_word(clause, placeholders), apart)
        except ValueError as error:
            mend = f"name every argument in each wording of {predicate.name}"
            raise OrreryError(str(self.words.path), str(error), mend) from error

    @property
    def shared(self) -> list[tuple[str, str]]:
        """Pairs of predicates that have a wording in common, but for the names in it; sorted."""
        found: dict[str, set[str]] = {}
        for pattern in self.patterns:
            wording = re.sub(r"\(\?P<a\d+>", "(", pattern.regex.pattern)  # whichever argument stands there
            found.setdefault(wording, set()).add(pattern.predicate.name)
        return sorted({pair for names in found.values() for pair in combinations(sorted(names), 2)})

    def literals(self, text: str) -> frozenset[Literal]:
        """Return the literals that the text states, one a sentence.

        Raises OrreryError at the first sentence that no wording, or more than one fact, explains.
        """
        return frozenset(self.read(text)[0])

    def read(self, text: str) -> tuple[list[Literal], bool]:
        """Return the literals of the sentences, in order, and whether some of the wording is held out.

        Raises OrreryError as ``literals`` does.
        """
        found, held_out = list[Literal](), False
        line, start = " ".join(text.replace(POINT, " ").split()), 0
        while start < len(line):
            (literal, start), apart = self._next(line, start)
            found.append(literal)
            held_out |= apart
        return found, held_out

    def _next(self, text: str, start: int) -> tuple[tuple[Literal, int], bool]:
        """Return the only reading of the sentence at ``start``, trying all patterns of its first word."""
        found = [(reading, p) for p in self._candidates(text, start) if (reading := p.read(text, start))]
        if found and all(reading == found[0][0] for reading, _ in found):
            return found[0][0], all(pattern.held_out for _, pattern in found)
        where = f"text at character {start}, {text[start : start + 60]!r}"
        if not found:
            raise OrreryError(where, f"no fact of {self.domain.name} is worded like this", "reword it")
        facts = ", ".join(sorted({str(literal.atom) for (literal, _), _ in found}))
        mend = f"reword one of them in {self.words.path}"
        raise OrreryError(where, f"ambiguous: states any of {facts}", mend)

    def _candidates(self, text: str, start: int) -> tuple[Pattern, ...]:
        """Return the patterns whose first word stands at ``start``, or there behind a negation."""
        word = text[start : _end_of_word(text, start)].lower()
        found = self._by_first.get(word, self._by_first[""])
        after = start + len(NEGATION)
        if text[start:after].lower() != NEGATION:
            return found
        word = text[after : _end_of_word(text, after)].lower()
        return tuple(dict.fromkeys([*found, *self._by_first.get(word, ())]))


def _first_word(clause: str, placeholders: list[str]) -> str:
    """Return the first word of a wording in lower case; empty where it may hold an object's name."""
    first, space, _ = clause.partition(" ")
    return "" if not space or any(placeholder in first for placeholder in placeholders) else first.lower()


def _end_of_word(text: str, start: int) -> int:
    """Return where the word at ``start`` ends: at a space, or with the text."""
    end = text.find(" ", start)
    return len(text) if end < 0 else end
