"""Items that several tests look at, made once a process."""

import json
from functools import cache
from itertools import islice

import orrery
from orrery.families import tables
from orrery.library.fresh_rows import makers
from orrery.store.columns import from_rows
from orrery.store.shards import write_table_shards
from tests.every_domain import ROOT

TABLES = tuple(makers())
# A domain in which the table's items are found at once.
QUICK = {"text_to_pddl": "blocksworld", "plan_generalization": "grippers"}
FEW = 3


@cache
def fresh(table, count=FEW):
    """The first items of a stream of a table."""
    return list(islice(orrery.tasks(table, QUICK.get(table), seed=5, root=ROOT), count))


def dataset(folder, *names, split="test"):
    """A dataset folder that holds fresh rows."""
    for name in names:
        schema = tables()[name].schema
        write_table_shards(
            folder, schema, split, [from_rows(schema, [dict(item.row) for item in fresh(name)])]
        )
    (folder / "prompts").mkdir(exist_ok=True)
    shown = [{**fresh(name)[0].row, "table": name, "reply": fresh(name)[0].gold} for name in names]
    (folder / "prompts" / "examples.jsonl").write_text("".join(json.dumps(each) + "\n" for each in shown))
    return folder
