"""What the adversary is told of tasks that a glance at their rows might answer.

Those in which half of the rows have one reply by design; and whether there is a plan, by how the facts of the
goal hang together, and which step is meant, by how far it is from the one asked about.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache, partial
from typing import Any, TypeAlias

from orrery.families.attack import JUDGE, PICK, WRITE, Attack, Candidate, Target
from orrery.families.plans.rows import PROMPTS
from orrery.families.plans.task import PlanTask
from orrery.families.plans.tasks.causality import PROVIDER
from orrery.families.plans.tasks.solvability import looks_of
from orrery.model import Domain, Literal
from orrery.pddl.read import read_domain, read_problem

HALF = 0.5  # "there is none", and "valid", are right in half of the rows
DISTANCE = 0.25  # of the rows on links between steps, what one distance has: two, three, four, or more
NEAR = (2, 3, 4)  # distances that a rule may go by
DOMAINS_KEPT = 64

Row: TypeAlias = Mapping[str, Any]
TargetOf: TypeAlias = Callable[[PlanTask, Row], Target]


def attack_of(task: PlanTask) -> Attack | None:
    """Return how rows of a task are attacked; None where its texts and gold replies say all."""
    if task.name not in ATTACKS:
        return None
    target, columns = ATTACKS[task.name]
    read = ("id", "problem_id", "domain", *PROMPTS["words"], *task.gold_columns, *columns)
    return Attack(tuple(dict.fromkeys(read)), partial(target, task))


def _target(
    task: PlanTask, row: Row, form: str, chance: float, candidates: Iterator[Candidate], fixed: float = 0.0
) -> Target:
    text, gold = "\n".join(row[name] for name in PROMPTS["words"]), frozenset([task.gold(row)])
    return Target(
        row["id"], row["domain"], row["problem_id"], form, text, gold, chance, tuple(candidates),
        fixed=fixed, offered=form != WRITE,
    )  # fmt: skip


def _halved(task: PlanTask, row: Row) -> Target:
    return _target(task, row, WRITE, HALF, iter(()), HALF)


def _solvable(task: PlanTask, row: Row) -> Target:
    """Return the target of a goal, to be judged without a look at the state."""
    return _target(task, row, JUDGE, HALF, _goal(row), HALF)


def _goal(row: Row) -> Iterator[Candidate]:
    """Yield the goal with what shows of its facts, and of each two of them."""
    goal = sorted(read_problem(row["problem_pddl"], _domain(row["domain_pddl"])).goal)
    named = [name for literal in goal for name in literal.atom[1:]]
    measures = {
        "facts of the goal": len(goal),
        "objects of the goal": len({*named}),
        "repeated objects of the goal": len(named) - len({*named}),
    }
    marks = tuple(_shown(goal))
    yield Candidate(" ".join(marks), row["solvable"], measures, marks)


def _shown(goal: list[Literal]) -> Iterator[str]:
    """Yield a word for the facts of each predicate, and for each two facts by their common arguments."""
    yield "-".join(literal.atom[0] for literal in goal)
    for (one, other, common), count in sorted(looks_of(goal).items()):
        yield "-".join([str(count), one, other, *(f"{m}{n}" for m, n in common)])


@lru_cache(maxsize=DOMAINS_KEPT)
def _domain(text: str) -> Domain:
    return read_domain(text)


def _linked(task: PlanTask, row: Row) -> Target:
    """Return the target of a question on a link between steps, to be answered by the numbers alone."""
    found = list(_steps(row))
    return _target(task, row, PICK, max(DISTANCE, 1 / max(1, len(found))), iter(found))


def _steps(row: Row) -> Iterator[Candidate]:
    """Yield what may be the answer, in order: all before or behind a step, but for its neighbor."""
    asked, last = row["step"], len(row["shown"])
    for number in range(asked - 1) if row["asked"] == PROVIDER else range(asked + 2, last + 1):
        away = abs(asked - number) if number else last
        measures = {f"nearness to {n} steps away": -abs(away - n) for n in NEAR}
        yield Candidate(str(number), number == row["answer"], measures, (f"{row['asked']} {away}",))


ATTACKS: Mapping[str, tuple[TargetOf, tuple[str, ...]]] = {
    "verification": (_halved, ()),
    "solvability": (_solvable, ("domain_pddl", "problem_pddl")),
    "causality": (_linked, ("asked", "shown", "step")),
}
