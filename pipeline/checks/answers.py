"""Answers to questions, from the PDDL in the row: lifted brute force, plain search, and Fast Downward.

The answers were made by the ground task and the compiled sweep. Here applicability and progression
are decided by trying every well-typed ground action on a set of facts; reachability by a plain
search and by planner calls; landmarks and costs by planner calls alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from pipeline.checks.evidence import Condition, can_avoid, can_hold, none_can_hold, shortest
from pipeline.checks.open_matters import undecided
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
from pipeline.semantics.task import Task, union
from pipeline.semantics.universe import fluent_atoms

PLAIN_LIMIT = 3_000
PUBLISHED_MOST = 50
OF_STATE = ("h_star", "num_states")


def check(row: Mapping[str, Any], seconds: float) -> list[str]:
    """What is wrong with the answer of a row; the gold answer must also satisfy our own grader."""
    domain = read_domain(row["PDDL_domain"], row["id"])
    problem = read_problem(row["PDDL_problem"], domain, row["id"])
    routes = {"app": _app, "prog": _prog, "land": _land, "reach": _reach}
    faults = routes[row["kind"]](domain, problem, row, seconds) + _graded(row)
    if row["num_objects"] != len(problem.objects):
        faults.append(f"num_objects is {row['num_objects']}, should be {len(problem.objects)}")
    return faults


def check_origin(row: Mapping[str, Any], state: Mapping[str, Any] | None) -> list[str]:
    """Where a row does not ask about the decided state that it says it comes from.

    ``state`` has the facts (``state``) and the numbers of ``OF_STATE`` of that state; None where there is
    no such state. The numbers are proven anew with the state.
    """
    if state is None:
        return [f"there is no state '{row['state_source']}' at step {row['state_step']}"]
    domain = read_domain(row["PDDL_domain"], row["id"])
    problem = read_problem(row["PDDL_problem"], domain, row["id"])
    faults = _different("init", _texts(problem.init), state["state"])
    differing = [name for name in OF_STATE if row[name] != state[name]]
    return faults + [f"{name} is {row[name]}, that of the state {state[name]}" for name in differing]


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
    faults = [f"branching is {row['branching']}"] if row["branching"] != len(wanted) else []
    return faults + _different("applicable", row["answer"], wanted)


def _prog(domain: Domain, problem: Problem, row: Mapping[str, Any], _: float) -> list[str]:
    """The effects of the action that the question names, told by which applicable one has them."""
    answer = (sorted(row["answer"]["pos"]), sorted(row["answer"]["neg"]))
    repeats = [fault for side, facts in row["answer"].items() for fault in _repeats(side, facts)]
    asked = [
        step
        for step in applicable_steps(domain, problem, problem.init)
        if write_atom(step) in row["question"]
    ]
    if not asked:
        return ["the question names no applicable action"]
    after = [progress(domain, problem.init, step) for step in asked]
    effects = [(_texts(t - problem.init), _texts(problem.init - t)) for t in after]
    return repeats or ([] if answer in effects else [f"the effects are {effects[0]}, stored {answer}"])


def _reach(domain: Domain, problem: Problem, row: Mapping[str, Any], seconds: float) -> list[str]:
    """Everything stored is out of reach together (one planner call), and all else is reached."""
    task = ground(domain, problem)
    stored = {tuple(fact.split()) for fact in row["answer_all"]}
    universe = fluent_atoms(domain, problem)
    found = _repeats("answer_all", row["answer_all"])
    if row["answer"] != row["answer_all"][:PUBLISHED_MOST]:
        found.append(f"answer is not the first {PUBLISHED_MOST} of answer_all")
    found += [f"{write_atom(fact)} is outside the universe" for fact in sorted(stored - set(universe))]
    found += _stored_faults(task, sorted(fact for fact in stored if fact in task.bit), seconds)
    return found + _open_faults(task, [fact for fact in universe if fact not in stored], seconds)


def _stored_faults(task: Task, facts: list[Atom], seconds: float) -> list[str]:
    """Which of the facts stored as unreachable can be reached; asked one by one only if some can."""
    verdict = none_can_hold(task, [Condition(task.bit[fact]) for fact in facts], seconds)
    if verdict is None:
        return [undecided("whether all stored facts are unreachable")]
    if verdict:
        return []
    reached = [f for f in facts if can_hold(task, Condition(task.bit[f]), seconds)]
    found = [f"{write_atom(fact)} can be reached" for fact in reached]
    return found or ["one of the stored facts can be reached"]  # proven of all together; which, is not


def _open_faults(task: Task, facts: list[Atom], seconds: float) -> list[str]:
    """Those of ``facts`` that neither a plain search nor a planner proves reachable."""
    seen = union(reachable(task, limit=PLAIN_LIMIT).states)
    found = []
    for fact in [fact for fact in facts if not task.bit.get(fact, 0) & seen]:
        verdict = can_hold(task, Condition(task.bit[fact]), seconds) if fact in task.bit else False
        if verdict is None:
            found.append(undecided(f"whether {write_atom(fact)} can be reached"))
        elif not verdict:
            found.append(f"{write_atom(fact)} is never reached")
    return found


def _land(domain: Domain, problem: Problem, row: Mapping[str, Any], seconds: float) -> list[str]:
    """Without each stored landmark no plan is left; each other candidate is avoided by some plan."""
    task = ground(domain, problem)
    yes, no = (list(map(parse_atom, row["answer"][side])) for side in ("yes", "no"))
    trivial = problem.init | problem.goal_facts
    universe = [write_atom(fact) for fact in fluent_atoms(domain, problem) if fact not in trivial]
    found = _different("candidates", [write_atom(fact) for fact in sorted(yes + no)], universe)
    known = row["h_star"] is not None
    answer = shortest(domain, problem, seconds) if known else solve(task, seconds=seconds)
    if answer.outcome is Outcome.UNSOLVABLE_PROVEN:
        return [*found, "there is no plan"]
    if answer.plan is None:
        return [*found, undecided("the plan")]
    if answer.plan.optimal and len(answer.plan.steps) != row["h_star"]:
        found.append(f"h_star is {row['h_star']}, A* finds {len(answer.plan.steps)}")
    on_plan = task.facts_of(union(run(task, answer.plan.steps) or []))
    found += _avoiding_faults(task, yes, False, seconds)
    return found + _avoiding_faults(task, [fact for fact in no if fact in on_plan], True, seconds)


def _avoiding_faults(task: Task, facts: list[Atom], stored: bool, seconds: float) -> list[str]:
    """Facts of which a planner proves that plans can, or cannot, avoid them, against what is ``stored``."""
    found = []
    for fact in facts:
        verdict = can_avoid(task, fact, seconds)
        if verdict is None:
            found.append(undecided(f"whether {write_atom(fact)} is a landmark"))
        elif verdict is not stored:
            found.append(f"{write_atom(fact)} is {'no' if verdict else 'a'} landmark")
    return found


def _texts(facts: frozenset[Atom]) -> list[str]:
    return sorted(map(write_atom, facts))


def _different(what: str, stored: list[str], wanted: list[str]) -> list[str]:
    """What is missing from a stored set, what should not be there, and what is there twice."""
    missing, extra = sorted(set(wanted) - set(stored)), sorted(set(stored) - set(wanted))
    return [
        *(f"{what}: {item} is missing" for item in missing),
        *(f"{what}: {item} is too much" for item in extra),
        *_repeats(what, stored),
    ]


def _repeats(what: str, stored: list[str]) -> list[str]:
    """What stands in a list more than once."""
    return [f"{what}: {item} stands {n} times" for item, n in sorted(Counter(stored).items()) if n > 1]
