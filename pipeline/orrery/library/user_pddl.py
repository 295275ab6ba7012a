"""Check a plan, and compare two problems, of any domain, given as PDDL texts or as files."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from orrery.equivalence.problem_equivalence import EquivalenceVerdict
from orrery.equivalence.problem_equivalence import compare as compare_problems
from orrery.model import OrreryError, Step
from orrery.pddl.faults import SourceText
from orrery.pddl.read import read_domain, read_problem, text_of
from orrery.planning.any_plan import check_any_plan
from orrery.planning.execution import PlanVerdict
from orrery.planning.fast_downward import read_plan

Pddl = str | Path


def check_plan(domain: Pddl, problem: Pddl, plan: Pddl | Sequence[str]) -> PlanVerdict:
    """Return whether a plan leads from the initial state of a problem to its goal; otherwise where it fails.

    Conditional effects, disjunctions and quantifiers are executed. Action costs do not matter, but a function
    that is a step's cost must have a value.

    Args:
        domain: PDDL, or the path of a file.
        problem: PDDL, or the path of a file.
        plan: The steps, each as ``(name a b)``; or a text with one step a line, or the path of such a file.

    Raises:
        PddlError: The domain or the problem is not valid PDDL.
        OutsideSubset: They have numeric conditions, durative actions, derived predicates or the like.
    """
    origins = (text_and_name(domain, "<domain>"), text_and_name(problem, "<problem>"))
    domain_text, problem_text = (SourceText(*origin) for origin in origins)
    return check_any_plan(domain_text, problem_text, _steps(plan))


def compare(domain: Pddl, first: Pddl, second: Pddl, *, placeholder: bool = False) -> EquivalenceVerdict:
    """Return whether two problems of a domain are the same up to the names of their objects.

    Goals are compared after all facts are added that follow from them (Planetarium, section 3).

    Args:
        domain: PDDL, or the path of a file.
        first: PDDL of a problem, or the path of a file.
        second: as ``first``.
        placeholder: Whether objects of the goal may change places.

    Raises:
        PddlError: A text is not valid PDDL, or outside the subset that Orrery compares.
    """
    read = read_domain(*text_and_name(domain, "<domain>"))
    texts = (text_and_name(pddl, f"<problem {number}>") for number, pddl in enumerate((first, second), 1))
    problems = [read_problem(text, read, name) for text, name in texts]
    return compare_problems(read, problems[0], problems[1], placeholder=placeholder)


def text_and_name(pddl: Pddl, name: str) -> tuple[str, str]:
    """Return the text of PDDL or of a file, and its name in messages."""
    return (text_of(pddl), str(pddl)) if isinstance(pddl, Path) else (pddl, name)


def _steps(plan: Pddl | Iterable[str]) -> tuple[Step, ...]:
    """Return the steps of a plan in lower case.

    Raises:
        OrreryError: A line is not one step in parentheses.
    """
    given = plan if isinstance(plan, str | Path) else "\n".join(plan)
    text, name = text_and_name(given, "<plan>")
    for number, line in enumerate(text.splitlines(), 1):
        bare = line.split(";")[0].strip()
        if bare and not (bare[0] == "(" and bare.find(")") == len(bare) - 1 and bare.count("(") == 1):
            mend = "write one step in parentheses a line"
            raise OrreryError(f"{name}:{number}", f"'{bare:.60}' is no step", mend)
    return read_plan(text.lower())
