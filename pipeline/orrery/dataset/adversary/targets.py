"""The targets of a table, in folds that share no problem, and the scores of a trick on them."""

from __future__ import annotations

import re
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from heapq import nsmallest
from itertools import chain, count
from pathlib import Path
from statistics import median
from sys import intern
from types import MappingProxyType
from typing import NamedTuple, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from orrery.families import Table
from orrery.families.attack import (
    JUDGE,
    WRITE,
    ReplyOption,
    ReplyRule,
    ScoredGuess,
    Target,
    TargetMaker,
)
from orrery.grading import grade
from orrery.model import Row
from orrery.seeds import stream
from orrery.store.shards import read_batches

MOST = 3000  # maximum number of rows per table
PIECE = 20_000  # rows whose ids are in memory
FOLDS = 5
TRAINING = ("train", "validation")  # the first existing split of these is the training split
WORD = re.compile(r"[^\s().,;:!?\"]+")


Targets: TypeAlias = Sequence[Target]


def target_maker(table: Table) -> TargetMaker | None:
    """Return the function that makes a table's targets; None if the table has no prompts."""
    return table.attack or (_by_gold(table) if table.gold else None)


def _by_gold(table: Table) -> TargetMaker:
    """Return a function that uses only texts and gold replies. A reply is right if it is the gold reply.

    All rows on a domain ask for the same domain, so none is learned from another.
    """
    assert table.gold is not None
    gold, texts = table.gold, next(iter(table.prompts.values()), ())

    def target(row: Row) -> Target:
        reply = gold.reply(row, stream(0, "adversary", row["id"])).strip()
        text = "\n".join(str(row[name]) for name in texts)
        return Target(row["id"], row["domain"], row["domain"], WRITE, text, frozenset([reply]), chance=None)

    return TargetMaker(tuple(dict.fromkeys(("id", "domain", *texts, *gold.columns))), target)


def read_targets(maker: TargetMaker, files: Mapping[str, Sequence[Path]]) -> list[Target]:
    """Return the targets of at most ``MOST`` rows of a table, sampled by a hash of their ids; sorted.

    ``files`` has the files by split.
    """
    drawn = pa.array(_drawn_ids(chain.from_iterable(files.values())), pa.string())
    training = next((split for split in TRAINING if split in files), "")
    rows = (
        (row, split == training)
        for split, paths in sorted(files.items())
        for path in paths
        for batch in read_batches(path, columns=list(maker.columns))
        for row in batch.filter(pc.is_in(batch["id"], drawn)).to_pylist()
    )
    return fold_rows(maker, rows)


def fold_rows(maker: TargetMaker, rows: Iterable[tuple[Row, bool]]) -> list[Target]:
    """Return the targets of rows, each given with its training flag; see ``fold_targets``."""
    tried = Counter[tuple[str, str]]()
    return fold_targets((_with_written(maker, row, tried), train) for row, train in rows)


def _with_written(maker: TargetMaker, row: Row, tried: Counter[tuple[str, str]]) -> Target:
    """Return the target of a row with the scores of written replies; ``tried`` counts rows."""
    target = maker.target(row)
    written: dict[str, ScoredGuess] = {}
    for rule in maker.rules:
        if tried[rule.name, target.domain] < rule.most and (guess := _guess(rule, row)):
            tried[rule.name, target.domain] += 1
            written[rule.name] = guess
    return replace(target, written=written) if written else target


def _guess(rule: ReplyRule, row: Row) -> ScoredGuess | None:
    scores = [grade(reply, row).value for reply in rule.replies(row)]
    return ScoredGuess(max(scores), rule.chance(row)) if scores else None


def _drawn_ids(paths: Iterable[Path]) -> list[str]:
    """Return the ids of the sampled rows. Only these and those of one piece are in memory."""
    drawn: list[tuple[int, str]] = []
    for path in paths:
        for rows in read_batches(path, columns=["id"], size=PIECE):
            hashed = {(zlib.crc32(name.encode()), name) for name in map(str, rows["id"].to_pylist())}
            drawn = nsmallest(MOST, hashed.union(drawn))
    return [name for _, name in drawn]


