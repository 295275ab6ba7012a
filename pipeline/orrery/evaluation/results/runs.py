"""Evaluation runs on disk: one folder per run, with the table of scores and the description of the run.

The table has one row per reply, also of replies that were corrected later.

``scores.parquet`` contains both the rows and the description, so that they can only change together.
``run.json`` repeats the description for people and other programs.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow.dataset import dataset

from orrery.grading import RIGHT, UNPARSED, WRONG
from orrery.language.words import natural
from orrery.model import OrreryError, Row, UsageError, suggest
from orrery.scoring.scorers import names, scorer_of
from orrery.store import shards
from orrery.store.files import TEMPORARY, replacing
from orrery.store.kinds import BOOL, INT, REAL, STRING, Schema, as_json, column, table

UNDECIDED = "undecided"  # undecided within the budget
FAILED = "failed"  # no reply
DECIDED = (RIGHT, WRONG, UNPARSED)  # the verdicts in the denominator of accuracy
VERDICTS = (*DECIDED, UNDECIDED, FAILED)
# The rows of one problem may depend on each other; rows without a problem are clustered by domain.
CLUSTER = "coalesce(problem_id, nullif(domain, ''), id)"
TEXTS = ("reply", "detail", "failure")  # texts by models or servers, with any content

_REPLIES = table(
    "scores",
    "Scores of the replies of a model, one row a reply and turn, sorted by table, id and turn",
    column("run", STRING, "Name of the run: of its folder in `outputs/evals`"),
    column("model", STRING, "The model that was asked"),
    column("table", STRING, "The row's table, such as `acp_app_gen`"),
    column("split", STRING, "`train`, `validation` or `test`; `fresh` for tasks of a stream"),
    column("id", STRING, "The row's id: joins with the tables"),
    column("turn", INT, "Number of corrections before this reply: 0 for the first reply to the row"),
    column("is_last", BOOL, "Whether it is the last reply to the row, which counts in the accuracy"),
    column("domain", STRING, "Name of the planning domain"),
    column("problem_id", STRING, "The row's problem, where it has one", nullable=True),
    column("kind", STRING, "Kind of the question, or plan task; else empty"),
    column("format", STRING, "Suffix of the table: `gen` (open), `bool` or `mcq`; empty where it has none"),
    column("representation", STRING, "What the prompt shows: `words`, `pddl` or `both`"),
    column("style", STRING, "Style of the prompt, such as `zero_shot`"),
    column("difficulty", STRING, "Difficulty of the row's problem, where it has one", nullable=True),
    column("plan_length", INT, "Steps of the row's plan, where it has one", nullable=True),
    column("objects", INT, "Objects of the row's problem, where the row counts them", nullable=True),
    column("explicitness", STRING, "Level of a procedure on a composed domain; others: empty"),
    column("seen", STRING, "What of a composed domain also occurs in train, as in its row; others: empty"),
    column("value", REAL, "1.0 if the reply is right, else 0.0"),
    column(
        "published_rule_value",
        REAL,
        "Score by the rule of the paper (`--rule published`); null: not asked for, undecided, or no rule",
        nullable=True,
    ),
    column("verdict", STRING, "`right`, `wrong`, `unparsed`, `undecided`, or `failed` without a reply"),
    column("detail", STRING, "Why the reply is not right"),
    column("reply", STRING, "The reply; empty without one"),
    column("answer", STRING, "The answer that was read, as JSON; null if none was read", nullable=True),
    column("finish_reason", STRING, "Why the model ended the reply, as the server states it"),
    column("input_tokens", INT, "Tokens of the prompt, as the server counted them", nullable=True),
    column("output_tokens", INT, "Tokens of the reply, as the server counted them", nullable=True),
    column("seconds", REAL, "From the request to the reply", nullable=True),
    column("failure", STRING, "Why there is no reply; empty if there is one"),
    key=("table", "id", "turn"),
)


@lru_cache(maxsize=1)
def scores_schema() -> Schema:
    """Return the schema of the table of scores: of a reply, and of the figures of all scorers.

    Columns of scorers are null in rows of tables with another scorer.
    """
    figures = {field.name: field for name in names() for field in scorer_of(name).schema()}
    added = [figures[name] for name in figures if name not in (*_REPLIES.names, "sample")]
    return pa.schema([*_REPLIES, *(field.with_nullable(True) for field in added)], _REPLIES.metadata)


EVALS = "evals"  # the folder of all runs, in the folder of outputs
SCORES_FILE = "scores.parquet"
ABOUT_FILE = "run.json"
NEEDED = {"model": str, "data": str, "finished": bool}
ABILITY = "ability"  # only the descriptions of adaptive runs have it
MEND = "run `orrery score RUN`"
_ABOUT = b"about"
_NAME = re.compile(r"[A-Za-z0-9_][\w.=-]{0,99}")

About: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True)
class EvaluationRun:
    """One evaluation run.

    ``name`` is the name of its folder, ``about`` the description passed to ``write_run``, ``scores`` the
    table of scores, an Arrow table or data set.
    """

    name: str
    about: About
    scores: Any = field(repr=False)


def write_run(folder: Path, rows: Iterable[Row], about: About) -> Path:
    """Write a run to its folder, and return the path of the table of scores.

    Earlier content is replaced as a whole. If the process is killed, the earlier content remains.

    Args:
        folder: ``outputs/evals/<run>``; its name is the name of the run, regardless of the rows.
        rows: mappings with the columns of ``scores_schema``, in any order. ``run`` and columns that may be
            null are optional.
        about: JSON values: ``model``; ``data``, the identity of the rows (the content hash of
            the dataset, or the seed of the stream), because only runs of the same data are compared;
            ``finished``; and any other description without secrets.

    Raises:
        OrreryError: a row does not fit the table, or the description lacks something.
    """
    _check_about(str(folder / ABOUT_FILE), about)
    schema = scores_schema().with_metadata({**_REPLIES.metadata, _ABOUT: as_json(dict(about)).encode()})
    nulls = dict.fromkeys(field.name for field in schema if field.nullable)
    listed = sorted(
        ({**nulls, **row, "run": folder.name, **_clean(row)} for row in rows),
        key=lambda row: (row["table"], row["id"], row["turn"]),
    )
    shards.write(folder / SCORES_FILE, schema, listed)
    with replacing(folder / ABOUT_FILE) as path:
        content = {**about, "run": folder.name, "replies": sum(row["is_last"] for row in listed)}
        path.write_text(json.dumps(content, indent=1, sort_keys=True, ensure_ascii=False) + "\n", "utf-8")
    return folder / SCORES_FILE


def read_run(folder: Path, *, on_disk: bool = False) -> EvaluationRun:
    """Return the run of a folder.

    ``on_disk``: the scores are a data set, which reads the columns of a query from the file each time, so
    that figures of many runs need little memory. Those of a renamed folder are in memory, under its new name.

    Raises:
        UsageError: the folder contains no run; the message lists the runs next to it.
        OrreryError: its table of scores is damaged, or was not written by Orrery.
    """
    path, schema = folder / SCORES_FILE, scores_schema()
    if not path.is_file():
        names = run_names(folder.parent)
        mend = suggest(folder.name, "runs", names or ["none; `orrery eval` makes one"])
        raise UsageError(str(folder), "has no scores of a run", mend)
    try:
        scores = shards.read(path, schema)  # as a whole, so that any damage is an error here
    except OrreryError as error:
        raise OrreryError(str(path), error.problem, MEND) from error
    about, place = _about(path, scores.schema.metadata or {}), schema.get_field_index("run")
    if pc.any(pc.not_equal(scores["run"], folder.name)).as_py():  # its folder has a new name
        scores = scores.set_column(place, schema.field(place), pa.repeat(folder.name, len(scores)))
    elif on_disk:
        scores = dataset(path, schema)
    return EvaluationRun(folder.name, about, scores)


def warnings_on(runs: Sequence[EvaluationRun]) -> list[str]:
    """Return the reasons against comparing runs: different data, and runs that are not finished."""
    is_mixed = len({run.about["data"] for run in runs}) > 1
    versions = "the runs asked different versions of the data: a row may differ under the same id"
    unfinished = [f"{run.name} is not finished" for run in runs if not run.about["finished"]]
    return [versions, *unfinished] if is_mixed else unfinished


def run_folder(runs: Path, name: str) -> Path:
    """Return the folder of a run of this name.

    Raises:
        UsageError: the name is not a valid folder name.
    """
    if not _NAME.fullmatch(name):
        raise UsageError(f"run '{name}'", "is not a valid name", "use letters, digits and . _ - =")
    return runs / name


def refuse_strangers(folder: Path, ours: Collection[str] = ()) -> None:
    """Refuse a folder without a run that contains other files than ``ours``, which a killed run leaves.

    Raises:
        UsageError: there is another file; the message names one.
    """
    names = sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []
    strangers = [name for name in names if name not in ours and not name.startswith(TEMPORARY)]
    if strangers:
        raise UsageError(str(folder), f"contains other files: {strangers[0]}", "give another name with --run")


def run_names(evals: Path) -> list[str]:
    """Return the names of the runs in ``outputs/evals``, sorted; empty if there are none."""
    return sorted(path.parent.name for path in evals.glob(f"*/{SCORES_FILE}"))


def _about(path: Path, metadata: Mapping[bytes, bytes]) -> About:
    """Return the description of a run in the metadata of its table of scores.

    Raises:
        OrreryError: the metadata has no description.
    """
    try:
        about = json.loads(metadata[_ABOUT])
    except (KeyError, ValueError) as error:
        raise OrreryError(str(path), "does not name its run", MEND) from error
    _check_about(str(path), about)
    return dict(about)


def _check_about(source: str, about: Any) -> None:
    if not isinstance(about, Mapping):
        raise OrreryError(source, f"is {type(about).__name__}, not a mapping", MEND)
    for name, kind in NEEDED.items():
        if not isinstance(about.get(name), kind):
            raise OrreryError(source, f"'{name}' is {about.get(name)!r}, not of {kind.__name__}", MEND)
    if not isinstance(arguments := about.get("arguments", {}), Mapping):
        raise OrreryError(source, f"'arguments' is {arguments!r}, not a mapping", MEND)


def _clean(row: Row) -> dict[str, str]:
    """Return external texts as valid Unicode.

    JSON can contain a lone surrogate; it is kept as its escape sequence.
    """
    texts = {name: row[name] for name in TEXTS if isinstance(row.get(name), str)}
    return {name: text.encode("utf-8", "backslashreplace").decode() for name, text in texts.items()}


BOUNDS = (0, 2, 5, 10, 20, 50)  # the maximum of each bin; larger numbers have their own bin


def _bins(column: str) -> str:
    """Return the SQL for the bin of a number, for example ``6-10``."""
    cases, least = [], 0
    for most in BOUNDS:
        name = str(most) if least == most else f"{least}-{most}"
        cases.append(f"when {column} <= {most} then '{name}'")
        least = most + 1
    return f"case {' '.join(cases)} when {column} is not null then '{least} or more' end"


# Groups of rows of scores: each is a property of the row in SQL.
GROUPS = {
    "table": '"table"',
    "domain": "nullif(domain, '')",
    "kind": "nullif(kind, '')",
    "format": "nullif(format, '')",
    **{name: _bins(name) for name in ("plan_length", "objects")},
    "representation": "nullif(representation, '')",
    "difficulty": "nullif(difficulty, '')",
    "mechanics": "case when seen in ('both', 'mechanics') then 'seen' when seen <> '' then 'unseen' end",
    "explicitness": "nullif(explicitness, '')",
}


LEVELS = {"difficulty": ("easy", "medium", "hard"), "explicitness": ("explicit", "everyday", "sparse")}


def in_order(group: str, values: Iterable[str]) -> list[str]:
    """Return the values of a group sorted: levels in their order, others as text with numbers by size."""
    levels = LEVELS.get(group, ())
    return sorted(values, key=lambda value: (levels.index(value) if value in levels else -1, natural(value)))
