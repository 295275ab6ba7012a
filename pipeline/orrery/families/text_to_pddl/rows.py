"""The rows of ``text_to_pddl``: texts joined with their problems and solutions, in pieces.

Problems, solutions and texts are all in the order of the problems, so the parts for a piece are contiguous in
each file.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import compress
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from orrery.catalog import entry_of
from orrery.config import Settings
from orrery.families.problems import PIECE, Arrays, problem_columns, solved_problems
from orrery.families.questions.states import STATES
from orrery.families.text_to_pddl.schemas import TEXT_TO_PDDL, TEXTS
from orrery.families.text_to_pddl.texts import PLAIN
from orrery.language.names import NUMBERED
from orrery.language.renamed_domain import vocabulary_of
from orrery.model import OrreryError
from orrery.pddl.read import read_problem
from orrery.pddl.write import write_domain, write_problem
from orrery.store.columns import Table, from_arrays
from orrery.store.shards import read_batches, read_rows

FOLDS = 5
SIZES = ((20, "1-20"), (40, "21-40"), (60, "41-60"), (80, "61-80"))
LARGEST = "81+"
RENAMED = ("domain_pddl", "problem_pddl", "plan", "names")
FROM_TEXT = (
    "natural_language", "init_is_abstract", "goal_is_abstract", "is_placeholder", "open_objects",
    "goal_holds_initially", "vocabulary", "paraphrase", "init_text", "goal_text", "style", "register",
    "unseen_templates",
)  # fmt: skip
NAMING = ("problem_id", "mixture", "vocabulary", "paraphrase")


def text_rows(settings: Settings, split: str, only: Sequence[str] | None = None) -> Iterator[Table]:
    """Yield the rows of a split, domain by domain, in the order of the texts; always all columns."""
    for name in settings.all_domains:
        yield from _domain_rows(settings, name, split)


def _domain_rows(settings: Settings, name: str, split: str) -> Iterator[Table]:
    path = settings.outputs / "texts" / name / "texts.parquet"
    texts = _TextReader(path)
    landmarks = _landmark_counts(settings, name)
    for problems, solutions in solved_problems(settings, name):
        text_table, problem_numbers = texts.of(problems["problem_id"])
        chosen = pc.equal(problems["split"].take(problem_numbers), split)
        problem_numbers, text_table = problem_numbers.filter(chosen), text_table.filter(chosen)
        for start in range(0, len(problem_numbers), PIECE):  # rows repeat the PDDL of their problem
            piece, numbers_of_piece = text_table.slice(start, PIECE), problem_numbers.slice(start, PIECE)
            problems_of_piece, solutions_of_piece = (
                problems.take(numbers_of_piece),
                solutions.take(numbers_of_piece),
            )
            arrays = problem_columns(settings, name, problems_of_piece, solutions_of_piece)
            arrays |= _text_columns(piece, problems_of_piece, landmarks)
            _rename(settings, name, arrays)
            yield from_arrays(TEXT_TO_PDDL, arrays)
    if problem := texts.next_problem():
        raise OrreryError(str(path), f"the texts of problem '{problem}' are out of order", "run `dvc repro`")


def _text_columns(texts: Table, problems: Table, landmarks: dict[str, int]) -> Arrays:
    """Return the columns of this table only, for corresponding rows of texts and problems."""
    total = pc.add(problems["init_num_propositions"], problems["goal_num_propositions"])
    names = problems["problem_id"].to_pylist()
    return {
        **{name: texts[name] for name in FROM_TEXT},
        "id": pa.array(map(row_id, *(texts[name].to_pylist() for name in NAMING)), pa.string()),
        "name": problems["task"],
        "num_landmarks": pa.array(map(landmarks.get, names), pa.int32()),
        "num_propositions": total,
        "fold": pa.array(map(fold_of, problems["loose_key"].to_pylist()), pa.int32()),
        "fold_size": pa.array(map(size_fold, total.to_pylist()), pa.string()),
        "fold_mixture": texts["mixture"],
    }


def _landmark_counts(settings: Settings, name: str) -> dict[str, int]:
    """Return the number of non-trivial landmarks of the problems whose landmarks are all decided."""
    columns = ["problem_id", "source", "landmarks_complete", "landmarks_yes"]
    return {
        row["problem_id"]: len(row["landmarks_yes"])
        for row in read_rows(settings.outputs / "solutions" / name / "solved_states.parquet", STATES, columns)
        if row["source"] == "initial" and row["landmarks_complete"]
    }


def _rename(settings: Settings, name: str, arrays: Arrays) -> None:
    """Rename PDDL and plan of the rows in another vocabulary."""
    vocabularies = arrays["vocabulary"].to_pylist()
    renamed = [vocabulary != PLAIN for vocabulary in vocabularies]
    if not any(renamed):
        return
    domain, templates = entry_of(settings.root, name).domain, settings.root / "templates"
    values = {column: arrays[column].to_pylist() for column in RENAMED}
    for number in compress(range(len(renamed)), renamed):
        vocabulary = vocabulary_of(domain, vocabularies[number], templates, settings.seed)
        problem = read_problem(values["problem_pddl"][number], domain)
        view = vocabulary.of(problem)
        values["domain_pddl"][number] = write_domain(vocabulary.domain)
        values["problem_pddl"][number] = write_problem(view.problem(problem))
        values["plan"][number] = view.plan(values["plan"][number])
        values["names"][number] = NUMBERED
    for column in RENAMED:
        arrays[column] = pa.array(values[column], TEXT_TO_PDDL.field(column).type)


class _TextReader:
    """Reads the texts of a domain in step with its problems."""

    def __init__(self, path: Path) -> None:
        self._pieces = read_batches(path, TEXTS, size=PIECE)
        self._waiting: Table | None = next(self._pieces, None)

    def of(self, problems: Any) -> tuple[Table, Any]:
        """Return the next texts on ``problems``, each with the index of its problem."""
        tables, places = [TEXTS.empty_table()], []
        while self._waiting is not None:
            place = pc.index_in(self._waiting["problem_id"], problems)
            is_wanted = place.is_valid()
            tables.append(self._waiting.filter(is_wanted))
            places += place.filter(is_wanted).chunks
            later = self._waiting.filter(pc.invert(is_wanted))
            if later.num_rows:
                self._waiting = later
                break
            self._waiting = next(self._pieces, None)
        return pa.concat_tables(tables), pa.chunked_array(places, pa.int32())

    def next_problem(self) -> str:
        """Return the problem of the next unread text; empty at the end."""
        return str(self._waiting["problem_id"][0]) if self._waiting is not None else ""


def row_id(problem: str, mixture: str, vocabulary: str, paraphrase: int) -> str:
    """Return the id of a row, composed of the properties that distinguish the rows of its problem."""
    parts = [problem, mixture, *([vocabulary] if vocabulary != PLAIN else [])]
    return "/".join([*parts, *([f"p{paraphrase}"] if paraphrase else [])])


def fold_of(loose_key: str) -> int:
    """Return the fold, 0 to FOLDS - 1, from the key, which is a hash; problems with the same key share it."""
    return int(loose_key, 16) % FOLDS


def size_fold(propositions: int) -> str:
    """Return the range of sizes for a number of propositions."""
    return next((name for most, name in SIZES if propositions <= most), LARGEST)
