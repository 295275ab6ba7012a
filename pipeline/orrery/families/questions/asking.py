"""Questions of all kinds and formats on the decided states of a domain, and which of them are kept.

Of every state all kinds and formats are made in one go. Then the rows of each table are chosen, some states
of all sources and problems before others of the same.
"""

from __future__ import annotations

import json
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import pyarrow as pa

from orrery.catalog import entry_of
from orrery.config import AskSize
from orrery.families.problems.schemas import reject as rejected
from orrery.families.questions import balance, blind
from orrery.families.questions.balance import RowCandidate
from orrery.families.questions.context import context_of
from orrery.families.questions.distractors import turn_of
from orrery.families.questions.evidence import StateEvidence
from orrery.families.questions.kind import BOOL, MCQ
from orrery.families.questions.kinds import question_kinds
from orrery.families.questions.question_row import NEEDS, OPEN, ClaimRow, NotAsked
from orrery.families.questions.schemas import QUESTIONS
from orrery.families.questions.states import state_record
from orrery.seeds import stream
from orrery.store.columns import Table
from orrery.store.kinds import BOOL as TRUTH
from orrery.store.kinds import INT, STRING, column, table

STAGE = "ask"
FEWER, FEWEST = 100, 2  # so many times fewer rows, or so many, where no claims match
UNMATCHED = "no counterpart in another state with the same surface features"
ONLY_NONE = "nothing is out of reach, and None may be right in few rows only"
BLINDLY = "a fixed reply, or any reply of one form, would be right in too many rows"
CANDIDATES = table(
    "candidates",
    "The rows of a part, with what decides on which are kept",
    column("table", STRING, "The table"),
    column("row", INT, "Number of the row within the part's table"),
    column("state", INT, "Number of the state"),
    column("item", STRING, "Problem and state"),
    column("split", STRING, "train, validation or test"),
    column("answer", STRING, "The answer to a yes/no question, or what an open one needs"),
    column("shifts", STRING, "JSON: what the row does to the balance, by features and rule of thumb"),
    column("matched", TRUTH, "Whether the options of a choice match"),
)

Row: TypeAlias = dict[str, Any]
Answers: TypeAlias = dict[str, list[ClaimRow] | NotAsked]  # by table


def in_turn(problems: Iterable[Mapping[str, Any]], states: Iterable[Mapping[str, Any]]) -> list[Row]:
    """Join decided states with their problems, numbered, each with its ``turn`` within the split.

    One of every problem comes before the second of any, and the first ones of the problems are of
    different sources: the initial state of the first, one on the plan of the second, and so on.
    """
    named = {row["problem_id"]: row for row in problems}
    by_problem: dict[str, list[Row]] = defaultdict(list)
    for state in states:
        by_problem[state["problem_id"]].append({**named[state["problem_id"]], **state})
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


def ask_all(root: Path, seed: int, states: Sequence[Row]) -> dict[str, list[Row]]:
    """Make all rows of some states by table, with the candidates that describe them and the rejects."""
    tables: dict[str, list[Row]] = defaultdict(list)
    for state in states:
        item = f"{state['problem_id']}/{state['state_id']}"
        try:
            found = ask(root, seed, state)
        except Exception as error:
            error.add_note(f"at state {item}")
            raise
        for name, answers in found.items():
            if isinstance(answers, NotAsked):
                tables["rejects"].append(reject(state["domain"], item, name, answers.reason))
                continue
            for made in answers:
                tables["candidates"].append(_candidate(name, len(tables[name]), item, state, made))
                tables[name].append(made.row.columns())
    return tables


def ask(root: Path, seed: int, row: Mapping[str, Any]) -> Answers:
    """Ask about one state in every kind and format; by table the rows, or why there are none."""
    entry = entry_of(root, row["domain"])
    record = state_record(entry.domain, row)
    path = (row["problem_id"], row["state_id"])
    found: Answers = {}
    for name, kind in question_kinds().items():
        question = kind.question(record, entry.words, stream(seed, STAGE, *path, name))
        made = question if isinstance(question, NotAsked) else [ClaimRow(question, question.rules)]
        found[kind.table_of(OPEN)] = made
    evidence, context = StateEvidence(record, stream(seed, STAGE, *path)), context_of(record, entry.words)
    for name, kind in question_kinds().items():
        if kind.claims:
            turn = turn_of(seed, (row["domain"], row["split"], name), row["turn"])
            answers = kind.claims(kind, evidence, context, turn, stream(seed, STAGE, *path, name, "closed"))
            found |= {kind.table_of(form): made for form, made in answers.items()}
    return found


def reject(domain: str, item: str, name: str, reason: str) -> Row:
    """Return the row that says why a state is not asked about in a table."""
    what = QUESTIONS[name].short
    return rejected(STAGE, domain, f"{item}/{what}", f"{what}: {reason}")


