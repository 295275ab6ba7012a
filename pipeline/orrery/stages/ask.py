"""Stage ``ask``: questions whose answers are proven, to ``outputs/questions/<domain>``.

Of every decided state all kinds and formats are made in one go, in parts that are kept until the stage is
done. Then the rows of each table are chosen, some states of all sources and problems before others of the
same, and copied part by part, so that a large build takes no more memory than a small one.
"""

from __future__ import annotations

import json
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import pyarrow as pa

from orrery.catalog import entry_of
from orrery.config import Settings
from orrery.engine import Tables, fingerprint, map_parts
from orrery.families.problems.schemas import GENERATED_PROBLEMS, REJECTS
from orrery.families.questions import balance, closed, question_kinds
from orrery.families.questions.balance import RowCandidate
from orrery.families.questions.context import context_of
from orrery.families.questions.evidence import StateEvidence
from orrery.families.questions.item import OPEN, NotAsked
from orrery.families.questions.schemas import QUESTIONS
from orrery.families.questions.states import STATES, state_record
from orrery.seeds import stream
from orrery.stages.summary import StageSummary, reject
from orrery.store.columns import Table, from_rows
from orrery.store.kinds import BOOL, INT, STRING, column, table
from orrery.store.parts import Parts
from orrery.store.shards import read_rows, write_tables

STAGE = "ask"
LEAST, MOST, PARTS = 48, 192, 16  # states a part, and how many parts there are in between
FEWER, FEWEST = 100, 2  # so many times fewer rows, or so many, where claims do not look alike
UNMATCHED = "no counterpart in another state that looks alike"
DRAFTS = table(
    "drafts",
    "The rows of a part, with what decides on which are kept",
    column("table", STRING, "The table"),
    column("row", INT, "Number of the row within the part's table"),
    column("state", INT, "Number of the state"),
    column("item", STRING, "Problem and state"),
    column("split", STRING, "train, validation or test"),
    column("answer", STRING, "The answer to a yes/no question"),
    column("shifts", STRING, "JSON: what the row does to the balance, by look and rule of thumb"),
    column("alike", BOOL, "Whether the options of a choice look alike"),
)
SCHEMAS = (*QUESTIONS.values(), REJECTS, DRAFTS)

Row: TypeAlias = dict[str, Any]
Answers: TypeAlias = dict[str, list[closed.ClaimRow] | NotAsked]  # by table


