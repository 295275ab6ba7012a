"""The columns that all plan tables share: names, measures, PDDL, wordings, where the state comes from."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache

from orrery.checks.plans.asked import PLAIN, Asked, Row
from orrery.checks.verdicts import differing, undecided
from orrery.language.names import NUMBERED
from orrery.language.words import Words
from orrery.model import Domain, Problem, TypedName
from orrery.pddl.read import read_problem

PROBLEM_BEGINS = "(define (problem "
OF_PROBLEM = ("domain", "difficulty", "seed_path", "num_objects")
AGAIN = frozenset({"problem_pddl", "shown_problem_pddl"})
OTHER_STATES, OTHER_GOALS = frozenset({"state", "world"}), frozenset({"names", "arrangement"})  # of pairs


def check(asked: Asked) -> list[str]:
    """Return the common columns that contradict the row's PDDL, or each other."""
    row, state = asked.row, asked.state
    source = f"{row['problem_id']}/{row['state_source']}-{row['state_step']}"
    begins = "/".join([source, *([row["vocabulary"]] * (row["vocabulary"] != PLAIN)), row["task"]])
    named = row["id"] == begins or row["id"].startswith(f"{begins}/")
    wanted = {
        "group": f"plan_{row['task']}",
        "num_objects": len(asked.problem.objects),
        "num_facts": len(state.task.facts),
        "num_actions": len(state.task.actions),
        "branching": len(state.steps),
        "context_both": f"{row['context']}\n\n{row['context_pddl']}",
    }
    found = [] if named else [f"id does not begin with {begins}"]
    found += differing(wanted, row) + _size_faults(asked)
    if asked.domain != asked.readers.domain:
        found.append("domain_pddl is not the domain")
    return found + _pddl_faults(asked) + _phrases_faults(asked)


def _size_faults(asked: Asked) -> list[str]:
    """Return where the number of states is another than what a plain search visits."""
    stated = asked.row["num_states"]
    if stated is None:
        return []
    visited = asked.state.visited
    if stated == visited.size if visited.complete else stated >= visited.size:
        return []
    more = "" if visited.complete else " and more"
    return [f"num_states is {stated}, there are {visited.size}{more}"]


def _pddl_faults(asked: Asked) -> list[str]:
    """Return where the context in PDDL is not exactly domain and problem."""
    row = asked.row
    stated = row["shown_problem_pddl" if "shown_problem_pddl" in row else "problem_pddl"]
    domain, begin, problem = row["context_pddl"].partition(PROBLEM_BEGINS)
    same = (domain.strip(), (begin + problem).strip()) == (row["domain_pddl"].strip(), stated.strip())
    found = [] if same else ["context_pddl is another"]
    text = "".join([row["domain_pddl"], *(row[name] for name in sorted(AGAIN & row.keys()))])
    return found + ["PDDL is not in small letters"] * (text != text.lower())


def _phrases_faults(asked: Asked) -> list[str]:
    readers = asked.readers
    same = json.loads(asked.row["phrases"]) == _wordings(readers.words, readers.domain)
    return [] if same else ["phrases are not the wordings of the domain"]


@cache
def _wordings(words: Words, domain: Domain) -> Mapping[str, Mapping[str, Sequence[str]]]:
    """Return all wordings of actions and facts, with {0}, {1} for their arguments."""
    symbols = {
        ("actions", "action"): [(each.name, len(each.parameters)) for each in domain.actions],
        ("facts", "fact"): [(each.name, len(each.parameters)) for each in domain.predicates],
    }
    return {
        key: {
            name: [
                words.say(kind, name, *(f"{{{place}}}" for place in range(arity)), variant=variant)
                for variant in range(words.variants(kind, name))
            ]
            for name, arity in listed
        }
        for (key, kind), listed in symbols.items()
    }


def check_problem(asked: Asked, origin: Row) -> list[str]:
    """Return the columns in which a row differs from that of its problem."""
    found = [f"{name} is not that of its problem" for name in OF_PROBLEM if asked.row[name] != origin[name]]
    names = origin["names"] if asked.row["vocabulary"] == PLAIN else NUMBERED
    found += differing({"names": names}, asked.row)
    if asked.row["problem_id"] != origin["id"]:
        found.append("problem_id is not that of its problem")
    return found


def check_origin(asked: Asked) -> list[str]:
    """Return where the row does not begin in the state that it names, or wants something else there."""
    row = asked.row
    if asked.start is None:
        return [f"there is no state '{row['state_source']}' at step {row['state_step']}"]
    told, origin = asked.names.problem(asked.told), asked.origin
    found = ["objects: those of another problem"] * (_sorted(told) != _sorted(origin))
    if told.init != origin.init and row.get("contrast") not in OTHER_STATES:
        found.append("the row begins in another state than it names")
    if told.goal != origin.goal and row.get("contrast") not in OTHER_GOALS and "form" not in row:
        found.append("the goal is that of another problem")
    return found


def _sorted(problem: Problem) -> list[TypedName]:
    return sorted(problem.objects, key=lambda typed: (typed.name, typed.types))


def check_h_star(asked: Asked, state: Row | None) -> list[str]:
    """Return where the fewest actions to the goal are others.

    Where the problem is that of a decided state, these have a check of their own, and need only be the same.
    """
    stated, own = asked.row["h_star"], asked.plain_problem
    if state is not None and (own.init, own.goal) == (asked.start, asked.checked.problem.goal):
        known = state["h_star"]
        if known is not None:
            return [] if stated == known else [f"h_star is {stated}, that of the state is {known}"]
    if stated is None:
        return []
    found = asked.state.fewest()
    if not found.decided:
        return [undecided("h_star")]
    return [] if found.number == stated else [f"h_star is {stated}, should be {found.number}"]


def examples_of(asked: Asked) -> list[Problem]:
    """Return the problems that a row shows besides its own, under plain names but for their objects."""
    texts = [example["problem_pddl"] for example in asked.row.get("shown_examples", ())]
    return [asked.names.other(read_problem(text, asked.domain, asked.row["id"])) for text in texts]
