"""Whether a text says that there is no plan: "impossible", "no plan exists", "the goal cannot be reached"."""

from __future__ import annotations

import re

from ..tokens import word_set

_CLAUSE = re.compile(r"[.;!\n,]|\b(?:but|however|because|since|so|therefore|hence|thus|and)\b")
_WORD = re.compile(r"[^\W_][\w-]*|\?|\[ ?\]|\( ?\)|\u2205")
_NONE = word_set("none null nil \u2205 [] () [\u00a0]")
_IMPOSSIBLE = word_set("impossible unsolvable infeasible unreachable unattainable unachievable insoluble")
_POSSIBLE = word_set(
    "solvable possible reachable achievable feasible attainable solved reached achieved satisfied"
    " attained exist exists met fulfilled accomplished soluble"
)
_NOT = word_set("not cannot t never isn cant isnt")
_NO = word_set("no")
_DENIALS = _NOT | _NO | word_set("nothing without neither nor hardly nobody")
_PLAN = word_set("plan plans solution solutions sequence sequences way")
_KINDS = word_set("valid such possible feasible action correct working legal finite known")
_ABOUT = word_set(
    "goal problem task plan plans it this that instance solution goals way state sequence answer"
)
_REACHING = word_set(
    "reach achieve solve satisfy attain find get fulfil fulfill meet accomplish complete plan"
)
# What makes a clause no statement, or one about other plans than any.
_OTHERWISE = word_set(
    "maybe perhaps might may could would should if unless without whether seems seem seemed appears ?"
    " otherwise shorter cheaper better fewer less lower smaller other than longer likely probably first"
    " unlikely doubt reason optimal faster quicker"
)
_POLITE = word_set(
    "the answer final is so thus there a an s it this that therefore yes no result my reply conclusion"
    " plan i think that goal problem task in fact"
)


def says_no_plan(text: str, marked: bool) -> bool:
    """Return whether a text says that there is no plan, and does not say as well that there is one.

    Args:
        text: Text in lower case.
        marked: Whether it is marked as the answer, so that one word is enough.
    """
    clauses = [_WORD.findall(clause) for clause in _CLAUSE.split(text)]
    clauses = [words for words in clauses if words]
    if marked and clauses and _is_one_word(clauses[0]):
        return True
    return any(map(_denies, clauses)) and not any(map(_affirms, clauses))


def _is_one_word(words: list[str]) -> bool:
    """Return whether a clause is "none", or "no"."""
    said = [word for word in words if word not in _POLITE]
    return words == ["no"] or (bool(said) and all(word.replace(" ", "") in _NONE for word in said))


def _denies(words: list[str]) -> bool:
    """Return whether a clause says that there is no plan; what is denied twice is not said."""
    if not _OTHERWISE.isdisjoint(words):
        return False
    denials = [word for word in words if word in _DENIALS]
    impossible = [place for place, word in enumerate(words) if word in _IMPOSSIBLE]
    if impossible:
        after = words[impossible[0] + 1 : impossible[0] + 3]
        aimed = after[:1] != ["to"] or after[1:2] == [] or after[1] in _REACHING
        return not denials and aimed
    if len(denials) != 1:
        return False
    at = words.index(denials[0])
    rest = words[at + 1 :]
    if denials[0] in _NO:
        noun = next((word for word in rest if word not in _KINDS), "")
        return noun in _PLAN
    return not _POSSIBLE.isdisjoint(rest) and (at == 0 or not _ABOUT.isdisjoint(words[:at]))


def _affirms(words: list[str]) -> bool:
    """Return whether a clause says that there is a plan."""
    if not _DENIALS.isdisjoint(words) or not _OTHERWISE.isdisjoint(words):
        return False
    said = " ".join(words)
    return (
        said.endswith(("is solvable", "is possible", "plan exists", "there is a plan")) or words[0] == "yes"
    )