def run(settings: Settings, name: str, jobs: int = 1) -> StageSummary:
    """Ask every kind of question in every format about every decided state, as many as the size allows."""
    states = _states(settings, name)
    size = max(LEAST, min(MOST, len(states) // PARTS))
    batches = [states[start : start + size] for start in range(0, len(states), size)]
    parts = _parts(settings, name)
    ask = partial(_ask_all, settings.root, settings.seed)
    made = map_parts(batches, ask, parts, jobs=jobs, label=f"ask {name}", describe=_describe)
    chosen, unmatched = _chosen(settings, name, parts.tables(made, "drafts"))
    folder, counts = settings.outputs / "questions" / name, {}
    for each, schema in QUESTIONS.items():
        kept = _kept(parts.tables(made, each), chosen[each])
        counts[each.removeprefix("acp_")] = write_tables(folder / f"{each}.parquet", schema, kept)
    rejects = [row for part in parts.tables(made, "rejects") for row in part.to_pylist()]
    rejects += [_reject(name, item, each, UNMATCHED) for each, item in unmatched]
    write_tables(folder / "rejects.parquet", REJECTS, [from_rows(REJECTS, rejects)])
    parts.discard()
    shortly = Counter(row["reason"].partition(": ")[2] for row in rejects)
    return StageSummary(STAGE, name, counts, shortly)


def _parts(settings: Settings, name: str) -> Parts:
    """Where finished parts are kept: under what they are made from."""
    entry = entry_of(settings.root, name)
    templates = settings.root / "templates"
    solutions = settings.outputs / "solutions" / name / "states.parquet"
    problems = settings.outputs / "problems" / name / "problems.parquet"
    sources = [
        problems,
        solutions,
        entry.folder,
        templates / "questions",
        templates / "domains" / f"{name}.j2",
    ]
    made_from = fingerprint([each for each in sources if each.exists()], seed=settings.seed)
    return Parts.under(settings.unfinished / STAGE / name, made_from, SCHEMAS)


def _states(settings: Settings, name: str) -> list[Row]:
    """The decided states, each with its problem and its ``turn`` within the split.

    One of every problem comes before the second of any, and the first ones of the problems are of
    different sources: the initial state of the first, one on the plan of the second, and so on.
    """
    path = settings.outputs / "problems" / name / "problems.parquet"
    problems = {row["problem_id"]: row for row in read_rows(path, GENERATED_PROBLEMS)}
    by_problem: dict[str, list[Row]] = defaultdict(list)
    for state in read_rows(settings.outputs / "solutions" / name / "states.parquet", STATES):
        by_problem[state["problem_id"]].append({**problems[state["problem_id"]], **state})
    found: list[tuple[int, int, Row]] = []
    for number, rows in enumerate(by_problem.values()):
        for place, row in enumerate(sorted(rows, key=lambda row: row["state_id"])):
            found.append(((place - number) % len(rows), number, row))
    ordered = [row for _, _, row in sorted(found, key=lambda each: each[:2])]
    turns: Counter[str] = Counter()
    for number, row in enumerate(ordered):
        row["number"], row["turn"] = number, turns[row["split"]]
        turns[row["split"]] += 1
    return ordered


def _describe(rows: Sequence[Row]) -> str:
    first, last = rows[0], rows[-1]
    return f"{first['problem_id']}/{first['state_id']} to {last['problem_id']}/{last['state_id']}"


def _ask_all(root: Path, seed: int, states: Sequence[Row]) -> Tables:
    """All rows of some states, by table, and the drafts that describe them."""
    tables: dict[str, list[Row]] = defaultdict(list)
    for state in states:
        item = f"{state['problem_id']}/{state['state_id']}"
        for name, answers in _noted(partial(_ask, root, seed, state), item).items():
            if isinstance(answers, NotAsked):
                tables["rejects"].append(_reject(state["domain"], item, name, answers.reason))
                continue
            for made in answers:
                tables["drafts"].append(_draft(name, len(tables[name]), item, state, made))
                tables[name].append(made.row.columns())
    return tables


def _noted(ask: Callable[[], Answers], item: str) -> Answers:
    """What is asked; an exception is raised with a note that names the state."""
    try:
        return ask()
    except Exception as error:
        error.add_note(f"at state {item}")
        raise


def _draft(name: str, number: int, item: str, state: Row, made: closed.ClaimRow) -> Row:
    return {
        "table": name,
        "row": number,
        "state": state["number"],
        "item": item,
        "split": state["split"],
        "answer": made.row.answer if name.endswith(closed.YES_NO) else "",
        "shifts": json.dumps(made.shifts),
        "alike": made.alike,
    }


def _ask(root: Path, seed: int, row: Row) -> Answers:
    """What is asked about one state by table, or why it is not."""
    entry = entry_of(root, row["domain"])
    item = state_record(entry.domain, row)
    path = (row["problem_id"], row["state_id"])
    found: Answers = {}
    for kind, module in question_kinds().items():
        question = module.make(item, entry.words, stream(seed, STAGE, *path, kind))
        made = question if isinstance(question, NotAsked) else [closed.ClaimRow(question)]
        found[f"acp_{kind}_{OPEN}"] = made
    evidence, setting = StateEvidence(item, stream(seed, STAGE, *path)), context_of(item, entry.words)
    for kind in closed.claim_kinds():
        turn = closed.turn_of(seed, (row["domain"], row["split"], kind), row["turn"])
        rng = stream(seed, STAGE, *path, kind, "closed")
        answers = closed.make(kind, evidence, setting, turn, rng)
        found |= {f"acp_{kind}_{form}": made for form, made in answers.items()}
    return found


def _reject(domain: str, item: str, name: str, reason: str) -> Row:
    what = name.removeprefix("acp_")
    return reject(STAGE, domain, f"{item}/{what}", f"{what}: {reason}")


class Place(NamedTuple):
    """Where a row stands among the parts, and the problem and state that it asks about."""

    part: int
    row: int
    item: str


def _chosen(
    settings: Settings, domain: str, parts: Iterable[Table]
) -> tuple[dict[str, list[set[int]]], list[tuple[str, str]]]:
    """By table and part the numbers of the rows that are kept; tables and items left without a match."""
    drafts: dict[str, dict[str, list[RowCandidate]]] = defaultdict(lambda: defaultdict(list))
    places: list[Place] = []
    count = 0
    for count, part in enumerate(parts, start=1):
        for row in part.to_pylist():
            draft = RowCandidate(
                len(places), row["state"], row["answer"], _shifts(row["shifts"]), row["alike"]
            )
            places.append(Place(count - 1, row["row"], row["item"]))
            drafts[row["table"]][row["split"]].append(draft)
    kept: dict[str, list[set[int]]] = {name: [set() for _ in range(count)] for name in QUESTIONS}
    unmatched: list[tuple[str, str]] = []
    most = settings.size.ask.questions
    for name, by_split in sorted(drafts.items()):
        draws = {split: stream(settings.seed, "sides", domain, name, split) for split in sorted(by_split)}
        for split, chosen in _choose(name, by_split, most, draws).items():
            for draft in chosen:
                kept[name][places[draft.row].part].add(places[draft.row].row)
            if len(chosen) < most - 1:
                states = {draft.state for draft in chosen}
                left = [places[draft.row].item for draft in by_split[split] if draft.state not in states]
                unmatched += [(name, item) for item in dict.fromkeys(left)]
    return kept, unmatched


def _shifts(text: str) -> tuple[tuple[str, int], ...]:
    return tuple((sys.intern(key), shift) for key, shift in json.loads(text))


def _choose(
    name: str, by_split: Mapping[str, list[RowCandidate]], most: int, draws: Mapping[str, random.Random]
) -> dict[str, list[RowCandidate]]:
    """The rows of a table that are kept, by split; the streams ``draws`` decide where both answers may be.

    Where no claims of the whole domain match, any serve, but only few: what they betray must not count.
    """

    def kept(count: int, strict: bool) -> dict[str, list[RowCandidate]]:
        return {split: _some(name, by_split[split], count, draws[split], strict) for split in draws}

    if not _matched(name, by_split) or not any((found := kept(most, strict=True)).values()):
        return kept(min(most, max(FEWEST, most // FEWER)), strict=False)
    return found


def _some(
    name: str, drafts: list[RowCandidate], most: int, rng: random.Random, strict: bool
) -> list[RowCandidate]:
    if name.endswith(closed.YES_NO):
        return balance.yes_no(drafts, most, rng, strict=strict)
    if name.endswith(closed.CHOICE):
        return balance.choices(drafts, most, strict=strict)
    return balance.first(drafts, most)


def _matched(name: str, by_split: Mapping[str, list[RowCandidate]]) -> bool:
    """Whether true and false claims of some state, or of two, look alike; open questions always do."""
    every = [draft for drafts in by_split.values() for draft in drafts]
    return balance.has_matches(every) if name.endswith(closed.YES_NO) else any(d.alike for d in every)


def _kept(parts: Iterator[Table], chosen: Sequence[set[int]]) -> Iterator[Table]:
    for part, numbers in zip(parts, chosen, strict=True):
        yield part.take(pa.array(sorted(numbers), pa.int64()))  # typed: there may be none
