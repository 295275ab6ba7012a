"""Reachability of actions, over those that types, static facts and (in)equalities allow."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import reduce
from operator import or_
from typing import Any

from orrery.checks.compiled_query import Condition, needs
from orrery.checks.questions.answers import action_faults, needs_faults, repeats
from orrery.checks.questions.atoms import step_of
from orrery.checks.rechecked_state import RecheckedState
from orrery.checks.task_check import QuestionCheck, QuestionView
from orrery.model import EQUAL, Action, Literal, OrreryError
from orrery.pddl.write import parse_atom, write_atom


def _faults(question: QuestionView) -> list[str]:
    """Return faults of the stored actions: those never applicable, of all that types and statics allow."""
    row, rechecked = question
    universe, stored = set(rechecked.universe), set(map(parse_atom, row["answer_all"]))
    never = set(map(parse_atom, row["answer"]))
    found = repeats("answer_all", row["answer_all"]) + repeats("answer", row["answer"])
    found += [f"{write_atom(step)} is outside the universe" for step in sorted((never | stored) - universe)]
    sides = {"reachable": universe - never, "unreachable": never}
    if row["answer_all_is"] not in sides:
        return [*found, f"answer_all_is '{row['answer_all_is']}'"]
    if stored != sides[row["answer_all_is"]]:
        found.append(f"answer_all is not what is {row['answer_all_is']} by answer")
    if row["num_unreachable"] != len(never):
        found.append(f"num_unreachable is {row['num_unreachable']}, should be {len(never)}")
    if (len(stored), row["answer_all_is"]) > (min(len(never), len(universe - never)), "unreachable"):
        found.append("answer_all is the larger of both sets")
    relaxed = set(rechecked.task.action_of)
    if beyond := sorted(universe - never - relaxed):
        return [*found, f"{write_atom(beyond[0])} is not in answer, but beyond delete relaxation"]
    found += needs_faults(row, never, relaxed, len(universe))
    found += _typing_faults(json.loads(row["typing"]), rechecked)
    return found + action_faults(rechecked, universe - never)


def _typing_faults(typing: Any, rechecked: RecheckedState) -> list[str]:
    """Return where types, objects and conditions admit other actions than the domain does."""
    found = []
    named = sorted(rechecked.domain.action_named)
    if sorted(typing["actions"]) != named or sorted(typing["conditions"]) != named:
        return [f"typing has the actions {sorted(typing['actions'])}"]
    for action in rechecked.domain.actions:
        listed = typing["actions"][action.name]
        if len(listed) != len(action.parameters):
            found.append(f"typing gives {action.name} {len(listed)} arguments")
            continue
        for types, parameter in zip(listed, action.parameters, strict=True):
            admitted = {name for each in types for name in typing["objects"].get(each, ())}
            fitting = {n for n, own in rechecked.types.items() if rechecked.domain.fits(own, parameter.types)}
            if admitted != fitting:
                found.append(f"typing admits others than fit {parameter.name} of {action.name}")
        found += _condition_faults(typing, action, rechecked)
    facts = {(name, *fact) for name, some in typing["statics"].items() for fact in some}
    holding = {fact for fact in rechecked.problem.init if fact[0] in typing["statics"]}
    return found + ["typing has other static facts"] * (facts != holding)


def _condition_faults(typing: Any, action: Action, rechecked: RecheckedState) -> list[str]:
    """Return whether the conditions of an action are not its static preconditions."""
    names = [parameter.name for parameter in action.parameters]
    said = {
        Literal((head, *(names[each - 1] if isinstance(each, int) else each for each in places)), positive)
        for positive, head, *places in typing["conditions"][action.name]
    }
    wanted = {each for each in action.preconditions if each.atom[0] not in rechecked.domain.fluents}
    lacking = {each.atom[0] for each in wanted} - {EQUAL} - set(typing["statics"])
    return [f"typing gives {action.name} other conditions"] * (said != wanted or bool(lacking))


def _holds(claim: Mapping[str, Any], rechecked: RecheckedState) -> bool | None:
    steps = [step_of(text, rechecked) for text in claim["actions"]]
    if outside := [
        text for text, step in zip(claim["actions"], steps, strict=True) if step not in rechecked.universe
    ]:
        raise OrreryError("claim", f"'{outside[0]}' is ruled out by what never changes")
    if any(step not in rechecked.task.action_of for step in steps):
        return False
    together = [needs(rechecked.task.action_of[step]) for step in steps]
    return rechecked.can_hold(Condition(*(reduce(or_, masks) for masks in zip(*together, strict=True))))


CHECK = QuestionCheck(
    groups={"gen": "reachable_action_gen", "bool": "reachable_action_bool", "mcq": "reachable_action_mc"},
    columns=("answer", "answer_all", "answer_all_is", "num_unreachable", "typing", "answer_needs", "chance"),
    faults=_faults,
    reply=lambda row: row["answer"][0] if row["answer"] else "",
    keys=frozenset({"actions"}),
    holds=_holds,
    proven=((("unreachable_actions",), "unreachable_action_proofs"),),
    proof_lists=("answer",),
)