def _candidate(name: str, number: int, item: str, state: Row, made: ClaimRow) -> Row:
    return {
        "table": name,
        "row": number,
        "state": state["number"],
        "item": item,
        "split": state["split"],
        "answer": made.row.answer if made.row.format == BOOL else made.row.extra.get(NEEDS, ""),
        "shifts": json.dumps(made.shifts),
        "matched": made.matched,
    }


class _RowSource(NamedTuple):
    """The position of a row among the parts, and the problem and state that it asks about."""

    part: int
    row: int
    item: str


class Choice(NamedTuple):
    """By table and part the numbers of the rows that are kept, and the states that were left out.

    ``unmatched`` holds the table and the name of each such state, and why.
    """

    kept: Mapping[str, Sequence[set[int]]]
    unmatched: list[tuple[str, str, str]]

    def rows(self, name: str, parts: Iterable[Table]) -> Iterator[Table]:
        """Take the rows of a table that are kept, part by part."""
        for part, numbers in zip(parts, self.kept[name], strict=True):
            yield part.take(pa.array(sorted(numbers), pa.int64()))  # typed: there may be none


def choose(tables: Iterable[str], domain: str, parts: Iterable[Table], size: AskSize, seed: int) -> Choice:
    """Choose rows of each table and split, as ``size`` says, from the candidates of all parts."""
    candidates: dict[str, dict[str, list[RowCandidate]]] = defaultdict(lambda: defaultdict(list))
    places: list[_RowSource] = []
    count = 0
    for count, part in enumerate(parts, start=1):
        for row in part.to_pylist():
            shifts = tuple((sys.intern(key), shift) for key, shift in json.loads(row["shifts"]))
            made = RowCandidate(len(places), row["state"], row["answer"], shifts, row["matched"])
            places.append(_RowSource(count - 1, row["row"], row["item"]))
            candidates[row["table"]][row["split"]].append(made)
    kept: dict[str, list[set[int]]] = {name: [set() for _ in range(count)] for name in tables}
    unmatched: list[tuple[str, str, str]] = []
    for name, by_split in sorted(candidates.items()):
        draws = {split: stream(seed, "sides", domain, name, split) for split in sorted(by_split)}
        for split, chosen in _choose(name, by_split, size, draws).items():
            for each in chosen:
                kept[name][places[each.row].part].add(places[each.row].row)
            if len(chosen) < size.questions - 1:
                states = {each.state for each in chosen}
                left = {places[each.row].item: each for each in by_split[split] if each.state not in states}
                unmatched += [(name, item, reason_of(each)) for item, each in left.items()]
    return Choice(kept, unmatched)


def _choose(
    name: str, by_split: Mapping[str, list[RowCandidate]], size: AskSize, draws: Mapping[str, random.Random]
) -> dict[str, list[RowCandidate]]:
    """Return the rows of a table to keep, by split.

    The streams ``draws`` choose where both answers are possible.

    Where no claims of the whole domain match, any serve, but only few: what they betray must not count.
    """

    def kept(count: int, strict: bool) -> dict[str, list[RowCandidate]]:
        wanted = size.model_copy(update={"questions": count})
        return {split: _some(name, by_split[split], wanted, draws[split], strict) for split in draws}

    most = size.questions
    if not _matched(name, by_split) or not any((found := kept(most, strict=True)).values()):
        return kept(min(most, max(FEWEST, most // FEWER)), strict=False)
    return found


def _some(
    name: str, candidates: list[RowCandidate], size: AskSize, rng: random.Random, strict: bool
) -> list[RowCandidate]:
    form, most = QUESTIONS[name].format, size.questions
    if form == BOOL:
        return balance.choose_bool(candidates, most, rng, strict=strict)
    if form == MCQ:
        return balance.choose_mcq(candidates, most, strict=strict)
    if any(candidate.answer for candidate in candidates):
        return balance.choose_open(candidates, most, none=size.none, search=size.search, blind=size.blind)
    return candidates[:most]


def reason_of(candidate: RowCandidate) -> str:
    """Return why a row was left out though there is room for more."""
    if not candidate.answer or candidate.answer in (balance.YES, balance.NO):
        return UNMATCHED
    return ONLY_NONE if candidate.answer == blind.NONE else BLINDLY


def _matched(name: str, by_split: Mapping[str, list[RowCandidate]]) -> bool:
    """Return whether some true and false claims match; open questions always do."""
    every = [candidate for candidates in by_split.values() for candidate in candidates]
    is_bool = QUESTIONS[name].format == BOOL
    return balance.has_matches(every) if is_bool else any(each.matched for each in every)
