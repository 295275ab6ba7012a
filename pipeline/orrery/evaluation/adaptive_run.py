"""Adaptive runs: the rows of a run are chosen by an adaptive test, and the run states the ability.

The difficulties are stored when a run begins, and the rows of a batch before they are asked. So a resumed run
asks the same rows, even if there are new runs by then, or replies that were missing.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from orrery.dataset.contents import file_hash
from orrery.evaluation.adaptive import AdaptiveTest, Verdicts, administer
from orrery.evaluation.asked import AskedTable
from orrery.evaluation.asker import Asker, Outcome
from orrery.evaluation.difficulty import Difficulties, RowDifficulty, RowKey, difficulties
from orrery.evaluation.kept_replies import KeptReplies
from orrery.evaluation.results.runs import ABILITY, DECIDED, FAILED, SCORES_FILE
from orrery.evaluation.rows import conversation_of, only_rows, to_ask
from orrery.grading import RIGHT
from orrery.model import OrreryError, Row
from orrery.store.files import write_text

FILE = "difficulties.json"
ASKED_FILE = "asked_rows.json"
MEND = "begin a new run with --run"
STANDARD_ERROR, MAX_ROWS = "standard_error", "max_rows"  # arguments that only adaptive runs have


def is_adaptive(arguments: Mapping[str, Any]) -> bool:
    """Return whether the arguments are those of an adaptive run."""
    return STANDARD_ERROR in arguments


def stored_difficulties(
    folder: Path, tables: Sequence[AskedTable], data: str, tell: Callable[[str], None]
) -> Difficulties:
    """Return the difficulties of an adaptive run; they are estimated and stored when it begins.

    ``tell`` is called with messages about damaged earlier runs, which are left out.

    Raises:
        OrreryError: the stored ones are missing or damaged, or those of other rows.
    """
    path = folder / FILE
    if not path.exists() and not (folder / SCORES_FILE).exists():
        estimated = difficulties(tables, data, folder.parent, tell)
        rows = [[*key, *row] for key, row in estimated.rows.items()]
        write_text(path, json.dumps({**vars(estimated), "rows": rows}) + "\n")
    known = _read_difficulties(path)
    if known.rows.keys() != {(table.name, row_id) for table in tables for row_id in table.items}:
        raise OrreryError(str(path), "has difficulties of other rows", MEND)
    return known


def _read_difficulties(path: Path) -> Difficulties:
    try:
        content = json.loads(path.read_text("utf-8"))
        rows = {
            (table, row_id): RowDifficulty(*map(float, values)) for table, row_id, *values in content["rows"]
        }
        return Difficulties(
            rows, tuple(content["runs"]), int(content["replies"]), float(content["ability_sd"])
        )
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise OrreryError(str(path), "has no difficulties of rows", MEND) from error


def _asked_rows(path: Path, known: Difficulties) -> list[RowKey]:
    """Return the rows that earlier calls have asked, in their order."""
    try:
        rows = [(table, row_id) for table, row_id in json.loads(path.read_text("utf-8"))]
        _ = [known.rows[row] for row in rows]
    except FileNotFoundError:
        return []
    except (OSError, ValueError, LookupError, TypeError) as error:
        mend = "delete it; stored replies are not requested again"
        raise OrreryError(str(path), "is not a list of rows of the run", mend) from error
    return rows


def ask_adaptively(
    asker: Asker,
    tables: Sequence[AskedTable],
    arguments: Mapping[str, Any],
    replies: KeptReplies,
    folder: Path,
    tell: Callable[[str], None],
) -> Outcome:
    """Send the requests of an adaptive run in batches until it ends, and return the outcome.

    Stored replies are not requested again. A row without a reply is skipped until the run is resumed. Then
    the first batch is all rows asked so far. The run stops if no row of a batch gets a reply.
    """
    from orrery.evaluation.asking import ask_all

    known = _read_difficulties(folder / FILE)
    test = _test(known, arguments)
    verdicts: dict[RowKey, bool | None] = {}
    failures: dict[RowKey, str] = {}
    stops: list[Outcome] = []

    def ask(rows: Sequence[RowKey]) -> Verdicts:
        write_text(folder / ASKED_FILE, json.dumps([*verdicts, *rows]) + "\n")
        remaining = to_ask(only_rows(tables, rows), replies)
        outcome = ask_all(asker, remaining, replies, folder) if remaining else Outcome({})
        failures.update(outcome.failures)
        if outcome.stopped or len(outcome.failures) == len(rows):
            reason = outcome.stopped or f"no row of a batch of {len(rows)} got a reply"
            stops.append(Outcome({}, reason, outcome.refused))
            return {}
        batch = {row: None if row in outcome.failures else _verdict(tables, row, replies) for row in rows}
        verdicts.update(batch)
        ability = test.ability(verdicts)
        tell(
            f"{len(verdicts)} rows: ability {ability.value:.2f}, standard error {ability.standard_error:.2f}"
        )
        return batch

    administer(test, ask, _asked_rows(folder / ASKED_FILE, known))
    stop = stops[0] if stops else Outcome({})
    return Outcome(failures, stop.stopped, stop.refused)


def description(folder: Path, rows: Iterable[Row], arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the description of an adaptive run by its rows of scores: the ability, and whether it ended."""
    known = _read_difficulties(folder / FILE)
    test = _test(known, arguments)
    verdicts = {
        (row["table"], row["id"]): _is_right(row["verdict"])
        for row in rows
        if row["is_last"] and row["verdict"] != FAILED
    }
    ability = test.ability(verdicts)._asdict()
    basis = {
        "runs": known.runs,
        "replies": known.replies,
        "digest": file_hash(folder / FILE),
    }
    return {"finished": not test.next_rows(verdicts), ABILITY: {**ability, "difficulties": basis}}


def _test(known: Difficulties, arguments: Mapping[str, Any]) -> AdaptiveTest:
    return AdaptiveTest(known.rows, known.ability_sd, arguments[STANDARD_ERROR], arguments[MAX_ROWS])


def _verdict(tables: Sequence[AskedTable], row: RowKey, replies: KeptReplies) -> bool | None:
    """Return whether the last reply to a row is right; None if it is undecided."""
    (table,) = (table for table in tables if table.name == row[0])
    texts = [reply.text for reply in conversation_of(table, row[1], replies).replies]
    return _is_right(table.score_of(row[1], texts).verdict)


def _is_right(verdict: str) -> bool | None:
    return verdict == RIGHT if verdict in DECIDED else None
