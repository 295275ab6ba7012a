"""Draw the states of a plan as a strip of pictures or as an animation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from orrery.model import Domain, Problem, State, Step
from orrery.pddl.write import write_atom
from orrery.pictures import places
from orrery.pictures.draw import Easel, Picture, assembled, easel
from orrery.pictures.svg import column, document, group, rows, space, squeezed
from orrery.pictures.view import HALF, ROOM, View
from orrery.planning.execution import applicable, progress

GAP, SECONDS = 26, 1.6
SHRUNK = 0.8  # minimum scale of frames when several share a row


def strip(
    domain: Domain, problem: Problem, steps: Sequence[Step], picture: Picture, first: int | None = None
) -> str:
    """Return an SVG document with the states along a plan and the goal. Errors: see ``draw``.

    At most ``first`` steps are shown. The strip ends at a step that is not applicable, and names this step.
    """
    drawing = easel(domain, problem, picture)
    panels = [*_framed(drawing, frames(drawing, steps, first)), drawing.goal()]
    return drawing.document(_title("The states of a plan for", domain, problem), panels, GAP)


def animation(
    domain: Domain, problem: Problem, steps: Sequence[Step], picture: Picture, first: int | None = None
) -> str:
    """Return an SVG document that animates the states along a plan.

    It shows only the initial state if the reader prefers reduced motion or the program supports no animation.
    """
    drawing = easel(domain, problem, picture)
    panels = frames(drawing, steps, first)
    scenes = [drawing.fitted(panel) for panel in panels]
    room = max(panel.room for panel, _ in scenes)
    resized = [replace(panel, room=room) for panel in panels]
    least = _least(drawing, resized)
    resized = [replace(panel, least=least) for panel in resized]
    parts = [drawing.parts(panel, squeezed(drawing.scene(panel), room)) for panel in resized]
    high = max(title.height for title, _, _ in parts)
    whole = [
        assembled(panel, group([title, space(high)]), scene, below)
        for panel, (title, scene, below) in zip(resized, parts, strict=True)
    ]
    stage = group(group([picture.at(0, 0)], look=f"frame f{number}") for number, picture in enumerate(whole))
    goal, aim = drawing.fitted(drawing.goal())
    top = rows([stage, drawing.whole(goal, aim)], ROOM, GAP)
    drawn = column([top, drawing.always([*resized, goal], [*whole, drawing.whole(goal, aim)])], 18)
    title = _title("An animation of a plan for", domain, problem)
    return document(drawn, title, drawing.text([*resized, goal]), _motion(len(whole)))


def frames(drawing: Easel, steps: Sequence[Step], first: int | None = None) -> list[View]:
    """Return a panel for the initial state and for the state after each step. New facts are highlighted."""
    state: State = drawing.problem.init
    panels = [drawing.panel("0: initial state", state)]
    drawn_steps = steps if first is None else steps[:first]
    for number, step in enumerate(drawn_steps, start=1):
        text = write_atom(step)
        if not applicable(drawing.domain, state, step):
            return [*panels[:-1], _noted(panels[-1], f"Step {number}, {text}, cannot be taken.")]
        after = progress(drawing.domain, state, step)
        panels.append(drawing.panel(f"{number}: {text}", after, fresh=after - state))
        state = after
    if len(steps) > len(drawn_steps):
        panels[-1] = _noted(panels[-1], f"{len(steps) - len(drawn_steps)} more steps are not shown.")
    return panels


def _least(drawing: Easel, panels: Sequence[View]) -> dict[str, tuple[float, float]]:
    """Return the maximum width and height of each outer box over all panels, for a stable layout."""
    sizes: dict[str, tuple[float, float]] = {}
    for panel in panels if drawing.picture.get("kind") == "places" else ():
        for name, (width, height) in places.sizes(panel).items():
            wide, high = sizes.get(name, (0.0, 0.0))
            sizes[name] = max(width, wide), max(height, high)
    return sizes


def _noted(panel: View, note: str) -> View:
    return replace(panel, notes=(*panel.notes, note))


def _title(kind: str, domain: Domain, problem: Problem) -> str:
    return f"{kind} the problem {problem.name} of the domain {domain.name}"


def _framed(drawing: Easel, panels: list[View]) -> list[View]:
    """Return the panels at the smallest width at which they stay readable and not too high."""
    scene = drawing.scene(replace(panels[0], room=HALF))
    for many in (5, 4, 3):
        room = (ROOM - GAP * (many - 1)) / many
        fitted_scene = drawing.scene(replace(panels[0], room=room))
        if fitted_scene.width * SHRUNK <= room and fitted_scene.height <= max(1.3 * scene.height, 2 * room):
            return [replace(panel, room=room) for panel in panels]
    return panels


def _motion(number: int) -> str:
    """Return the style sheet that shows one frame at a time, the last one for twice as long."""
    duration = SECONDS * (number + 1)
    share = 100 / (number + 1)
    if number < 2:
        return ""
    rules = [
        f"#@ID .f{frame}{{animation-delay:{SECONDS * frame - duration:.1f}s}}" for frame in range(number)
    ]
    end = f"#@ID .f{number - 1}{{animation-name:@ID-last}}"
    return (
        "#@ID .frame{opacity:0}#@ID .f0{opacity:1}"
        f"@keyframes @ID-show{{0%{{opacity:1}}{share:.3f}%{{opacity:0}}100%{{opacity:0}}}}"
        f"@keyframes @ID-last{{0%{{opacity:1}}{2 * share:.3f}%{{opacity:0}}100%{{opacity:0}}}}"
        "@media(prefers-reduced-motion:no-preference){"
        f"#@ID .frame{{animation:@ID-show {duration:.1f}s step-end infinite}}{''.join(rules)}{end}}}"
    )
