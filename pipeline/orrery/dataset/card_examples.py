"""One row of each family for the card, with its picture: what a model reads, and a reply that is right."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from orrery.dataset.row_pictures import picture_of, scene_of
from orrery.families import Family, Table, families
from orrery.seeds import stream
from orrery.store import shards

PICTURES = "pictures"
SPLITS = ("test", "validation", "train")  # the first that has rows
# Of their families, the tables that say most at a glance; of others, the first that asks something.
SHOWN = ("acp_land_mcq", "plan_generation", "domain_modeling")
LOOKED_AT = 200  # rows of a table, of which the shortest is shown
MOST = 900  # letters of a text that the card shows


class Example(NamedTuple):
    """A row on the card: ``read`` by column what a model reads; ``picture`` is a file of the dataset."""

    family: str
    table: str
    split: str
    id: str
    read: Mapping[str, str]
    reply: str
    picture: str


def write_card_examples(dataset: Path, root: Path, seed: int) -> list[Example]:
    """Choose a row of each family that has any, write its picture, and return what the card says of it.

    ``root`` is the checkout, whose domains say how they are drawn. Rows on domains that others wrote are left
    out. The picture of a row about a domain is one of the problems that it has.
    """
    examples = [_example(dataset, root, seed, name, family) for name, family in families().items()]
    return [example for example in examples if example]


def _example(dataset: Path, root: Path, seed: int, name: str, family: Family) -> Example | None:
    """Return the shortest of the first rows of a table of a family, if there are any."""
    tables = sorted(
        family.tables, key=lambda table: (table.name not in SHOWN, table.gold is None, table.name)
    )
    for table in tables:
        for split in SPLITS:
            if rows := _rows(dataset, table, split):
                row = min(rows, key=lambda row: (_length(table, row), row["id"]))
                return _written(dataset, root, seed, name, table, split, row)
    return None


def _rows(dataset: Path, table: Table, split: str) -> list[dict[str, Any]]:
    """Return the first rows of a table, of our domains and in plain words."""
    rows: list[dict[str, Any]] = []
    for path in shards.shards(dataset, table.name, split):
        for row in shards.read_rows(path, table.schema):
            if row.get("source", "orrery") == "orrery" and row.get("vocabulary", "plain") == "plain":
                rows.append(row)
            if len(rows) == LOOKED_AT:
                return rows
    return rows


def _written(
    dataset: Path, root: Path, seed: int, family: str, table: Table, split: str, row: dict[str, Any]
) -> Example:
    reply = table.gold.reply(row, stream(seed, "card", row["id"])) if table.gold else "\n".join(row["plan"])
    picture = ""
    if row.get("problems"):  # of a domain: the first of its problems stands for it
        row |= {"domain_pddl": row["gold_domain"], "problem_pddl": row["problems"][0]["pddl"]}
    if row.get("problem_pddl") or row.get("PDDL_problem"):
        picture = f"{PICTURES}/{family}.svg"
        with shards.replacing(dataset / picture) as path:
            path.write_text(picture_of(row, scene_of(root, row)), encoding="utf-8")
    return Example(family, table.name, split, row["id"], _read(table, row), _short(reply), picture)


def _read(table: Table, row: Mapping[str, Any]) -> dict[str, str]:
    """Return the columns that a model reads, by name; of what asks nothing, the problem."""
    columns = next(iter(table.prompts.values()), ("problem_pddl",))
    return {name: _short(str(row[name])) for name in columns if isinstance(row[name], str)}


def _length(table: Table, row: Mapping[str, Any]) -> int:
    return sum(map(len, _read(table, row).values())) if row.get("plan", [""]) else 10**9


def _short(text: str) -> str:
    """Return a text, cut at the end of a line or word where it is long."""
    text = text.strip()
    return text if len(text) <= MOST else text[:MOST].rsplit(maxsplit=1)[0] + " …"
