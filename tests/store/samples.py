"""Rows and small datasets for the tests of everything that reads or writes tables."""

from pathlib import Path

from orrery.dataset import contents
from orrery.families.questions.kinds import question_kinds
from orrery.store import kinds, shards
from tests.tables import PUBLISHED

EXAMPLES = {
    "string": "text", "bool": True, "int32": 3, "int64": 2**53, "double": 0.5,
    "list<element: string not null>": ["(a b)", "(c)"],
}  # fmt: skip
TEXTS, ATOMS = "list<element: string not null>", ["(a b)"]


def write_shards(dataset, schema, split, rows, **limits):
    """Write rows as shards of a table; the paths."""
    tables = shards.batches(schema, rows, shards.ROWS_PER_GROUP)
    return shards.write_table_shards(dataset, schema, split, tables, **limits)


def example(kind):
    if str(kind).startswith("struct"):
        fields = [kind.field(number) for number in range(kind.num_fields)]
        return {field.name: ATOMS if str(field.type) == TEXTS else example(field.type) for field in fields}
    return EXAMPLES[str(kind)] if str(kind) in EXAMPLES else [example(kind.value_type)]


CLAIM = '{"kind": "app", "action": "(a b)"}'
JSON = {"claim": CLAIM, "claims": f"[{CLAIM}]"}


def group(table):
    """The group of the rows of a question table; "text" elsewhere."""
    _, kind, form = table.split("_") if table.startswith("acp_") else ("", "", "")
    return question_kinds()[kind].group_of(form) if kind else "text"


def row(schema, **values):
    """A row of ``schema`` with nulls wherever they are allowed, but for the ``values`` given."""
    made = {field.name: None if field.nullable else example(field.type) for field in schema}
    right = {"answer": "A"} if "choices" in made else {}
    if "group" in made:
        right["group"] = group(kinds.table_name(schema))
    return {**made, **{name: text for name, text in JSON.items() if name in made}, **right, **values}


def rows(schema, split, domain, count):
    key = kinds.key_columns(schema)[0]
    return [row(schema, **{key: f"{domain}/{split}/{n:06}", "domain": domain}) for n in range(count)]


def dataset(folder: Path, *, split_rows=None, tables=tuple(PUBLISHED), **facts) -> Path:
    """Writes a dataset with every published table, or these, blocksworld and gripper alternating."""
    for schema in map(PUBLISHED.get, tables):
        for split, count in (split_rows or {"train": 4, "validation": 2, "test": 3}).items():
            both = [rows(schema, split, domain, count) for domain in ("blocksworld", "gripper")]
            write_shards(folder, schema, split, [*both[0], *both[1]], rows_per_shard=5)
    contents.write_manifest(folder, **facts)
    return folder
