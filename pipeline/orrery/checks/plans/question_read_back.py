"""The question of a row, read back: the steps, literals and costs that it tells must be those of the row.

Numbered lines are steps and lines with a dash are literals or costs, in words or in PDDL; what the patterns
of the domain's words do not explain is a fault.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from orrery.checks.plans.plan_row import PlanRow, literal_of
from orrery.checks.reading.contexts import PROSE
from orrery.checks.reading.sentences import SentenceReader
from orrery.checks.task_check import QuestionContent
from orrery.language.words import names_by_type
from orrery.model import Domain, Literal, OrreryError, Problem, Step
from orrery.pddl.write import parse_atom, write_atom, write_literal, write_problem

NUMBERED = re.compile(r"(\d+)\. (.*)")
DASHED = re.compile(r"- (.*)")
PRICED = re.compile(r"(.*): (\d+)")
EXAMPLE = re.compile(r"^Example (\d+):\n", re.MULTILINE)
GOALS = ("Wanted: ", "The goal: ")
NUMBER = re.compile(r"(?<![\w?-])\d+(?![\w-])")


def check(row: PlanRow, content: QuestionContent) -> list[str]:
    """Return where the question, in words or in PDDL, tells something else than ``content``."""
    reader, domain = row.readers.sentences, row.readers.domain
    texts: dict[str, tuple[str, _Words | _Pddl]] = {
        "question": (row.row["question"], _Words(reader, domain, row)),
        "question_pddl": (row.row["question_pddl"], _Pddl(domain)),
    }
    return [
        f"{column}: {fault}"
        for column, (text, speech) in texts.items()
        for fault in _faults(text, speech, content)
    ]


class _Words:
    """Reads what a question says in words."""

    def __init__(self, reader: SentenceReader, domain: Domain, plan_row: PlanRow) -> None:
        self.reader, self.domain, self.asked = reader, domain, plan_row

    def step(self, line: str) -> Step | None:
        read = self.reader.phrase(line, 0)
        return read.atom if read and read.end == len(line) else None

    def literal(self, line: str) -> Literal | None:
        read = self.reader.clause(line, 0)
        return read.literals[0] if read and read.end == len(line) else None

    def tells(self, passage: str, problem: Problem) -> str:
        """Return what is wrong with the passage that tells a problem; its objects stand at the beginning."""
        names = names_by_type(problem, self.domain)
        end = self.reader.words.every("objects", names).longest(passage, 0)
        if end is None:
            return "does not list the objects"
        if self.asked.row["style"] == PROSE:
            return self._tells_in_prose(passage[end:], problem, names)
        statements, at = self._stated(passage, end)
        state = {Literal(fact) for fact in problem.init}
        if set(statements) != state or len(statements) != len(state):
            return "tells another state"
        opening = next((heading for heading in GOALS if passage.startswith(heading, at)), "")
        goal, at = self._stated(passage, at + len(opening))
        if not (opening and set(goal) == problem.goal):
            return "tells another goal"
        return ""

    def _tells_in_prose(self, passage: str, problem: Problem, names: Mapping[str, Sequence[str]]) -> str:
        """Return what is wrong with the passage behind the list of objects: two lines, state and goal."""
        context = self.asked.readers.context
        state_line, _, goal_lines = passage.lstrip().partition("\n")
        goal = goal_lines.partition("\n")[0]
        try:
            shapes = context.shapes.read(state_line, names)
            statements = [*map(Literal, shapes.facts), *context.prose.literals(shapes.rest, names)]
            if goal.startswith(GOALS[0]):
                asked_for = context.prose.literals(goal.removeprefix(GOALS[0]), names)
            elif goal.startswith(GOALS[1]) and goal.endswith("."):
                asked_for, _ = context.prose.clause(goal.removeprefix(GOALS[1])[:-1], names)
            else:
                return "tells no goal"
        except OrreryError as unread:
            return f"cannot be read: {unread}"
        state = [Literal(fact) for fact in problem.init if fact[0] not in context.listed_predicates]
        if sorted(statements) != sorted(state):
            return "tells another state"
        return "" if sorted(asked_for) == sorted(problem.goal) else "tells another goal"

    def _stated(self, text: str, at: int) -> tuple[list[Literal], int]:
        """Return what the sentences state that stand at ``at``, and where they end."""
        literals: list[Literal] = []
        while True:
            at = len(text) - len(text[at:].lstrip())
            if (read := self.reader.sentence(text, at)) is None:
                return literals, at
            literals, at = literals + read.literals, read.end

    def names(self, text: str, fact: Step) -> bool:
        return bool(self.reader.facts.ends(text, fact))


class _Pddl:
    """Reads what a question says in PDDL."""

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
        return "" if written.startswith(expected) else "is another"

    def names(self, text: str, fact: Step) -> bool:
        return write_atom(fact) in text


def _faults(text: str, speech: _Words | _Pddl, content: QuestionContent) -> list[str]:
    lines = text.split("\n")
    numbered = [(int(match[1]), match[2]) for line in lines if (match := NUMBERED.fullmatch(line))]
    dashed = [match[1] for line in lines if (match := DASHED.fullmatch(line))]
    frame = "\n".join(line for line in lines if not (NUMBERED.fullmatch(line) or DASHED.fullmatch(line)))
    faults = _listed(numbered, content, speech.step)
    if content.costs:
        faults += _priced(dashed, content, speech)
    else:
        faults += _told("literal", map(speech.literal, dashed), content.literals, dashed)
    numbers = {int(line) for line in NUMBER.findall(frame)}
    faults += [f"does not name the number {line}" for line in content.numbers if line not in numbers]
    faults += _examples(text, content, speech)
    if content.fact is not None and not speech.names(frame, content.fact):
        faults.append(f"does not name {write_atom(content.fact)}")
    return faults


def _examples(text: str, content: QuestionContent, speech: _Words | _Pddl) -> list[str]:
    """Return where the passages behind the headings of examples do not tell these problems."""
    marks = list(EXAMPLE.finditer(text))
    if [int(mark[1]) for mark in marks] != list(range(1, len(content.problems) + 1)):
        return [f"numbers other examples than {len(content.problems)}"]
    faults = [
        (mark[1], speech.tells(text[mark.end() :], problem))
        for mark, problem in zip(marks, content.problems, strict=True)
    ]
    return [f"example {number} {fault}" for number, fault in faults if fault]


def _listed(
    numbered: list[tuple[int, str]], content: QuestionContent, read: Callable[[str], Step | None]
) -> list[str]:
    """Return where the numbered lines are not the lists of steps."""
    numbers = [number for steps in content.lists for number in range(1, len(steps) + 1)]
    if [number for number, _ in numbered] != numbers:
        return [f"numbers other lines than {len(numbers)} steps"]
    steps = [step for steps in content.lists for step in steps]
    return _told("step", (read(line) for _, line in numbered), steps, [line for _, line in numbered])


def _told(noun: str, values: Iterable[object], expected: Iterable[object], lines: list[str]) -> list[str]:
    values, expected = list(values), list(expected)
    if len(values) != len(expected):
        return [f"tells {len(values)} {noun}s, should tell {len(expected)}"]
    return [
        f"'{line}' is not {noun} {number}, {expected_value}"
        for number, (value, expected_value, line) in enumerate(zip(values, expected, lines, strict=True), 1)
        if value != expected_value
    ]


def _priced(dashed: list[str], content: QuestionContent, speech: _Words | _Pddl) -> list[str]:
    """Return where the lines with a dash are not the costs of actions, with variables, and of objects."""
    costs: list[tuple[str, int]] = []
    objects = {name for name, _ in content.costs} - speech.domain.action_named.keys()
    for line in dashed:
        match = PRICED.fullmatch(line)
        if match and match[1] in objects:
            costs.append((match[1], int(match[2])))
            continue
        step = speech.step(match[1]) if match else None
        if match is None or step is None or step[0] not in speech.domain.action_named:
            return [f"'{line}' does not say what an action costs"]
        parameters = [typed.name for typed in speech.domain.action_named[step[0]].parameters]
        if list(step[1:]) != parameters:
            return [f"'{line}' does not say that of every {step[0]}"]
        costs.append((step[0], int(match[2])))
    return (
        []
        if sorted(costs) == sorted(content.costs)
        else ["tells other costs than action_costs and object_costs"]
    )
