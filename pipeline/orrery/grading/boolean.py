"""Yes/no questions (``bool``), of any kind.

An answer is ``yes``, ``no``, ``true`` or ``false``, either alone in a clause (apart from words like "the
answer is") or after "the answer to this question is".
"""

from __future__ import annotations

from itertools import pairwise

from .clauses import PHRASE, PIECES, SUBJECTS, clauses_of, words_grader
from .words import DENIALS, word_set

_YES, _NO = word_set("yes true yep y"), word_set("no false nope n")
# After "no", these words deny something else than the claim: "no statement", "no option".
_NOUNS = word_set(
    "answer answers statement claim fact proposition reply correct right best option options choice one"
)
_NEITHER = "neither"  # in place of "n/a", whose "n" is no "no"
_ANSWER = word_set("answer response verdict")
# Words that may precede "the answer is" in a statement.
_LEADING = PHRASE | word_set("conclude confident follows can we which means shows gives a short question")


def _yes_or_no(text: str, _: bool) -> list[str]:
    """Return the verdicts of the clauses of a text; "yes or no", which repeats the question, gives both."""
    pieces = PIECES.findall(text.replace("n/a", _NEITHER))
    verdicts = (_verdict(clause) for clause in clauses_of(pieces))
    return [verdict for verdict in verdicts if verdict]


def _verdict(clause: list[str]) -> str:
    """Return ``yes`` or ``no`` if this is the whole clause, or if a sentence follows it ("yes it can")."""
    clause = _behind_the_answer_is(clause)
    words = [word for word in clause if word not in PHRASE and word not in ("a", "also")]
    if not words or words[0] not in _YES | _NO:
        return ""
    verdict, alike = ("yes", _YES) if words[0] in _YES else ("no", _NO)
    after = [*clause[clause.index(words[0]) + 1 :], ""][0]
    if words[0] == verdict and after in SUBJECTS:
        return verdict
    return verdict if alike.issuperset(words) and not (verdict == "no" and after in _NOUNS) else ""


def _behind_the_answer_is(clause: list[str]) -> list[str]:
    """Return the words after "the answer to the question is"; the whole clause if it has no such words."""
    answer = next((place for place, word in enumerate(clause) if word in _ANSWER), len(clause))
    if not _LEADING.issuperset(clause[:answer]):
        return clause
    for place, (word, after) in enumerate(pairwise(clause)):
        if place > answer and word == "is" and after in _YES | _NO and DENIALS.isdisjoint(clause[:place]):
            return clause[place + 1 :]
    return clause


BOOLEAN = words_grader(lambda _: _yes_or_no)
