"""Search breadth-first with large limits, many states at a time, for what reachable states satisfy.

States are rows of 64-bit words. Each action is tested on many rows at once, which takes a quarter of the time
of ``search_states``. The transitions are not kept, so this search proves only that states are
reachable.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from orrery.planning.task import GroundAction

TOGETHER = 8_192  # maximum number of states that are expanded at once
WORD_BYTES = 8
WORD = np.dtype("<u8")

Words: TypeAlias = NDArray[np.uint64]


class StateGroup(NamedTuple):
    """New states of a search, nearest first, and the indices of the actions that lead to them."""

    states: list[int]
    applied: list[int]


class _Rule(NamedTuple):
    """An action: its index, its tests (a word, the bits looked at, their values), bits to keep and to add."""

    action: int
    tests: list[tuple[int, np.uint64, np.uint64]]
    keep: Words
    add: Words


def search_widely(init: int, actions: Sequence[GroundAction], most: int, tests: int) -> Iterator[StateGroup]:
    """Yield the states of a search, in groups; it ends after the group in which it has seen ``most`` states.

    It also ends after as many expansions as ``tests`` allows if every action is tested on each state.
    """
    masks = [init, *(mask for action in actions for mask in action[1:])]
    words = max(1, -(-max(mask.bit_length() for mask in masks) // (8 * WORD_BYTES)))
    rules = _rules(actions, words)
    states, row_type = [init.to_bytes(WORD_BYTES * words, "little")], f"V{WORD_BYTES * words}"
    seen, expanded, expandable = set(states), 0, tests // max(1, len(actions)) + 1
    yield StateGroup([init], [])
    while expanded < min(len(states), expandable) and len(states) <= most:
        group = states[expanded : min(expanded + TOGETHER, expandable)]
        expanded += len(group)
        after, applied = _successors(rules, np.frombuffer(b"".join(group), WORD).reshape(-1, words))
        rows = after.view(row_type).ravel().tolist()
        new = [row for row in dict.fromkeys(rows) if row not in seen]
        seen.update(new)
        states += new
        yield StateGroup([int.from_bytes(row, "little") for row in new], applied)


def _words(mask: int, words: int) -> Words:
    return np.frombuffer(mask.to_bytes(WORD_BYTES * words, "little"), WORD)


def _rules(actions: Sequence[GroundAction], words: int) -> list[_Rule]:
    """Return the actions in words, without those that contradict themselves."""
    rules, every_bit = [], (1 << 8 * WORD_BYTES * words) - 1
    for index, (_, positive, negative, add, delete) in enumerate(actions):
        if not positive & negative:
            looked_at, needed = _words(positive | negative, words), _words(positive, words)
            tests = [(word, looked_at[word], needed[word]) for word in range(words) if looked_at[word]]
            rules.append(_Rule(index, tests, _words(every_bit & ~delete, words), _words(add, words)))
    return rules


def _successors(rules: Sequence[_Rule], rows: Words) -> tuple[Words, list[int]]:
    """Return the states after each applicable action, in the order of ``rows``, and the actions applied."""
    columns, applied = np.ascontiguousarray(rows.T), list[int]()
    after, sources = [rows[:0]], [np.empty(0, np.intp)]
    for rule in rules:
        applicable = np.ones(len(rows), bool)
        for word, looked_at, needed in rule.tests:
            applicable &= columns[word] & looked_at == needed
        if len(places := np.flatnonzero(applicable)):
            applied.append(rule.action)
            after.append(rows[places] & rule.keep | rule.add)
            sources.append(places)
    order = np.argsort(np.concatenate(sources), kind="stable")
    return np.concatenate(after)[order], applied
