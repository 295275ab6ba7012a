"""Words with a meaning in all domains."""

from __future__ import annotations

from functools import lru_cache


def word_set(words: str) -> frozenset[str]:
    """Return the set of the words in a text."""
    return frozenset(words.split())


NUMERALS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
ORDINALS = (
    *("zeroth", "first", "second", "third", "fourth", "fifth"),
    *("sixth", "seventh", "eighth", "ninth", "tenth"),
)
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
# Words that doubt or reject a step.
DOUBTS = word_set(
    "not don t never no cannot avoid skip maybe perhaps possibly either or instead alternatively"
    " otherwise might may could if unless wrong invalid impossible incorrect inapplicable neither nor"
    " without rather"
)
# Words that name another step or fact without stating it: "maybe (sail l0 l1)", "it could be (at c0 l0)".
HEDGES = word_set("maybe perhaps possibly either or might may could")
HEDGED_BY = word_set("be well even")  # words between a hedge and its step, besides fillers
_IRREGULAR = {
    "took": "take", "taken": "take", "drove": "drive", "driven": "drive", "flew": "fly", "flown": "fly",
    "went": "go", "goes": "go", "gone": "go", "sent": "send", "left": "leave", "lay": "lay", "laid": "lay",
    "has": "have", "had": "have", "made": "make", "kept": "keep", "swept": "sweep", "chose": "choose",
    "gave": "give", "got": "get", "held": "hold", "brought": "bring", "paid": "pay",
}  # fmt: skip


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
