"""Keys of the problems that rows are about, so that none stands in two splits under other names."""

from __future__ import annotations

from functools import lru_cache

from orrery.equivalence.graph import Undecided
from orrery.equivalence.keys import spelled_strict_key
from orrery.model import Domain, Problem

KEPT = 2_000  # large problems take some 25 KiB each


def spelled_key(domain: Domain, problem: Problem) -> str:
    """Return a key of the problem with its goal as it is spelled; empty where a budget ended first.

    Equal keys mean problems that differ in nothing but names.
    """
    try:
        return spelled_strict_key(domain, problem)
    except Undecided:
        return ""


# The same, for problems that several rows are about.
kept_key = lru_cache(maxsize=KEPT)(spelled_key)
