"""Compare the table of texts with the published set: counts, and shares of trivial problems."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from orrery.dataset.views import counts_of
from orrery.model import OrreryError
from orrery.store import shards
from orrery.yaml_text import read_yaml

FILE = Path("report") / "published_text_to_pddl.yaml"
TABLE = "text_to_pddl"
EVERY = "all"
# Only the first text of a problem counts, because another renaming or wording is not a new row.
COUNTED = "vocabulary = 'plain' AND paraphrase = 0"


class Cell(NamedTuple):
    """Our count and the published count."""

    ours: int
    published: int

    @property
    def missing(self) -> int:
        """The number of rows missing to reach the published count."""
        return max(0, self.published - self.ours)


class ComparisonLine(NamedTuple):
    """One measure by domain; lines with the same ``group`` are parts of one whole."""

    group: str
    name: str
    cells: Mapping[str, Cell]


class IdleShare(NamedTuple):
    """The number of rows with a trivial problem, and whether it is too high."""

    idle: int
    rows: int
    too_many: bool


class TextFigures(NamedTuple):
    """All figures of the report on the table of texts."""

    source: str
    domains: Sequence[str]
    not_built: Sequence[str]
    lines: Sequence[ComparisonLine]
    shares: Mapping[str, Mapping[str, IdleShare]]
    most: float
    published_share: float
    kinds: Sequence[tuple[tuple[str, str], str, int]]

    @property
    def cells(self) -> int:
        """The number of compared counts, without those published as zero."""
        return sum(cell.published > 0 for line in self.lines for cell in line.cells.values())

    @property
    def short(self) -> int:
        """The number of counts below the published ones."""
        return sum(cell.missing > 0 for line in self.lines for cell in line.cells.values())


def compare_with_published(dataset: Path, templates: Path) -> TextFigures | None:
    """Return our counts with the published ones; None if the dataset has no texts.

    Raises:
        OrreryError: the file of the published figures is missing or malformed.
    """
    if not shards.splits(dataset).get(TABLE):
        return None
    published = _published(templates / FILE)
    counts = _counted(dataset)
    built = [name for name in published["domains"] if counts[name, "rows", ""]]
    limits = published["nothing_to_plan"]
    total = sum(domain["rows"] for domain in published["domains"].values())
    return TextFigures(
        source=published["source"],
        domains=built,
        not_built=[name for name in published["domains"] if name not in built],
        lines=_lines(counts, {name: published["domains"][name] for name in built}) if built else [],
        shares=_shares(dataset, limits),
        most=limits["most"],
        published_share=limits["rows"] / total,
        kinds=_kinds(dataset),
    )


def _published(path: Path) -> dict[str, Any]:
    content = read_yaml(path, "restore it")
    if not isinstance(content, dict) or {"source", "domains", "nothing_to_plan"} - content.keys():
        raise OrreryError(str(path), "lacks source, domains or nothing_to_plan", "restore it")
    return content


def _counted(dataset: Path) -> Counter[tuple[str, str, str]]:
    """Return our counts by domain, measure and value. The training split includes our validation split."""
    parts = {
        "rows": "''",
        "mixtures": "fold_mixture",
        "propositions": "fold_size",
        "splits": "replace(split, 'validation', 'train')",
    }
    records = ", ".join(f"{{'measure': '{measure}', 'value': {value}}}" for measure, value in parts.items())
    sql = f"""SELECT domain, measure, value, count(*) AS n FROM (
            SELECT domain, unnest([{records}], recursive := true) FROM {TABLE} WHERE {COUNTED}
        ) GROUP BY ALL
        UNION ALL SELECT domain, 'problems', '', count(DISTINCT strict_key) FROM {TABLE} GROUP BY ALL"""
    return Counter(
        {(row["domain"], row["measure"], row["value"]): row["n"] for row in counts_of(dataset, sql)}
    )


def _lines(
    counts: Counter[tuple[str, str, str]], published_domains: Mapping[str, Mapping[str, Any]]
) -> list[ComparisonLine]:
    """Return the measures in the order of the published file; the last column is the sum over all domains."""
    lines = []
    for measure, first in next(iter(published_domains.values())).items():
        for value in first if isinstance(first, Mapping) else ("",):
            cells = {
                name: Cell(counts[name, measure, value], domain[measure][value] if value else domain[measure])
                for name, domain in published_domains.items()
            }
            ours, published = (sum(column) for column in zip(*cells.values(), strict=True))
            lines.append(ComparisonLine(measure, value, cells | {EVERY: Cell(ours, published)}))
    return lines


def _shares(dataset: Path, limits: Mapping[str, float]) -> dict[str, dict[str, IdleShare]]:
    """Return the numbers of rows whose goal is initially true, by domain and split, with totals.

    The number is too high if it is not 0 in test, or above the limit over all domains and splits.
    """
    sql = f"""SELECT coalesce(domain, '{EVERY}') AS domain, coalesce(split, '{EVERY}') AS split,
            count(*) AS rows, count(*) FILTER (goal_holds_initially <> 0) AS idle
        FROM {TABLE} GROUP BY CUBE (domain, split)
        ORDER BY {TABLE}.domain NULLS LAST, list_position({list(shards.SPLITS)}, {TABLE}.split) NULLS LAST"""
    shares: dict[str, dict[str, IdleShare]] = {}
    for row in counts_of(dataset, sql):
        domain, split, rows, idle = row["domain"], row["split"], row["rows"], row["idle"]
        limit = limits["most"] if domain == split == EVERY else 1
        limit = limits["most_in_test"] if split == "test" else limit
        shares.setdefault(domain, {})[split] = IdleShare(idle, rows, idle > limit * rows)
    return shares


def _kinds(dataset: Path) -> list[tuple[tuple[str, str], str, int]]:
    """Return rows by vocabulary and paraphrase, and by domain."""
    sql = f"SELECT vocabulary, paraphrase, domain, count(*) AS n FROM {TABLE} GROUP BY ALL ORDER BY ALL"
    rows = counts_of(dataset, sql)
    return [((row["vocabulary"], str(row["paraphrase"])), row["domain"], row["n"]) for row in rows]
