"""What ``validate`` has its workers do: a problem with all that is published of it, read once and judged."""

from __future__ import annotations

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, partial
from itertools import chain
from operator import itemgetter
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from orrery.catalog import Entry, entry_of
from orrery.checks import (
    agreement,
    determined,
    holds,
    labels,
    plans,
    questions,
    renamed,
    splits,
    states,
)
from orrery.checks import external_planner as retold
from orrery.checks.questions import columns
from orrery.checks.questions import words_read_back as told
from orrery.checks.texts import SIDES, DomainTexts, Reader
from orrery.checks.undecided import UNDECIDED, undecided
from orrery.checks.world import RecheckedState
from orrery.dataset.report import CheckFinding
from orrery.families.problems.quotas import FROM_FILE
from orrery.language.renamed_domain import vocabulary_of
from orrery.model import Domain, Generated, OrreryError, Problem, Task, ToolMissing
from orrery.pddl.read import read_problem
from orrery.pddl.write import parse_atom
from orrery.seeds import stream
from orrery.store.lookup import RowSource
from orrery.store.shards import release

Row: TypeAlias = Mapping[str, Any]
Numbers: TypeAlias = NDArray[np.int64]

STAGE = "validate"
PLAIN = "plain"
FIRST = "/test/000000"  # in every domain, other tools also solve this one
ATTEMPTS = 5  # at a problem that is told alike
DECIDED_LIMIT = 5_000  # states of a problem seen plainly: as many as when a plan is first called optimal
MOST_SECONDS = 5.0  # of a planner call that decides a question again
ALLOWANCE, LARGE_ALLOWANCE = 1, 6  # planner calls of full length that a state's checks may take together
RENAMED = ("problem_pddl", "domain_pddl", "plan")  # what another vocabulary changes
NO_TEXT = MappingProxyType({"init_text": "", "goal_text": "", "mixture": "nothing that was rendered"})


class Batch(NamedTuple):
    """Some problems and the rows that belong to them, by their numbers in the tables.

    ``made`` are the intermediate texts that the rows of ``texts`` come from, -1 where there is none.
    ``by_planner``: Fast Downward decides the questions of these problems again, not a plain search.
    """

    problems: Numbers
    texts: Numbers
    made: Numbers
    states: Numbers
    questions: dict[str, Numbers]
    by_planner: bool = False


class ExternalCheck(NamedTuple):
    """Problems of one domain, by their numbers; another tool is to validate the plans they have."""

    problems: Numbers


@dataclass(frozen=True)
class CheckInputs:
    """Where a worker finds what it judges; picklable. ``seconds`` limits a planner call."""

    root: Path
    seed: int
    seconds: float
    problems: RowSource
    texts: RowSource
    made: RowSource
    states: RowSource
    questions: Mapping[str, RowSource]


@dataclass
class Verdicts:
    """What was checked, by check and domain, what was found, and what the stage compares over all problems.

    ``profiles`` has for each problem its id and a number that no renaming changes; ``told`` for each
    abstract text its id, a digest of what it says, and one of its problem's loose key.
    """

    checked: Counter[tuple[str, str]] = field(default_factory=Counter)
    findings: list[CheckFinding] = field(default_factory=list)
    profiles: list[tuple[str, int]] = field(default_factory=list)
    told: list[tuple[str, int, int]] = field(default_factory=list)

    def judge(self, check: str, row: Row, faults_of: Callable[[], list[str]]) -> None:
        """Enters what a check says of a row; a row that cannot be read is a fault."""
        try:
            messages = faults_of()
        except ToolMissing:
            raise
        except OrreryError as error:
            messages = [str(error)]
        self.enter(
            check, row["domain"], str(row.get("id") or f"{row['problem_id']}/{row['state_id']}"), messages
        )

    def enter(self, check: str, domain: str, row: str, messages: list[str]) -> None:
        """Counts what was checked, and keeps the faults and what stayed undecided."""
        self.checked[check, domain] += 1
        if messages:
            faults = tuple(message for message in messages if not message.startswith(UNDECIDED))
            still_open = tuple(message for message in messages if message.startswith(UNDECIDED))
            self.findings.append(CheckFinding(check, domain, row, faults, still_open))

    def add(self, other: Verdicts) -> None:
        """Takes in what was found of other rows."""
        self.checked.update(other.checked)
        self.findings += other.findings
        self.profiles += other.profiles
        self.told += other.told


def judge(desk: CheckInputs, item: Batch | ExternalCheck) -> Verdicts:
    """What the checks of an item find."""
    found = _retold(desk, item) if isinstance(item, ExternalCheck) else _judged(desk, item)
    release()
    return found


def _retold(desk: CheckInputs, item: ExternalCheck) -> Verdicts:
    """The plans of some problems, as another tool sees them."""
    found = Verdicts()
    rows = [row for row in desk.problems.rows(item.problems).to_pylist() if row["solvable"]]
    for row, messages in zip(rows, retold.check_plans(rows, desk.seconds), strict=True):
        found.enter("retold", row["domain"], row["id"], messages)
    return found


