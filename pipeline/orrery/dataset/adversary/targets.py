"""The rows that are attacked: some of a table, with the fold of each, so that no problem is in two folds."""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from heapq import nsmallest
from itertools import chain, count
from pathlib import Path
from sys import intern
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from orrery.families import Table
from orrery.families.attack import WRITE, Attack, Target
from orrery.seeds import stream
from orrery.store.shards import read_batches

MOST = 3000  # rows of a table
PIECE = 20_000  # rows of which the names are in memory
FOLDS = 5
LEARNED = ("train", "validation")  # the first that there is is learned from
WORD = re.compile(r"[^\s().,;:!?\"]+")


class Trial(NamedTuple):
    """A target, whether it is in the split to learn from, and the fold of its problem."""

    target: Target
    train: bool
    fold: int


def attack_of(table: Table) -> Attack | None:
    """Return how a table is attacked; None where it asks nothing."""
    return table.attack or (_by_gold(table) if table.gold else None)


def _by_gold(table: Table) -> Attack:
    """Return an attack that knows texts and gold replies alone; a reply is right if it is the gold one."""
    assert table.gold is not None
    gold, names = table.gold, table.schema.names
    read = next(iter(table.prompts.values()), ())
    problem = next((name for name in ("problem_id", "name") if name in names), "id")
    domain = [name for name in ("domain",) if name in names]

    def target(row: Mapping[str, Any]) -> Target:
        reply = gold.reply(row, stream(0, "adversary", row["id"])).strip()
        text = "\n".join(str(row[name]) for name in read)
        where = str(row[domain[0]]) if domain else ""
        return Target(row["id"], where, str(row[problem]), WRITE, text, frozenset([reply]), chance=None)

    return Attack(tuple(dict.fromkeys(("id", problem, *domain, *read, *gold.columns))), target)


def trials_of(attack: Attack, files: Mapping[str, Sequence[Path]]) -> list[Trial]:
    """Return rows of a table by split, ``MOST`` at most, drawn by a hash of their names; sorted."""
    drawn = pa.array(_drawn(chain.from_iterable(files.values())), pa.string())
    known = next((split for split in LEARNED if split in files), "")
    targets = [
        (attack.target(row), split == known)
        for split, paths in sorted(files.items())
        for path in paths
        for rows in read_batches(path, columns=list(attack.columns))
        for row in rows.filter(pc.is_in(rows["id"], drawn)).to_pylist()
    ]
    return folded(targets)


def _drawn(paths: Iterable[Path]) -> list[str]:
    """Return the names of the rows that are drawn; no more than these and those of a piece are in memory."""
    best: list[tuple[int, str]] = []
    for path in paths:
        for rows in read_batches(path, columns=["id"], size=PIECE):
            new = {(zlib.crc32(name.encode()), name) for name in map(str, rows["id"].to_pylist())}
            best = nsmallest(MOST, new.union(best))
    return [name for _, name in best]


def folded(targets: Iterable[tuple[Target, bool]]) -> list[Trial]:
    """Return targets, each with whether it is for training, sorted, with folds by domain and problem."""
    some = _with_chance(sorted(targets, key=lambda pair: (pair[0].domain, pair[0].id)))
    problems: dict[tuple[str, str], int] = {}
    for target, _ in some:
        problems.setdefault((target.domain, target.problem), len(problems))
    return [Trial(target, train, problems[target.domain, target.problem] % FOLDS) for target, train in some]


def _with_chance(targets: Sequence[tuple[Target, bool]]) -> list[tuple[Target, bool]]:
    """Return targets of which each has a chance: where it has none, that of a reply to some other row."""
    counts = Counter(reply for target, _ in targets for reply in target.replies)
    found = []
    for target, train in targets:
        if target.chance is None:
            right = sum(counts[reply] - 1 for reply in sorted(target.replies))
            others = counts.total() - len(target.replies)
            target = replace(target, chance=right / others if others else 0.0)
        found.append((target, train))
    return found


def masked(text: str, objects: frozenset[str]) -> list[str]:
    """Return the words of a text, the names of objects numbered in the order of their first mention.

    Equal words are one object: of thousands of long texts the words alone would take a gigabyte.
    """
    words, number = WORD.findall(text), count()
    # Most words of a text stand in it often, so each is looked at once.
    found = {
        word: intern(f"_{next(number)}" if word in objects else word.lower()) for word in dict.fromkeys(words)
    }
    return [found[word] for word in words]
