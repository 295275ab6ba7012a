"""The tokens of a line, and words with a meaning in all domains."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TypeAlias

from ..tokens import word_set

# A word or a mark, or the content of parentheses together with the word directly before them.
Token: TypeAlias = "str | tuple[str, ...]"

_TOKEN = re.compile(r"([^\W\d_][\w-]*)?\(([^()]*)\)|([^\W_](?:[\w-]*[^\W_])?)|([^\w\s])")

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
_IRREGULAR = {
    "took": "take", "taken": "take", "drove": "drive", "driven": "drive", "flew": "fly", "flown": "fly",
    "went": "go", "goes": "go", "gone": "go", "sent": "send", "left": "leave", "lay": "lay", "laid": "lay",
    "has": "have", "had": "have", "made": "make", "kept": "keep", "swept": "sweep", "chose": "choose",
    "gave": "give", "got": "get", "held": "hold", "brought": "bring", "paid": "pay",
}  # fmt: skip


def tokens_of(line: str) -> list[Token]:
    """Return the tokens of a line in lower case."""
    return [
        word or mark or (*((head,) if head else ()), *inside.replace(",", " ").split())
        for head, inside, word, mark in _TOKEN.findall(line)
    ]


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
