"""Stage ``paraphrase``: accept or reject paraphrases of rows, into ``outputs/paraphrases/<run>``.

The texts come from a file or from a model. A text is accepted if our reader recovers the problem of its row,
or if the model does so from the text and the domain alone. Every reply of a model is
stored as it arrives. The same command continues an interrupted run; other arguments under its name are
refused.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

from orrery import __version__
from orrery.evaluation.asked import AskedTable
from orrery.evaluation.asker import (
    Asker,
    Outcome,
    default_name,
    refuse_other_arguments,
    refused_by_server,
)
from orrery.evaluation.kept_replies import FILE, KeptReplies, kept_replies
from orrery.evaluation.results.runs import refuse_strangers
from orrery.evaluation.rows import conversation_of, to_ask
from orrery.library.choice import RowSelection, data_of, items_of
from orrery.library.loading import load, manifest_of
from orrery.library.paraphrases import (
    PARAPHRASES,
    REJECTS,
    TABLE,
    Judged,
    Paraphrase,
    by_reply,
    read_all,
    read_paraphrases,
    recovery,
    rewording,
    text_of,
)
from orrery.model import OrreryError, Row, UsageError
from orrery.store import shards
from orrery.store.files import write_text

ACCEPTED_FILE, REJECTS_FILE, ABOUT_FILE = "paraphrases.parquet", "rejects.parquet", "run.json"
SPLIT = "train"  # the default split for a model

Tell: TypeAlias = Callable[[str], None]


@dataclass(frozen=True)
class ParaphraseRequest:
    """The content of a run: rows by id, and paraphrases from a file, or ``count`` per row from a model.

    ``arguments`` identify the run.
    """

    rows: Mapping[str, Row]
    part: str
    given: tuple[Paraphrase, ...]
    count: int
    arguments: Mapping[str, Any]

    @property
    def name(self) -> str:
        """The default name of the run: its source and a hash of its arguments."""
        return default_name(str(self.arguments["file"] or self.arguments["model"]), self.arguments)


@dataclass(frozen=True)
class ParaphraseResult:
    """The result of a run: accepted paraphrases by method, rejected ones by reason, and missing replies."""

    folder: Path
    accepted: Mapping[str, int]
    rejected: Mapping[str, int]
    unanswered: int = 0
    stopped: str = ""

    @property
    def complete(self) -> bool:
        """Whether every paraphrase is accepted or rejected."""
        return not self.unanswered and not self.stopped

    def as_json(self) -> dict[str, Any]:
        """Return the counts as JSON values."""
        return {
            "accepted": dict(self.accepted),
            "rejected": dict(self.rejected),
            "unanswered": self.unanswered,
            "finished": self.complete,
        }


def plan_of_file(
    path: Path, dataset: str, split: str | None, model: Mapping[str, Any] | None, root: Path
) -> ParaphraseRequest:
    """Return the content of a run with paraphrases from a file.

    Args:
        path: Parquet or JSONL with the columns ``id`` and ``natural_language``.
        dataset: the folder of the dataset, or its id on the Hub.
        split: the split of the rows (default: any).
        model: the settings that affect the replies of the recovering model, if any (``model_arguments``).
        root: the folder with templates and domains.

    Raises:
        UsageError: the file or split does not exist, or an id is unknown; the message names the line.
        OrreryError: the file cannot be read.
    """
    paraphrases = list(read_paraphrases(path))
    rows = _rows(dataset, split, {paraphrase.id for _, paraphrase in paraphrases}, root)
    for line, paraphrase in paraphrases:
        if paraphrase.id not in rows:
            source = f"split '{split}' of {dataset}" if split else dataset
            problem = f"'{paraphrase.id}' is not an id of table {TABLE} in {source}"
            raise UsageError(f"{path}:{line}", problem, "use the ids of its rows")
    source_arguments = {
        "file": path.name,
        "digest": hashlib.sha256(path.read_bytes()).hexdigest(),
        "data": data_of(RowSelection(dataset)),
        "split": split,
    }
    listed = tuple(paraphrase for _, paraphrase in paraphrases)
    return ParaphraseRequest(
        rows, split or SPLIT, listed, 0, {**_NO_MODEL, **(model or {}), **source_arguments}
    )


def plan_of_model(
    choice: RowSelection, count: int, model: Mapping[str, Any], root: Path
) -> ParaphraseRequest:
    """Return the content of a run in which a model writes ``count`` paraphrases of each selected row.

    Raises:
        UsageError: there are no such rows.
    """
    rows = {str(item.row["id"]): item.row for item in items_of(choice, TABLE, root)}
    arguments = {
        "file": None,
        "data": data_of(choice),
        "split": choice.part,
        "domain": choice.domain,
        "difficulty": choice.difficulty,
        "limit": choice.limit,
        "count": count,
    }
    return ParaphraseRequest(rows, choice.part, (), count, {**model, **arguments})


_NO_MODEL = {"model": None}


def run(
    request: ParaphraseRequest, asker: Asker | None, root: Path, folder: Path, tell: Tell
) -> ParaphraseResult:
    """Judge paraphrases, and write the tables to the folder of the run.

    Args:
        request: the content of the run.
        asker: the model that writes and recovers; None if only our reader decides.
        root: the folder with templates and domains.
        folder: ``outputs/paraphrases/<run>``.
        tell: called with messages on progress.

    Raises:
        UsageError: the folder contains a run with other arguments, or other files; another process
            uses it; the model does not exist; or the server refuses the key or the model.
    """
    _check_arguments(folder, request.arguments)
    if asker is None:
        judged = list(read_all(request.rows, request.given, root, asked_back=False))
        return _write(request, judged, [], folder)
    if not folder.exists():
        from orrery.evaluation.asking import model_of

        model_of(asker)  # raises an error for an unknown model before anything is written
    with kept_replies(folder / FILE) as replies:
        return _run_with_model(request, asker, root, folder, replies, tell)


def _run_with_model(
    request: ParaphraseRequest, asker: Asker, root: Path, folder: Path, replies: KeptReplies, tell: Tell
) -> ParaphraseResult:
    """Return the result of a run with a model after its tables are written."""
    _write_about(folder, request, {"finished": False})
    ask = partial(_ask, asker, folder, replies, tell)
    paraphrases, outcomes, lacking = list(request.given), list[Outcome](), 0
    if request.count:
        # Those with number 1 are asked first, for all rows. The results of a row are consecutive.
        numbers = range(1, request.count + 1)
        items = [rewording(row, number, root) for number in numbers for row in request.rows.values()]
        rewordings = AskedTable("paraphrase", items, request.part)
        outcomes += ask(rewordings)
        for named in (Paraphrase(row, number, "", asker.model) for row in request.rows for number in numbers):
            course = conversation_of(rewordings, named.name, replies)
            if course.over:
                paraphrases.append(named._replace(text=text_of(course.replies[-1].text)))
        lacking = len(items) - len(paraphrases)
    judged = list(read_all(request.rows, paraphrases, root, asked_back=True))
    if not any(outcome.stopped for outcome in outcomes):
        unsettled = [verdict.paraphrase for verdict in judged if not verdict.settled]
        recoveries = [recovery(request.rows[paraphrase.id], paraphrase, root) for paraphrase in unsettled]
        back = AskedTable("recovery", recoveries, request.part)
        outcomes += ask(back)
        judged = [_by_model(verdict, back, replies) for verdict in judged]
    result = _write(request, judged, outcomes, folder, lacking)
    for outcome in outcomes:
        if outcome.refused:
            raise refused_by_server(asker, outcome.stopped)
    return result


def _by_model(verdict: Judged, back: AskedTable, replies: KeptReplies) -> Judged:
    """Return the verdict by the model's reply, if there is one and our reader does not decide."""
    name = verdict.paraphrase.name
    course = None if verdict.settled else conversation_of(back, name, replies)
    if course is None or not course.over:
        return verdict
    reply = course.replies[-1].text
    return by_reply(verdict.paraphrase, reply, back.score(name, reply))


