"""Score stored replies as a run of ``orrery eval``: those of a run again, or those of a file of mixed tables.

A file of replies becomes a run whose requests are all answered, so both have the same scores and summary.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from orrery.dataset.contents import file_hash
from orrery.evaluation.asker import Outcome, default_name, refuse_other_arguments
from orrery.evaluation.kept_replies import FILE, KeptReply, digest_of, kept_replies
from orrery.evaluation.results.runs import ABOUT_FILE, FAILED, SCORES_FILE, EvaluationRun, run_folder
from orrery.evaluation.rows import only_rows
from orrery.library.choice import RowSelection, asking_tables
from orrery.library.fresh_problems import FRESH
from orrery.model import OrreryError, UsageError
from orrery.scoring.predictions import Prediction, read_predictions, without_repeats
from orrery.stages.evaluate import (
    EvaluationRequest,
    Tell,
    check_arguments,
    check_published_rule,
    plan,
    write_scores,
)
from orrery.store import shards

NEEDED = ("data", "split", "tables", "domain", "difficulty", "style", "limit", "turns")
REPLIES = "replies"  # the argument of a run that names the file of its replies
CONTENT = "content"  # the argument with the hash of this file


def score_again(
    folder: Path, dataset: str, root: Path, tell: Tell, *, published: bool = False
) -> EvaluationRun:
    """Score the stored replies of a run again, and return the run.

    Args:
        folder: ``outputs/evals/<run>``.
        dataset: the dataset that was asked; a run on fresh tasks needs none.
        root: the folder of templates and domains.
        tell: called with messages.
        published: whether replies are scored by the published rules, too.

    Raises:
        UsageError: the dataset is not that of the run.
        OrreryError: the description of the run is damaged.
    """
    arguments = _arguments_of(folder)
    stream, _, seed = str(arguments["data"]).partition(" ")
    choice = RowSelection(
        dataset,
        arguments["split"],
        int(seed) if stream == "stream" and arguments["split"] == FRESH else None,
        arguments["domain"],
        arguments["difficulty"],
        arguments["style"],
        limit=arguments["limit"],
    )
    request = plan(choice, ",".join(arguments["tables"]), arguments["turns"], arguments, root, tell)
    refuse_other_arguments(folder, arguments, request.arguments)
    if published:
        check_published_rule(request, tell)
    with kept_replies(folder / FILE) as replies:
        if REPLIES in arguments:
            request = replace(request, tables=only_rows(request.tables, replies.rows))
        outcome = Outcome(_failures_of(folder, tell))
        return write_scores(request, replies, outcome, folder, published=published)


def score_file(
    path: Path,
    choice: RowSelection,
    model: str,
    evals: Path,
    name: str | None,
    root: Path,
    tell: Tell,
    *,
    published: bool = False,
) -> EvaluationRun:
    """Score a file of replies to rows of any tables as a run, and return the run.

    Args:
        path: a file of predictions with the ids of the rows.
        choice: the dataset and split of the rows, and the style of their prompts.
        model: the name of the model that wrote the replies.
        evals: the folder of all runs.
        name: the name of the run (default: derived from the model and the arguments).
        root: the folder of templates and domains.
        tell: called with messages on rows without a reply, and on replies to rows that the style leaves out.
        published: whether replies are scored by the published rules, too.

    Raises:
        UsageError: a file or folder does not exist, an id is unknown or of two tables, or the folder contains
            another run.
        OrreryError: the file cannot be read, or has two replies to a row.
    """
    predictions = _predictions(path)
    tables = _tables_of(path, Path(choice.dataset), choice.split, predictions)
    about = {"model": model, REPLIES: path.name, CONTENT: file_hash(path)}
    request = plan(choice, ",".join(tables), 0, about, root, tell)
    folder = run_folder(evals, name or default_name(model, request.arguments))
    check_arguments(folder, request.arguments)
    if published:
        check_published_rule(request, tell)
    _tell_left_out(request, predictions, tell)
    (folder / FILE).unlink(missing_ok=True)
    with kept_replies(folder / FILE) as replies:
        rows = {(table.name, row_id) for table in request.tables for row_id in predictions}
        answered = replace(request, tables=only_rows(request.tables, rows))
        for table in answered.tables:
            for row_id in table.items:
                asked = digest_of(table.messages(row_id))
                replies.add(KeptReply(table.name, row_id, 0, asked, predictions[row_id].output))
        return write_scores(answered, replies, None, folder, published=published)


def _failures_of(folder: Path, tell: Tell) -> dict[tuple[str, str], str]:
    """Return why replies are missing, by table and id, as in the table of scores; empty if it is damaged."""
    path, names = folder / SCORES_FILE, ["table", "id", "verdict", "failure"]
    if not path.exists():
        return {}
    try:
        rows = shards.read(path, columns=names).to_pylist()
        return {(row["table"], row["id"]): row["failure"] for row in rows if row["verdict"] == FAILED}
    except (OrreryError, LookupError):
        tell(f"left out: failed requests, because {path} is damaged or older")
        return {}


def _tell_left_out(request: EvaluationRequest, predictions: Mapping[str, Prediction], tell: Tell) -> None:
    """Report rows without a reply, and replies to rows that the style leaves out."""
    asked = {row_id for table in request.tables for row_id in table.items}
    if unanswered := asked - predictions.keys():
        tell(f"left out: {len(unanswered):,} rows of these tables without a reply")
    if unscored := predictions.keys() - asked:
        tell(f"left out: {len(unscored):,} replies to rows that the style leaves out")


def _arguments_of(folder: Path) -> Mapping[str, Any]:
    """Return the arguments of a run."""
    path = folder / ABOUT_FILE
    try:
        arguments: Mapping[str, Any] = json.loads(path.read_text(encoding="utf-8"))["arguments"]
        _ = [arguments[name] for name in NEEDED]
    except (OSError, ValueError, LookupError, TypeError) as error:
        problem = "does not state the arguments of a run"
        raise OrreryError(str(path), problem, "repeat `orrery eval` with its arguments") from error
    return arguments


def _predictions(path: Path) -> dict[str, Prediction]:
    """Return the predictions of a file by the ids of their rows, one for each row."""
    predictions = {}
    for prediction in without_repeats(path, read_predictions(path)):
        if prediction.sample:
            problem = f"'{prediction.id}' has a numbered output, one of several"
            mend = "score it with the command of its table, or give one file per sample"
            raise UsageError(f"{path}:{prediction.line}", problem, mend)
        predictions[prediction.id] = prediction
    return predictions


def _tables_of(path: Path, dataset: Path, split: str, predictions: Mapping[str, Prediction]) -> list[str]:
    """Return the tables of the rows that predictions refer to.

    Raises:
        UsageError: an id is unknown or of two tables.
    """
    table_by_id: dict[str, str] = {}
    for table in asking_tables():
        for file in shards.splits(dataset).get(table, {}).get(split, ()):
            for row_id in predictions.keys() & set(pq.read_table(file, columns=["id"])["id"].to_pylist()):
                if row_id in table_by_id:
                    place = f"{path}:{predictions[row_id].line}"
                    problem = f"'{row_id}' is an id of {table_by_id[row_id]} and of {table}"
                    raise UsageError(place, problem, "score each table with its own command")
                table_by_id[row_id] = table
    for row_id in predictions.keys() - table_by_id.keys():
        problem = f"'{row_id}' is not an id of split '{split}' in {dataset}"
        raise UsageError(f"{path}:{predictions[row_id].line}", problem, "use the ids of its rows")
    return sorted({*table_by_id.values()})
