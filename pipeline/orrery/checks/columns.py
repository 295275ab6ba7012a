"""What a question says of itself besides its answer: id, group, measures, typing, PDDL in place of words."""

from __future__ import annotations

import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from orrery.checks.world import RecheckedState
from orrery.model import Domain, Problem, Proof
from orrery.pddl.read import read_domain, read_problem

OPEN, YES_NO, CHOICE = FORMATS = ("gen", "bool", "mcq")
PROBLEM_BEGINS = "(define (problem "
GROUPS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "app": ("applicable_actions_gen", "applicable_actions_bool", "applicable_actions_mc"),
        "prog": ("progression_gen", "progression_bool", "progression_mcq"),
        "reach": ("reachable_atom_gen", "reachable_atom_bool", "reachable_atom_mc"),
        "areach": ("reachable_action_gen", "reachable_action_bool", "reachable_action_mc"),
        "val": ("validation_gen", "validation_bool", "validation_mcq"),
        "just": ("action_justification_gen", "action_justification_bool", "action_justification_mcq"),
        "land": ("landmarks_gen", "landmarks_bool", "landmarks_mcq"),
        "nexta": ("goal_closer_gen",),
    }
)

Row = Mapping[str, Any]


def format_of(row: Row) -> str:
    """The format of a question, as the columns that only it has tell."""
    return CHOICE if "choices" in row else YES_NO if "claim" in row else OPEN


def check(row: Row, world: RecheckedState) -> list[str]:
    """The columns of a question that contradict its PDDL or each other; the answer is checked elsewhere."""
    form = format_of(row)
    named = f"{row['problem_id']}/{row['state_source']}-{row['state_step']}/{row['kind']}"
    wanted = {
        "id": named if form == OPEN else f"{named}/{form}",
        "group": dict(zip(FORMATS, GROUPS.get(row["kind"], ()), strict=False)).get(form),
        "domain": world.domain.name,
        "num_objects": len(world.problem.objects),
        "branching": len(world.steps),
        "num_facts": len(world.task.facts),
        "num_actions": len(world.task.actions),
        "context_both": f"{row['context']}\n\n{row['context_pddl']}",
    }
    found = [
        f"{name} is {row[name]}, should be {value}" for name, value in wanted.items() if row[name] != value
    ]
    if row["h_star"] is not None and world.h_star not in (None, row["h_star"]):
        found.append(f"h_star is {row['h_star']}, should be {world.h_star}")
    if "typing" in row:
        found += _typing_faults(json.loads(row["typing"]), world)
    return found + _pddl_faults(row) + _proof_faults(row)


def _pddl_faults(row: Row) -> list[str]:
    """Where the context in PDDL does not hold the very domain and problem, and nothing else."""
    domain, begin, problem = row["context_pddl"].partition(PROBLEM_BEGINS)
    given = (row["PDDL_domain"].strip(), row["PDDL_problem"].strip())
    found = [] if (domain.strip(), (begin + problem).strip()) == given else ["context_pddl is another"]
    text = row["PDDL_domain"] + row["PDDL_problem"]
    found += ["PDDL is not in small letters"] * (text != text.lower())
    return found + ["(:goal stands in several places"] * (text.count("(:goal") != 1)


def _typing_faults(typing: Any, world: RecheckedState) -> list[str]:
    """Where the types of arguments, and the objects by type, admit other actions than the domain does."""
    found = []
    if sorted(typing["actions"]) != sorted(world.domain.action_named):
        return [f"typing has the actions {sorted(typing['actions'])}"]
    for action in world.domain.actions:
        told = typing["actions"][action.name]
        if len(told) != len(action.parameters):
            found.append(f"typing gives {action.name} {len(told)} arguments")
            continue
        for types, parameter in zip(told, action.parameters, strict=True):
            admitted = {name for each in types for name in typing["objects"].get(each, ())}
            fitting = {n for n, own in world.types.items() if world.domain.fits(own, parameter.types)}
            if admitted != fitting:
                found.append(f"typing admits others than fit {parameter.name} of {action.name}")
    return found


def _proof_faults(row: Row) -> list[str]:
    """Proofs that are none, or not one for each element of the stored list."""
    proofs = json.loads(row["proofs"])
    found = []
    for name, each in proofs.items():
        lists = row["answer"] if isinstance(row["answer"], dict) else {}
        stored = lists.get(name, row.get(name))
        if isinstance(stored, list) and len(stored) != len(each):
            found.append(f"{len(each)} proofs for {len(stored)} elements of {name}")
        found += [f"'{proof}' is no proof" for proof in sorted(set(each) - set(map(str, Proof)) - {""})]
    return found


def read(row: Row) -> tuple[Domain, Problem]:
    """Domain and problem of a row; raises OrreryError where they cannot be read."""
    domain = read_domain(row["PDDL_domain"], row["id"])
    return domain, read_problem(row["PDDL_problem"], domain, row["id"])
