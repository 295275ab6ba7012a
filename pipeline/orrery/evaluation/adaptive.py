"""Adaptive tests: each reply decides which rows are asked next (computerized adaptive testing).

The next rows are those with the most information at the estimated ability. The estimate is the mean of the
posterior (expected a posteriori), its standard error the standard deviation of the posterior. A row with an
uncertain difficulty discriminates less: the logistic curve is averaged over a normal error of its difficulty.

The difficulties are stored when a run begins, and the rows of a batch before they are asked. So a resumed run
asks the same rows, even if there are new runs by then, or replies that were missing.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from orrery.dataset.contents import file_hash
from orrery.evaluation.asked import AskedTable
from orrery.evaluation.asker import Asker, Outcome
from orrery.evaluation.difficulty import (
    Difficulties,
    RowDifficulty,
    RowKey,
    difficulties,
    information,
    success,
)
from orrery.evaluation.kept_replies import KeptReplies
from orrery.evaluation.results.runs import ABILITY, DECIDED, FAILED, SCORES_FILE
from orrery.evaluation.rows import conversation_of, only_rows, to_ask
from orrery.grading import RIGHT
from orrery.model import OrreryError, Row
from orrery.store.files import write_text

DIFFICULTIES_FILE, ASKED_FILE = "difficulties.json", "asked_rows.json"  # in the folder of a run
MEND = "begin a new run with --run"

BATCH = 5  # rows that are asked at the same time; fixed, so that a resumed test has the same rows
STANDARD_ERROR = 0.3
MAX_ROWS = 100
_GRID = np.linspace(-5, 5, 201)  # abilities in prior standard deviations
_FLATTER = np.pi / 8  # MacKay (1992): averaging over a normal error is nearly a flatter logistic curve

# By row: whether its reply is right; None if there is no decided reply.
Verdicts: TypeAlias = Mapping[RowKey, bool | None]


class Ability(NamedTuple):
    """An estimated ability in logits, its standard error, and the number of replies that it is based on."""

    value: float
    standard_error: float
    replies: int


class AdaptiveTest:
    """An adaptive test of some rows; it ends at a standard error, or after ``max_rows`` rows."""

    def __init__(
        self,
        rows: Mapping[RowKey, RowDifficulty],
        ability_sd: float,
        standard_error: float = STANDARD_ERROR,
        max_rows: int = MAX_ROWS,
    ) -> None:
        """Set the rows with their difficulties, and the standard deviation of abilities, whose mean is 0."""
        self.standard_error, self.max_rows = standard_error, max_rows
        self._place = {key: number for number, key in enumerate(rows)}
        self._keys = [*rows]
        self._values, errors, self._guesses = np.array([*rows.values()]).T
        self._slopes = (1 + _FLATTER * errors**2) ** -0.5
        _, self._tables = np.unique([table for table, _ in rows], return_inverse=True)
        self._grid = _GRID * ability_sd
        self._prior = -(_GRID**2) / 2

    def ability(self, verdicts: Verdicts) -> Ability:
        """Return the ability estimated from the decided replies."""
        decided = {key: verdict for key, verdict in verdicts.items() if verdict is not None}
        places = np.array([self._place[key] for key in decided], int)
        logits = self._slopes[places, None] * (self._grid - self._values[places, None])
        chances = success(logits, self._guesses[places, None])
        is_right = np.array([*decided.values()], bool)[:, None]
        posterior = self._prior + np.log(np.where(is_right, chances, 1 - chances)).sum(axis=0)
        weights = np.exp(posterior - posterior.max())
        mean = np.average(self._grid, weights=weights)
        variance = np.average((self._grid - mean) ** 2, weights=weights)
        return Ability(float(mean), float(variance**0.5), len(decided))

    def next_rows(self, verdicts: Verdicts) -> list[RowKey]:
        """Return the rows to ask after those in ``verdicts``; none at the end of the test.

        The rows come from the tables with the fewest rows so far, so that all tables weigh the same. Among
        their rows, the ones with the most information are selected; ties are broken by the order of the rows.
        """
        ability = self.ability(verdicts)
        count = min(BATCH, self.max_rows - len(verdicts))
        if ability.standard_error <= self.standard_error:
            return []
        logits = self._slopes * (ability.value - self._values)
        says = self._slopes**2 * information(logits, self._guesses)
        asked = np.array([self._place[key] for key in verdicts], int)
        says[asked] = -np.inf
        selected: list[int] = []
        for _ in range(min(count, len(says) - len(asked))):
            counts = np.bincount(self._tables[[*asked, *selected]], minlength=self._tables.max() + 1)
            open_rows = np.flatnonzero(says > -np.inf)
            rarest = counts[self._tables[open_rows]]
            candidates = open_rows[rarest == rarest.min()]
            selected.append(int(candidates[says[candidates].argmax()]))
            says[selected[-1]] = -np.inf
        return [self._keys[place] for place in selected]


def administer(
    test: AdaptiveTest, ask: Callable[[Sequence[RowKey]], Verdicts], begun: Sequence[RowKey] = ()
) -> dict[RowKey, bool | None]:
    """Ask the rows of a test in batches until it ends, and return the verdicts in the order of the rows.

    ``ask`` returns the verdicts of a batch. An empty result ends the test early. A resumed test has the rows
    ``begun`` as its first batch.
    """
    verdicts: dict[RowKey, bool | None] = {}
    rows = begun or test.next_rows(verdicts)
    while rows and (batch := ask(rows)):
        verdicts |= batch
        rows = test.next_rows(verdicts)
    return verdicts


def is_adaptive(arguments: Mapping[str, Any]) -> bool:
    """Return whether the arguments are those of an adaptive run."""
    return "standard_error" in arguments


def stored_difficulties(
    folder: Path, tables: Sequence[AskedTable], data: str, tell: Callable[[str], None]
) -> Difficulties:
    """Return the difficulties of an adaptive run; they are estimated and stored when it begins.

    ``tell`` is called with messages about damaged earlier runs, which are left out.

    Raises:
        OrreryError: the stored ones are missing or damaged, or those of other rows.
    """
    path = folder / DIFFICULTIES_FILE
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

    known = _read_difficulties(folder / DIFFICULTIES_FILE)
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
    known = _read_difficulties(folder / DIFFICULTIES_FILE)
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
        "digest": file_hash(folder / DIFFICULTIES_FILE),
    }
    return {"finished": not test.next_rows(verdicts), ABILITY: {**ability, "difficulties": basis}}


def _test(known: Difficulties, arguments: Mapping[str, Any]) -> AdaptiveTest:
    return AdaptiveTest(known.rows, known.ability_sd, arguments["standard_error"], arguments["max_rows"])


def _verdict(tables: Sequence[AskedTable], row: RowKey, replies: KeptReplies) -> bool | None:
    """Return whether the last reply to a row is right; None if it is undecided."""
    (table,) = (table for table in tables if table.name == row[0])
    texts = [reply.text for reply in conversation_of(table, row[1], replies).replies]
    return _is_right(table.score_of(row[1], texts).verdict)


def _is_right(verdict: str) -> bool | None:
    return verdict == RIGHT if verdict in DECIDED else None
