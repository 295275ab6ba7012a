"""Check a plan of any PDDL: in the subset of Orrery, or with conditional effects and quantifiers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from orrery.model import Step
from orrery.pddl.adl import AdlAction, AdlDomain
from orrery.pddl.faults import FaultLog, OutsideSubset, SourceText
from orrery.pddl.problem import problem_of
from orrery.pddl.read import read_problem, read_wide_domain
from orrery.pddl.soundness import check
from orrery.pddl.subset import narrowed
from orrery.pddl.tree import Node, Tree, parse
from orrery.planning import execution
from orrery.planning.adl_execution import AdlProblem, Outside, check_adl_plan, read_adl_problem
from orrery.planning.execution import PlanVerdict


def check_any_plan(source: SourceText, problem: SourceText, steps: Sequence[Step]) -> PlanVerdict:
    """Return whether steps lead from the initial state of a problem of the domain ``source`` to its goal.

    Raises:
        PddlError: The domain or the problem is not valid PDDL.
        OutsideSubset: They have numeric conditions, durative actions, derived predicates or the like.
    """
    wide = read_wide_domain(source)
    try:
        read = narrowed(wide, source)
        return execution.check_plan(read, read_problem(problem.text, read, problem.name), steps)
    except OutsideSubset:
        try:
            adl_problem = read_adl_problem(problem.text)
            _check_wide_problem(wide, adl_problem, problem, source)
            return check_adl_plan(wide, adl_problem, steps)
        except Outside as construct:
            mend = "leave it out; numbers and time are not executed"
            place = f"{source.name}, {problem.name}"
            raise OutsideSubset(place, f"'{construct}' cannot be executed", mend) from None


def _without_goal(section: Tree) -> Tree:
    """Return a section, or the goal ``(and)`` in place of a goal with one formula; ``()`` is no formula."""
    if isinstance(section, Node) and section.head == ":goal" and len(section) == 2:
        formula = section[1]
        if isinstance(formula, Node) and formula:
            return Node(section.at, [":goal", Node(section.at, ["and"])])
    return section


def _check_wide_problem(domain: AdlDomain, problem: AdlProblem, text: SourceText, source: SourceText) -> None:
    """Raise PddlError if a problem does not fit its domain; its goal may be any formula."""
    tree = parse(text)
    problem_of(text, Node(tree.at, map(_without_goal, tree)), narrowed(replace(domain, actions=()), source))
    goal = AdlAction("goal", preconditions=problem.goal)
    with_objects = replace(domain, constants=(*domain.constants, *problem.objects), actions=(goal,))
    check(FaultLog(text, raises=True), with_objects, {})
