"""Decide whether the words after an answer reject it: "is wrong", "is not applicable".

If a question asks for something impossible, "is reachable" rejects an answer too, and "is not reachable" does
not.
"""

from __future__ import annotations

from collections.abc import Iterable

from .words import DENIALS, word_set

_NOT = word_set("not never no cannot cant isnt doesnt t nowhere")
_AUXILIARIES = word_set(
    "is are was were isn aren wasn weren doesn don didn won couldn wouldn be been being would will can"
    " could may might does do did become becomes seem seems"
)
_ADVERBS = word_set(
    "which that the a an it this these all really clearly certainly definitely obviously always ever also"
    " just actually simply currently now both either made still longer any"
)
_TRUE = word_set("true hold holds satisfied")
_FALSE = word_set("false untrue")
_AT_FIRST = word_set("initially initial yet now start first beginning")
_WRONG = word_set("wrong incorrect mistaken excluded")
# Properties of an answer; "is not needed" or "is no landmark" denies that it is one.
_RIGHT = word_set(
    "answer right correct one landmark solution it first index inapplicable among part included needed"
    " necessary useful required help helps helpful allowed option bring brings closer lead leads"
)
_POSSIBLE = word_set(
    "applicable possible executable reachable feasible valid applied executed done taken performed"
    " reached work works available achieved attained attainable occur happen fine ok okay apply applies"
)
_IMPOSSIBLE = word_set(
    "impossible inapplicable unreachable infeasible unattainable invalid inexecutable unexecutable fail fails"
)
# At least one of these words is present if ``is_rejected`` holds.
REJECTING = _NOT | _WRONG | _TRUE | _FALSE | _POSSIBLE | _IMPOSSIBLE


def is_rejected(words: Iterable[str], impossible: bool) -> bool:
    """Return whether the words after an answer deny that it is one.

    Args:
        words: The words up to the end of the sentence.
        impossible: Whether the question asks for something impossible, for example an unreachable fact.
    """
    word_list = list(words)
    denied = is_stated = False
    for place, word in enumerate(word_list):
        if word in _NOT:
            denied = not denied
        elif word in _AUXILIARIES:
            is_stated = True
        elif word not in _ADVERBS:
            return _denies(word, denied, is_stated, word_list[place + 1 :], impossible)
    return denied and is_stated


def _denies(word: str, denied: bool, is_stated: bool, following: list[str], impossible: bool) -> bool:
    """Return whether the first relevant word denies an answer; ``denied``: "not" precedes it."""
    if word in _WRONG:
        return not denied
    if following[:1] == ["to"]:  # "is impossible to avoid"
        return False
    if word in _TRUE | _FALSE and not _AT_FIRST.isdisjoint(following):  # a fact may become true later
        return False
    if word in _POSSIBLE | _TRUE:
        # "is applicable in no state"
        return denied != impossible and (denied or DENIALS.isdisjoint(following))
    if word in _IMPOSSIBLE | _FALSE and (denied or not impossible):
        return denied == impossible
    return word in _RIGHT and denied and is_stated
