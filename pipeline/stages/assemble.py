"""Stage ``assemble``: the published tables from what the stages before made, to ``outputs/dataset``.

Rows of a key that occurs in the test split never stand in another one: ``generate`` has drawn such
problems anew, and this stage refuses to go on where one is left.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping
from itertools import chain, product
from typing import Any

import pipeline.grading
from pipeline.catalog import SPLITS, entry_of
from pipeline.model import OrreryError
from pipeline.pddl.write import write_domain
from pipeline.publishing.card import write_card
from pipeline.publishing.prompts import write_prompts
from pipeline.settings import Settings
from pipeline.stages.summary import Summary
from pipeline.store.schemas import INTERMEDIATE, PUBLISHED, as_json
from pipeline.store.shards import read_rows, replacing, write_shards

Rows = dict[str, dict[str, Any]]
OF_TEXT = ("is_placeholder", "goal_holds_initially", "vocabulary", "paraphrase")
FOLDS, SIZES = 5, ("1-20", "21-40", "41-60", "61-80", "81+")


def run(settings: Settings) -> Summary:
    """Write every table and split of the dataset, its card, and the graders beside it."""
    parts = [_Part(settings, name) for name in settings.domains]
    _refuse_leaks(parts)
    with replacing(settings.outputs / "dataset") as dataset:
        for table, split in product(PUBLISHED, SPLITS):
            rows = chain.from_iterable(part.rows(table, split) for part in parts)
            write_shards(dataset, PUBLISHED[table], split, rows)
        shutil.copyfile(pipeline.grading.__file__, dataset / "grading.py")
        write_prompts(dataset, settings.root / "templates")
        about = {name: entry_of(settings.root, name).description for name in settings.domains}
        facts = {"seed": settings.seed, "size": settings.size_name}
        manifest = write_card(dataset, about, templates=settings.root / "templates", **facts)
    counts = {table: sum(manifest["rows"].get(table, {}).values()) for table in PUBLISHED}
    return Summary("assemble", "", {f"rows of {table}": count for table, count in counts.items() if count})


def _refuse_leaks(parts: list[_Part]) -> None:
    """Raise where a strict or loose key stands in two splits."""
    for part in parts:
        split_of: dict[str, str] = {}
        for row in part.problems.values():
            for key in (row["strict_key"], row["loose_key"]):
                if split_of.setdefault(key, row["split"]) != row["split"]:
                    raise OrreryError(
                        f"outputs/problems/{part.name}: {row['problem_id']}",
                        f"the same problem also stands in split {split_of[key]}",
                        "delete outputs/problems and run `dvc repro`",
                    )


def _folds(problem: Mapping[str, Any], mixture: str) -> dict[str, Any]:
    """The fold columns of a text: by the problem's key, its size and the mixture."""
    propositions = problem["init_num_propositions"] + problem["goal_num_propositions"]
    return {
        "num_propositions": propositions,
        "fold": int(problem["strict_key"][:16], 16) % FOLDS,
        "fold_size": SIZES[min((propositions - 1) // 20, len(SIZES) - 1)],
        "fold_mixture": mixture,
    }


class _Part:
    """Everything the stages before made of one domain."""

    def __init__(self, settings: Settings, name: str) -> None:
        self.name = name
        self.domain_pddl = write_domain(entry_of(settings.root, name).domain)
        self.outputs = settings.outputs
        self.problems = self._by_id("problems", "problems")
        self.solutions = self._by_id("solutions", "solutions")
        self.landmarks = self._landmarks()

    def _read(self, stage: str, table: str, schema: Any) -> Iterator[dict[str, Any]]:
        return read_rows(self.outputs / stage / self.name / f"{table}.parquet", schema)

    def _by_id(self, stage: str, table: str) -> Rows:
        return {row["problem_id"]: row for row in self._read(stage, table, INTERMEDIATE[table])}

    def _landmarks(self) -> dict[str, int]:
        """The number of non-trivial landmarks of the problems of which all are decided."""
        return {
            row["problem_id"]: len(row["landmarks_yes"])
            for row in self._read("solutions", "states", INTERMEDIATE["states"])
            if row["source"] == "initial" and row["landmarks_complete"]
        }

    def rows(self, table: str, split: str) -> Iterator[dict[str, Any]]:
        """The rows of a published table and split."""
        if table == "problems":
            return (self._problem(row) for row in self.problems.values() if row["split"] == split)
        if table == "text_to_pddl":
            return self._texts(split)
        return self._questions(table, split)

    def _texts(self, split: str) -> Iterator[dict[str, Any]]:
        for text in self._read("texts", "texts", INTERMEDIATE["texts"]):
            problem = self.problems[text["problem_id"]]
            if problem["split"] == split:
                yield self._text(problem, text)

    def _questions(self, table: str, split: str) -> Iterator[dict[str, Any]]:
        path = self.outputs / "questions" / self.name / f"{table}.parquet"
        for row in read_rows(path, PUBLISHED[table]):
            if self.problems[row["problem_id"]]["split"] == split:
                yield row

    def _problem(self, row: Mapping[str, Any]) -> dict[str, Any]:
        solution = self.solutions[row["problem_id"]]
        return {
            **self._common(row, solution),
            "id": row["problem_id"],
            "num_facts": solution["num_facts"],
            "num_actions": solution["num_actions"],
            "num_states": solution["num_states"],
        }

    def _text(self, row: Mapping[str, Any], text: Mapping[str, Any]) -> dict[str, Any]:
        return {
            **self._common(row, self.solutions[row["problem_id"]]),
            "id": f"{row['problem_id']}/{text['mixture']}",
            "name": row["task"],
            "natural_language": text["natural_language"],
            "init_is_abstract": text["init_is_abstract"],
            "goal_is_abstract": text["goal_is_abstract"],
            **{name: text[name] for name in OF_TEXT},
            **_folds(row, text["mixture"]),
            "num_landmarks": self.landmarks.get(row["problem_id"]),
        }

    def _common(self, row: Mapping[str, Any], solution: Mapping[str, Any]) -> dict[str, Any]:
        """The columns that both tables of problems share."""
        kept = (
            "domain", "task", "difficulty", "problem_pddl", "num_objects", "init_num_propositions",
            "goal_num_propositions", "strict_key", "loose_key", "seed_path",
        )  # fmt: skip
        solved = ("plan", "plan_cost", "planner", "planner_version", "solvable")
        sides = {side: json.loads(row[f"{side}_parameters"]) for side in ("init", "goal")}
        return {
            **{name: row[name] for name in kept},
            **{name: solution[name] for name in solved},
            "init": row["init_configuration"],
            "goal": row["goal_configuration"],
            "parameters": as_json(sides),
            "domain_pddl": self.domain_pddl,
            "plan_optimal": solution["optimal"],
        }
