"""How alike two texts are, by the two ratios that are called Levenshtein ratio.

Both are computed bit-parallel by rapidfuzz (MIT): a gold domain of 5,000 characters against a reply of ten
million takes under a second. Where the product of the two lengths goes beyond ``MOST_CELLS`` (two texts of
half a million characters each, some seconds), the ratio is not computed and is None.
"""

from __future__ import annotations

import re

from rapidfuzz.distance import Indel, Levenshtein

MOST_CELLS = 250_000_000_000
_COMMENT = re.compile(r";[^\n]*")
_SPACE = re.compile(r"\s+")


def levenshtein_ratio(one: str, other: str) -> float | None:
    """One minus the Levenshtein distance over the longer length (Text2World, appendix B.1); 0 to 1.

    The appendix divides the distance itself, and yet calls values near 1 similar; this is what it means.
    None beyond the bound.
    """
    if len(one) * len(other) > MOST_CELLS:
        return None
    return float(Levenshtein.normalized_similarity(one, other))


def indel_ratio(one: str, other: str) -> float | None:
    """One minus the distance by insertions and deletions alone over the sum of the lengths; 0 to 1.

    The published code computes this one, after removing comments and white space. None beyond the bound.
    """
    if len(one) * len(other) > MOST_CELLS:
        return None
    return float(Indel.normalized_similarity(one, other))


def compact(text: str) -> str:
    """The text without comments and white space, as the published code compares it."""
    return _SPACE.sub("", _COMMENT.sub("", text))
