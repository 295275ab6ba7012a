"""Find abstract texts with slips, and those shared by problems that differ, at all difficulties."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from orrery.catalog import Entry
from orrery.checks.all_wordings import Passage, abstract_texts, masked
from orrery.checks.texts import counted_nouns, slips
from orrery.language.words import names_by_type
from orrery.model import Generated, ParameterError, parameters_beside
from orrery.problems.problem_keys import Rejection, problem_keys
from orrery.seeds import stream

DRAWS = 3  # problems per task and difficulty
SHOWN = 240  # characters of a text in a message


def fault_of_texts(entry: Entry) -> list[str]:
    """Return a line on a text with a slip, or one that several problems share although they differ.

    Problems are drawn of every task and difficulty, and each wording of their texts is compared.
    """
    drawn, number_by_text = list[Generated](), dict[str, int]()

    @cache
    def key(number: int) -> str:
        outcome = problem_keys(entry, drawn[number])
        if isinstance(outcome, Rejection) or outcome.goal_holds:
            return ""  # such a problem has no abstract text
        return outcome.loose

    def are_told_apart(number: int, other: int) -> bool:
        keys = key(number), key(other)
        return not all(keys) or keys[0] == keys[1]

    for number, generated in enumerate(_problems(entry)):
        drawn.append(generated)
        names = names_by_type(generated.problem, entry.domain)
        for text in _texts(entry, generated, names):
            if found := slips(text, counted_nouns(names)):
                return [f"{entry.words.path}: a text of {generated.task.name} has {found[0]}"]
            if not are_told_apart(number, number_by_text.setdefault(repr(masked(names, text)), number)):
                fault = f"problems of {generated.task.name} that differ share the text {text[:SHOWN]!r}"
                return [f"{entry.words.path}: {fault}"]
    return []


def _problems(entry: Entry) -> Iterator[Generated]:
    """Yield drawn problems of the tasks with abstract texts for both parts, smallest difficulties first."""
    has = entry.words.has_passage
    tasks = [task for task in entry.tasks if has("init", task.init) and has("goal", task.goal)]
    for difficulty in entry.description.difficulties or ("",):
        for task in tasks:
            for number in range(DRAWS):
                rng = stream(number, "doctor", entry.name, task.name, difficulty)
                try:
                    yield entry.make(task, difficulty, rng)
                except ParameterError:  # no problem of this draw
                    continue


def _texts(entry: Entry, generated: Generated, names: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Yield the abstract texts of a problem."""
    told = {"init": generated.init_parameters, "goal": generated.goal_parameters}
    passages = [
        Passage(part, configuration, parameters_beside(told[part], explicit_goal=False))
        for part, configuration in (("init", generated.task.init), ("goal", generated.task.goal))
    ]
    yield from abstract_texts(entry.words, passages, names)
