"""Read the words of a row back: its context must match its PDDL, its question must match the row.

A question must be a wording of its task around the steps, literals, costs and examples of the row, each in
words or in PDDL. Text that the patterns of the domain's words do not explain is a fault.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import NamedTuple, TypeAlias

from orrery.checks.plans.plan_row import FOLDER, PlanRow
from orrery.checks.reading.sentences import SentenceReader
from orrery.checks.task_check import QuestionContent
from orrery.language.choices import Wordings
from orrery.language.words import WORDINGS_TRIED, macro_name, macros_of, names_by_type
from orrery.model import Domain, Literal, Problem, Step
from orrery.pddl.write import write_atom, write_literal, write_problem

Content: TypeAlias = Step | Literal | str  # what a line states: a step, a literal, or the name of an object
Lines: TypeAlias = Mapping[str, Sequence[Sequence[tuple[str, Content, str]]]]  # with the text around it

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
    if plan_row.renamed is not None:
        steps = list(map(plan_row.renamed.tables.step, steps))
    passages = _passages(plan_row) if plan_row.row.get("form") == ABSTRACT else None
    read, row = plan_row.context_reader, plan_row.row
    misread = read.check(
        row["context"], plan_row.task, plan_row.context_problem, steps, passages, style=row["style"]
    )
    return misread.faults_of(row)


def _passages(plan_row: PlanRow) -> Wordings:
    """Return the wordings of the abstract goal of the row's problem."""
    origin = plan_row.checked.row
    parameters = json.loads(origin["parameters"])["goal"]
    names = names_by_type(plan_row.checked.problem, plan_row.plain_domain)
    return plan_row.spoken.words.every(macro_name("goal", origin["goal"]), parameters, names)


class _Speech(NamedTuple):
    """Whether a text states a step, a literal or a name, and the faults of a passage on an example."""

    states: Callable[[str, Content], bool]
    example_faults: Callable[[str, Problem], str]


def check_question(row: PlanRow, content: QuestionContent) -> list[str]:
    """Return where the question, in words or in PDDL, differs from ``content``."""
    frames = _frames(row.spoken.words.templates, row.task, content.said, len(content.problems))
    expected = _expected(content, row.spoken.domain)
    in_words = partial(row.context_reader.faults_of_example, style=row.row["style"])
    speeches = {
        "question": _Speech(partial(_says, row.context_reader.sentences), in_words),
        "question_pddl": _Speech(_writes, _other_problem),
    }
    return [
        f"{column}: {fault}"
        for column, speech in speeches.items()
        for fault in _faults(f"{row.row[column]}\n", frames, speech, content, expected)
    ]


def _says(reader: SentenceReader, text: str, value: Content) -> bool:
    """Return whether a text in words states a value."""
    if isinstance(value, str):
        return text == value
    if isinstance(value, Literal):
        read = reader.clause(text, 0)
    else:
        read, value = reader.phrase(text, 0), Literal(value)
    return read is not None and read[:2] == ([value], len(text))


def _writes(text: str, value: Content) -> bool:
    """Return whether a text is a value in PDDL."""
    if isinstance(value, Literal):
        return text == write_literal(value)
    return text == (value if isinstance(value, str) else write_atom(value))


def _other_problem(passage: str, problem: Problem) -> str:
    return "" if passage.split() == write_problem(problem).split() else "is another"


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


def _faults(
    text: str, frames: Sequence[_Frame], speech: _Speech, content: QuestionContent, expected: Lines
) -> list[str]:
    """Return the faults of a question under the wording that gives the fewest."""
    matches = [(frame, match) for frame in frames if (match := frame.pattern.fullmatch(text))]
    readings = [[*_misread(frame, match.groups(), speech, content, expected)] for frame, match in matches]
    return min(readings, key=len, default=["is no wording of this task"])


def _misread(
    frame: _Frame, groups: Sequence[str], speech: _Speech, content: QuestionContent, expected: Lines
) -> Iterator[str]:
    """Yield where the parts of a question differ from the expected content."""
    problems, untold = iter(content.problems), {part: [*several] for part, several in expected.items()}
    for part, text in zip(frame.parts, groups, strict=True):
        if part == "example":
            if fault := speech.example_faults(text, next(problems)):
                yield f"an example: {fault}"
            continue
        lines = [text] if part == "literal" else text.splitlines()
        values = untold[part].pop(0) if untold[part] else []
        if len(lines) != len(values):
            yield f"tells {len(lines)} {part}, should tell {len(values)}"
        for line, (before, value, after) in zip(lines, values, strict=False):
            middle = line.removeprefix(before).removesuffix(after)
            if line != before + middle + after or not speech.states(middle, value):
                yield f"'{line}' should tell {before}{value}{after}"
    if any(problems):
        yield "does not tell all examples"
    yield from (f"does not tell all {part}" for part, several in untold.items() if any(several))
    numbers = (*content.numbers, *range(1, len(content.problems) + 1))  # examples are numbered from 1
    yield from (f"does not name the number {n}" for n in numbers if n not in frame.numbers)


def _expected(content: QuestionContent, domain: Domain) -> Lines:
    """Return the lines of each part of a question, one list for each occurrence of the part."""
    costs, actions = dict(content.costs), domain.action_named
    schemas = {name: (name, *(p.name for p in actions[name].parameters)) for name in actions if name in costs}
    return {
        "steps": [[(f"{n}. ", step, "") for n, step in enumerate(steps, 1)] for steps in content.lists],
        "literals": [[("- ", literal, "") for literal in content.literals]],
        "literal": [[("", Literal(content.fact), "")] if content.fact else []],
        "costs": [[("- ", schema, f": {costs[name]}") for name, schema in schemas.items()]],
        "object_costs": [[("- ", name, f": {costs[name]}") for name in costs if name not in schemas]],
    }
