"""Words with a meaning in all domains, and whether the words after an answer reject it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache


def word_set(words: str) -> frozenset[str]:
    """Return the set of the words in a text."""
    return frozenset(words.split())


NUMERALS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
ORDINALS = (
    *("zeroth", "first", "second", "third", "fourth", "fifth"),
    *("sixth", "seventh", "eighth", "ninth", "tenth"),
)
_ORDINAL = re.compile(r"(\d{1,9})(?:st|nd|rd|th)")
NEGATORS = word_set("not except excluding without but")
DENIALS = NEGATORS | word_set(
    "no never cannot t wrong incorrect false impossible inapplicable untrue neither nor unlike"
)

ARTICLES = word_set("the a an")
# Words that may surround a step: "then I pick up".
FILLERS = word_set(
    "then next now finally first firstly second secondly third thirdly lastly last afterwards afterward"
    " after that and also subsequently again i we you they it he she robot agent arm will shall must"
    " need needs to s us let please so yes action step do perform execute apply use take"
)
SUMS = word_set("cost costs total sum length number")  # they name what is counted in a plan
# Words that doubt or reject a step.
DOUBTS = word_set(
    "not don t never no cannot avoid skip maybe perhaps possibly either or instead alternatively"
    " otherwise might may could if unless wrong invalid impossible incorrect inapplicable neither nor"
    " without rather"
)
# Words that name another step or fact without stating it: "maybe (sail l0 l1)", "it could be (at c0 l0)".
HEDGES = word_set("maybe perhaps possibly either or might may could")
HEDGED_BY = word_set("be well even")  # words between a hedge and its step, besides fillers
# Words that begin a correction of the answer above: "no, wait: (sail l0 l1)".
CORRECTING = word_set("wait actually correction correcting oops sorry scratch hmm edit forgot forget")
CORRECTION = re.compile(rf"^[^\w\n(]*(?:\w+[^\w\n(]+){{0,2}}?({'|'.join(sorted(CORRECTING))})\b", re.M)
_IRREGULAR = {
    "took": "take", "taken": "take", "drove": "drive", "driven": "drive", "flew": "fly", "flown": "fly",
    "went": "go", "goes": "go", "gone": "go", "sent": "send", "left": "leave", "lay": "lay", "laid": "lay",
    "has": "have", "had": "have", "made": "make", "kept": "keep", "swept": "sweep", "chose": "choose",
    "gave": "give", "got": "get", "held": "hold", "brought": "bring", "paid": "pay",
}  # fmt: skip
# The words of "is wrong", "is not applicable", which reject an answer before them.
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


def ordinal_of(word: str) -> int | None:
    """Return the number of "third" or "3rd"; None for any other word."""
    ordinal = _ORDINAL.fullmatch(word)
    return int(ordinal[1]) if ordinal else ORDINALS.index(word) if word in ORDINALS else None


@lru_cache(maxsize=4096)
def stem(word: str) -> str:
    """Return a word without inflection: the same stem for "picks" and "picking", or "carry" and "carries"."""
    word = _IRREGULAR.get(word, word)
    for ending, instead in (("ies", "y"), ("ied", "y"), ("ing", ""), ("ed", ""), ("es", ""), ("s", "")):
        if word.endswith(ending) and len(word) > len(ending) + 1:
            word = word[: -len(ending)] + instead
            break
    word = word.removesuffix("e")
    return word[:-1] if len(word) > 2 and word[-1] == word[-2] else word


def is_rejected(words: Iterable[str], impossible: bool) -> bool:
    """Return whether the words after an answer deny that it is one.

    If a question asks for something impossible, "is reachable" rejects an answer too, and "is not reachable"
    does not.

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
