"""Draw the rows of all tasks on some states, with data for the choice and reasons for missing rows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from random import Random
from typing import Any

from orrery.catalog import Entry, entry_of
from orrery.config import PoseSize
from orrery.families.drafts import Draft, Drafts, Rejected
from orrery.families.plans.source import Source, in_plain_names, in_vocabulary, source_of
from orrery.families.plans.tasks import plan_tasks
from orrery.families.task import Task
from orrery.model import Row
from orrery.pddl.read import read_problem
from orrery.problems.horizon import Horizon
from orrery.problems.problem_keys import kept_key
from orrery.problems.quotas import LADDER
from orrery.problems.schemas import reject, shared
from orrery.seeds import stream
from orrery.store.kinds import INT, STRING, STRINGS, column, table

STAGE = "generate-plan-tasks"
CANDIDATES = table(
    "candidates",
    "Drafts of a part: rows that are kept together, with what decides on which are kept",
    column("table", STRING, "The table"),
    column("first", INT, "Number of the first row within the part's table"),
    column("rows", INT, "How many rows follow each other"),
    column("item", STRING, "Problem, state and vocabulary"),
    *shared("split"),
    column("vocabulary", STRING, "The vocabulary"),
    column("stratum", STRING, "Of each stratum as many are kept as of the others"),
    column("half", STRING, "Of a pair: `-` or `+`, and what both halves share; empty for what stands alone"),
    column("keys", STRINGS, "Keys of the problems that the rows are about"),
    column(
        "band", INT, "Of a problem with long plans: the band of the length of a shortest plan; otherwise 0"
    ),
)
MOST_CHARACTERS = 20_000  # of context and question on a problem with long plans, in words and in PDDL


def pose_all(
    root: Path, seed: int, size: PoseSize, wanted: Mapping[str, Collection[str]], states: Sequence[Row]
) -> dict[str, list[dict[str, Any]]]:
    """Return all rows of some states by table, with candidates and rejects.

    A state is the row of its problem joined with its own row. ``wanted`` maps each split to the tasks that
    lack rows.
    """
    tables: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for state in states:
        sources = _sources(entry_of(root, state["domain"]), state, seed, size)
        _pose_each(sources, wanted.get(state["split"], ()), size, tables)
    return tables


def _pose_each(
    sources: Iterable[Source],
    wanted: Collection[str],
    size: PoseSize,
    tables: dict[str, list[dict[str, Any]]],
) -> None:
    """Add the rows of the tasks on each source, and release it: a large problem takes 200 MB."""
    for source in sources:
        try:
            _pose(source, wanted, size, tables)
        except Exception as error:
            error.add_note(f"at state {source.name}")
            raise
        source.record.kept.clear()  # in a reference cycle: it would stay in memory


def _sources(entry: Entry, state: Row, seed: int, size: PoseSize) -> Iterator[Source]:
    """Yield the source of a state, and its renamings in the vocabularies drawn for it."""
    is_long = state["task"] == LADDER.name
    plain = source_of(entry, state, seed, 0 if is_long else size.max_states)
    yield plain
    if is_long:
        return
    for name, share in sorted(size.vocabularies.items()):
        if stream(seed, "pose", "vocabulary", name, plain.name).random() < share:
            yield in_vocabulary(plain, name, entry.root / "templates")


def _pose(
    source: Source, wanted: Collection[str], size: PoseSize, tables: dict[str, list[dict[str, Any]]]
) -> None:
    """Add the rows of the tasks on a source."""
    keys_by_text = dict[str, str]()
    for name, task in plan_tasks().items():
        if name not in wanted:
            continue
        rng = stream(source.seed, "pose", source.name, name)
        for number, draft in enumerate(drafts_of(source, task, rng)):
            band = _band(draft, size.bands) if source.is_long and not isinstance(draft, Rejected) else 0
            if isinstance(band, Rejected):
                draft = band
            if isinstance(draft, Rejected):
                item = f"{source.name}/{name}/{number}"
                tables["rejects"].append(reject(STAGE, source.entry.name, item, f"{name}: {draft.reason}"))
                continue
            tables["candidates"].append(
                {
                    "table": task.table_of(),
                    "first": len(tables[task.table_of()]),
                    "rows": len(draft.rows),
                    "item": source.name,
                    "split": source.row["split"],
                    "vocabulary": source.vocabulary,
                    "stratum": draft.stratum,
                    "half": draft.half,
                    "keys": sorted(_keys(source, draft.rows, keys_by_text)),
                    "band": band,
                }
            )
            tables[task.table_of()] += draft.rows


def _band(draft: Draft, bands: Collection[int]) -> int | Rejected:
    """Return the band that contains the bounds of all rows of a draft, or the reason why none does."""
    horizons = [Horizon(**row["horizon"]) if row["horizon"] else None for row in draft.rows]
    found = {horizon and horizon.band for horizon in horizons}
    texts = ((row["context"], row["question"]) for row in draft.rows)
    in_pddl = ((row["context_pddl"], row["question_pddl"]) for row in draft.rows)
    if any(sum(map(len, parts)) > MOST_CHARACTERS for parts in chain(texts, in_pddl)):
        return Rejected("prompt_too_long")
    band = found.pop() if len(found) == 1 else None
    return band if band is not None and band in bands else Rejected("in_no_band")


def drafts_of(source: Source, task: Task, rng: Random) -> Drafts:
    """Yield the drafts of a task on a source with a reachable goal, and the reasons for having no others."""
    reason = "goal_holds" if source.problem.satisfied(source.problem.init) else ""
    try:
        yield from () if reason else task.draw(source, rng)
    except Rejected as why:  # a new exception is yielded, because a caught one keeps its frames
        reason = why.reason
    if reason:
        yield Rejected(reason)


def _keys(source: Source, rows: Iterable[Row], keys_by_text: dict[str, str]) -> set[str]:
    """Return the keys of the problems in the rows; ``undecided`` if a budget was used up.

    The keys of an obfuscated row are those of the plain problems that it renames. ``keys_by_text`` caches the
    keys of the source's rows by the text of the problem.
    """
    domain, keys = source.record.domain, set[str]()
    for row in rows:
        texts = {row["problem_pddl"], row.get("given_problem_pddl", row["problem_pddl"])}
        texts |= {example["problem_pddl"] for example in row.get("given_examples", ())}
        for text in sorted(texts):
            if text not in keys_by_text:
                problem = in_plain_names(source, read_problem(text, domain, row["id"]))
                keys_by_text[text] = kept_key(source.entry.domain, problem) or "undecided"
            keys.add(keys_by_text[text])
    return keys


def states_in_turn(
    decided: Sequence[Row], problems: Sequence[Row], solutions: Mapping[str, Row]
) -> list[dict[str, Any]]:
    """Return the states for questions, in order: decided ones, then initial states of other solved problems.

    Initial states of the second group have the columns of their solution and no other proven columns. Those
    whose reachable states were all visited come first, because most tasks need them.
    """
    initial = {row["problem_id"] for row in decided if row["source"] == "initial"}
    solved = [
        {**row, **solution}
        for row in problems
        if row["problem_id"] not in initial and (solution := solutions.get(row["problem_id"]))
    ]
    solvable = [row for row in solved if row["solvable"]]
    return [*map(dict, decided), *sorted(solvable, key=lambda row: row["num_states"] is None)]
