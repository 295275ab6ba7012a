"""``orrery import acpbench``: the published rows of ACPBench and ACPBench Hard, every answer decided anew."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from orrery.corpus.acpbench import KINDS, OUTSIDE, Judgement, redecide
from orrery.engine import map_items
from orrery.model import OrreryError
from orrery.stages.summary import StageSummary
from orrery.store.kinds import INT, STRING, as_json, column, table, table_name
from orrery.store.shards import read_rows, replacing, write

STAGE = "import"
NAME = "acpbench"
VALIDATION = ("dev", "val", "validation")  # what files of that split are called
ENDINGS = (".json", ".jsonl", ".json.gz", ".jsonl.gz", ".parquet")
NEEDED = ("id", "group", "context", "question", "answer")
ROWS = table(
    "acpbench",
    "Published questions as they are, with what was decided of their answers",
    column("id", STRING, "The published id"),
    column("group", STRING, "Kind and format of the question"),
    column("split", STRING, "train, validation or test, by the name of the file"),
    column("file", STRING, "The file, within the imported folder"),
    column("number", INT, "Number of the row in the file, from 0"),
    column("context", STRING, "The published context"),
    column("question", STRING, "The published question"),
    column("stored", STRING, "JSON: the published answer"),
    column("verdict", STRING, "right, incomplete, wrong, undecided or outside"),
    column("detail", STRING, "What is wrong, lacking or undecided, or why the row lies outside"),
    column("answer", STRING, "JSON: the complete answer in the published form; empty where there is none"),
    column("choices", STRING, "JSON: the published options; empty where there are none"),
    column("PDDL_domain", STRING, "The domain in PDDL; empty where the row has none"),
    column("PDDL_problem", STRING, "The problem in PDDL; empty where the row has none"),
)
Row = dict[str, Any]


def run(
    folder: Path, out: Path, *, jobs: int = 1, max_states: int = 2_000_000, seconds: float = 10.0
) -> StageSummary:
    """Write all rows found below ``folder`` with their verdicts; the summary counts these by kind.

    Raises:
        OrreryError: there is no such file, or one that cannot be read; nothing is written.
    """
    rows = [row for path in _files(folder) for row in _read(folder, path)]
    if not rows:
        mend = "name the folder that holds files such as app/dev.gen.json"
        raise OrreryError(str(folder), "holds no rows of questions", mend)
    judge = partial(_judged, max_states=max_states, seconds=seconds)
    judged = list(map_items(rows, judge, jobs=jobs, label="import acpbench", describe=_describe))
    with replacing(out) as target:
        target.mkdir(parents=True)
        write(target / f"{table_name(ROWS)}.parquet", ROWS, judged)
    return _summary(judged)


def _files(folder: Path) -> list[Path]:
    if not folder.is_dir():
        raise OrreryError(str(folder), "is no folder", "name the folder of the published files")
    return sorted(path for path in folder.rglob("*") if path.name.endswith(ENDINGS))


def _read(folder: Path, path: Path) -> Iterator[Row]:
    """Yield the rows of a file that are questions; other files of the folder are passed over."""
    where = str(path.relative_to(folder))
    for number, row in enumerate(_content(path)):
        if not isinstance(row, dict) or not set(NEEDED) <= row.keys():
            continue
        choices = row.get("choices")
        yield {
            "id": str(row["id"]),
            "group": row["group"],
            "split": _split(path),
            "file": where,
            "number": number,
            "context": row["context"],
            "question": row["question"],
            "stored": as_json(row["answer"]),
            "choices": as_json(choices) if choices else "",
            "PDDL_domain": row.get("PDDL_domain") or "",
            "PDDL_problem": row.get("PDDL_problem") or "",
        }


def _content(path: Path) -> list[Any]:
    """Return what a file holds: a list of rows, or a row a line."""
    if path.suffix == ".parquet":
        return list(read_rows(path))
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            text = file.read().decode("utf-8")
        lines = text.splitlines() if "jsonl" in path.name else []
        found = [json.loads(line) for line in lines if line] if lines else json.loads(text)
    except (OSError, EOFError, UnicodeDecodeError, json.JSONDecodeError) as error:
        raise OrreryError(str(path), f"cannot be read: {error}", "download it again") from error
    return found if isinstance(found, list) else []


def _split(path: Path) -> str:
    """Return the split that the name of the file begins with; test where it names none."""
    name = path.name.replace("-", ".").split(".")[0]
    return "validation" if name in VALIDATION else "train" if name == "train" else "test"


def _describe(row: Row) -> str:
    return f"{row['file']}, row {row['number']}"


def _judged(row: Row, *, max_states: int, seconds: float) -> Row:
    found: Judgement = redecide(
        {**row, "answer": json.loads(row["stored"])}, max_states=max_states, seconds=seconds
    )
    answer = "" if found.answer is None else as_json(found.answer)
    return {**row, "verdict": found.verdict, "detail": found.detail, "answer": answer}


def _summary(rows: list[Row]) -> StageSummary:
    """Return rows by kind and verdict; those outside the subset by reason."""
    inside = [row for row in rows if row["verdict"] != OUTSIDE]
    counts = Counter(f"{KINDS[row['group']]} {row['verdict']}" for row in inside)
    outside = Counter("outside: " + row["detail"].split(":")[0] for row in rows if row["verdict"] == OUTSIDE)
    return StageSummary(
        STAGE, NAME, {"rows": len(rows), **dict(sorted(counts.items()))}, dict(sorted(outside.items()))
    )
