"""Static relations that hold between any two different objects, told in one sentence.

A domain that writes inequality as a predicate has a fact for every two objects; no person tells them one by
one. The macro ``complete_<predicate>(variant)`` says all of them at once; ``checks.reading.shapes`` reads it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from orrery.language.choices import Turn
from orrery.language.words import Words, macro_name
from orrery.model import Domain

KIND = "complete"


class CompleteRelations:
    """The relations of one domain that may be told at once."""

    def __init__(self, words: Words, domain: Domain) -> None:
        """Prepare to tell such relations; only predicates with a macro for it are any."""
        self.words, self.domain = words, domain
        self.predicates = tuple(
            predicate.name
            for predicate in domain.predicates
            if predicate.arity == 2
            and predicate.name not in domain.fluents
            and macro_name(KIND, predicate.name) in words.macros
        )

    def size(self, predicate: str, names: Mapping[str, Sequence[str]]) -> int:
        """Return how many facts make a relation complete; ``names`` are the objects by kind."""
        count = len(self._objects(predicate, names))
        return count * (count - 1)

    def sentence(self, predicate: str, turn: Turn) -> str:
        """Return the sentence that tells a complete relation."""
        return self.words.call(macro_name(KIND, predicate), turn)

    def _objects(self, predicate: str, names: Mapping[str, Sequence[str]]) -> Sequence[str]:
        """Return the objects that the relation is between: those that fit its first parameter."""
        types = self.domain.predicate_named[predicate].parameters[0].types
        kinds: Iterable[str] = (kind for kind in names if self.domain.fits((kind,), types))
        return sorted({name for kind in kinds for name in names[kind]})
