"""Stage ``assemble``: the published tables from the outputs of earlier stages, to ``outputs/dataset``.

Every family makes the rows of its tables. Values of columns kept apart must be in one split only.
``generate`` has already redrawn problems that violate this, and this stage fails if one remains.
"""

from __future__ import annotations

import shutil
from functools import partial
from itertools import chain
from pathlib import Path

import orrery.grading
from orrery.catalog import SPLITS, entry_of
from orrery.config import Settings, written
from orrery.dataset.card import write_card, write_card_examples
from orrery.dataset.lm_eval import write_lm_eval
from orrery.dataset.prompts import write_examples, write_prompts
from orrery.dataset.question_view import NAME as QUESTIONS
from orrery.dataset.question_view import write_question_view
from orrery.dataset.row_counts import refuse_leaks
from orrery.families import families, table_of, tables
from orrery.installation import PARAMETERS
from orrery.seeds import seed_commitment
from orrery.stages.summary import StageSummary
from orrery.stages.unwritten import check_written
from orrery.store.files import replacing, write_text
from orrery.store.shards import write_table_shards
from orrery.workers import ALONE, Workers, map_items

STAGE = "assemble"


def run(settings: Settings, workers: Workers = ALONE) -> StageSummary:
    """Write every table and split, the card, the graders, and tasks for lm-evaluation-harness.

    Workers write one table each.

    Raises:
        OrreryError: the words or the description of a domain are placeholders; or a value is in two splits.
    """
    for name in settings.domains:
        check_written(entry_of(settings.root, name))
    all_families = families()
    with replacing(settings.outputs / "dataset") as dataset:
        for _ in map_items(partial(_write_table, settings, dataset), list(tables()), workers, label=STAGE):
            pass
        views = {QUESTIONS: write_question_view(dataset, settings.seed)}
        copy_graders(dataset)
        tables_by_family = {name: family.tables for name, family in all_families.items()}
        write_lm_eval(dataset, tables_by_family, settings.root / "templates")
        write_prompts(dataset, settings.root / "templates")
        makers = [family.examples for family in all_families.values() if family.examples]
        write_examples(dataset, chain.from_iterable(make(settings) for make in makers))
        about = {name: entry_of(settings.root, name).description for name in settings.all_domains}
        promised = {
            name: promises
            for name, family in all_families.items()
            if family.promises and (promises := family.promises(settings))
        }
        if not settings.sealed:
            write_text(dataset / PARAMETERS, written(settings))
        examples = write_card_examples(dataset, settings.root, settings.seed)
        seed = (
            {"seed_commitment": seed_commitment(settings.seed)}
            if settings.sealed
            else {"seed": settings.seed}
        )
        facts = {**seed, "size": settings.size_name, "promised": promised, "views": views}
        templates, version = settings.root / "templates", settings.version
        manifest = write_card(
            dataset, about, templates=templates, examples=examples, version=version, **facts
        )
    counts = [sum(by_split.values()) for by_split in manifest["rows"].values()]
    return StageSummary(STAGE, "", {"rows": sum(counts), "tables with rows": len(counts)})


def _write_table(settings: Settings, dataset: Path, name: str) -> None:
    table = table_of(name)
    for split in SPLITS:
        write_table_shards(dataset, table.schema, split, table.rows(settings, split))
    refuse_leaks(dataset, table)


def copy_graders(dataset: Path) -> None:
    """Copy the package ``grading`` into the folder ``dataset``, for ``import grading`` there."""
    source = Path(orrery.grading.__file__).parent
    for path in sorted(source.rglob("*.py")):
        target = dataset / "grading" / path.relative_to(source)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
