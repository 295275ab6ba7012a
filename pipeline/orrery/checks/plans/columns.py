"""Check the columns common to all plan tables: names, measures, PDDL, wordings, origin of the state."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache

from orrery.checks.bounds import by_search, counted_faults, searched_bounds
from orrery.checks.execution import idle, is_plan
from orrery.checks.plans.plan_row import PLAIN, PlanRow
from orrery.checks.problem_plans import context_faults
from orrery.checks.states import size_faults
from orrery.checks.verdicts import differing, undecided
from orrery.language.names import NUMBERED
from orrery.language.words import Words
from orrery.model import Domain, Problem, Row, TypedName
from orrery.pddl.write import parse_atom

OF_PROBLEM = ("domain", "difficulty", "seen", "seed_path", "num_objects")
FEW_FACTS = 64  # states of larger tasks are not searched to compare bounds
OTHER_STATES, OTHER_GOALS = frozenset({"state", "world"}), frozenset({"names", "arrangement"})  # of pairs


def check(plan_row: PlanRow) -> list[str]:
    """Return the common columns that contradict the row's PDDL or each other."""
    row, state = plan_row.row, plan_row.state
    source = f"{row['problem_id']}/{row['state_source']}-{row['state_step']}"
    begins = "/".join([source, *([row["vocabulary"]] * (row["vocabulary"] != PLAIN)), row["task"]])
    named = row["id"] == begins or row["id"].startswith(f"{begins}/")
    wanted = {
        "group": f"plan_{row['task']}",
        "context_both": f"{row['context']}\n\n{row['context_pddl']}",
        **state.measures,
    }
    faults = [] if named else [f"id does not begin with {begins}"]
    faults += differing(wanted, row) + size_faults(state, row["num_states"])
    if plan_row.domain != plan_row.spoken.domain:
        faults.append("domain_pddl is not the domain")
    stated = row["given_problem_pddl" if "given_problem_pddl" in row else "problem_pddl"]
    faults += context_faults(row["context_pddl"], row["domain_pddl"], stated)
    faults += ["PDDL is not in small letters"] * (row["problem_pddl"] != row["problem_pddl"].lower())
    return faults + template_faults(row, *plan_row.spoken[:2])


def template_faults(row: Row, domain: Domain, words: Words) -> list[str]:
    """Return a fault if the column ``nl_templates`` has other wordings than the domain."""
    same = json.loads(row["nl_templates"]) == _wordings(domain, words)
    return [] if same else ["nl_templates are not the wordings of the domain"]


@cache
def _wordings(domain: Domain, words: Words) -> Mapping[str, Mapping[str, Sequence[str]]]:
    """Return all wordings of actions and facts, with {0}, {1} for their arguments."""
    symbols = {
        ("actions", "action"): [(symbol.name, len(symbol.parameters)) for symbol in domain.actions],
        ("facts", "fact"): [(symbol.name, len(symbol.parameters)) for symbol in domain.predicates],
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


def check_problem(plan_row: PlanRow) -> list[str]:
    """Return the columns in which a row differs from the row of its problem."""
    origin = plan_row.checked.row
    faults = [
        f"{name} is not that of its problem" for name in OF_PROBLEM if plan_row.row[name] != origin[name]
    ]
    names = origin["names"] if plan_row.row["vocabulary"] == PLAIN else NUMBERED
    faults += differing({"names": names}, plan_row.row)
    if plan_row.row["problem_id"] != origin["id"]:
        faults.append("problem_id is not that of its problem")
    return faults


def check_origin(plan_row: PlanRow) -> list[str]:
    """Return a fault if the row's initial state or goal differs from the state that it refers to."""
    row = plan_row.row
    if plan_row.start is None:
        return [f"there is no state '{row['state_source']}' at step {row['state_step']}"]
    stated_problem, origin = plan_row.plainly(plan_row.context_problem), plan_row.origin
    faults = ["objects: those of another problem"] * (
        _sorted_objects(stated_problem) != _sorted_objects(origin)
    )
    if stated_problem.init != origin.init and row.get("pair_type") not in OTHER_STATES:
        faults.append("the row begins in another state than it names")
    if stated_problem.goal != origin.goal and row.get("pair_type") not in OTHER_GOALS and "form" not in row:
        faults.append("the goal is that of another problem")
    return faults


def _sorted_objects(problem: Problem) -> list[TypedName]:
    return sorted(problem.objects, key=lambda typed: (typed.name, typed.types))


def check_h_star(plan_row: PlanRow) -> list[str]:
    """Return a fault if the minimum number of actions to the goal differs.

    If the problem is that of a decided state, the state's own check computes this number; here it must only
    be equal.
    """
    stated, problem, state = plan_row.row["h_star"], plan_row.plain_problem, plan_row.decided
    if not by_search(plan_row.row):  # ``check_horizon`` decides
        return []
    if state is not None and (problem.init, problem.goal) == (plan_row.start, plan_row.checked.problem.goal):
        h_star_of_state = state["h_star"]
        if h_star_of_state is not None:
            return differing({"h_star": h_star_of_state}, plan_row.row)
    if stated is None:
        return []
    fewest = plan_row.state.h_star
    if fewest is None and plan_row.state.solvable is not False:
        return [undecided("h_star")]
    return differing({"h_star": fewest}, plan_row.row)


def check_horizon(plan_row: PlanRow) -> list[str]:
    """Return the bounds on the length of a shortest plan, and their proofs, that differ.

    Bounds by search are the length, which ``check_h_star`` decides. Otherwise, the upper bound is the length
    of a plan. The lower bound is that of the domain's rule, or counts landmarks if there is no rule; the
    landmarks never exceed the length of a plan, and no search may find a plan outside the bounds.
    """
    row, length = plan_row.row, _length_of_plan(plan_row)
    if by_search(row):
        known = row["h_star"]
        wanted = None if known is None else searched_bounds(known)
        if wanted is None and length is not None:
            return ["horizon: a plan is known, but no bounds are given"]
        return differing({"horizon": wanted}, row)
    if length is None:
        return ["horizon: bounds without a plan"]
    counted, state = plan_row.checked.entry.fewest_steps(plan_row.plain_problem), plan_row.state
    faults = counted_faults(row, length, counted, lambda: state.landmark_bound)
    if len(state.task.facts) <= FEW_FACTS and state.space.cost is not None:
        cost, lower = state.space.cost, row["horizon"]["lower"]
        faults += [f"a shortest plan has {cost} steps, outside the bounds"] * (not lower <= cost <= length)
    return faults


def _length_of_plan(plan_row: PlanRow) -> int | None:
    """Return the number of steps, without idle ones, of the shortest of the stored plans for the problem."""
    row, problem = plan_row.row, plan_row.plain_problem
    plans = [plan_row.plain_steps("plan")] if row.get("plan") else []
    if (problem.init, problem.goal) == (plan_row.start, plan_row.checked.problem.goal):
        stored = plan_row.checked.row["plan"] if plan_row.decided is None else plan_row.decided["plan"]
        plans += [list(map(parse_atom, stored))] if stored else []
    lengths = list[int]()
    for plan in plans:
        if is_plan(plan_row.plain_domain, problem, plan):
            lengths.append(len(plan) - len(idle(plan_row.plain_domain, problem, plan)))
    return min(lengths, default=None)