def _ask(asker: Asker, folder: Path, replies: KeptReplies, tell: Tell, table: AskedTable) -> list[Outcome]:
    """Send the remaining requests, if any."""
    remaining = to_ask([table], replies)
    if table.items:
        count = sum(len(part.items) for part in remaining)
        tell(f"{table.name}: {len(table.items):,} in all, {count:,} to ask")
    if not remaining:
        return []
    from orrery.evaluation.asking import ask_all

    return [ask_all(asker, remaining, replies, folder)]


def _write(
    request: ParaphraseRequest,
    judged: Sequence[Judged],
    outcomes: Sequence[Outcome],
    folder: Path,
    lacking: int = 0,
) -> ParaphraseResult:
    """Write the tables and the description of the run; return its result."""
    model = str(request.arguments["model"] or "")
    accepted = [verdict for verdict in judged if verdict.accepted_by]
    rejects = [verdict for verdict in judged if verdict.reason]
    shards.write(folder / ACCEPTED_FILE, PARAPHRASES, (verdict.accepted(model) for verdict in accepted))
    shards.write(folder / REJECTS_FILE, REJECTS, (verdict.rejected() for verdict in rejects))
    result = ParaphraseResult(
        folder,
        Counter(verdict.accepted_by for verdict in accepted),
        Counter(verdict.reason.partition(": ")[0] for verdict in rejects),
        lacking + sum(not verdict.settled for verdict in judged),
        next((outcome.stopped for outcome in outcomes if outcome.stopped), ""),
    )
    _write_about(folder, request, result.as_json())
    return result


def _write_about(folder: Path, request: ParaphraseRequest, counts: Mapping[str, Any]) -> None:
    about = {
        "arguments": dict(request.arguments),
        "version": __version__,
        "rows": len(request.rows),
        **counts,
    }
    write_text(folder / ABOUT_FILE, json.dumps(about, indent=1, sort_keys=True, ensure_ascii=False) + "\n")


def _check_arguments(folder: Path, arguments: Mapping[str, Any]) -> None:
    """Raise a UsageError if the folder contains a run with other arguments, or other files."""
    path = folder / ABOUT_FILE
    if not path.is_file():
        refuse_strangers(folder)
        return
    try:
        before = json.loads(path.read_text("utf-8"))["arguments"]
    except (ValueError, KeyError, TypeError) as error:
        raise OrreryError(str(path), "is damaged", "delete the folder, or choose another name") from error
    refuse_other_arguments(folder, before, arguments)


def _rows(dataset: str, split: str | None, ids: set[str], root: Path) -> dict[str, Row]:
    """Return the rows of the dataset with these ids."""
    folder = Path(dataset)
    splits_by_table = shards.splits(folder) if folder.is_dir() else manifest_of(dataset)["rows"]
    if TABLE not in splits_by_table:
        raise UsageError(dataset, f"has no table {TABLE}", "name the folder that contains data/<table>")
    rows = {}
    for part in [split] if split else sorted(splits_by_table[TABLE]):
        items = load(dataset, TABLE, part, root=root).of_ids(ids)
        rows.update({str(item.row["id"]): item.row for item in items})
    return rows
