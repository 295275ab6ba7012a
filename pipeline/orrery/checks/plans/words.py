"""Read the words of a row back: its context must match its PDDL, its question must match the row.

A question must be a wording of its task around the steps, literals, costs and examples of the row, each in
words or in PDDL. Text that the patterns of the domain's words do not explain is a fault.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from orrery.checks.plans.plan_row import FOLDER, PlanRow, literal_of
from orrery.checks.task_check import QuestionContent
from orrery.language.choices import Wordings
from orrery.language.words import WORDINGS_TRIED, macro_name, macros_of, names_by_type
from orrery.model import Domain, Literal, Problem, Step
from orrery.pddl.write import parse_atom, write_atom, write_literal, write_problem

ABSTRACT = "abstract"
NUMBER = re.compile(r"(?<![\w?-])\d+(?![\w-])")
# Marks for the parts of a question in a rendered template, by name of the part, and what each mark matches.
MARKS = {"steps": "\x01", "literals": "\x02", "costs": "\x03", "object_costs": "\x04", "literal": "\x05",
         "example": "\x06"}  # fmt: skip
DASHED = r"((?:- .*\n)*)"
PATTERNS = {"steps": r"((?:\d+\. .*\n)*)", "literals": DASHED, "costs": DASHED, "object_costs": DASHED,
            "literal": "(.+?)", "example": r"((?:(?!Example \d).*\n)+?)"}  # fmt: skip


def check_context(plan_row: PlanRow) -> list[str]:
    """Return a fault if the context in words does not describe the problem that the row shows."""
    steps = list(plan_row.plain_state.task.action_of)
    if plan_row.names.renamed is not None:
        steps = list(map(plan_row.names.renamed.step, steps))
    passages = _passages(plan_row) if plan_row.row.get("form") == ABSTRACT else None
    read, row = plan_row.readers.context, plan_row.row
    misread = read.check(row["context"], plan_row.task, plan_row.told, steps, passages, style=row["style"])
    return misread.faults_of(row)


def _passages(plan_row: PlanRow) -> Wordings:
    """Return the wordings of the abstract goal of the row's problem."""
    origin = plan_row.checked.row
    parameters = json.loads(origin["parameters"])["goal"]
    names = names_by_type(plan_row.checked.problem, plan_row.plain_domain)
    return plan_row.readers.words.every(macro_name("goal", origin["goal"]), parameters, names)


def check_question(row: PlanRow, content: QuestionContent) -> list[str]:
    """Return where the question, in words or in PDDL, differs from ``content``."""
    frames = _frames(row.readers.words.templates, row.task, content.said, len(content.problems))
    speeches: dict[str, _Pddl] = {
        "question": _Words(row), "question_pddl": _Pddl(row.readers.domain),
    }  # fmt: skip
    return [
        f"{column}: {fault}"
        for column, speech in speeches.items()
        for fault in _faults(f"{row.row[column]}\n", frames, speech, content)
    ]


class _Frame(NamedTuple):
    """A wording of a task: a pattern, the names of the parts in its groups, and the numbers in it."""

    pattern: re.Pattern[str]
    parts: tuple[str, ...]
    numbers: frozenset[int]


class _Marker:
    """Gives a template marks in place of the parts that it uses."""

    def __getattr__(self, part: str) -> object:
        """Return a function that returns the mark of a part."""
        return lambda _content: MARKS[part]


@lru_cache(maxsize=256)
def _frames(templates: Path, task: str, values: tuple[object, ...], examples: int) -> tuple[_Frame, ...]:
    """Return the wordings of a task; ``values`` are the arguments of the template other than examples."""
    listed: list[object] = [[{}] * examples] if examples else []
    question = macros_of(templates, f"{FOLDER}/{task}", "question").question
    texts = [str(question(_Marker(), variant, *listed, *values)) for variant in range(WORDINGS_TRIED)]
    return tuple(map(_frame, dict.fromkeys(texts)))


def _frame(text: str) -> _Frame:
    lines = filter(None, (" ".join(line.split()) for line in text.split("\n")))
    pattern = "".join(line if line in MARKS.values() else f"{re.escape(line)}\n" for line in lines)
    parts = {mark: part for part, mark in MARKS.items()}
    names = tuple(parts[mark] for mark in pattern if mark in parts)
    for mark, part in parts.items():
        pattern = pattern.replace(mark, PATTERNS[part])
    return _Frame(re.compile(pattern), names, frozenset(map(int, NUMBER.findall(text))))


