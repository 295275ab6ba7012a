"""Check the dataset folder: manifest, card, graders, prompts, harness tasks and views must match the tables.

The check uses only the standard library and pyarrow, not the code that wrote the files.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

import orrery.grading
from orrery.checks.verdicts import MALFORMED, unreadable
from orrery.families import tables
from orrery.grading import grade
from orrery.grading.traces import check_trace
from orrery.model import OrreryError, Row
from orrery.yaml_text import parse_yaml, read_yaml

MANIFEST, CARD, CHANGES = "manifest.json", "README.md", "CHANGELOG.md"
WRITTEN_LAST = {MANIFEST, CARD}  # these two contain the hashes of the other files
HELD = (
    "content_hash",
    "version",
    "data_version",
    "generator",
    "canary",
    "format",
    "domains",
    "rows",
    "files",
)
# Fields of the manifest that the card repeats.
STATED = ("content_hash", "canary", "version", "data_version", "generator")
FIELD = re.compile(r"(?<!\{)\{([a-zA-Z_]\w*)\}(?!\})")  # a placeholder for a column of the row in a prompt
EXAMPLES = "examples"
# Of the view of all questions:
QUESTION_TABLES = "acp_"  # prefix of the names of question tables
VIEW_BATCH = 100
VIEW_SPLITS = ("train", "validation", "test")
VIEW_COLUMNS = (
    "id",
    "kind",
    "domain",
    "problem_id",
    "context",
    "question",
    "difficulty",
    "num_objects",
    "h_star",
)
MOST_VIEW_FAULTS = 20  # that are listed


def check(dataset: Path) -> list[str]:
    """Return faults of the files other than tables, and where they contradict the tables."""
    try:
        manifest = json.loads((dataset / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        return [f"{MANIFEST}: cannot be read: {error}"]
    if lacking := [name for name in HELD if name not in manifest]:
        return [f"{MANIFEST}: lacks {', '.join(lacking)}"]
    return [
        *_files(dataset, manifest["files"]),
        *_counts(dataset, manifest["rows"]),
        *_views(dataset, manifest.get("views", {})),
        *_canaries(dataset, manifest["canary"]),
        *_card(dataset, manifest),
        *_graders(dataset),
        *_prompts(dataset, manifest["rows"]),
        *_examples(dataset),
        *_harness_tasks(dataset, manifest["rows"]),
    ]


def _files(dataset: Path, listed: Mapping[str, str]) -> Iterator[str]:
    """Yield files that are missing, extra, or different from the manifest."""
    files = {path.relative_to(dataset).as_posix(): path for path in dataset.rglob("*") if path.is_file()}
    # Python stores compiled code beside scripts that were run from the folder.
    files = {name: path for name, path in files.items() if "__pycache__/" not in name}
    for name in sorted({*files, *listed} - WRITTEN_LAST):
        if name not in files:
            yield f"{name}: is missing"
        elif name not in listed:
            yield f"{name}: is not in the manifest"
        elif hashlib.sha256(files[name].read_bytes()).hexdigest() != listed[name]:
            yield f"{name}: is not the file of the manifest"


def _counts(dataset: Path, listed: Mapping[str, Mapping[str, int]]) -> Iterator[str]:
    """Yield tables whose number of rows differs between the manifest and their files."""
    counts: dict[str, dict[str, int]] = {}
    for path in sorted((dataset / "data").glob("*/*.parquet")):
        by_split = counts.setdefault(path.parent.name, {})
        split = path.name.split("-")[0]
        by_split[split] = by_split.get(split, 0) + pq.read_metadata(path).num_rows
    for name in sorted({*counts, *listed}):
        if counts.get(name) != listed.get(name):
            yield f"{MANIFEST}: rows of {name} are {listed.get(name)}, should be {counts.get(name)}"
    for name in sorted(set(counts) - set(tables())):
        yield f"data/{name}: is no published table"


def _views(dataset: Path, listed: Mapping[str, Mapping[str, int]]) -> Iterator[str]:
    """Yield faults of files that repeat rows of tables: too few rows, too many, or different ones."""
    views = {path.parent.name for path in dataset.glob("views/*/*.parquet")}
    for name in sorted(views ^ {name for name, by_split in listed.items() if by_split}):
        yield f"views/{name}: is not what {MANIFEST} lists"
    if "questions" in views:
        counted, faults = check_view(dataset)
        if counted != listed.get("questions"):
            yield f"{MANIFEST}: rows of the view questions are {listed.get('questions')}, should be {counted}"
        yield from faults


def _canaries(dataset: Path, canary: str) -> Iterator[str]:
    """Yield files of the test split without the canary, and files of other splits with it."""
    for path in sorted([*dataset.glob("data/*/*.parquet"), *dataset.glob("views/*/*.parquet")]):
        marked = canary in (pq.read_schema(path).metadata or {}).get(b"canary", b"").decode()
        if marked != path.name.startswith("test-"):
            yield f"{path.relative_to(dataset)}: {'has' if marked else 'lacks'} the canary of test splits"


def _card(dataset: Path, manifest: Mapping[str, Any]) -> Iterator[str]:
    """Yield where the card differs from the manifest, or its header from the files."""
    try:
        text = (dataset / CARD).read_text(encoding="utf-8")
        header = parse_yaml(text.split("---\n", 2)[1].encode(), CARD)
        configs = {config["config_name"]: config["data_files"] for config in header["configs"]}
    except (OSError, IndexError, KeyError, TypeError, ValueError, OrreryError) as error:
        yield f"{CARD}: cannot be read: {error}"
        return
    stated = {
        name: {config["split"]: len(list(dataset.glob(config["path"]))) for config in files}
        for name, files in configs.items()
    }
    stated_rows = {**manifest["rows"], **manifest.get("views", {})}
    for name, by_split in stated_rows.items():
        if set(stated.get(name, {})) != set(by_split) or not all(stated.get(name, {}).values()):
            yield f"{CARD}: the header names other files of {name} than there are"
    for name in sorted(set(stated) - set(stated_rows)):
        yield f"{CARD}: the header names {name}, which has no rows"
    for name in STATED:
        if str(manifest[name]) not in text:
            yield f"{CARD}: does not state the {name}"
    changes = dataset / CHANGES
    version = manifest["data_version"]
    if not changes.is_file() or f"## {version}\n" not in changes.read_text(encoding="utf-8"):
        yield f"{CHANGES}: says nothing of data version {version}"


def _graders(dataset: Path) -> Iterator[str]:
    """Yield graders that differ from those of this version, byte by byte."""
    source = Path(orrery.grading.__file__).parent
    ours = {path.relative_to(source).as_posix(): path for path in source.rglob("*.py")}
    shipped = {path.relative_to(dataset / "grading").as_posix(): path
               for path in (dataset / "grading").rglob("*.py")}  # fmt: skip
    for name in sorted({*ours, *shipped}):
        same = name in ours and name in shipped and ours[name].read_bytes() == shipped[name].read_bytes()
        if not same:
            yield f"grading/{name}: is not the grader of this version"


def _prompts(dataset: Path, rows: Mapping[str, Mapping[str, int]]) -> Iterator[str]:
    """Yield prompts that are empty or use a column that no table has, and tables that have no prompt."""
    columns = {EXAMPLES, *(name for table in tables().values() for name in table.schema.names)}
    paths = sorted((dataset / "prompts").glob("*.txt"))
    for name, table in sorted(tables().items()):
        has_prompts = table.template and rows.get(name)
        if has_prompts and not any(path.name.startswith(f"{table.template}_") for path in paths):
            yield f"prompts: lacks {table.template}_*.txt, the prompts of {name}"
    for path in paths:
        text = path.read_text(encoding="utf-8")
        fields = FIELD.findall(text)
        if not fields:
            yield f"prompts/{path.name}: takes no column of a row"
        unknown = sorted(set(fields) - columns)
        yield from (f"prompts/{path.name}: takes '{name}', which no table has" for name in unknown)


def _examples(dataset: Path) -> Iterator[str]:
    """Yield worked examples that cannot be read, whose reply is graded as wrong, or whose trace fails.

    Every dataset has their file; it is empty if no domain provides examples.
    """
    path = dataset / "prompts" / f"{EXAMPLES}.jsonl"
    if not path.is_file():
        yield f"prompts: lacks {path.name}"
        return
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        place = f"prompts/{path.name}, line {number}"
        try:
            row = json.loads(line)
            is_question = row["table"] in tables() and "group" in row
            wrong = is_question and grade(row["reply"], row).value != 1
            derived = (row[name] for name in ("trace", "trace_in_words") if name in row)
            fault = next((fault for trace in derived if (fault := check_trace(trace, row))), "")
        except (ValueError, LookupError, TypeError) as error:
            yield f"{place}: cannot be read: {error}"
            continue
        if row["table"] not in tables():
            yield f"{place}: '{row['table']}' is no published table"
        elif wrong:
            yield f"{place}: its reply is graded wrong"
        elif fault:
            yield f"{place}: its trace does not pass: {fault}"


def _harness_tasks(dataset: Path, rows: Mapping[str, Mapping[str, int]]) -> Iterator[str]:
    """Yield question tables that have no task for lm-evaluation-harness, and tasks without rows."""
    asking = {name for name, table in tables().items() if table.template and rows.get(name)}
    functions = dataset / "lm_eval" / "orrery" / "dataset" / "lm_eval_tasks.py"
    if asking and not functions.is_file():
        yield "lm_eval: lacks the functions that its tasks name"
    task_names, grouped = set(), set()
    for path in sorted((dataset / "lm_eval").glob("*.yaml")):
        try:
            task = read_yaml(path)
            grouped |= set(task["task"] if "group" in task else ())
            options = {} if "group" in task else task["dataset_kwargs"]
            if path.stem != (task.get("group") or task["task"]):
                yield f"lm_eval/{path.name}: is called otherwise than what it holds"
        except (ValueError, LookupError, TypeError, AttributeError, OrreryError) as error:
            yield f"lm_eval/{path.name}: cannot be read: {error}"
            continue
        if options and not rows.get(options["table"], {}).get(options["split"]):
            yield f"lm_eval/{path.name}: asks for {options['table']}, {options['split']}, which has no rows"
        task_names |= {options["table"]} if options else set()
    for name in sorted(asking - task_names):
        yield f"lm_eval: no task asks for the table {name}"
    for name in sorted(task_names):
        if f"orrery_{name}" not in grouped:
            yield f"lm_eval/orrery_{name}.yaml: is in no group"


def check_view(dataset: Path) -> tuple[dict[str, int], list[str]]:
    """Return the number of rows of the view by split, and its faults."""
    counts: dict[str, int] = {}
    faults: list[str] = []
    for split in VIEW_SPLITS:
        rows_by_table = {
            folder.name: _rows(sorted(folder.glob(f"{split}-*.parquet")))
            for folder in sorted((dataset / "data").glob(f"{QUESTION_TABLES}*/"))
        }
        for row in _rows(sorted((dataset / "views" / "questions").glob(f"{split}-*.parquet"))):
            counts[split] = counts.get(split, 0) + 1
            typed = next(rows_by_table.get(row["table"], iter(())), None)
            row_faults = ["stands in no table in this order"] if typed is None else _compared(row, typed)
            faults += [f"views/questions, {row['id']}: {fault}" for fault in row_faults]
            if len(faults) >= MOST_VIEW_FAULTS:
                return counts, faults
        lacking = [name for name, remaining in rows_by_table.items() if next(remaining, None) is not None]
        faults += [f"views/questions: lacks rows of {name}, {split}" for name in lacking]
    return counts, faults


def _rows(paths: list[Path]) -> Iterator[dict[str, Any]]:
    for path in paths:
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(VIEW_BATCH):
                yield from batch.to_pylist()


def _compared(row: Row, typed: Row) -> list[str]:
    """Return the faults of a row, also of one whose values cannot be read."""
    try:
        return _view_faults(row, typed)
    except MALFORMED as error:
        return [unreadable(error)]


def _view_faults(row: Row, typed: Row) -> list[str]:
    """Return where a row of the view differs from the row of its own table."""
    faults = [
        f"{name} is another than in {row['table']}" for name in VIEW_COLUMNS if row[name] != typed[name]
    ]
    graded = json.loads(row["grader_input"])
    faults += [
        f"grader_input: {name} is another than in {row['table']}"
        for name, value in graded.items()
        if value != typed.get(name)
    ]
    if row["table"] != f"acp_{row['kind']}_{row['format']}":
        faults.append("table is not that of its kind and format")
    if json.loads(row["answer"]) != typed["answer"]:
        faults.append(f"answer is another than in {row['table']}")
    if row["choices"] != (typed["choices"]["text"] if "choices" in typed else []):
        faults.append(f"choices are others than in {row['table']}")
    if grade(row["reply"], typed).value != 1 or grade(row["reply"], graded).value != 1:
        faults.append("reply is not right")
    return faults
