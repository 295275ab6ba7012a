"""Answers to questions, from the PDDL in the row: lifted brute force, plain search, and Fast Downward.

The answers were made by the ground task and the compiled sweep. Here applicability and progression
are decided by trying every well-typed ground action on a set of facts; reachability by a plain
search and by planner calls; landmarks and costs by planner calls alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pipeline.grading import grade
from pipeline.model import Atom, Domain, Problem
from pipeline.pddl.read import read_domain, read_problem
from pipeline.pddl.write import parse_atom, write_atom
from pipeline.planners.exhaustive_python import reachable
from pipeline.planners.fast_downward import solve
from pipeline.planners.outcome import Outcome
from pipeline.semantics.execution import applicable_steps, progress
from pipeline.semantics.grounding import ground
from pipeline.semantics.progression import run
from pipeline.semantics.task import Task
from pipeline.semantics.universe import fluent_atoms

PLAIN_LIMIT = 3_000


def check(row: Mapping[str, Any], seconds: float) -> list[str]:
    """What is wrong with the answer of a row; the gold answer must also satisfy our own grader."""
    domain = read_domain(row["PDDL_domain"], row["id"])
    problem = read_problem(row["PDDL_problem"], domain, row["id"])
    routes = {"app": _app, "prog": _prog, "land": _land, "reach": _reach}
    return routes[row["kind"]](domain, problem, row, seconds) + _graded(row)


def _graded(row: Mapping[str, Any]) -> list[str]:
    """The faults that the grader finds in the gold answer."""
    score = grade(gold_reply(row), row)
    return [] if score.value == 1 else [f"the gold answer is graded {score.verdict}: {score.detail}"]


def gold_reply(row: Mapping[str, Any]) -> str:
    """A reply that gives the stored answer; of answers that are alternatives the first."""
    answer = row["answer"]
    if row["kind"] == "prog":
        return f"ANSWER: pos: {' '.join(answer['pos']) or 'None'} neg: {' '.join(answer['neg']) or 'None'}"
    if row["kind"] == "app":
        return f"ANSWER: {' '.join(answer) or 'None'}"
    chosen = answer["yes"] if row["kind"] == "land" else [f"({fact})" for fact in answer]
    return f"ANSWER: {chosen[0] if chosen else 'None'}"


def _app(domain: Domain, problem: Problem, row: Mapping[str, Any], _: float) -> list[str]:
    wanted = [write_atom(step) for step in applicable_steps(domain, problem, problem.init)]
    return _different("applicable", row["answer"], wanted)


def _prog(domain: Domain, problem: Problem, row: Mapping[str, Any], _: float) -> list[str]:
    """The effects of the action that the question names, told by which applicable one has them."""
    answer = (sorted(row["answer"]["pos"]), sorted(row["answer"]["neg"]))
    asked = [
        step
        for step in applicable_steps(domain, problem, problem.init)
        if write_atom(step) in row["question"]
    ]
    if not asked:
        return ["the question names no applicable action"]
    after = [progress(domain, problem.init, step) for step in asked]
    effects = [(_texts(t - problem.init), _texts(problem.init - t)) for t in after]
    return [] if answer in effects else [f"the effects are {effects[0]}, stored {answer}"]


def _reach(domain: Domain, problem: Problem, row: Mapping[str, Any], seconds: float) -> list[str]:
    """Everything stored is out of reach together (one planner call), and all else is reached."""
    task = ground(domain, problem)
    stored = [tuple(fact.split()) for fact in row.get("answer_all") or row["answer"]]
    universe = fluent_atoms(domain, problem)
    found = [f"({' '.join(fact)}) is outside the universe" for fact in stored if fact not in set(universe)]
    found += [
        f"({' '.join(fact)}) can be reached" for fact in stored if _reached(task, fact, seconds) is True
    ]
    rest = [fact for fact in universe if fact not in set(stored)]
    return found + [f"({' '.join(fact)}) is never reached" for fact in _not_seen(task, rest, seconds)]


def _not_seen(task: Task, facts: list[Atom], seconds: float) -> list[Atom]:
    """Those of ``facts`` that neither a plain search nor a planner proves reachable."""
    seen = 0
    for mask in reachable(task, limit=PLAIN_LIMIT).states:
        seen |= mask
    open_facts = [fact for fact in facts if not task.bit.get(fact, 0) & seen]
    return [fact for fact in open_facts if _reached(task, fact, seconds) is False]


def _reached(task: Task, fact: Atom, seconds: float) -> bool | None:
    """Whether some reachable state holds ``fact``; None where the planner does not decide."""
    if fact not in task.bit:
        return False
    answer = solve(replace(task, goal_positive=task.bit[fact], goal_negative=0), seconds=seconds)
    if answer.plan is not None:
        return True
    return False if answer.outcome is Outcome.UNSOLVABLE_PROVEN else None


def _land(domain: Domain, problem: Problem, row: Mapping[str, Any], seconds: float) -> list[str]:
    """Without each stored landmark no plan is left; each other candidate is avoided by some plan."""
    task = ground(domain, problem)
    yes, no = (list(map(parse_atom, row["answer"][side])) for side in ("yes", "no"))
    trivial = problem.init | problem.goal_facts
    universe = [fact for fact in fluent_atoms(domain, problem) if fact not in trivial]
    found = _different(
        "candidates", [write_atom(f) for f in sorted(yes + no)], [write_atom(f) for f in universe]
    )
    answer = solve(task, optimal=row["h_star"] is not None, seconds=seconds)
    if answer.plan is None:
        return (
            [*found, f"no plan: {answer.outcome}"] if answer.outcome is Outcome.UNSOLVABLE_PROVEN else found
        )
    if answer.plan.optimal and len(answer.plan.steps) != row["h_star"]:
        found.append(f"h_star is {row['h_star']}, A* finds {len(answer.plan.steps)}")
    on_plan = task.facts_of(_union(run(task, answer.plan.steps) or []))
    found += [f"{write_atom(f)} is no landmark" for f in yes if _avoidable(task, f, seconds) is True]
    asked = [fact for fact in no if fact in on_plan]
    return found + [f"{write_atom(f)} is a landmark" for f in asked if _avoidable(task, f, seconds) is False]


def _avoidable(task: Task, fact: Atom, seconds: float) -> bool | None:
    """Whether some plan never makes ``fact`` true; None where the planner does not decide."""
    answer = solve(task, forbidden=fact, seconds=seconds)
    if answer.plan is not None:
        return True
    return False if answer.outcome is Outcome.UNSOLVABLE_PROVEN else None


def _union(masks: list[int]) -> int:
    seen = 0
    for mask in masks:
        seen |= mask
    return seen


def _texts(facts: frozenset[Atom]) -> list[str]:
    return sorted(map(write_atom, facts))


def _different(what: str, stored: list[str], wanted: list[str]) -> list[str]:
    """What is missing from a stored set, and what should not be there."""
    missing, extra = sorted(set(wanted) - set(stored)), sorted(set(stored) - set(wanted))
    return [f"{what}: {item} is missing" for item in missing] + [
        f"{what}: {item} is too much" for item in extra
    ]