def fold_targets(targets: Iterable[tuple[Target, bool]]) -> list[Target]:
    """Return targets, given with their training flags, sorted, with chances, and folds by domain and problem.

    The default of a chance is the score of a right reply to another row.
    """
    pairs = sorted(targets, key=lambda pair: (pair[0].domain, pair[0].id))
    counts = Counter(reply for target, _ in pairs for reply in target.replies)
    problems: dict[tuple[str, str], int] = {}
    rows = []
    for target, train in pairs:
        chance = target.chance
        if chance is None:
            right = sum(counts[reply] - 1 for reply in sorted(target.replies))
            total = counts.total() - len(target.replies)
            chance = right / total if total else 0.0
        number = problems.setdefault((target.domain, target.problem), len(problems))
        rows.append(replace(target, chance=chance, train=train, fold=number % FOLDS))
    return rows


def masked(text: str, objects: frozenset[str]) -> list[str]:
    """Return the words of a text, with object names numbered in the order of their first mention.

    Equal words share one object in memory, because the words of thousands of long texts would take a
    gigabyte.
    """
    words, number = WORD.findall(text), count()
    # Most words occur often in a text, so each is masked once.
    masks = {
        word: intern(f"_{next(number)}" if word in objects else word.lower()) for word in dict.fromkeys(words)
    }
    return [masks[word] for word in words]


Scores: TypeAlias = list[float | None]  # by row; None if the trick does not apply


class TrickScores(NamedTuple):
    """The scores of a trick by row.

    ``writes``: it repeats one reply, such as None, in all rows. ``partial``: it reads a part of the
    conditions of a right reply. ``compares``: it ranks options by their features. ``chances`` are the
    expected scores of random replies by row, if they differ from those of the targets. The limit of such a
    trick is tight, and it is judged on few rows too. ``beside`` are other measures of its replies, by name.
    They are shown and not judged.
    """

    rule: str
    scores: Scores
    writes: bool = False
    partial: bool = False
    compares: bool = False
    chances: Sequence[float] | None = None
    beside: Mapping[str, Scores] = MappingProxyType({})


def score_choices(
    rows: Targets,
    numbers: Iterable[Sequence[float]],
    middles: Mapping[str, float] | None = None,
) -> Scores:
    """Return the scores of choosing the option with the largest number, or of yes to a claim above a middle.

    ``numbers`` has those of the options of each row; a row without numbers has no score. Ties share a row.
    ``middles`` are by domain (default: one half); at the middle, the choice is random.
    """
    scores: Scores = []
    for row, values in zip(rows, numbers, strict=True):
        options = row.options
        if not values:
            scores.append(None)
        elif row.form == JUDGE:
            middle = 0.5 if middles is None else middles[row.domain]
            yes = 0.5 + 0.5 * ((values[0] > middle) - (values[0] < middle))
            scores.append(yes if options[0].right else 1 - yes)
        else:
            best = max(values)
            ties = [option.right for option, n in zip(options, values, strict=True) if n == best]
            scores.append(sum(ties) / len(ties))
    return scores


def medians(rows: Targets, numbers: Sequence[Sequence[float]]) -> dict[str, float]:
    """Return the median of the numbers of claims, by domain."""
    by_domain: dict[str, list[float]] = defaultdict(list)
    for row, values in zip(rows, numbers, strict=True):
        if row.form == JUDGE:
            by_domain[row.domain].append(values[0])
    return {domain: median(values) for domain, values in by_domain.items()}


def by_row(options: Iterable[Sequence[ReplyOption]], numbers: Iterable[float]) -> list[list[float]]:
    """Return the numbers of all options in order, by row."""
    remaining = iter(numbers)
    return [[next(remaining) for _ in listed] for listed in options]
