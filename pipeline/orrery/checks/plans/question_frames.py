"""The question of a row around what it tells: it must be a wording of its task, and nothing more."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

from orrery.checks.plans.plan_row import FOLDER, PlanRow
from orrery.checks.task_check import QuestionContent
from orrery.language.words import WORDINGS_TRIED, macros_of

LINES, WORDS, PASSAGE = "\x01", "\x02", "\x03"
LISTED = re.compile(r"(?:\d+\. |- ).*")


class _Marks:
    """Says what a template asks for as marks: lines of a list, words within a line, or a passage."""

    def steps(self, _steps: object) -> str:
        return LINES

    def literals(self, _literals: object) -> str:
        return LINES

    def costs(self, _costs: object) -> str:
        return LINES

    def object_costs(self, _costs: object) -> str:
        return LINES

    def literal(self, _literal: object) -> str:
        return WORDS

    def example(self, _example: object) -> str:
        return PASSAGE


def check(plan_row: PlanRow, content: QuestionContent) -> list[str]:
    """Return the questions, in words or in PDDL, that are no wording of the template."""
    frames = _frames(plan_row.readers.words.templates, plan_row.task, content.said, len(content.problems))
    return [
        f"{column}: is no wording of this task"
        for column in ("question", "question_pddl")
        if not any(frame.fullmatch(_rest(plan_row.row[column].split("\n"))) for frame in frames)
    ]


def _rest(lines: Iterable[str]) -> str:
    """Return the lines that list nothing."""
    return "\n".join(line for line in lines if not (LISTED.fullmatch(line) or line == LINES))


@lru_cache(maxsize=256)
def _frames(
    templates: Path, task: str, values: tuple[object, ...], examples: int
) -> tuple[re.Pattern[str], ...]:
    """Return the wordings of a task as patterns; ``values`` is what the template is given besides lists."""
    listed: list[object] = [[{}] * examples] if examples else []
    question = macros_of(templates, f"{FOLDER}/{task}", "question").question
    texts = [str(question(_Marks(), variant, *listed, *values)) for variant in range(WORDINGS_TRIED)]
    return tuple(re.compile(_pattern(text)) for text in dict.fromkeys(texts))


def _pattern(text: str) -> str:
    lines = [" ".join(line.split()) for line in text.split("\n")]
    pattern = re.escape(_rest(line for line in lines if line))
    return pattern.replace(WORDS, ".+?").replace(PASSAGE, r"[\s\S]+?")
