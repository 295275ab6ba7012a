"""Answers to open questions, from the PDDL in the row: lifted brute force, plain search, Fast Downward.

The answers were made by the ground task, the compiled search and the planner. Here applicability and
progression are decided on a set of facts; reachability by a plain search, else by planner calls for all
stored elements together; landmarks and next actions by what a whole space has in common, else by planner
calls. ``sequences`` and ``claims`` hold the other kinds and formats.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from orrery.checks.claims import is_fact
from orrery.checks.compiled_query import Condition, needs
from orrery.checks.removals import check_removals, check_sequence
from orrery.checks.undecided import undecided
from orrery.checks.world import RecheckedState
from orrery.model import Atom, Step
from orrery.pddl.write import parse_atom, write_atom
from orrery.semantics.execution import mistyped
from orrery.semantics.universe import count_steps, fluent_atoms

PUBLISHED_MOST = 50
ASKED_TOGETHER = 24  # reached by one plan, where one can reach them all
ASKED_APART = 40  # of those that a plain search does not see, so many are reached one by one

Row = Mapping[str, Any]


def check(row: Row, world: RecheckedState) -> list[str]:
    """What is wrong with the stored answer of an open question about the state of ``world``."""
    routes: Mapping[str, Callable[[Row, RecheckedState], list[str]]] = MappingProxyType(
        {
            "app": _app, "prog": _prog, "reach": _reach, "areach": _areach, "land": _land, "nexta": _nexta,
            "just": check_removals, "val": check_sequence,
        }
    )  # fmt: skip
    return routes[row["kind"]](row, world)


def _app(row: Row, world: RecheckedState) -> list[str]:
    return _different("applicable", row["answer"], list(map(write_atom, world.steps)))


def _prog(row: Row, world: RecheckedState) -> list[str]:
    """The effects of the action that the question names, told by which applicable one has them."""
    answer = (sorted(row["answer"]["pos"]), sorted(row["answer"]["neg"]))
    repeats = [fault for side, facts in row["answer"].items() for fault in _repeats(side, facts)]
    asked = [step for step in world.steps if write_atom(step) in row["question"]]
    if not asked:
        return ["the question names no applicable action"]
    before = world.problem.init
    effects = [(_texts(t - before), _texts(before - t)) for t in map(world.after, asked)]
    return repeats or ([] if answer in effects else [f"the effects are {effects[0]}, stored {answer}"])


def _reach(row: Row, world: RecheckedState) -> list[str]:
    """Everything stored is out of reach together, and all else of the universe is reached."""
    task, stored = world.task, {tuple(fact.split()) for fact in row["answer_all"]}
    universe = fluent_atoms(world.domain, world.problem)
    found = _repeats("answer_all", row["answer_all"]) + _capped(row, row["answer_all"])
    found += [f"{write_atom(fact)} is outside the universe" for fact in sorted(stored - set(universe))]
    named = {Condition(task.bit[f]): write_atom(f) for f in sorted(stored) if f in task.bit}
    found += _never_faults(world, named, "reached")
    others = [fact for fact in universe if fact not in stored]
    found += [f"{write_atom(f)} is never reached" for f in others if f not in task.bit]
    named = {Condition(task.bit[f]): write_atom(f) for f in others if f in task.bit}
    return found + _sometime_faults(world, named, "reached")


def _capped(row: Row, everything: Sequence[str]) -> list[str]:
    if row["answer"] == list(everything[:PUBLISHED_MOST]):
        return []
    return [f"answer is not the first {PUBLISHED_MOST} of all"]


def _never_faults(world: RecheckedState, named: Mapping[Condition, str], done: str) -> list[str]:
    """Which of the conditions some state satisfies after all: one call for all; one each if some can."""
    verdict = world.none_can_hold(list(named))
    if verdict is None:
        return [undecided(f"whether none of {len(named)} stored can be {done}")]
    if verdict:
        return []
    found = [f"{name} can be {done}" for each, name in named.items() if world.can_hold(each)]
    return found or [f"one of those stored can be {done}"]  # proven of all together; which, is not


def _sometime_faults(world: RecheckedState, named: Mapping[Condition, str], done: str) -> list[str]:
    """Those of the conditions that no state satisfies, as far as search and some planner calls tell."""
    waiting = world.unseen(named)
    if world.space.complete:
        return [f"{named[each]} is never {done}" for each in waiting]
    while len(waiting) > 1 and world.visit(waiting[:ASKED_TOGETHER]):
        waiting = world.unseen(waiting)
    found, still_open, calls = [], 0, 0
    while waiting and calls < ASKED_APART:
        each = waiting.pop(len(waiting) // 2)
        verdict, calls = world.can_hold(each), calls + 1
        found += [f"{named[each]} is never {done}"] * (verdict is False)
        still_open += verdict is None
        waiting = world.unseen(waiting)
    still_open += len(waiting)
    return found + ([undecided(f"whether {still_open} of {len(named)} can be {done}")] if still_open else [])


def _areach(row: Row, world: RecheckedState) -> list[str]:
    """The stored side of the actions and the other one, over all well-typed ground actions."""
    stored = list(map(parse_atom, row["answer_all"]))
    found = _repeats("answer_all", row["answer_all"]) + _repeats("answer", row["answer"])
    ill_typed = (mistyped(world.domain, world.problem, step) for step in map(parse_atom, row["answer"]))
    found += [fault for fault in ill_typed if fault]
    if row["answer_all_is"] not in ("reachable", "unreachable"):
        return [*found, f"answer_all_is '{row['answer_all_is']}'"]
    reachable = _reachable_actions(row, world, set(stored))
    if reachable is None:
        return [*found, "answer_all is not one side of all actions"]
    never = count_steps(world.domain, world.problem) - len(reachable)
    if row["num_unreachable"] != never:
        found.append(f"num_unreachable is {row['num_unreachable']}, should be {never}")
    if (len(stored), row["answer_all_is"]) > (min(never, len(reachable)), "unreachable"):
        found.append("answer_all is the larger of both sides")
    found += _first_never(row, world, reachable, never)
    return found + action_faults(world, reachable)


def _reachable_actions(row: Row, world: RecheckedState, stored: set[Step]) -> set[Step] | None:
    """The actions that the row calls reachable; None where what it stores is not one side of all."""
    relaxed = set(world.task.action_of)
    if row["answer_all_is"] == "reachable":
        return stored if stored <= relaxed else None
    beyond = [step for step in sorted(stored - relaxed) if not mistyped(world.domain, world.problem, step)]
    whole = len(beyond) == count_steps(world.domain, world.problem) - len(relaxed)
    return relaxed - stored if whole and len(stored) == len(beyond) + len(stored & relaxed) else None


def _first_never(row: Row, world: RecheckedState, reachable: set[Step], never: int) -> list[str]:
    """The stored answer: all unreachable actions, or some where they are too many to list."""
    found = [f"{text} is in answer, but reachable" for text in row["answer"] if parse_atom(text) in reachable]
    if len(row["answer"]) not in (never, min(never, PUBLISHED_MOST)):
        found.append(f"answer has {len(row['answer'])} of {never} actions")
    return found


def action_faults(world: RecheckedState, reachable: set[Step]) -> list[str]:
    """Actions called unreachable that some state allows, and those called reachable that none does."""
    named: dict[bool, dict[Condition, str]] = {True: {}, False: {}}
    for action in world.task.actions:
        named[action.step in reachable][needs(action)] = write_atom(action.step)
    both = named[True].keys() & named[False].keys()
    found = [f"{named[False][each]} has the conditions of a reachable action" for each in sorted(both)]
    return (
        found
        + _never_faults(world, named[False], "applied")
        + _sometime_faults(world, named[True], "applied")
    )


def _land(row: Row, world: RecheckedState) -> list[str]:
    """Without each stored landmark no plan is left; each other candidate is avoided by some plan."""
    yes, no = (list(map(parse_atom, row["answer"][side])) for side in ("yes", "no"))
    trivial = world.problem.init | world.problem.goal_facts
    universe = [write_atom(f) for f in fluent_atoms(world.domain, world.problem) if f not in trivial]
    found = _different("candidates", [write_atom(fact) for fact in sorted(yes + no)], universe)
    if world.problem.satisfied(world.problem.init):
        found.append("the goal holds already")
    if world.solvable is None:
        return [*found, undecided("the plan")]
    if not world.solvable:
        return [*found, "there is no plan"]
    verdicts = {fact: world.is_landmark(fact) for fact in [*yes, *no] if is_fact(fact, world)}
    found += [f"{write_atom(fact)} is no landmark" for fact in yes if verdicts.get(fact) is False]
    found += [f"{write_atom(fact)} is a landmark" for fact in no if verdicts.get(fact) is True]
    still_open = sum(verdict is None for verdict in verdicts.values())
    return found + ([undecided(f"{still_open} of {len(verdicts)} landmarks")] if still_open else [])


def _nexta(row: Row, world: RecheckedState) -> list[str]:
    """Each action of ``yes`` begins a shortest plan; none of ``no`` does."""
    answer = row["answer"]
    found = _different("applicable", answer["yes"] + answer["no"], list(map(write_atom, world.steps)))
    found += ["maybe is not empty"] * bool(answer["maybe"])
    if world.problem.satisfied(world.problem.init):
        found.append("the goal holds already")
    if world.h_star is None:
        return [*found, "there is no plan" if world.solvable is False else undecided("the cost")]
    if answer["opt"] != str(world.h_star):
        found.append(f"opt is {answer['opt']}, should be {world.h_star}")
    there = set(world.steps)
    yes, no = ([s for s in map(parse_atom, answer[side]) if s in there] for side in ("yes", "no"))
    return found + _next_faults(world, yes, no)


def _next_faults(world: RecheckedState, yes: list[Step], no: list[Step]) -> list[str]:
    """Actions on the wrong side: those of ``no`` are asked about together, and apart if that fails."""
    verdicts = {step: world.leads_on(step) for step in yes}
    away = world.lead_away(no)
    verdicts |= {step: world.leads_on(step) if away is False else (not away if away else None) for step in no}
    found = [f"{write_atom(step)} does not bring the goal closer" for step in yes if verdicts[step] is False]
    found += [f"{write_atom(step)} brings the goal closer" for step in no if verdicts[step]]
    still_open = sum(verdict is None for verdict in verdicts.values())
    return found + ([undecided(f"{still_open} of {len(verdicts)} next actions")] if still_open else [])


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


def _repeats(what: str, stored: Sequence[str]) -> list[str]:
    """What stands in a list more than once."""
    return [f"{what}: {item} stands {n} times" for item, n in sorted(Counter(stored).items()) if n > 1]
