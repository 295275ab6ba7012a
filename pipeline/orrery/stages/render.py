"""Stage ``render``: the texts of one domain's problems, to ``outputs/texts/<domain>``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path

from orrery.catalog import entry_of
from orrery.config import RenderSize, Settings
from orrery.families.text_to_pddl.schemas import TEXTS
from orrery.families.text_to_pddl.texts import PLAIN, texts_table
from orrery.parts import Tables, map_parts
from orrery.problems.schemas import GENERATED_PROBLEMS
from orrery.stages.inputs import parts_of
from orrery.stages.over_domains import Step
from orrery.stages.summary import StageSummary
from orrery.store.columns import Table
from orrery.store.kinds import table_name
from orrery.store.lookup import RowSource, Span
from orrery.store.shards import count, write_tables
from orrery.workers import ALONE, Workers

STAGE = "render"
PROBLEMS = 1_000  # problems per part
TEXT = table_name(TEXTS)
READ = (
    "problem_id", "problem_pddl", "init_configuration", "goal_configuration", "init_parameters",
    "goal_parameters", "tied", "strict", "goal_holds_initially", "explicit_only",
)  # fmt: skip


def run(settings: Settings, name: str, workers: Workers = ALONE) -> StageSummary:
    """Render every mixture that the domain's templates allow for each problem."""
    path = settings.outputs / "problems" / name / "problems.parquet"
    entry = entry_of(settings.root, name)
    total = count(path, GENERATED_PROBLEMS) if entry.description.texts else 0
    _ = entry.words  # a domain without templates is refused even without problems
    parts = parts_of(settings, STAGE, name, (TEXTS,))
    spans = Span(RowSource(path, READ), range(total)).pieces(PROBLEMS)
    render = partial(_texts, settings.root, name, settings.seed, settings.size.render)
    names = map_parts(render, spans, parts, workers, label=f"render {name}", describe=str)
    counts = Counter[str]()
    target = settings.outputs / "texts" / name / "texts.parquet"
    write_tables(target, TEXTS, _counted(parts.tables(names, TEXT), counts), made_from=parts.fingerprint)
    parts.discard()
    return StageSummary(STAGE, name, {"texts": counts.pop("texts", 0), **counts})


STEP = Step(STAGE, "texts", (TEXTS,), run)


def _texts(root: Path, name: str, seed: int, size: RenderSize, span: Span) -> Tables:
    """Return the texts of some problems."""
    return {TEXT: texts_table(root, name, seed, size, span.rows())}


def _counted(tables: Iterable[Table], counts: Counter[str]) -> Iterator[Table]:
    """Yield the tables unchanged; count paraphrases and other vocabularies separately."""
    for table in tables:
        kinds = table.select(["paraphrase", "vocabulary"]).group_by(["paraphrase", "vocabulary"])
        for group in kinds.aggregate([([], "count_all")]).to_pylist():
            paraphrase, vocabulary = group["paraphrase"], group["vocabulary"]
            name = "paraphrases" if paraphrase else "texts" if vocabulary == PLAIN else vocabulary
            counts[name] += group["count_all"]
        yield table
