"""Items that several tests look at, made once a process."""

import json
from functools import cache
from itertools import islice

import pytest

import orrery
from orrery.config import load
from orrery.dataset.card import write_card
from orrery.families import tables
from orrery.library.fresh_rows import makers
from orrery.stages import generate_worlds
from orrery.store.columns import from_rows
from orrery.store.shards import write_table_shards
from tests.every_domain import CATALOG, ROOT

TABLES = tuple(makers())
# A domain whose items take little time. Evaluations ask about all domains, so their tables are not here.
QUICK = {
    "acp_app_bool": "ferry",
    "acp_app_mcq": "floortile",
    "acp_areach_bool": "goldminer",
    "acp_areach_gen": "logistics",
    "acp_areach_mcq": "logistics",
    "acp_just_bool": "logistics",
    "acp_just_mcq": "logistics",
    "acp_land_bool": "ferry",
    "acp_land_gen": "ferry",
    "acp_land_mcq": "logistics",
    "acp_prog_bool": "ferry",
    "acp_prog_mcq": "ferry",
    "acp_reach_bool": "grippers",
    "acp_reach_gen": "satellite",
    "acp_reach_mcq": "grid",
    "acp_val_mcq": "ferry",
    "plan_causality": "grippers",
    "plan_generalization": "grippers",
    "plan_solvability": "rovers",
    "plan_verification": "ferry",
    "text_to_pddl": "blocksworld",
}
FEW = 3
IN_ONE_PROCESS = pytest.mark.xdist_group("fresh")  # tests over all tables, whose items take seconds to make


@cache
def fresh(table, count=FEW):
    """The first items of a stream of a table."""
    return list(islice(orrery.tasks(table, QUICK.get(table), seed=5, root=ROOT), count))


@cache
def world_row(domain, seed):
    """A row of the table ``world``."""
    world = orrery.world(domain, seed, split="test", root=ROOT)
    return generate_worlds._row(ROOT, domain, 0, 20_000, world.problem.row)


def world_dataset(folder, rows):
    """A dataset folder that holds rows of the table ``world``, and nothing else."""
    schema = tables()["world"].schema
    write_table_shards(folder, schema, "test", [from_rows(schema, rows)])
    return folder


def dataset(folder, *names, split="test"):
    """A dataset folder that holds fresh rows."""
    for name in names:
        schema = tables()[name].schema
        write_table_shards(
            folder, schema, split, [from_rows(schema, [dict(item.row) for item in fresh(name)])]
        )
    (folder / "prompts").mkdir(exist_ok=True)
    shown = [{**fresh(name)[0].row, "table": name, "reply": fresh(name)[0].gold} for name in names]
    (folder / "prompts" / "examples.jsonl").write_text(
        "".join(json.dumps(example) + "\n" for example in shown)
    )
    return folder


def published(folder, *names):
    """A dataset folder that holds fresh rows, with its card and manifest."""
    dataset(folder, *names)
    about = {name: CATALOG.entry(name).description for name in CATALOG.names}
    write_card(folder, about, templates=ROOT / "templates", seed=1, size="s")
    return folder


def build(root, *names):
    """The settings of a build in ``root`` whose dataset holds fresh rows."""
    (root / "params.yaml").write_text(
        "seed: 1\ndomains: [blocksworld, ferry]\nsize: s\nsizes:\n  s: {scale: 1, draw: {problems: {}}, "
        "by_domain: {}, solve: {problems_with_questions: 1, states: 1}, render: {}, "
        "ask: {questions: 1}, check: {}}\n"
    )
    (root / "templates").symlink_to(ROOT / "templates")
    published(root / "outputs" / "dataset", *names)
    return load(root)
