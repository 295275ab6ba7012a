"""The picture of a state or of a problem, drawn as the domain's description says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from orrery.model import Domain, OrreryError, Problem, State
from orrery.pictures import grid, places, routes, stacks
from orrery.pictures.svg import Scene, document


def draw(domain: Domain, problem: Problem, state: State, picture: Mapping[str, Any]) -> str:
    """Return one state of the problem as an SVG document.

    Raises:
        OrreryError: the description names an unknown kind, or lacks a key that its kind needs.
    """
    return document([("", _scene(domain, problem, state, picture))])


def draw_problem(domain: Domain, problem: Problem, picture: Mapping[str, Any]) -> str:
    """Return initial state and goal side by side as an SVG document; errors as in ``draw``."""
    statics = frozenset(fact for fact in problem.init if fact[0] not in domain.fluents)
    parts = (("initial state", problem.init), ("goal", problem.goal_facts | statics))
    return document([(title, _scene(domain, problem, facts, picture)) for title, facts in parts])


def _scene(domain: Domain, problem: Problem, facts: State, picture: Mapping[str, Any]) -> Scene:
    drawers = {"stacks": stacks.scene, "places": places.scene, "grid": grid.scene, "routes": routes.scene}
    where = f"domains/{domain.name}/domain.yaml: picture"
    kind = picture.get("kind")
    if kind not in drawers:
        raise OrreryError(where, f"no kind of picture '{kind}'", f"kinds are: {', '.join(drawers)}")
    try:
        return drawers[kind](facts, problem, picture)
    except KeyError as error:
        raise OrreryError(where, f"kind '{kind}' needs {error}", f"see orrery/pictures/{kind}.py") from error