def _faults(text: str, frames: Sequence[_Frame], speech: _Pddl, content: QuestionContent) -> list[str]:
    """Return the faults of a question under the wording that gives the fewest."""
    matches = [(frame, match) for frame in frames if (match := frame.pattern.fullmatch(text))]
    readings = [[*_misread(frame, match.groups(), speech, content)] for frame, match in matches]
    return min(readings, key=len, default=["is no wording of this task"])


def _misread(frame: _Frame, groups: Sequence[str], speech: _Pddl, content: QuestionContent) -> Iterator[str]:
    """Yield where the parts of a question differ from the expected content."""
    expected, problems = _expected(content, speech.domain), iter(content.problems)
    for part, text in zip(frame.parts, groups, strict=True):
        if part == "example":
            if fault := speech.tells(text, next(problems)):
                yield f"an example: {fault}"
            continue
        lines, values = [text] if part == "literal" else text.splitlines(), next(expected[part], [])
        if len(lines) != len(values):
            yield f"tells {len(lines)} {part}, should tell {len(values)}"
        yield from (
            f"'{line}' should tell {value}"
            for line, value in zip(lines, values, strict=False)
            if speech.read(part, line) != value
        )
    if any(problems):
        yield "does not tell all examples"
    yield from (f"does not tell all {part}" for part, values in expected.items() if any(values))
    numbers = (*content.numbers, *range(1, len(content.problems) + 1))  # examples are numbered from 1
    yield from (f"does not name the number {n}" for n in numbers if n not in frame.numbers)


def _expected(content: QuestionContent, domain: Domain) -> dict[str, Iterator[Sequence[object]]]:
    """Return the expected lines of each part of a question, one list for each occurrence of the part."""
    actions = domain.action_named
    costs = {name: str(cost) for name, cost in content.costs}
    schemas = {name: (name, *(typed.name for typed in actions[name].parameters)) for name in actions}
    return {
        "steps": iter([[(f"{n}.", step) for n, step in enumerate(steps, 1)] for steps in content.lists]),
        "literals": iter([content.literals]),
        "literal": iter([[Literal(content.fact)] if content.fact else []]),
        "costs": iter([[(schemas[name], costs[name]) for name in actions if name in costs]]),
        "object_costs": iter([[(name, costs[name]) for name in costs if name not in actions]]),
    }


class _Pddl:
    """Reads the PDDL in a question."""

    def __init__(self, domain: Domain) -> None:
        self.domain = domain

    def step(self, line: str) -> Step | None:
        step = parse_atom(line)
        return step if write_atom(step) == line else None

    def literal(self, line: str) -> Literal | None:
        literal = literal_of(line)
        return literal if write_literal(literal) == line else None

    def tells(self, passage: str, problem: Problem) -> str:
        written, expected = " ".join(passage.split()), " ".join(write_problem(problem).split())
        return "" if written == expected else "is another"

    def read(self, part: str, line: str) -> object:
        """Return the content of a line of a part; step numbers and costs remain text."""
        begin, _, content = line.partition(" ")
        if part == "steps":
            return begin, self.step(content)
        if part in ("literal", "literals"):
            return self.literal(line if part == "literal" else content)
        phrase, _, cost = content.rpartition(": ")
        return (phrase if part == "object_costs" else self.step(phrase)), cost


class _Words(_Pddl):
    """Reads the words in a question."""

    def __init__(self, plan_row: PlanRow) -> None:
        super().__init__(plan_row.readers.domain)
        self.plan_row, self.reader = plan_row, plan_row.readers.sentences

    def step(self, line: str) -> Step | None:
        read = self.reader.phrase(line, 0)
        return read.literals[0].atom if read and read.end == len(line) else None

    def literal(self, line: str) -> Literal | None:
        read = self.reader.clause(line, 0)
        return read.literals[0] if read and read.end == len(line) else None

    def tells(self, passage: str, problem: Problem) -> str:
        context, style = self.plan_row.readers.context, self.plan_row.row["style"]
        return "; ".join(context.faults_of_example(passage, problem, style))
