"""Yes/no questions (``bool``), of any kind.

An answer is ``yes``, ``no``, ``true`` or ``false``, alone in a clause but for words like "the answer is".
"""

from __future__ import annotations

from functools import partial

from .clauses import PHRASE, PIECES, SUBJECTS, check_word, clauses_of, reader_of_words
from .grader import Grader
from .tokens import word_set

_YES, _NO = word_set("yes true yep y"), word_set("no false nope n")
# Behind "no" these make a denial of something else: "no statement", "no option".
_NOUNS = word_set(
    "answer answers statement claim fact proposition reply correct right best option options choice one"
)


def _yes_or_no(text: str, _: bool) -> list[str]:
    """Return what each clause of a text says, if anything; "yes or no" repeats the question."""
    said = (_verdict(clause) for clause in clauses_of(PIECES.findall(text)))
    return [verdict for verdict in said if verdict]


def _verdict(clause: list[str]) -> str:
    """Return ``yes`` or ``no`` if the clause is nothing else, or a sentence follows it ("yes it can")."""
    words = [word for word in clause if word not in PHRASE and word != "a"]
    if not words or words[0] not in _YES | _NO:
        return ""
    verdict, alike = ("yes", _YES) if words[0] in _YES else ("no", _NO)
    after = [*clause[clause.index(words[0]) + 1 :], ""][0]
    if words[0] == verdict and after in SUBJECTS:
        return verdict
    return verdict if alike.issuperset(words) and not (verdict == "no" and after in _NOUNS) else ""


BOOLEAN = Grader(partial(reader_of_words, lambda _: _yes_or_no), check_word)
