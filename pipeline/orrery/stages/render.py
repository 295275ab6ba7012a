"""Stage ``render``: the texts of one domain's problems, to ``outputs/texts/<domain>``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path

import pyarrow as pa

from orrery.catalog import Entry, entry_of
from orrery.config import RenderSize, Settings
from orrery.engine import Tables, fingerprint, map_items, map_parts
from orrery.families.problems.schemas import GENERATED_PROBLEMS
from orrery.families.text_to_pddl.schemas import TEXTS
from orrery.families.text_to_pddl.tables import texts_table
from orrery.families.text_to_pddl.texts import PLAIN
from orrery.stages.summary import StageSummary
from orrery.store.columns import Table
from orrery.store.kinds import table_name
from orrery.store.lookup import RowSource, Span
from orrery.store.parts import Parts
from orrery.store.shards import count, write_tables

STAGE = "render"
PROBLEMS = 1_000  # rendered at a time
PARTS_FROM = 50_000  # problems that take so long that finished parts are kept; fewer are made anew at once
PROBLEMS_OF_PART = 5_000
TEXT = table_name(TEXTS)
READ = (
    "problem_id", "problem_pddl", "init_configuration", "goal_configuration", "init_parameters",
    "goal_parameters", "tied", "strict", "goal_holds_initially", "explicit_only",
)  # fmt: skip


def run(settings: Settings, name: str, jobs: int = 1) -> StageSummary:
    """Render every mixture that the domain's words allow for each problem.

    A large build keeps finished parts, so that it goes on where it was stopped.
    """
    path = settings.outputs / "problems" / name / "problems.parquet"
    entry = entry_of(settings.root, name)
    total = count(path, GENERATED_PROBLEMS) if entry.description.texts else 0
    _ = entry.words  # a domain without them is refused even if there are no problems
    target = settings.outputs / "texts" / name / "texts.parquet"
    parts = _parts(settings, entry, path) if total >= PARTS_FROM else None
    size = PROBLEMS if parts is None else PROBLEMS_OF_PART
    spans = Span(RowSource((path,), READ), range(total)).pieces(size)
    render = partial(_texts, settings.root, name, settings.seed, settings.size.render)
    label, counts = f"render {name}", Counter[str]()
    if parts is None:
        tables = map_items(spans, render, jobs=jobs, label=label, describe=str, carry=Span.carried)
    else:
        part = partial(_part, render)
        names = map_parts(spans, part, parts, jobs=jobs, label=label, describe=str, carry=Span.carried)
        tables = parts.tables(names, TEXT)
    write_tables(target, TEXTS, _counted(tables, counts))
    if parts:
        parts.discard()
    return StageSummary(STAGE, name, {"texts": counts.pop("texts", 0), **counts})


def _parts(settings: Settings, entry: Entry, problems: Path) -> Parts:
    """Return where finished parts are kept: under what they are made from."""
    templates = settings.root / "templates"
    sources = [problems, entry.folder, entry.generator_file, entry.words.path]
    sources += [templates / "texts", templates / "vocabularies"]
    size = settings.size.render.model_dump()
    made_from = fingerprint([each for each in sources if each.exists()], seed=settings.seed, size=size)
    return Parts.under(settings.unfinished / STAGE / entry.name, made_from, (TEXTS,))


def _part(render: Callable[[Span], Table], span: Span) -> Tables:
    """Return the texts of some problems, put together from smaller pieces."""
    return {TEXT: pa.concat_tables(map(render, span.pieces(PROBLEMS)))}


def _texts(root: Path, name: str, seed: int, size: RenderSize, span: Span) -> Table:
    """Return the texts of some problems."""
    return texts_table(root, name, seed, size, span.rows())


def _counted(tables: Iterable[Table], counts: Counter[str]) -> Iterator[Table]:
    """Yield the tables as they are; paraphrases and other vocabularies are counted apart."""
    for table in tables:
        kinds = table.select(["paraphrase", "vocabulary"]).group_by(["paraphrase", "vocabulary"])
        for found in kinds.aggregate([([], "count_all")]).to_pylist():
            paraphrase, vocabulary = found["paraphrase"], found["vocabulary"]
            name = "paraphrases" if paraphrase else "texts" if vocabulary == PLAIN else vocabulary
            counts[name] += found["count_all"]
        yield table
