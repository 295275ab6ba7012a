"""The dataset's manifest and card: content, a row of each family, and how to load and grade it."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from orrery import __version__
from orrery.config import Description
from orrery.dataset import contents, views
from orrery.dataset.contents import Manifest, file_hash
from orrery.dataset.question_view import NAME as QUESTIONS
from orrery.dataset.question_view import QUESTIONS_VIEW
from orrery.dataset.row_pictures import picture_of, scene_of
from orrery.families import Family, Table, families, table_of
from orrery.language.words import environment
from orrery.model import OrreryError, Row
from orrery.seeds import stream
from orrery.store import kinds, shards
from orrery.store.files import write_text
from orrery.store.kinds import Schema

CHANGES = "CHANGELOG.md"
CITATIONS = "citations.bib"
COLUMNS = "COLUMNS.md"
CROISSANT = "croissant.json"
TITLE = "Orrery"
LICENCE = "MIT"
DEFAULT_TABLE = "text_to_pddl"
# Only a published card states that rows were checked, because publishing requires the checks.
NOT_CHECKED = (
    "The rows of this copy were not checked again yet: `orrery validate` does, and refuses what fails."
)
CHECKED = (
    "Every row was checked again by a route that did not make it, and part of them by Fast Downward; plans\n"
    "in domains that others wrote were run again as far as these keep to STRIPS with types."
)
# The same for the scores of tricks, which the report has, but the card is written before it.
NOT_TRIED = "The scores of heuristic baselines were not measured yet."
SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))


OURS = "orrery"  # the source of rows on our own domains


def write_card(
    dataset: Path,
    domains: Mapping[str, Description],
    *,
    templates: Path,
    examples: Sequence[Mapping[str, Any]] = (),
    version: str = "",
    **facts: Any,
) -> Manifest:
    """Complete ``dataset``: write ``croissant.json``, the list of columns, the manifest and the card.

    Call it after all other files are written. ``domains`` are given by folder name; ``examples`` are rows to
    show; ``version`` is that of the dataset, if it has one; ``facts`` (JSON values such as ``seed`` and
    ``size``) are added to the manifest, which is returned. The card depends on nothing else, in particular
    not on the date.
    """
    changes = templates / "card" / CHANGES
    shutil.copyfile(changes, dataset / CHANGES)
    shutil.copyfile(templates / "card" / CITATIONS, dataset / CITATIONS)
    schemas = {name: table_of(name).schema for name in shards.splits(dataset)} | {QUESTIONS: QUESTIONS_VIEW}
    columns = environment(templates).get_template("card/COLUMNS.md.j2")
    write_text(dataset / COLUMNS, columns.render(schemas=schemas, meaning=kinds.description))
    citation = (dataset / CITATIONS).read_text(encoding="utf-8")
    write_croissant(dataset, schemas, templates=templates, version=version, citation=citation)
    manifest = contents.write_manifest(
        dataset,
        **facts,
        version=version,
        data_version=data_version(changes),
        generator=__version__,
        canary=kinds.CANARY,
        domains=sorted(domains),
    )
    text = render_card(dataset, domains, manifest, templates=templates, examples=examples)
    write_text(dataset / contents.CARD, text)
    return manifest


def render_card(
    dataset: Path,
    domains: Mapping[str, Description],
    manifest: Manifest,
    *,
    templates: Path,
    examples: Sequence[Mapping[str, Any]] = (),
) -> str:
    """Return the card as Markdown with the YAML header that the Hub and ``datasets`` read."""
    # The default table is first, and the view of all questions, if there is one, the second of the header.
    rows = sorted(manifest["rows"].items(), key=lambda item: (item[0] != DEFAULT_TABLE, item[0]))
    tables = [
        {"name": name, "folder": shards.DATA, "schema": table_of(name).schema, "rows": by_split}
        for name, by_split in rows
    ]
    questions = manifest.get("views", {}).get(QUESTIONS)
    view = {"name": QUESTIONS, "folder": shards.VIEWS, "schema": QUESTIONS_VIEW, "rows": questions}
    views = [view] if questions else []
    total = sum(sum(by_split.values()) for _, by_split in rows)
    return environment(templates).get_template("card/README.md.j2").render(
        title=TITLE,
        licence=LICENCE,
        size=next((size for limit, size in SIZES if total < limit), "n>1M"),
        configs=[*tables[:1], *views, *tables[1:]],
        manifest=manifest,
        total=total,
        splits=shards.SPLITS,
        tables=tables,
        views=views,
        meaning=kinds.description,
        examples=examples,
        citations=(dataset / CITATIONS).read_text(encoding="utf-8").strip(),
        not_tried=NOT_TRIED,
        domains=[(name, domains[name], counts) for name, counts in _by_domain(dataset, domains)],
        promised=manifest.get("promised", {}).get("questions"),
        planners=_planners(dataset),
        checked=NOT_CHECKED,
    )  # fmt: skip


def mark_checked(dataset: Path, verdict: Mapping[str, Any]) -> None:
    """Add the check results and the scores of tricks to the card of a copy of a validated dataset.

    ``verdict`` is that of the report.
    """
    card = dataset / contents.CARD
    card.write_text(checked_card(card.read_text(encoding="utf-8"), verdict), encoding="utf-8")


def checked_card(text: str, verdict: Mapping[str, Any]) -> str:
    """Return the card ``text`` with the placeholders of check results replaced by the results."""
    tried = [table for table in verdict.get("adversary", ()) if not table.get("unread")]
    return text.replace(NOT_CHECKED, CHECKED).replace(NOT_TRIED, _baselines(tried) if tried else NOT_TRIED)


def _baselines(tried: Sequence[Mapping[str, Any]]) -> str:
    """Return a Markdown table of the best trick on each table."""
    line = "| `{table}` | {rows} | {chance:.2f} | {score:.2f} | {rule} |"
    lines = [line.format_map(table) for table in tried]
    return "\n".join(["| table | rows tried | chance | score | trick |", "|---|--:|--:|--:|---|", *lines])


def data_version(changes: Path) -> str:
    """Return the version of columns and rules that datasets of this code have: the topmost in ``changes``."""
    try:
        heading = re.search(r"^## (\d+\.\d+\.\d+)$", changes.read_text(encoding="utf-8"), re.MULTILINE)
    except OSError as error:
        raise OrreryError(str(changes), f"cannot be read: {error.strerror}", "restore it") from error
    if heading is None:
        raise OrreryError(str(changes), "names no version", "add a line such as '## 1.0.0'")
    return heading[1]


def _by_domain(dataset: Path, names: Iterable[str]) -> list[tuple[str, dict[str, int]]]:
    """Return rows of all tables by domain and split, without those of the corpus."""
    counts = {name: dict.fromkeys(shards.SPLITS, 0) for name in sorted(names)}
    ours = f" WHERE source = '{OURS}'"
    every_row = " UNION ALL ".join(
        f'SELECT domain, split FROM "{name}"{ours if "source" in table_of(name).schema.names else ""}'
        for name in shards.splits(dataset)
    )
    sql = f"SELECT domain, split, count(*)::INTEGER AS n FROM ({every_row}) GROUP BY ALL ORDER BY ALL"
    for row in views.counts_of(dataset, sql):
        if row["domain"] not in counts:
            raise OrreryError(str(dataset), f"has rows of the unknown domain '{row['domain']}'")
        counts[row["domain"]][row["split"]] += row["n"]
    return list(counts.items())


def _planners(dataset: Path) -> list[str]:
    """Return name and version of every planner mentioned in a row."""
    named = [name for name in shards.splits(dataset) if "planner_version" in table_of(name).schema.names]
    rows = " UNION ".join(f"SELECT planner, planner_version FROM {name}" for name in named)
    sql = f"SELECT DISTINCT trim(planner || ' ' || planner_version) AS name FROM ({rows}) ORDER BY name"
    return [row["name"] for row in views.counts_of(dataset, sql) if row["name"]] if named else []


PICTURES = "pictures"
SPLITS = ("test", "validation", "train")  # the first split with rows is used
# Preferred tables of families; for other families, the first table with prompts.
SHOWN = ("acp_land_mcq", "plan_generation", "domain_modeling")
LOOKED_AT = 200  # rows of a table, of which the shortest is shown
MOST = 900  # maximum characters of a text on the card


def write_card_examples(dataset: Path, root: Path, seed: int) -> list[dict[str, Any]]:
    """Choose a row of each family with rows, write its picture, and return the examples for the card.

    An example has the columns that a model reads (``read``), a right ``reply``, and the ``picture``, a file.

    ``root`` is the checkout, whose domains describe their pictures. Rows on domains by other authors are
    omitted. The picture of a row about a domain shows one of its problems.
    """
    examples = [_example(dataset, root, seed, name, family) for name, family in families().items()]
    return [example for example in examples if example]


def _example(dataset: Path, root: Path, seed: int, name: str, family: Family) -> dict[str, Any] | None:
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
    """Return the first rows of a table on our domains with plain names."""
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
) -> dict[str, Any]:
    reply = _reply(seed, table, row)
    picture = ""
    if row.get("problems"):  # for a row about a domain, the first of its problems is drawn
        row |= {"domain_pddl": row["gold_domain"], "problem_pddl": row["problems"][0]["pddl"]}
    if row.get("problem_pddl") or row.get("PDDL_problem"):
        picture = f"{PICTURES}/{family}.svg"
        write_text(dataset / picture, picture_of(row, scene_of(root, row)))
    return {
        "family": family,
        "table": table.name,
        "split": split,
        "id": row["id"],
        "read": _read(table, row),
        "reply": _short(reply),
        "picture": picture,
    }


def _reply(seed: int, table: Table, row: Row) -> str:
    """Return a correct reply; of a table with dialogues, the first dialogue; otherwise the plan."""
    if table.gold:
        return table.gold.reply(row, stream(seed, "card", row["id"]))
    if table.dialogues:
        replies = row[table.dialogues[0]][2:]  # after the instruction and the first observation
        return "\n".join(f"{message['role']}: {message['content']}" for message in replies)
    return "\n".join(row["plan"])


def _read(table: Table, row: Row) -> dict[str, str]:
    """Return the columns that a model reads, by name; for tables without prompts, the problem."""
    instead = "first_observation" if table.dialogues else "problem_pddl"
    columns = next(iter(table.prompts.values()), (instead,))
    return {name: _short(str(row[name])) for name in columns if isinstance(row[name], str)}


def _length(table: Table, row: Row) -> int:
    return sum(map(len, _read(table, row).values())) if row.get("plan", [""]) else 10**9


def _short(text: str) -> str:
    """Return a text; if it is long, cut it at the end of a line or word."""
    text = text.strip()
    return text if len(text) <= MOST else text[:MOST].rsplit(maxsplit=1)[0] + " …"


def write_croissant(
    dataset: Path, schemas: Mapping[str, Schema], *, templates: Path, version: str, citation: str
) -> None:
    """Write the dataset in the vocabulary Croissant 1.1, which search engines and loaders read.

    Every file of a table is listed with its hash. Every table and view is a record set whose fields are the
    split, which is read from the names of the files, and the columns (``schemas`` by name), described as on
    the card. See https://docs.mlcommons.org/croissant/docs/croissant-spec.html.
    """
    folders = {
        f"{folder}/{table}": (table, schemas[table])
        for folder in (shards.DATA, shards.VIEWS)
        for table in shards.splits(dataset, folder)
    }
    text = environment(templates).get_template("card/croissant.json.j2").render(
        files=[file for folder in (shards.DATA, shards.VIEWS) for file in _files(dataset, folder)],
        folders=folders,
        version=version,
        citation=citation,
        meaning=kinds.description,
        within_lists=_within_lists,
        value_type=_value_type,
    )  # fmt: skip
    write_text(dataset / CROISSANT, json.dumps(json.loads(text), ensure_ascii=False) + "\n")


def _files(dataset: Path, folder: str) -> list[dict[str, Any]]:
    """Return the files of a folder of tables, by table and split."""
    by_table = shards.splits(dataset, folder).values()
    paths = [path for by_split in by_table for files in by_split.values() for path in files]
    return [
        {
            "path": path.relative_to(dataset).as_posix(),
            "size": path.stat().st_size,
            "digest": file_hash(path),
        }
        for path in paths
    ]


def _within_lists(kind: Any) -> tuple[Any, bool]:
    """Return the element type of a list, or of nested lists, and whether the type is a list."""
    repeated = False
    while pa.types.is_list(kind):
        kind, repeated = kind.value_type, True
    return kind, repeated


def _value_type(kind: Any) -> str:
    """Return the name of a value type; empty for records."""
    if pa.types.is_struct(kind):
        return ""
    if pa.types.is_boolean(kind):
        return "sc:Boolean"
    if pa.types.is_integer(kind):
        return "sc:Integer"
    return "sc:Float" if pa.types.is_floating(kind) else "sc:Text"
