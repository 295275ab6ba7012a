"""A question as a whole: its columns, its answer, the reply that gives it, and the state it comes from."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache, partial
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import Any

from orrery.catalog import entry_of
from orrery.checks import FamilyChecks, agreement, answers, balance, columns, states, words_read_back
from orrery.checks.columns import CHOICE, OPEN, YES_NO, format_of
from orrery.checks.formats import check_choice, check_yes_no
from orrery.checks.inputs import CheckedProblem, CheckInputs
from orrery.checks.removals import PAIR
from orrery.checks.verdicts import Verdicts
from orrery.checks.world import RecheckedState
from orrery.grading import grade
from orrery.model import Atom
from orrery.pddl.write import parse_atom, write_atom

OF_STATE = ("h_star", "num_states")

Row = Mapping[str, Any]


def check_problem(checked: CheckedProblem, found: Verdicts) -> None:
    """Check each state asked about with its questions, which share what is found."""
    asked: dict[str, list[Row]] = defaultdict(list)
    for question in checked.published("questions"):
        asked[f"{question['state_source']}-{question['state_step']}"].append(question)
    for row in checked.rows["states"]:
        there = replace(checked.problem, init=frozenset(map(parse_atom, row["state"])))
        world = checked.world(checked.entry.domain, there)
        named = {**row, "domain": checked.row["domain"]}
        found.judge("states", named, partial(states.check, world, row))
        for question in asked.pop(f"{row['source']}-{row['step']}", ()):
            found.judge("agreement", question, partial(agreement.check, question, checked.row, None))
            found.judge("answers", question, partial(_answered, checked, question, row, world))
    for question in chain.from_iterable(asked.values()):
        found.judge("answers", question, partial(_answered, checked, question, None, None))


def _answered(
    checked: CheckedProblem, row: Row, state: Row | None, world: RecheckedState | None
) -> list[str]:
    """What is wrong with a question; its own PDDL counts where that is not the state's."""
    domain, problem = columns.read(row)
    if world is None or (domain, problem) != (world.domain, world.problem):
        world = checked.world(domain, problem)
    faults = check(row, world) + check_origin(row, problem.init, state)
    return faults + words_read_back.check(row, _phrases(checked.inputs.root, checked.entry.name))


@cache
def _phrases(root: Path, name: str) -> words_read_back.Phrases:
    """What questions of the domain are read with, made once a process."""
    entry = entry_of(root, name)
    return words_read_back.Phrases(entry.words, entry.domain)


def check_dataset(inputs: CheckInputs, found: Verdicts, _jobs: int) -> None:
    """Check that counting betrays no answers."""
    found.enter("balance", "", "all questions", balance.check(inputs.dataset))


def check(row: Row, world: RecheckedState) -> list[str]:
    """What is wrong with a question about the state of ``world``; raises OrreryError on unreadable claims."""
    routes: Mapping[str, Callable[[Row, RecheckedState], list[str]]] = MappingProxyType(
        {OPEN: answers.check, YES_NO: check_yes_no, CHOICE: check_choice}
    )
    return columns.check(row, world) + routes[format_of(row)](row, world) + _graded(row)


def check_origin(row: Row, problem_init: frozenset[Atom], state: Row | None) -> list[str]:
    """Where a row does not ask about the decided state that it says it comes from.

    ``state`` has the facts (``state``) and the numbers of ``OF_STATE`` of that state; None where there is
    no such state. The numbers are proven anew with the state. ``problem_init`` is the row's own.
    """
    if state is None:
        return [f"there is no state '{row['state_source']}' at step {row['state_step']}"]
    own, its = set(map(write_atom, problem_init)), set(state["state"])
    found = [f"init: {fact} is missing" for fact in sorted(its - own)]
    found += [f"init: {fact} is too much" for fact in sorted(own - its)]
    differing = [name for name in OF_STATE if row[name] != state[name]]
    return found + [f"{name} is {row[name]}, that of the state {state[name]}" for name in differing]


def _graded(row: Row) -> list[str]:
    """The faults that the grader finds in the gold answer."""
    score = grade(gold_reply(row), row)
    return [] if score.value == 1 else [f"the gold answer is graded {score.verdict}: {score.detail}"]


def _shortened(row: Row) -> list[str]:
    """The plan without what the first removal of the answer takes out."""
    start, removed = row["positions"][0], row["answer"][0]
    return [*row["plan"][:start], *row["plan"][start + (2 if removed[-1] == PAIR else 1) :]]


def gold_reply(row: Row) -> str:
    """A reply that gives the stored answer; of answers that are alternatives the first."""
    answer = row["answer"]
    if format_of(row) != OPEN:
        return f"ANSWER: {answer}"
    if row["kind"] == "prog":
        return f"ANSWER: pos: {' '.join(answer['pos']) or 'None'} neg: {' '.join(answer['neg']) or 'None'}"
    written: dict[str, Callable[[], str]] = {
        "app": lambda: " ".join(answer),
        "val": lambda: str(answer),
        "reach": lambda: f"({answer[0]})" if answer else "",
        "areach": lambda: answer[0] if answer else "",
        "just": lambda: " ".join(_shortened(row)),
        "land": lambda: answer["yes"][0] if answer["yes"] else "",
        "nexta": lambda: answer["yes"][0] if answer["yes"] else "",
    }
    return f"ANSWER: {written[row['kind']]() or 'None'}"


CHECKS = FamilyChecks(
    columns={
        "tables": ("id",),
        "agreement": ("problem_id", "difficulty", "seed_path", "PDDL_domain"),
        "states": ("state_source", "state_step", "num_states", "h_star"),
        # The question in PDDL is read in closed formats only, so that it is not listed.
        "answers": (
            "group", "kind", "domain", "answer", "answer_all", "answer_all_is", "num_unreachable", "typing",
            "plan", "positions", "sequence", "PDDL_problem", "context_pddl", "context_both", "num_objects",
            "num_facts", "num_actions", "branching", "proofs", "question", "query", "choices",
            "choices_pddl", "claim", "claims",
        ),
    },
    problem=check_problem,
    dataset=check_dataset,
    beside={"states": ("solutions",)},
    costly=True,
)  # fmt: skip
