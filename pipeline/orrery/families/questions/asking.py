"""Make questions of all kinds and formats on the states of a domain.

All kinds and formats are made of a state together. Then the rows of each table are chosen (see ``choice``),
such that some states of all sources and problems come before further states of the same ones. If claims are
missing, they are drawn again, in rounds.
"""

from __future__ import annotations

import json
import zlib
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from orrery.catalog import entry_of
from orrery.families.drafts import OPEN, Draft, Rejected
from orrery.families.plans.source import state_source
from orrery.families.questions.bool_mcq import CandidateClaims
from orrery.families.questions.cells import ONLY_REACHABILITY
from orrery.families.questions.context import context_of
from orrery.families.questions.distractors import turn_of
from orrery.families.questions.evidence import StateEvidence
from orrery.families.questions.schemas import QUESTIONS
from orrery.families.questions.states import item_of, state_record
from orrery.families.task import Task
from orrery.model import Row
from orrery.planning.barriers import BARRED
from orrery.problems.schemas import reject as rejected
from orrery.problems.schemas import shared
from orrery.seeds import stream
from orrery.store.kinds import BOOL as TRUTH
from orrery.store.kinds import INT, LONG, STRING, column, table

STAGE = "generate-questions"
STREAM = "ask"  # the path of random numbers
ON_BARRED = frozenset(
    name for name, question in QUESTIONS.items() if question.task.name in ("reach", "areach")
)
DRAWS = 4  # in later rounds, kinds with fewer draws of claims per round are asked more often by this factor
ELSEWHERE = "without its goal, the state is asked about in another split"
CANDIDATES = table(
    "candidates",
    "The rows of a part, with what decides on which are kept",
    column("table", STRING, "The table"),
    column("row", INT, "Number of the row within the part's table"),
    column("state", INT, "Number of the state"),
    column("item", STRING, "Problem and state"),
    *shared("split"),
    column("answer", STRING, "The answer to a yes/no question, or what an open one needs"),
    column("shifts", STRING, "JSON: what the row does to the balance, by features and rule of thumb"),
    column("leans", STRING, "JSON: what rules measure of the claim, or of the right option among the others"),
    column("matched", TRUTH, "Whether the options of a choice match"),
    column("claim", LONG, "Tells the claim that is asked about, or that is right, from others"),
)


def in_turn(problems: Iterable[Row], states: Iterable[Row]) -> list[dict[str, Any]]:
    """Join decided states with their problems; number them, and give each its ``turn`` within the split.

    One state of every problem comes before a second state of any problem. The first states of the problems
    have different sources: the initial state of the first problem, a state on the plan of the second, and so
    on. States of which only a plan is known come last.
    """
    named = {row["problem_id"]: row for row in problems}
    by_problem: dict[tuple[bool, str], list[dict[str, Any]]] = defaultdict(list)
    for state in states:
        by_problem[state["planned"], state["problem_id"]].append({**named[state["problem_id"]], **state})
    keyed: list[tuple[bool, int, int, dict[str, Any]]] = []
    for number, rows in enumerate(by_problem.values()):
        for place, row in enumerate(sorted(rows, key=lambda row: row["state_id"])):
            keyed.append((row["planned"], (place - number) % len(rows), number, row))
    ordered = [row for *_, row in sorted(keyed, key=lambda entry: entry[:3])]
    turns: Counter[str] = Counter()
    for number, row in enumerate(ordered):
        row["number"], row["turn"] = number, turns[row["split"]]
        turns[row["split"]] += 1
    return ordered


def ask_states(
    root: Path, seed: int, number: int, wanted: Mapping[str, Collection[str]], states: Sequence[Row]
) -> dict[str, list[Row]]:
    """Make rows of some states by table, with their candidates and rejects.

    Args:
        root: the checkout.
        seed: the seed of the build.
        number: the round. In round 0, all questions are made, and rejects are recorded. Later rounds draw
            claims again; the first of them also makes open questions on states of which only a plan is known.
        wanted: the tables by split for which rows are made.
        states: the states, numbered by ``in_turn``.
    """
    tables: dict[str, list[Row]] = defaultdict(list)
    for state in states:
        item, names = item_of(state), set(wanted[state["split"]])
        if not state["asked_without_goal"]:
            told = {name for name in names if QUESTIONS[name].task.tells_goal}
            if number == 0:
                tables["rejects"] += [
                    reject(state["domain"], item, n, ELSEWHERE) for n in sorted(names - told)
                ]
            names = told
        try:
            for name, drafts in _answers(root, seed, number, names, state):
                if not isinstance(drafts, Rejected):
                    _add(tables, name, item, state, drafts if name in names else ())
                elif number == 0:
                    tables["rejects"].append(reject(state["domain"], item, name, drafts.reason))
        except Exception as error:
            error.add_note(f"at state {item}")
            raise
    return tables


