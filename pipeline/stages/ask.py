"""Stage ``ask``: questions whose answers are proven, to ``outputs/questions/<domain>``."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from pipeline.catalog import entry_of
from pipeline.engine import map_items
from pipeline.model import Atom
from pipeline.pddl.read import read_problem
from pipeline.pddl.write import parse_atom
from pipeline.questions import question_kinds
from pipeline.questions.item import Asked, NotAsked
from pipeline.seeds import stream
from pipeline.settings import Settings
from pipeline.stages.summary import Summary, by_reason, reject
from pipeline.store.question_schemas import QUESTIONS
from pipeline.store.schemas import INTERMEDIATE
from pipeline.store.shards import read_rows, write

STAGE = "ask"
Row = dict[str, Any]


def run(settings: Settings, name: str, jobs: int = 1) -> Summary:
    """Ask every kind of question about every decided state, as many as the size allows."""
    items = _items(settings, name)
    ask = partial(_ask, settings.root, settings.seed)
    answers = map_items(items, ask, jobs=jobs, label=f"ask {name}", describe=_describe)
    asked: dict[str, list[Row]] = {kind: [] for kind in question_kinds()}
    rejects: list[Row] = []
    counts: Counter[tuple[str, str]] = Counter()
    for item, found in zip(items, answers, strict=True):
        for kind, row in found.items():
            if "reason" in row:
                rejects.append(row)
            elif counts[kind, item["split"]] < settings.size.questions:
                counts[kind, item["split"]] += 1
                asked[kind].append(row)
    _write(settings.outputs / "questions" / name, asked, rejects)
    made = {kind: len(rows) for kind, rows in asked.items()}
    return Summary(STAGE, name, made, by_reason(rejects))


def _write(folder: Path, asked: Mapping[str, list[Row]], rejects: list[Row]) -> None:
    made = {f"acp_{kind}_gen": rows for kind, rows in asked.items()}
    for table, schema in QUESTIONS.items():
        write(folder / f"{table}.parquet", schema, made.get(table, []))
    write(folder / "rejects.parquet", INTERMEDIATE["rejects"], rejects)


def _items(settings: Settings, name: str) -> list[Row]:
    """The decided states, each with its problem; initial states of all problems come first."""
    problems = {
        row["problem_id"]: row
        for row in read_rows(
            settings.outputs / "problems" / name / "problems.parquet", INTERMEDIATE["problems"]
        )
    }
    by_turn: dict[str, list[Row]] = defaultdict(list)
    path = settings.outputs / "solutions" / name / "states.parquet"
    for state in read_rows(path, INTERMEDIATE["states"]):
        by_turn[state["state_id"]].append({**problems[state["problem_id"]], **state})
    return [row for turn in sorted(by_turn) for row in by_turn[turn]]


def _describe(row: Row) -> str:
    return f"{row['problem_id']}/{row['state_id']}"


def _ask(root: Path, seed: int, row: Row) -> dict[str, Row]:
    """The row of each kind for one state, or the reject that says why there is none."""
    item = _asked(root, row)
    words = entry_of(root, row["domain"]).words
    found: dict[str, Row] = {}
    for kind, module in question_kinds().items():
        path = (row["problem_id"], row["state_id"], kind)
        question = module.make(item, words, stream(seed, "ask", *path))
        if isinstance(question, NotAsked):
            found[kind] = reject(STAGE, row["domain"], "/".join(path), f"{kind}: {question.reason}")
        else:
            found[kind] = question.columns()
    return found


def _asked(root: Path, row: Row) -> Asked:
    """What the questions are made from: the state in place of the initial one, and what is proven."""
    domain = entry_of(root, row["domain"]).domain
    problem = read_problem(row["problem_pddl"], domain, row["problem_id"])
    proofs = iter(row["landmark_proofs"])
    landmarks = _proven(row["landmarks_yes"], [next(proofs) for _ in row["landmarks_yes"]])
    others = _proven(row["landmarks_no"], list(proofs))
    unreachable = _proven(row["unreachable_facts"], row["unreachable_fact_proofs"])
    return Asked(
        domain=domain,
        problem=replace(problem, init=frozenset(map(parse_atom, row["state"]))),
        problem_id=row["problem_id"],
        source=row["source"],
        step=row["step"],
        solvable=row["solvable"],
        h_star=row["h_star"],
        landmarks=landmarks if row["landmarks_complete"] else None,
        not_landmarks=others if row["landmarks_complete"] else None,
        unreachable=unreachable if row["facts_complete"] else None,
        num_states=row["num_states"],
        difficulty=row["difficulty"],
        seed_path=row["seed_path"],
    )


def _proven(facts: list[str], proofs: list[str]) -> dict[Atom, str]:
    return {parse_atom(fact): proof for fact, proof in zip(facts, proofs, strict=True)}
