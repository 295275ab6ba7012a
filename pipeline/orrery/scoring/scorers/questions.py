"""Replies to questions: of the tables with this scorer, and of other tables whose rows have a ``group``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from orrery.grading import UNPARSED, Score
from orrery.scoring.grades import UNREAD, GradeScorer, verdict_measures
from orrery.scoring.scorer import Columns, DatasetRow
from orrery.scoring.tally import Measures, columns

PARTS = {
    "jaccard": "Similarity of the sets of actions or effects; null for other kinds",
    "pos": "1 if the facts that become true are right; null for other kinds",
    "neg": "1 if the facts that become false are right; null for other kinds",
    "off_by_one": "1 if the index is one beside the right one; null for other kinds",
}

_PUBLISHED_FORMATS = {"mc": "mcq"}  # other suffixes of published names


def kind_and_format(row: DatasetRow) -> tuple[str, str]:
    """Return the kind of a row (its own, or that of its group), and ``gen``, ``bool`` or ``mcq``."""
    name, _, ending = row["group"].rpartition("_")
    return str(row.get("kind") or name), _PUBLISHED_FORMATS.get(ending, ending)


@dataclass(frozen=True)
class QuestionScorer(GradeScorer):
    """Grade replies to questions of all kinds and formats."""

    needed: ClassVar[tuple[str, ...]] = ("id", "group", "answer")
    block: ClassVar[int] = 1000
    replies_to: ClassVar[tuple[str, str]] = ("the questions", "a table of questions")
    unread: ClassVar[frozenset[str]] = UNREAD | {"proofs"}
    labels: ClassVar[Mapping[str, str]] = {
        "group": "Kind and format of the question, as the row has it",
        "kind": "Kind of the question",
        "format": "`gen`, `bool` or `mcq`",
        "domain": "Name of the planning domain",
    }
    parts: ClassVar[Mapping[str, str]] = PARTS
    measures: ClassVar[Measures] = verdict_measures(
        means=columns(*PARTS),
        groups={
            **columns("domain", "format", "kind"),
            "kind and format": "kind || ' ' || format",
        },
        listed={"unparsed": f"[case when verdict = '{UNPARSED}' then detail end]"},
        printed=("unparsed",),
    )

    def labelled(self, row: DatasetRow) -> dict[str, str]:
        """Return the labels of a row."""
        kind, form = kind_and_format(row)
        return {**super().labelled(row), "kind": kind, "format": form}

    def published_value(self, reply: str, row: DatasetRow, score: Score, figures: Columns) -> float | None:
        """Return the score by the rules of ACPBench and ACPBench Hard."""
        from orrery.scoring.published_questions import value

        return value(reply, row, score)

    @classmethod
    def tables(cls, dataset: Path) -> tuple[str, ...]:
        """Return the tables of the dataset with this scorer, sorted, and others whose rows have a group.

        The dataset may also be one folder of files with questions.
        """
        from orrery.families import tables
        from orrery.scoring.joining import has_columns

        folders = {path.parent.name: path for path in sorted((dataset / "data").glob("*/*.parquet"))}
        is_ours = {name: table.scorer == cls.name() for name, table in tables().items()}
        names = {name for name, path in folders.items() if is_ours.get(name, has_columns(path, "group"))}
        names |= {path.stem for path in dataset.glob("*.parquet") if has_columns(path, *cls.needed)}
        return tuple(sorted(names))


SCORER = QuestionScorer