def _answers(
    root: Path, seed: int, number: int, names: Collection[str], state: Row
) -> Iterator[tuple[str, list[Draft] | Rejected]]:
    """Yield, for each table, its drafts in a round on a state, or why there are none."""
    if state["source"] == BARRED:
        for name in sorted(set(names) - ON_BARRED) if number == 0 else ():
            yield name, Rejected(ONLY_REACHABILITY)
        names = ON_BARRED.intersection(names)
    openly, closed = (_tasks_of(names, openly=openly) for openly in (True, False))
    if number == 0 or (number == 1 and state["planned"]):
        yield from _open(root, seed, state, openly)
    if number == 0:
        yield from _claims(root, seed, state, closed, ())
    for draw in range(DRAWS if number else 0):
        tasks = {name: task for name, task in closed.items() if draw * draws_of(task) < DRAWS}
        if tasks:
            yield from _claims(root, seed, state, tasks, (number, draw))


def _add(tables: dict[str, list[Row]], name: str, item: str, state: Row, drafts: Iterable[Draft]) -> None:
    """Add the rows of drafts to a table, and their descriptions to the candidates."""
    for draft in drafts:
        tables["candidates"].append(_candidate(name, len(tables[name]), item, state, draft))
        tables[name] += draft.rows


def _tasks_of(names: Collection[str], *, openly: bool) -> dict[str, Task]:
    """Return the tasks of the tables of open questions, or of the others, by name."""
    tables = [QUESTIONS[name] for name in sorted(names)]
    return {table.task.name: table.task for table in tables if (table.format == OPEN) == openly}


def draws_of(task: Task) -> int:
    """Return how many times a task draws claims in one call."""
    return task.claims.draws if isinstance(task.claims, CandidateClaims) else DRAWS


def _open(
    root: Path, seed: int, row: Row, tasks: Mapping[str, Task]
) -> Iterator[tuple[str, list[Draft] | Rejected]]:
    """Yield the open questions of some tasks on a state, each with its table."""
    source = state_source(entry_of(root, row["domain"]), row, seed)
    for name, task in tasks.items():
        rng = stream(seed, STREAM, row["problem_id"], row["state_id"], name)
        for draft in task.draw(source, rng):
            yield task.table_of(OPEN), draft if isinstance(draft, Rejected) else [draft]


def _claims(
    root: Path, seed: int, row: Row, tasks: Mapping[str, Task], again: tuple[int, ...]
) -> Iterator[tuple[str, list[Draft] | Rejected]]:
    """Yield the claims of tasks on a state, each with its table; ``again`` has the round after the first."""
    entry, path = entry_of(root, row["domain"]), (row["problem_id"], row["state_id"], *again)
    record = state_record(entry.domain, row)
    evidence, context = StateEvidence(record, stream(seed, STREAM, *path)), context_of(record, entry.words)
    for name, task in tasks.items():
        if task.claims:
            turn = turn_of(seed, (row["domain"], row["split"], name, *map(str, again)), row["turn"])
            try:
                claims = task.claims(
                    task, evidence, context, turn, stream(seed, STREAM, *path, name, "closed")
                )
            except Rejected as why:  # a new exception, because a caught one keeps its frames
                claims = dict.fromkeys(task.formats[1:], Rejected(why.reason))
            yield from ((task.table_of(form), drafts) for form, drafts in claims.items())


def reject(domain: str, item: str, name: str, reason: str) -> dict[str, Any]:
    """Return the row with the reason why a table has no question on a state."""
    short_name = QUESTIONS[name].short
    return rejected(STAGE, domain, f"{item}/{short_name}", f"{short_name}: {reason}")


def _candidate(name: str, number: int, item: str, state: Row, draft: Draft) -> Row:
    return {
        "table": name,
        "row": number,
        "state": state["number"],
        "item": item,
        "split": state["split"],
        "answer": draft.stratum,
        "shifts": json.dumps(draft.shifts),
        "leans": json.dumps(draft.leans),
        "matched": draft.matched,
        "claim": zlib.crc32(draft.claim.encode()),
    }
