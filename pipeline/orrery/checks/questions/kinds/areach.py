"""Check reachability of actions among those that types, static facts and (in)equalities allow."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import reduce
from operator import or_
from typing import Any

from orrery.checks.compiled_query import Condition, needs
from orrery.checks.questions.answers import action_faults, needs_faults, repeats, step_of
from orrery.checks.rechecked_state import RecheckedState
from orrery.checks.task_check import QuestionCheck, QuestionView
from orrery.checks.verdicts import differing
from orrery.model import EQUAL, Action, Literal, OrreryError
from orrery.pddl.write import parse_atom, write_atom


def _faults(question: QuestionView) -> list[str]:
    """Return faults of the stored unreachable actions, among all that types and static facts allow."""
    row, rechecked = question
    universe, stored = set(rechecked.universe), set(map(parse_atom, row["answer_all"]))
    never = set(map(parse_atom, row["answer"]))
    faults = repeats("answer_all", row["answer_all"]) + repeats("answer", row["answer"])
    faults += [f"{write_atom(step)} is outside the universe" for step in sorted((never | stored) - universe)]
    sides = {"reachable": universe - never, "unreachable": never}
    if row["answer_all_is"] not in sides:
        return [*faults, f"answer_all_is '{row['answer_all_is']}'"]
    if stored != sides[row["answer_all_is"]]:
        faults.append(f"answer_all is not what is {row['answer_all_is']} by answer")
    faults += differing({"num_unreachable": len(never)}, row)
    if (len(stored), row["answer_all_is"]) > (min(len(never), len(universe - never)), "unreachable"):
        faults.append("answer_all is the larger of both sets")
    relaxed = set(rechecked.task.action_of)
    if beyond := sorted(universe - never - relaxed):
        return [*faults, f"{write_atom(beyond[0])} is not in answer, but beyond delete relaxation"]
    faults += needs_faults(row, never, relaxed, len(universe))
    faults += _typing_faults(json.loads(row["typing"]), rechecked)
    return faults + action_faults(rechecked, universe - never)


def _typing_faults(typing: Any, rechecked: RecheckedState) -> list[str]:
    """Return a fault if types, objects and conditions allow other actions than the domain does."""
    faults = []
    named = sorted(rechecked.domain.action_named)
    if sorted(typing["actions"]) != named or sorted(typing["conditions"]) != named:
        return [f"typing has the actions {sorted(typing['actions'])}"]
    for action in rechecked.domain.actions:
        listed = typing["actions"][action.name]
        if len(listed) != len(action.parameters):
            faults.append(f"typing gives {action.name} {len(listed)} arguments")
            continue
        for types, parameter in zip(listed, action.parameters, strict=True):
            admitted = {name for type_name in types for name in typing["objects"].get(type_name, ())}
            fitting = {
                n
                for n, types_of_object in rechecked.types.items()
                if rechecked.domain.fits(types_of_object, parameter.types)
            }
            if admitted != fitting:
                faults.append(f"typing admits others than fit {parameter.name} of {action.name}")
        faults += _condition_faults(typing, action, rechecked)
    facts = {(name, *fact) for name, arguments in typing["statics"].items() for fact in arguments}
    holding = {fact for fact in rechecked.problem.init if fact[0] in typing["statics"]}
    return faults + ["typing has other static facts"] * (facts != holding)


def _condition_faults(typing: Any, action: Action, rechecked: RecheckedState) -> list[str]:
    """Return a fault if the conditions of an action are not its static preconditions."""
    names = [parameter.name for parameter in action.parameters]
    stated = {
        Literal(
            (head, *(names[place - 1] if isinstance(place, int) else place for place in places)),
            positive,
        )
        for positive, head, *places in typing["conditions"][action.name]
    }
    expected = {
        literal for literal in action.preconditions if literal.atom[0] not in rechecked.domain.fluents
    }
    lacking = {literal.atom[0] for literal in expected} - {EQUAL} - set(typing["statics"])
    return [f"typing gives {action.name} other conditions"] * (stated != expected or bool(lacking))


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
    tells_goal=False,
    columns=("answer", "answer_all", "answer_all_is", "num_unreachable", "typing", "answer_needs", "chance"),
    faults=_faults,
    reply=lambda row: row["answer"][0] if row["answer"] else "",
    keys=frozenset({"actions"}),
    holds=_holds,
    proven=((("unreachable_actions",), "unreachable_action_proofs"),),
    proof_lists=("answer",),
)