def _judged(desk: CheckInputs, batch: Batch) -> Verdicts:
    """All checks of the rows of a batch."""
    found = Verdicts()
    texts = _grouped(_told(desk, batch), lambda row: labels.problem_of(row["id"]))
    states = _grouped(desk.states.rows(batch.states).to_pylist(), itemgetter("problem_id"))
    tables = (desk.questions[name].rows(numbers) for name, numbers in batch.questions.items())
    asked = chain.from_iterable(table.to_pylist() for table in tables)
    questions = _grouped(asked, itemgetter("problem_id"))
    for row in desk.problems.rows(batch.problems).to_pylist():
        belonging = _Belonging(texts[row["id"]], states[row["id"]], questions[row["id"]])
        try:
            bench = _ProblemChecks.of(desk, row, batch.by_planner)
        except OrreryError as error:
            found.enter("plans", row["domain"], row["id"], [str(error)])
            continue
        bench.judge(belonging, found)
    return found


def _grouped(rows: Iterable[Row], name_of: Callable[[Row], str]) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        found[name_of(row)].append(row)
    return found


def _told(desk: CheckInputs, batch: Batch) -> Iterator[Row]:
    """The texts of a batch, each with its parts as they were rendered."""
    made = iter(desk.made.rows(batch.made[batch.made >= 0]).to_pylist())
    for row, number in zip(desk.texts.rows(batch.texts).to_pylist(), batch.made, strict=True):
        yield {**NO_TEXT, **(next(made) if number >= 0 else {}), **row}


class _Belonging(NamedTuple):
    """The rows that belong to one problem."""

    texts: list[Row]
    states: list[Row]
    questions: list[Row]


def leaking(desk: CheckInputs, numbers: list[int]) -> list[tuple[str, str]]:
    """(problem, fault) for those of some problems of a domain that stand in two splits."""
    rows = desk.problems.rows(numbers).to_pylist()
    read = ((row["id"], entry_of(desk.root, row["domain"]).domain, row["problem_pddl"]) for row in rows)
    return splits.leaks(
        [(name, split_of(name), read_problem(text, domain, name)) for name, domain, text in read]
    )


def split_of(name: str) -> str:
    """The split that the id of a row says it belongs to."""
    return name.split("/")[1]


