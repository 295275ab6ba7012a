"""ACPBench Hard (section 6 and Figure 8); ACPBench: the stored answer is looked up and compared.

An open answer is read by the grammar of Figure 8: tokens that do not fit are discarded, so the first action
or fact in parentheses, ``None``, index or pair of lists is the answer. Names are compared regardless of case,
as in PDDL. The stored sets decide if they can; otherwise a planner does, on the row's PDDL. Labelled lists of
effects, which our prompts ask for and the grammar lacks, are those that our reader reads. ``None`` is
undefined for landmarks, so it is undecided in rows without any.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any, TypeAlias

from orrery.grading import Score
from orrery.grading.row import action_sequence, atom_set, structured_value
from orrery.model import Atom, Domain, Literal, Problem, literals
from orrery.pddl.faults import PddlError
from orrery.pddl.read import read_problem
from orrery.pddl.write import write_atom, write_problem
from orrery.planning.decide import ProofBudget, prove
from orrery.planning.decided import LANDMARK, NEXT, undecided
from orrery.planning.execution import applicable, check_plan, mistyped, substituted
from orrery.planning.grounding import ground
from orrery.planning.static_conditions import read_pair
from orrery.scoring.problems.solvability import Prover
from orrery.scoring.scorer import DatasetRow

BUDGET = ProofBudget(states=50_000, calls=10, seconds=5.0)
NOTHING: Atom = ()  # the answer ``None``
_NAME = r"[a-zA-Z][a-zA-Z0-9_-]*"
_TOKEN = re.compile(rf"[()]|{_NAME}")
_INDEX_TOKEN = re.compile(rf"{_NAME}|([0-9]+)")
_LIST = re.compile(r"\[([^\[\]]*)\]")
_PUBLISHED = "published_answer"  # of imported rows, whose ``answer`` is decided again

Verdict: TypeAlias = bool | None


class _Unread(Exception):
    """The grammar finds no answer in the reply."""


def value(reply: str, row: DatasetRow, score: Score) -> float | None:
    """Return whether the answer of a reply is right; None if no planner decides it within its limits."""
    rule = _RULES.get(str(row["group"]))
    if rule is None:
        return score.value
    try:
        verdict = rule(_bracketed(reply, score.answer), row)
    except _Unread:
        return 0.0
    except PddlError:  # beyond the subset of our planners
        return None
    return None if verdict is None else float(verdict)


def _bracketed(reply: str, answer: Any) -> str:
    """Return a reply with its labelled lists of effects in brackets; any other reply as it is."""
    if not isinstance(answer, Mapping) or len(_LIST.findall(reply)) > 1:
        return reply
    return " ".join(f"[{' '.join(map(write_atom, answer[part]))}]" for part in ("pos", "neg"))


def _stored(row: DatasetRow) -> Any:
    return json.loads(row[_PUBLISHED]) if row.get(_PUBLISHED) else structured_value(row, "answer")


def _atoms(tokens: Iterable[str]) -> Iterator[Atom]:
    """Yield the actions or facts in parentheses, and ``NOTHING`` for ``None`` outside of them."""
    names: list[str] | None = None
    for token in tokens:
        if token == "(":
            names = [] if names is None else names
        elif token == ")":
            if names:
                yield tuple(names)
                names = None
        elif names is not None:
            names.append(token.lower())
        elif token == "None":
            yield NOTHING


def _act(reply: str) -> Atom:
    """Return the first action or fact of a reply, or ``NOTHING``."""
    for atom in _atoms(_TOKEN.findall(reply)):
        return atom
    raise _Unread


def _actions(reply: str) -> list[Atom]:
    return [atom for atom in _atoms(_TOKEN.findall(reply)) if atom]


@lru_cache(maxsize=16)
def _read_pair(domain: str, problem: str) -> tuple[Domain, Problem]:
    return read_pair(domain, problem)


def _task(row: DatasetRow) -> tuple[Domain, Problem]:
    return _read_pair(row["PDDL_domain"], row["PDDL_problem"])


def _app(reply: str, row: DatasetRow) -> Verdict:
    return {*_actions(reply)} == atom_set(_stored(row))


def _prog(reply: str, row: DatasetRow) -> Verdict:
    lists, stored = _LIST.findall(reply)[:2], _stored(row)
    if len(lists) < 2:
        raise _Unread
    return [{*_actions(text)} for text in lists] == [atom_set(stored[part]) for part in ("pos", "neg")]


def _unreachable(
    by_search: Callable[[Domain, Problem, Atom], Verdict], reply: str, row: DatasetRow
) -> Verdict:
    """Return whether a fact or action is in the stored set; if not, and the set is not empty, search."""
    atom, stored = _act(reply), atom_set(_stored(row))
    if not atom or not stored or atom in stored:
        return atom in stored or not (atom or stored)
    return by_search(*_task(row), atom)


def _never_holds(domain: Domain, problem: Problem, fact: Atom) -> Verdict:
    return _is_fact(domain, problem, fact) and _is_unreachable(domain, problem, literals([fact]))


def _is_never_applicable(domain: Domain, problem: Problem, step: Atom) -> Verdict:
    if mistyped(domain, problem, step):
        return False
    action = domain.action_named[step[0]]
    values = {parameter.name: name for parameter, name in zip(action.parameters, step[1:], strict=True)}
    needed = (Literal(substituted(atom, values), positive) for atom, positive in action.preconditions)
    return _is_unreachable(domain, problem, frozenset(needed))


def _is_fact(domain: Domain, problem: Problem, fact: Atom) -> bool:
    """Return whether a fact has a declared name, and objects that fit."""
    try:
        read_problem(write_problem(replace(problem, goal=literals([fact]))), domain)
    except PddlError:
        return False
    return True


def _is_unreachable(domain: Domain, problem: Problem, goal: frozenset[Literal]) -> Verdict:
    solvable = Prover(domain).solve(replace(problem, goal=goal)).solvable
    return None if solvable is None else not solvable


def _val(reply: str, row: DatasetRow) -> Verdict:
    for index in filter(None, _INDEX_TOKEN.findall(reply)):
        return bool(index.lstrip("0") == str(_stored(row)).lstrip("0"))
    raise _Unread


def _just(reply: str, row: DatasetRow) -> Verdict:
    """Return whether the reply is a plan, and a proper subsequence of the given plan."""
    steps, plan = _actions(reply), action_sequence(row, "plan")
    remaining = iter(plan)
    is_subsequence = all(step in remaining for step in steps)
    return len(steps) < len(plan) and is_subsequence and check_plan(*_task(row), steps).valid


def _land(reply: str, row: DatasetRow) -> Verdict:
    fact, stored = _act(reply), _stored(row)
    if not fact and not stored["yes"]:
        return None
    domain, problem = _task(row)
    if not fact or not _is_fact(domain, problem, fact) or fact in problem.init | problem.goal_facts:
        return False
    if fact in atom_set([*stored["yes"], *stored["no"]]):
        return fact in atom_set(stored["yes"])
    decided = prove(ground(domain, problem), LANDMARK, BUDGET)
    if decided.solvable is False:
        return True  # no plan avoids the fact
    is_open = decided.solvable is None or undecided(LANDMARK, fact) in decided.undecided
    return None if is_open else fact in decided.landmarks


def _nexta(reply: str, row: DatasetRow) -> Verdict:
    step, stored = _act(reply), _stored(row)
    if not step or step in atom_set([*stored["yes"], *stored["no"]]):
        return step in atom_set(stored["yes"])
    domain, problem = _task(row)
    if mistyped(domain, problem, step) or not applicable(domain, problem.init, step):
        return False
    decided = prove(ground(domain, problem), NEXT, BUDGET)
    is_open = decided.optimal_cost is None or undecided(NEXT, step) in decided.undecided
    return None if is_open else step in decided.optimal_first_actions


_RULES: Mapping[str, Callable[[str, DatasetRow], Verdict]] = {
    "applicable_actions_gen": _app,
    "progression_gen": _prog,
    "reachable_atom_gen": partial(_unreachable, _never_holds),
    "reachable_action_gen": partial(_unreachable, _is_never_applicable),
    "validation_gen": _val,
    "action_justification_gen": _just,
    "landmarks_gen": _land,
    "goal_closer_gen": _nexta,
}
