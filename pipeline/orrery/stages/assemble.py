"""Stage ``assemble``: the published tables from what the stages before made, to ``outputs/dataset``.

Tables are joined a piece at a time, by columns: problems, solutions and texts are all in the order of
the problems, so that what belongs to some problems stands together in each. Rows of a key that occurs
in the test split never stand in another one: ``generate`` has drawn such problems anew, and this stage
refuses to go on where one is left.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from functools import cached_property
from itertools import chain, product
from pathlib import Path
from typing import Any, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

import orrery.grading
from orrery.catalog import SPLITS, Entry, entry_of
from orrery.config import Settings
from orrery.dataset.card import write_card
from orrery.dataset.example_choice import example_rows
from orrery.dataset.examples import write_examples
from orrery.dataset.prompts import write_prompts
from orrery.language.renamed_domain import vocabulary_of
from orrery.model import OrreryError
from orrery.pddl.read import read_problem
from orrery.pddl.write import write_domain, write_problem
from orrery.stages.summary import StageSummary
from orrery.store.columns import Table, from_arrays
from orrery.store.modelling_schemas import MODELLING
from orrery.store.schemas import INTERMEDIATE, PUBLISHED
from orrery.store.shards import read, read_batches, read_rows, replacing, write_table_shards

PIECE = 1000  # problems at a time
FOLDS = 5
SIZES = ((20, "1-20"), (40, "21-40"), (60, "41-60"), (80, "61-80"))
LARGEST = "81+"
PLAIN = "plain"
RENAMED = ("domain_pddl", "problem_pddl", "plan")
# Columns that a published table takes from that of the problems or solutions, by their name there.
FROM_PROBLEM = {
    **{name: name for name in ("domain", "task", "difficulty", "problem_pddl", "num_objects")},
    **{name: name for name in ("init_num_propositions", "goal_num_propositions", "seed_path")},
    **{name: name for name in ("strict_key", "loose_key")},
    "init": "init_configuration",
    "goal": "goal_configuration",
}
FROM_SOLUTION = {
    **{name: name for name in ("plan", "plan_cost", "planner", "planner_version", "solvable")},
    "plan_optimal": "optimal",
}
FROM_TEXT = (
    "natural_language", "init_is_abstract", "goal_is_abstract", "is_placeholder", "goal_holds_initially",
    "vocabulary", "paraphrase",
)  # fmt: skip

NAMING = ("problem_id", "mixture", "vocabulary", "paraphrase")

Arrays: TypeAlias = dict[str, Any]


def run(settings: Settings) -> StageSummary:
    """Write every table and split of the dataset, its card, and the graders beside it."""
    parts = [_Part(settings, name) for name in settings.domains]
    for part in parts:
        part.refuse_leaks()
    with replacing(settings.outputs / "dataset") as dataset:
        for table, split in product(PUBLISHED, SPLITS):
            if table in MODELLING:
                rows = _described(settings.outputs, table, split)
            else:
                rows = chain.from_iterable(part.tables(table, split) for part in parts)
            write_table_shards(dataset, PUBLISHED[table], split, rows)
        shutil.copyfile(orrery.grading.__file__, dataset / "grading.py")
        write_prompts(dataset, settings.root / "templates")
        write_examples(dataset, example_rows(settings))
        about = {name: entry_of(settings.root, name).description for name in settings.domains}
        facts = {"seed": settings.seed, "size": settings.size_name}
        manifest = write_card(dataset, about, templates=settings.root / "templates", **facts)
    counts = {table: sum(manifest["rows"].get(table, {}).values()) for table in PUBLISHED}
    return StageSummary(
        "assemble", "", {f"rows of {table}": count for table, count in counts.items() if count}
    )


def _described(outputs: Path, table: str, split: str) -> Iterator[Table]:
    """The rows on whole domains: our own, and those that the corpus stage let through."""
    for stage in ("descriptions", "corpus"):
        if (path := outputs / stage / f"{table}-{split}.parquet").exists():
            yield from read_batches(path, PUBLISHED[table])


class _Part:
    """Everything the stages before made of one domain."""

    def __init__(self, settings: Settings, name: str) -> None:
        self.name, self.root, self.seed = name, settings.root, settings.seed
        self.outputs = settings.outputs

    @cached_property
    def entry(self) -> Entry:
        """The domain itself."""
        return entry_of(self.root, self.name)

    def _path(self, stage: str, table: str) -> Path:
        return self.outputs / stage / self.name / f"{table}.parquet"

    def _pieces(self, stage: str, table: str) -> Iterator[Table]:
        return read_batches(self._path(stage, table), INTERMEDIATE[table], size=PIECE)

    def refuse_leaks(self) -> None:
        """Raise where a strict or loose key stands in two splits."""
        columns = ["problem_id", "split", "strict_key", "loose_key"]
        problems = read(self._path("problems", "problems"), INTERMEDIATE["problems"], columns)
        for key in ("strict_key", "loose_key"):
            splits = problems.group_by(key).aggregate([("split", "min"), ("split", "max")])
            leaking = splits.filter(pc.not_equal(splits["split_min"], splits["split_max"]))
            if leaking.num_rows:
                there = problems.filter(pc.equal(problems[key], leaking[key][0])).to_pylist()
                first = there[0]
                other = next(row for row in there if row["split"] != first["split"])
                raise OrreryError(
                    f"outputs/problems/{self.name}: {other['problem_id']}",
                    f"the same problem also stands in split {first['split']}",
                    "delete outputs/problems and run `dvc repro`",
                )

    def tables(self, table: str, split: str) -> Iterator[Table]:
        """The rows of a published table and split, a piece at a time."""
        if table == "problems":
            return (self._problems(*piece, split) for piece in self._solved())
        if table == "text_to_pddl":
            return self._texts(split)
        return self._questions(table, split)

    def _solved(self) -> Iterator[tuple[Table, Table]]:
        """Problems and their solutions, row by row the same."""
        solutions = self._pieces("solutions", "solutions")
        for problems in self._pieces("problems", "problems"):
            solved = next(solutions, None)
            if solved is None or not solved["problem_id"].equals(problems["problem_id"]):
                raise OrreryError(
                    str(self._path("solutions", "solutions")), "solves other problems", "run `dvc repro`"
                )
            yield problems, solved

    def _problems(self, problems: Table, solutions: Table, split: str) -> Table:
        chosen = pc.equal(problems["split"], split)
        problems, solutions = problems.filter(chosen), solutions.filter(chosen)
        more = {name: solutions[name] for name in ("num_facts", "num_actions", "num_states")}
        return from_arrays(
            PUBLISHED["problems"],
            {**self._common(problems, solutions), "id": problems["problem_id"], **more},
        )

    def _common(self, problems: Table, solutions: Table) -> Arrays:
        """The columns that both tables of problems share."""
        return {
            **{name: problems[there] for name, there in FROM_PROBLEM.items()},
            **{name: solutions[there] for name, there in FROM_SOLUTION.items()},
            # As JSON with sorted keys is written.
            "parameters": pc.binary_join_element_wise(
                '{"goal":', problems["goal_parameters"], ',"init":', problems["init_parameters"], "}", ""
            ),
            "domain_pddl": pa.repeat(self._domain_pddl, problems.num_rows),
        }

    @cached_property
    def _domain_pddl(self) -> str:
        return write_domain(self.entry.domain)

    def _texts(self, split: str) -> Iterator[Table]:
        """Texts with the columns of their problems, in the order of the texts."""
        texts = _Following(self._pieces("texts", "texts"))
        for problems, solutions in self._solved():
            found, of = texts.of(problems["problem_id"])
            chosen = pc.equal(problems["split"].take(of), split)
            of = of.filter(chosen)
            yield self._told(found.filter(chosen), problems.take(of), solutions.take(of))
        if name := texts.next_problem():
            raise OrreryError(
                str(self._path("texts", "texts")), f"texts of '{name}' stand out of order", "run `dvc repro`"
            )

    def _told(self, texts: Table, problems: Table, solutions: Table) -> Table:
        """Rows of text_to_pddl: text, problem and solution, row by row."""
        total = pc.add(problems["init_num_propositions"], problems["goal_num_propositions"])
        names = problems["problem_id"].to_pylist()
        arrays = {
            **self._common(problems, solutions),
            **{name: texts[name] for name in FROM_TEXT},
            "id": pa.array(map(_id, *(texts[name].to_pylist() for name in NAMING)), pa.string()),
            "name": problems["task"],
            "num_landmarks": pa.array(map(self._landmarks.get, names), pa.int32()),
            "num_propositions": total,
            "fold": pa.array(map(_fold, problems["strict_key"].to_pylist()), pa.int32()),
            "fold_size": pa.array(map(_fold_size, total.to_pylist()), pa.string()),
            "fold_mixture": texts["mixture"],
        }
        self._rename(arrays)
        return from_arrays(PUBLISHED["text_to_pddl"], arrays)

    @cached_property
    def _landmarks(self) -> dict[str, int]:
        """The number of non-trivial landmarks of the problems of which all are decided."""
        columns = ["problem_id", "source", "landmarks_complete", "landmarks_yes"]
        return {
            row["problem_id"]: len(row["landmarks_yes"])
            for row in read_rows(self._path("solutions", "states"), INTERMEDIATE["states"], columns)
            if row["source"] == "initial" and row["landmarks_complete"]
        }

    def _rename(self, arrays: Arrays) -> None:
        """Give rows of another vocabulary its names, in the PDDL and in the plan."""
        vocabularies = arrays["vocabulary"].to_pylist()
        if set(vocabularies) <= {PLAIN}:
            return
        values = {name: arrays[name].to_pylist() for name in RENAMED}
        for number, name in enumerate(vocabularies):
            if name != PLAIN:
                pddl = values["problem_pddl"][number]
                vocabulary = vocabulary_of(self.entry.domain, name, self.root / "templates", self.seed)
                view = vocabulary.of(read_problem(pddl, self.entry.domain))
                values["domain_pddl"][number] = write_domain(vocabulary.domain)
                values["problem_pddl"][number] = write_problem(view.problem(view.plain))
                values["plan"][number] = view.plan(values["plan"][number])
        for name in RENAMED:
            arrays[name] = pa.array(values[name], PUBLISHED["text_to_pddl"].field(name).type)

    def _questions(self, table: str, split: str) -> Iterator[Table]:
        """The questions about problems of the split; none of a domain that gives only examples."""
        if not self.entry.description.questions:
            return
        problems = read(self._path("problems", "problems"), columns=["problem_id", "split"])
        mine = problems["problem_id"].filter(pc.equal(problems["split"], split))
        for questions in read_batches(self._path("questions", table), PUBLISHED[table]):
            yield questions.filter(pc.is_in(questions["problem_id"], mine))


class _Following:
    """Texts that are read on as their problems come by."""

    def __init__(self, pieces: Iterator[Table]) -> None:
        self._pieces = pieces
        self._waiting: Table | None = next(pieces, None)
        self._none = INTERMEDIATE["texts"].empty_table()

    def of(self, problems: Any) -> tuple[Table, Any]:
        """The next texts that tell of ``problems``, and for each the place of its problem among them."""
        found, places = [self._none], []
        while self._waiting is not None:
            place = pc.index_in(self._waiting["problem_id"], problems)
            known = place.is_valid()
            found.append(self._waiting.filter(known))
            places += place.filter(known).chunks
            rest = self._waiting.filter(pc.invert(known))
            if rest.num_rows:
                self._waiting = rest
                break
            self._waiting = next(self._pieces, None)
        return pa.concat_tables(found), pa.chunked_array(places, pa.int32())

    def next_problem(self) -> str:
        """The problem of the next text that none asked for; empty where none is left."""
        return str(self._waiting["problem_id"][0]) if self._waiting is not None else ""


def _id(problem: str, mixture: str, vocabulary: str, paraphrase: int) -> str:
    """The name of a row, by what sets it apart from the others of its problem."""
    parts = [problem, mixture, *([vocabulary] if vocabulary != PLAIN else [])]
    return "/".join([*parts, *([f"p{paraphrase}"] if paraphrase else [])])


def _fold(strict_key: str) -> int:
    """0 to FOLDS - 1, the same for all rows of a problem; the key is a hash already."""
    return int(strict_key, 16) % FOLDS


def _fold_size(propositions: int) -> str:
    return next((name for most, name in SIZES if propositions <= most), LARGEST)