@dataclass(frozen=True)
class _ProblemChecks:
    """One problem with what its checks need."""

    desk: CheckInputs
    entry: Entry
    task: Task
    row: Row
    problem: Problem
    by_planner: bool

    @classmethod
    def of(cls, desk: CheckInputs, row: Row, by_planner: bool) -> _ProblemChecks:
        """The problem of a row; raises OrreryError where its domain, task or PDDL is none."""
        entry = entry_of(desk.root, row["domain"])
        tasks = {task.name: task for task in (*entry.tasks, FROM_FILE)}
        if row["task"] not in tasks:
            raise OrreryError(row["id"], f"the domain has no task '{row['task']}'")
        problem = read_problem(row["problem_pddl"], entry.domain, row["id"])
        return cls(desk, entry, tasks[row["task"]], row, problem, by_planner)

    def judge(self, belonging: _Belonging, found: Verdicts) -> None:
        """All checks of the problem and of what belongs to it."""
        row, domain, seconds = self.row, self.entry.domain, self.desk.seconds
        found.profiles.append((row["id"], splits.profile(domain, self.problem)))
        found.judge("plans", row, lambda: plans.check(domain, self.problem, row))
        if row["plan_optimal"] or row["num_states"] is not None:
            world = RecheckedState(domain, self.problem, seconds, seconds, most=DECIDED_LIMIT)
            found.judge("decided", row, lambda: states.check_decided(world, row))
        if row["solvable"] is False or row["id"].endswith(FIRST):
            found.judge("retold", row, lambda: retold.check(domain, row, seconds))
        if sides := [side for side in SIDES if any(text[f"{side}_is_abstract"] for text in belonging.texts)]:
            found.judge("determined", row, partial(self._determined, sides))
        self._judge_texts(belonging, found)
        self._judge_states(belonging, found)

    def _determined(self, sides: list[str]) -> list[str]:
        """A problem of the same parameters, drawn anew but for them, must be the same."""
        told = json.loads(self.row["parameters"])
        names = frozenset(typed.name for typed in self.problem.objects)
        for attempt in range(ATTEMPTS):
            again = self._again(attempt)
            if determined.tell_alike(
                [told["init"], told["goal"]], [again.init_parameters, again.goal_parameters], names
            ):
                return determined.check(
                    self.entry.domain,
                    self.problem,
                    again.problem,
                    self.row,
                    sides=sides,
                    exchangeable=self.task.interchangeable,
                    rule=self.entry.closure_rule,
                )
        return [undecided("whether its text determines it: none of the same parameters was drawn")]

    def _again(self, attempt: int) -> Generated:
        """A problem of the parameters that the row's own was drawn with."""
        path, seed = self.row["seed_path"].split("/"), self.desk.seed
        limits = self.entry.limits(self.row["difficulty"])
        parameters = self.entry.call("draw", self.task, limits, stream(seed, *path))
        rng = stream(seed, STAGE, self.row["id"], "again", attempt)
        made: Generated = self.entry.call("build", self.task, parameters, rng)
        return made

    def _judge_texts(self, belonging: _Belonging, found: Verdicts) -> None:
        landmarks = [
            len(question["answer"]["yes"])
            for question in belonging.questions
            if question["group"] == "landmarks_gen" and question["state_source"] == "initial"
        ]
        telling = DomainTexts(_reader(self.desk.root, self.entry.name), self.problem)
        idle = cache(partial(holds.holds, self.entry.domain, self.problem))
        for row in belonging.texts:
            known = landmarks[0] if landmarks else None
            plain = row["vocabulary"] == PLAIN
            found.judge("agreement", row, partial(self._agrees, row, known))
            found.judge("labels", row, partial(labels.check, row, self.task))
            found.judge("texts", row, partial(telling.check, row) if plain else partial(self._reworded, row))
            found.judge("holds", row, partial(_idle, row, idle))
            if row["init_is_abstract"] and row["goal_is_abstract"]:
                said = (row["domain"], telling.names, row["init_text"], row["goal_text"])
                found.told.append((row["id"], _digest(repr(said)), _digest(row["loose_key"])))

    def _agrees(self, row: Row, landmarks: int | None) -> list[str]:
        """Where a text is not of this problem; one in another vocabulary: of this problem renamed."""
        if row["vocabulary"] == PLAIN:
            return agreement.check(row, self.row, landmarks)
        kept = {name: value for name, value in row.items() if name not in RENAMED}
        return agreement.check(kept, self.row, landmarks) + renamed.check(
            self.entry.domain, self.problem, row, self.row
        )

    def _reworded(self, row: Row) -> list[str]:
        """What is wrong with a text in another vocabulary."""
        reader = _renamed_reader(self.desk.root, self.entry.name, row["vocabulary"], self.desk.seed)
        problem = read_problem(row["problem_pddl"], reader.inverter.domain, row["id"])
        return DomainTexts(reader, problem).check(row)

    def _judge_states(self, belonging: _Belonging, found: Verdicts) -> None:
        """The states asked about, one after the other, each with its questions: they share what is found."""
        asked = _grouped(belonging.questions, _origin)
        for row in belonging.states:
            there = replace(self.problem, init=frozenset(map(parse_atom, row["state"])))
            world = self._world(self.entry.domain, there)
            named = {**row, "domain": self.row["domain"]}
            found.judge("states", named, partial(states.check, world, row))
            for question in asked.pop(f"{row['source']}-{row['step']}", ()):
                found.judge("agreement", question, partial(agreement.check, question, self.row, None))
                found.judge("answers", question, partial(self._answered, question, row, world))
        for question in chain.from_iterable(asked.values()):
            found.judge("answers", question, partial(self._answered, question, None, None))

    def _answered(self, row: Row, state: Row | None, world: RecheckedState | None) -> list[str]:
        """What is wrong with a question; its own PDDL counts where that is not the state's."""
        domain, problem = columns.read(row)
        if world is None or (domain, problem) != (world.domain, world.problem):
            world = self._world(domain, problem)
        faults = questions.check(row, world) + questions.check_origin(row, problem.init, state)
        return faults + told.check(row, _phrases(self.desk.root, self.entry.name))

    def _world(self, domain: Domain, problem: Problem) -> RecheckedState:
        seconds = min(self.desk.seconds, MOST_SECONDS)
        allowance = seconds * (LARGE_ALLOWANCE if self.by_planner else ALLOWANCE)
        return RecheckedState(domain, problem, seconds, allowance, plain=not self.by_planner)


def _origin(row: Row) -> str:
    return f"{row['state_source']}-{row['state_step']}"


def _idle(row: Row, holds_for: Callable[[bool], bool | None]) -> list[str]:
    """Where the column does not say whether anything is to be done."""
    truth = holds_for(bool(row["is_placeholder"]))
    if truth is None:
        return [undecided("whether the goal holds initially for other objects")]
    stated = row["goal_holds_initially"]
    return [] if stated == truth else [f"goal_holds_initially is {stated}, should be {int(truth)}"]


def _digest(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest())


@cache
def _reader(root: Path, name: str) -> Reader:
    """What texts of the domain are read with, made once a process: its patterns are costly."""
    entry = entry_of(root, name)
    return Reader.of(entry.words, entry.domain)


@cache
def _phrases(root: Path, name: str) -> told.Phrases:
    """What questions of the domain are read with."""
    entry = entry_of(root, name)
    return told.Phrases(entry.words, entry.domain)


@cache
def _renamed_reader(root: Path, name: str, vocabulary: str, seed: int) -> Reader:
    """As ``_reader``, for texts in another vocabulary."""
    entry = entry_of(root, name)
    made = vocabulary_of(entry.domain, vocabulary, entry.root / "templates", seed)
    return Reader.of(made.words, made.domain)
