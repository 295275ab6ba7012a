"""The adversary: scores of replies without understanding, table by table.

Every table with prompts is attacked by constant replies, written replies, positions and extremes of measures,
tricks learned by domain, nearest neighbours in train and a small trained classifier. A trick is a function
from rows to ``TrickScores``. Learned tricks are tested only on problems from which they did not learn.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from orrery.checks.verdicts import MALFORMED
from orrery.dataset.adversary.domains import domain_tricks
from orrery.dataset.adversary.nearest import classified, nearest
from orrery.dataset.adversary.rules import constants, extremes, learned, written
from orrery.dataset.adversary.targets import (
    Targets,
    TrickScores,
    read_targets,
    target_maker,
)
from orrery.dataset.adversary.verdict import (
    EVERY,
    FAILED,
    FEW,
    NOISE,
    SHOWN,
    UNREAD,
    WITHIN,
    TrickFigure,
    figures,
)
from orrery.families import table_of, tables
from orrery.families.attack import Target
from orrery.model import OrreryError, UsageError
from orrery.store.shards import splits


class TableFigures(NamedTuple):
    """The figures of a table: of all tricks on all its rows, and by domain; the number of attacked rows.

    ``unread`` names a malformed value, if it prevented the figures.
    """

    table: str
    rows: int
    figures: Sequence[TrickFigure]
    unread: str = ""

    @property
    def best(self) -> TrickFigure:
        """The trick with the highest score above its limit on the whole table; the first of several."""
        return self.best_of(EVERY)

    def best_of(self, domain: str) -> TrickFigure:
        """Return the judged trick with the highest score above its limit; those "too much" come first."""
        judged = [figure for figure in self.figures if figure.domain == domain and figure.judged]
        return min(judged, key=lambda f: (f.verdict != FAILED, f.limit - f.score, f.rule))

    @property
    def shown(self) -> TrickFigure | None:
        """The unjudged trick with the highest score above its limit on the whole table, if any."""
        shown = [figure for figure in self.figures if figure.domain == EVERY and not figure.judged]
        return min(shown, key=lambda f: (f.limit - f.score, f.rule), default=None)

    @property
    def with_measures(self) -> list[TrickFigure]:
        """The figures of the whole table that have other measures beside the score."""
        return [figure for figure in self.figures if figure.beside and not figure.domain]

    @property
    def domains(self) -> list[str]:
        """The domains of the table, sorted."""
        return sorted({figure.domain for figure in self.figures} - {EVERY})

    @property
    def judged_by_domain(self) -> list[TrickFigure]:
        """The best trick of each domain that has enough rows."""
        best = map(self.best_of, self.domains)
        return [figure for figure in best if figure.verdict != FEW]

    def verdicts(self) -> list[tuple[str, list[str]]]:
        """Return the faults of the table and of each of its domains with enough rows."""
        if self.unread:
            return [(EVERY, [self.unread])]
        judged = [figure for figure in self.figures if figure.verdict not in (FEW, SHOWN)]
        return [
            (domain, [str(f) for f in judged if f.domain == domain and f.verdict == FAILED])
            for domain in sorted({figure.domain for figure in judged})
        ]

    @property
    def verdict(self) -> str:
        """The most severe verdict on the table and its domains; UNREAD if no trick could read it."""
        if self.unread:
            return UNREAD
        verdicts = {figure.verdict for figure in self.figures}
        return next((verdict for verdict in (FAILED, NOISE, WITHIN) if verdict in verdicts), FEW)

    def as_json(self) -> dict[str, Any]:
        """Return the figures as plain values: of all tricks on the table, of the best one by domain."""
        listed = [figure for figure in self.figures if not figure.domain or figure.verdict == FAILED]
        return {
            "table": self.table,
            "rows": self.rows,
            "verdict": self.verdict,
            "unread": self.unread,
            "rules": [_plain(figure) for figure in listed],
            "best_by_domain": [_plain(self.best_of(domain)) for domain in self.domains],
        }


def asking(dataset: Path) -> list[str]:
    """Return the names of a dataset's tables with prompts, sorted."""
    names = splits(dataset)
    return [name for name, table in sorted(tables().items()) if name in names and target_maker(table)]


def attack_table(dataset: Path, name: str) -> TableFigures:
    """Attack one table of a dataset.

    Malformed values are a fault of the table: rows that cannot be read, by a trick either, and values that
    scikit-learn or numpy refuses inside a trick.
    """
    try:
        rows = _targets(dataset, name, None)
        others = _domain_tricks(dataset, name, rows)
    except (OrreryError, *MALFORMED) as error:
        return _unread(name, error)
    try:
        return attack(name, rows, others)
    except ValueError as error:  # the class of the refusals of scikit-learn and numpy
        return _unread(name, error)


def _unread(name: str, error: Exception) -> TableFigures:
    return TableFigures(name, 0, (), f"cannot be attacked: {' '.join(str(error).split())}")


def attack(name: str, rows: Targets, others: Sequence[TrickScores] = ()) -> TableFigures:
    """Return the figures of all tricks on the rows of a table, and of others that are special to it."""
    return TableFigures(name, len(rows), figures(name, rows, [*all_tricks(rows), *others]) if rows else ())


def all_tricks(rows: Targets) -> list[TrickScores]:
    """Return all tricks with their scores on some rows."""
    simple = [*constants(rows), *extremes(rows)]
    return [*simple, *written(rows), *learned(rows, simple), *nearest(rows), *classified(rows)]


def baselines(dataset: Path, split: str | None = None) -> list[TrickFigure]:
    """Return the figures of constant and written replies on a split of a dataset (None: on all splits).

    Raises:
        UsageError: the dataset has no rows with prompts.
    """
    listed: list[TrickFigure] = []
    for name in asking(dataset):
        if rows := _targets(dataset, name, split):
            tricks = [*constants(rows), *written(rows), *_domain_tricks(dataset, name, rows)]
            listed += figures(name, rows, tricks)
    if not listed:
        problem = f"has no questions in split '{split}'" if split else "has no questions"
        raise UsageError(f"dataset {dataset}", problem, "build it: `make data`, or give --dataset")
    return listed


def _targets(dataset: Path, name: str, split: str | None) -> list[Target]:
    maker, files = target_maker(table_of(name)), splits(dataset)[name]
    assert maker is not None
    return read_targets(maker, {key: paths for key, paths in files.items() if split in (None, key)})


def _domain_tricks(dataset: Path, name: str, rows: Targets) -> list[TrickScores]:
    return domain_tricks(table_of(name), chain.from_iterable(splits(dataset)[name].values()), rows)


def _plain(figure: TrickFigure) -> dict[str, Any]:
    return {
        **figure._asdict(),
        "beside": dict(figure.beside),
        "limit": figure.limit,
        "verdict": figure.verdict,
    }
