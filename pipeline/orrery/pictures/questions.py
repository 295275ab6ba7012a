"""Draw a question: the state with its facts, and the claims of the question, highlighted."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from orrery.model import Domain, Problem
from orrery.pddl.write import parse_atom
from orrery.pictures.draw import Easel, Picture, easel
from orrery.pictures.view import View

MOST_MARKED = 3  # maximum number of facts or actions
SAYS = {
    "plan": "a plan that reaches the goal",
    "applicable": "applicable step by step, but does not reach the goal",
    "inapplicable": "not applicable step by step",
    "invalid": "not made of actions of the domain",
}


def question(
    domain: Domain, problem: Problem, picture: Picture, claims: Mapping[str, Mapping[str, Any]],
    asked: Sequence[str] = (),
) -> str:  # fmt: skip
    """Return an SVG document with the state, the goal and the claims by label. Errors: see ``draw``.

    A claim has the format of the columns ``claim`` and ``claims``. ``asked`` are PDDL lines that an open
    question shows. The objects of a single claim, or of an open question, are highlighted.
    """
    about = _about([*claims.values()], asked, problem)
    drawing = easel(domain, problem, picture)
    panels = [drawing.panel("state", problem.init, asked=about)]
    if problem.goal:
        panels.append(drawing.goal(about))
    panels += [_claimed(drawing, label, claim, about) for label, claim in claims.items()]
    if asked:
        panels.append(drawing.panel("question", frozenset(), partial=True, drawn=False, notes=tuple(asked)))
    title = f"A question on a state of the problem {problem.name} of the domain {domain.name}"
    return drawing.document(title, panels)


def _about(claims: Sequence[Mapping[str, Any]], asked: Sequence[str], problem: Problem) -> frozenset[str]:
    """Return the objects in the facts or actions of a single claim or of an open question.

    Return no objects for sequences and for several claims, because they mention too many to highlight.
    """
    if len(claims) > 1 or any("plan" in claim or "sequence" in claim for claim in claims):
        return frozenset()
    atoms = re.findall(r"\(([^()]*)\)", " ".join([*asked, *map(str, claims)]))
    object_names = {typed.name for typed in problem.objects}
    names_by_atom = {atom: frozenset(atom.split()[1:]) & object_names for atom in atoms}
    speaking = [names for names in names_by_atom.values() if names]
    return frozenset().union(*speaking) if len(speaking) <= MOST_MARKED else frozenset()


def _claimed(drawing: Easel, label: str, claim: Mapping[str, Any], about: frozenset[str]) -> View:
    """Return a panel for a claim: facts are drawn if possible, actions are listed."""
    facts = frozenset(
        map(parse_atom, [*claim.get("facts", ()), *([claim["fact"]] if "fact" in claim else ())])
    )
    title, notes = label, list[str]()
    if "plan" in claim:
        removed = {place + offset for place in claim["at"] for offset in range(len(claim["remove"]))}
        title += (
            ": still a plan without " + ("one of " if len(claim["at"]) > 1 else "") + "what is in brackets"
        )
        notes = [
            f"{n + 1}. [{step}]" if n in removed else f"{n + 1}. {step}"
            for n, step in enumerate(claim["plan"])
        ]
    elif "sequence" in claim:
        title += f": the sequence is {SAYS.get(claim['says'], claim['says'])}"
        notes = [f"{number}. {step}" for number, step in enumerate(claim["sequence"], 1)]
    elif facts and "action" in claim:
        title += f": this holds after {claim['action']}"
    elif facts:
        title += (
            ": every plan makes this true"
            if "fact" in claim
            else ": this can come true" + (" at one time" if len(facts) > 1 else "")
        )
    elif "actions" in claim:
        title += ": can become applicable" + (" in one state" if len(claim["actions"]) > 1 else "")
        notes = list(claim["actions"])
    elif "action" in claim:
        title += ": is applicable"
        notes = [str(claim["action"])]
    return drawing.panel(title, facts, partial=True, asked=about, notes=tuple(notes), drawn=bool(facts))
