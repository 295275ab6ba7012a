"""Put nouns and verbs of a clause in the plural where a list of names replaces one name.

The rules work word by word on the wordings that ``Words.fact`` gives for placeholders. They are not a full
grammar: a wording whose agreement the rules do not know is never used with lists.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from orrery.language.words import form

AGREEING = {"is": "are", "has": "have", "was": "were", "does": "do", "isn't": "aren't"}
UNCHANGED = frozenset({"can", "cannot", "may", "must", "will", "had", "could"})
ARTICLES = frozenset({"a", "an"})
# fmt: off
# Words that may precede a name and are not nouns.
PREPOSITIONS = frozenset({
    "at", "in", "on", "of", "to", "from", "by", "with", "onto", "into", "inside", "aboard", "above", "below",
    "under", "over", "near", "beside", "for", "as", "called", "named", "against", "about", "towards",
    "beneath", "upon", "off", "atop", "underneath", "behind", "within",
})
NO_NOUNS = PREPOSITIONS | ARTICLES | {
    "the", "and", "or", "but", "between", "where", "that", "which", "what", "who", "there", "it", "no",
    "nothing", "one", "than", "is", "are", "has", "have", "was", "does", "directly", "only", "not", "this",
    "its", "everything", "if",
}
# Words after a name that end like verbs but are not verbs.
NO_VERBS = frozenset({"as", "across", "towards", "upwards", "downwards", "always", "its", "this", "thus"})
# A clause with one of these words may be true only of each object separately.
SINGULAR = frozenset({"itself", "each", "every", "another", "both", "alone", "single", "himself", "sole"})
JOINING = frozenset({"and", "or", "but", "which", "that", "who", "while", "when", "because", "whose", "than"})
# fmt: on
PRONOUNS = frozenset({"it", "its"})
HOLDER = re.compile(r"qx(\d+)zq")


class Subject(NamedTuple):
    """A clause split after its subject: ``start``, and the predicate for one and for several subjects.

    ``position`` is the argument that the subject names; -1 if the subject names no argument ("the ferry").
    """

    position: int
    start: str
    verb: str
    verbs: str
    after_verb: str


class Listed(NamedTuple):
    """A clause with ``{np}`` in place of a list; the other arguments are ``{0}``, ``{1}`` ...

    ``noun`` is singular, and empty if the wording has no noun. ``nouns`` is the plural before the names.
    """

    clause: str
    noun: str
    nouns: str
    subject: bool


def holders(arity: int) -> list[str]:
    """Return placeholders for ``arity`` arguments."""
    return [f"qx{i}zq" for i in range(arity)]


def nouns_of(clauses: Iterable[str]) -> frozenset[str]:
    """Return the nouns: the words between the beginning of a clause and a name that a verb follows."""
    nouns = set()
    for clause in clauses:
        words = clause.split()
        for at, word in enumerate(words):
            if HOLDER.fullmatch(word) and at and _simple(words[:at]) and _is_verb(_next(words, at)):
                nouns.add(words[at - 1])
    return frozenset(nouns)


def listed(clause: str, position: int, nouns: Collection[str]) -> Listed | None:
    """Return the clause for a list of names at ``position``; None if the rules do not know its agreement.

    ``nouns`` may have several words.
    """
    words = clause.split()
    places = [at for at, word in enumerate(words) if f"qx{position}zq" in word]
    if len(places) != 1 or words[places[0]] != f"qx{position}zq":
        return None  # named twice, possessive, or before a comma
    at = places[0]
    if not SINGULAR.isdisjoint(words) or any(word.endswith(",") for word in words):
        return None
    if _next(words, at) in ("and", "or") or words[0] == "it":
        return None
    begins = _begin(words, at)
    before = words[begins:at]
    if _simple(before) and _is_verb(_next(words, at)):
        return _of_subject(words, begins, at)
    return _of_object(words, at, nouns)


def subject_of(clause: str) -> Subject | None:
    """Return the clause split after its subject: "the ferry", "car qx0zq", or only a name.

    Return None if the clause begins otherwise, or if its end may refer to the subject as one thing.
    """
    words = clause.split()
    for at, word in enumerate(words):
        if HOLDER.fullmatch(word) and _simple(words[:at]) and _is_verb(_next(words, at)):
            verb = words[at + 1]
            return Subject(
                int(HOLDER.fullmatch(word)[1]), " ".join(words[:at]), verb, plural_verb(verb),  # type: ignore[index]
                " ".join(words[at + 2 :]),
            )  # fmt: skip
        if HOLDER.search(word):
            return None
        if at >= 2 and words[0] == "the" and _is_verb(word) and JOINING.isdisjoint(words[:at]):
            return Subject(-1, " ".join(words[:at]), word, plural_verb(word), " ".join(words[at + 1 :]))
    return None


def plural_verb(verb: str) -> str:
    """Return the plural form of a verb in the third person: "lies" gives "lie", "carries" gives "carry"."""
    if verb in AGREEING:
        return AGREEING[verb]
    if verb in UNCHANGED:
        return verb
    if verb.endswith("ies") and len(verb) > len("lies"):
        return verb[:-3] + "y"
    return verb[:-2] if re.search(r"(ss|sh|ch|x|zz|o)es$", verb) else verb[:-1]


def _next(words: Sequence[str], at: int) -> str:
    return words[at + 1] if at + 1 < len(words) else ""


def _is_verb(word: str) -> bool:
    """Return whether a word after a subject is a verb in the third person."""
    is_listed = word in AGREEING or word in UNCHANGED
    return is_listed or (word.endswith("s") and not word.endswith(("ss", "'s")) and word not in NO_VERBS)


def _simple(words: Sequence[str]) -> bool:
    """Return whether the words before a name are empty, a noun, or "the" and a noun."""
    noun_phrase = words[1:] if words[:1] == ["the"] and len(words) > 1 else words
    return len(noun_phrase) <= 2 and not any(HOLDER.search(word) or word in NO_NOUNS for word in noun_phrase)


def _begin(words: Sequence[str], at: int) -> int:
    """Return where the part of the clause with the name at ``at`` begins."""
    return max((i + 1 for i in range(at) if words[i] == "where"), default=0)


def _of_subject(words: list[str], begins: int, at: int) -> Listed | None:
    """Return the clause with several subjects; no part may follow except one that "where" opens."""
    verb, after = words[at + 1], words[at + 2 :]
    words_after = after[: after.index("where")] if "where" in after else after
    if (
        not JOINING.isdisjoint(words_after)
        or not PRONOUNS.isdisjoint(words_after)
        or not AGREEING.keys().isdisjoint(words_after)
    ):
        return None
    forms_of_verb = [plural_verb(verb)]
    if words_after[:1] in (["a"], ["an"]) and verb == "is":
        if len(after) != 2:
            return None
        after = [form(after[1], 2)]
    elif words_after[:1] in (["a"], ["an"]) and not begins:
        forms_of_verb = ["each", *forms_of_verb]
    elif verb in UNCHANGED and not ARTICLES.isdisjoint(words_after):
        forms_of_verb = [*forms_of_verb, "each"]
    elif (verb == "is" and words_after[:1] in (["the"], ["one"])) or _counted(words_after):
        return None
    return _listed(words[:begins], words[begins:at], [*forms_of_verb, *after], subject=not begins)


def _counted(words: Sequence[str]) -> bool:
    """Return whether "a thing" means one thing for each object; a place after "at" or "in" does not count."""
    return any(
        word in ARTICLES and (at == 0 or words[at - 1] not in ("in", "on", "at"))
        for at, word in enumerate(words)
    )


def _of_object(words: list[str], at: int, nouns: Collection[str]) -> Listed | None:
    """Return the clause with several objects: only the noun before the names changes."""
    before, after = words[:at], words[at + 1 :]
    lengths = (len(noun.split()) for noun in nouns if before[-len(noun.split()) :] == noun.split())
    start = len(before) - max(lengths, default=0)
    before, noun = before[:start], before[start:]
    if before and before[-1] == "the":
        noun = [before.pop(), *noun]
    last = before[-1] if before else ""
    if not _takes_object(before) or last in ("and", "or", "between", "is", "are", "was"):
        return None
    if not ARTICLES.isdisjoint(before) or not {"where", "if"}.isdisjoint(before):
        return None
    if _singular_head(before) or (after and _is_verb(after[0])):
        return None
    first = next((i for i, word in enumerate(words) if _is_verb(word)), len(words))
    if "as" in after and not ARTICLES.isdisjoint(after):
        return None
    if not PRONOUNS.isdisjoint(after) and (at < first or after[-1] != "it"):
        return None  # the pronoun may refer to the names
    return _listed(before, noun, after, subject=False)


def _takes_object(before: Sequence[str]) -> bool:
    """Return whether a name can follow these words: they end with a preposition or a verb."""
    if not before:
        return False
    last = before[-1]
    if last in PREPOSITIONS or last in ("has", "have") or before[-2:] == ["on", "board"]:
        return True
    if last in NO_NOUNS:
        return False
    after_name = len(before) > 1 and HOLDER.fullmatch(before[-2]) is not None
    return last.endswith(("ing", "ed")) or _is_verb(last) or after_name or _has_verb_before(before)


def _has_verb_before(before: Sequence[str]) -> bool:
    """Return whether the words end with an infinitive or a participle: "can reach", "has seen"."""
    return len(before) > 1 and (before[-2] in UNCHANGED or before[-2] in ("has", "have", "to"))


def _singular_head(before: Sequence[str]) -> bool:
    """Return whether the words end like "the lock of": one thing that several names do not share."""
    if len(before) < 3 or before[-1] != "of" or before[-3] != "the":
        return False
    return not before[-2].endswith(("s", "data"))


def _listed(head: Sequence[str], noun: Sequence[str], tail: Sequence[str], *, subject: bool) -> Listed:
    *first, last = noun or [""]
    nouns = " ".join([*first, form(last, 2)]) + " " if noun and last != "the" else ""
    clause = " ".join([*head, "{np}", *tail])
    return Listed(HOLDER.sub(r"{\1}", clause), last if last != "the" else "", nouns, subject)
