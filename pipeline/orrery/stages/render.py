"""Stage ``render``: the texts of one domain's problems, to ``outputs/texts/<domain>``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path

from orrery.catalog import entry_of
from orrery.config import RenderSize, Settings
from orrery.engine import map_items
from orrery.families.problems.schemas import GENERATED_PROBLEMS
from orrery.families.text_to_pddl.schemas import TEXTS
from orrery.families.text_to_pddl.tables import texts_table
from orrery.families.text_to_pddl.texts import PLAIN
from orrery.stages.summary import StageSummary
from orrery.store.columns import Table
from orrery.store.lookup import RowSource
from orrery.store.shards import count, write_tables

STAGE = "render"
PROBLEMS = 250  # rendered at a time: a row group of texts
READ = (
    "problem_id", "problem_pddl", "init_configuration", "goal_configuration", "init_parameters",
    "goal_parameters", "tied", "strict", "goal_holds_initially", "explicit_only",
)  # fmt: skip


def run(settings: Settings, name: str, jobs: int = 1) -> StageSummary:
    """Render every mixture that the domain's words allow for each problem."""
    path = settings.outputs / "problems" / name / "problems.parquet"
    entry = entry_of(settings.root, name)
    total = count(path, GENERATED_PROBLEMS) if entry.description.texts else 0
    _ = entry.words  # a domain without them is refused even if there are no problems
    spans = [range(start, min(start + PROBLEMS, total)) for start in range(0, total, PROBLEMS)]
    render = partial(
        _texts, settings.root, name, settings.seed, settings.size.render, RowSource((path,), READ)
    )
    tables = map_items(spans, render, jobs=jobs, label=f"render {name}", describe=_describe)
    counts: Counter[str] = Counter()
    target = settings.outputs / "texts" / name / "texts.parquet"
    write_tables(target, TEXTS, _counted(tables, counts))
    return StageSummary(STAGE, name, {"texts": counts.pop("texts", 0), **counts})


def _describe(span: range) -> str:
    return f"problems {span.start} to {span.stop - 1}"


def _texts(root: Path, name: str, seed: int, size: RenderSize, source: RowSource, span: range) -> Table:
    """Return the texts of some problems."""
    return texts_table(root, name, seed, size, source.rows(span).to_pylist())


def _counted(tables: Iterable[Table], counts: Counter[str]) -> Iterator[Table]:
    """Yield the tables as they are; paraphrases and other vocabularies are counted apart."""
    for table in tables:
        for paraphrase, vocabulary in zip(
            table.column("paraphrase").to_pylist(), table.column("vocabulary").to_pylist(), strict=True
        ):
            counts["paraphrases" if paraphrase else "texts" if vocabulary == PLAIN else vocabulary] += 1
        yield table
