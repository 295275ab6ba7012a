"""Draw a state, a problem, a plan or a question as an SVG picture.

The ``picture`` entry of ``domain.yaml`` describes how the domain is drawn. The attribute ``data-panel`` names
each panel of a picture. A panel shows the facts of one state or of the goal, and no other facts. Each fact is
either drawn or listed. The panel ``always`` lists two things once: static facts that are not drawn in the
panels, and objects that no panel names.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from orrery.model import OBJECT, Domain, OrreryError, Problem, State, TypedName, suggest
from orrery.pictures import grid, places, routes, stacks
from orrery.pictures.description_check import check_picture
from orrery.pictures.lists import LinePhrase, lines, listed
from orrery.pictures.svg import NOTHING, Shape, column, document, group, rows, space, squeezed, word
from orrery.pictures.view import APART, HALF, ROOM, View, natural

DRAWERS = {
    "stacks": stacks.scene, "places": places.scene, "grid": grid.scene, "routes": routes.scene,
    "boxes": places.object_boxes,
}  # fmt: skip
ALWAYS, HIGH = "always", 760
Picture = Mapping[str, Any] | None


@dataclass(frozen=True)
class Easel:
    """A domain, a problem and the description of its pictures, with functions that draw panels."""

    domain: Domain
    problem: Problem
    picture: Mapping[str, Any]

    @property
    def statics(self) -> State:
        """The initial facts that no action changes."""
        return frozenset(fact for fact in self.problem.init if fact[0] not in self.domain.fluents)

    def panel(self, title: str, facts: State, *, partial: bool = False, **more: Any) -> View:
        """Return a panel; a ``partial`` one, such as a goal, is drawn over the static facts."""
        ground = self.statics - facts if partial else frozenset()
        return View(facts, self.problem, self.picture, title=title, ground=ground, partial=partial, **more)

    def goal(self, asked: frozenset[str] = frozenset()) -> View:
        """Return the panel of the goal: its positive facts, and the facts that must not hold."""
        never = frozenset(literal.atom for literal in self.problem.goal if not literal.positive)
        notes = () if self.problem.goal else ("Nothing is wanted.",)
        goal_facts = self.problem.goal_facts
        return self.panel("goal", goal_facts, partial=True, never=never, notes=notes, asked=asked)

    def scene(self, panel: View) -> Shape:
        """Return the drawing of a panel in the kind of picture that the domain uses.

        Raises:
            OrreryError: the description names an unknown kind, or lacks a key that its kind needs.
        """
        place = f"domains/{self.domain.name}/domain.yaml: picture"
        kind = str(self.picture.get("kind"))
        if kind not in DRAWERS:
            raise OrreryError(place, f"no kind of picture '{kind}'", suggest(kind, "kinds", DRAWERS))
        try:
            return DRAWERS[kind](panel) if panel.drawn else NOTHING
        except KeyError as error:
            raise OrreryError(
                place, f"kind '{kind}' needs {error}", f"see orrery/pictures/{kind}.py"
            ) from error

    def fitted(self, panel: View) -> tuple[View, Shape]:
        """Return the panel and its drawing. A drawing too high for half the picture gets the full width."""
        scene = self.scene(panel)
        if panel.room == HALF and (scene.height > HIGH or scene.width > HALF):
            wide = replace(panel, room=ROOM)
            wide_scene = self.scene(wide)
            if wide_scene.height < 0.75 * scene.height or scene.width > 1.25 * HALF:
                panel, scene = wide, wide_scene
        return panel, squeezed(scene, panel.room)

    def panels(self, panels: Sequence[View], gap: float = APART) -> Shape:
        """Return the panels in rows, with the static facts below them."""
        shapes = [self.parts(*self.fitted(panel)) for panel in panels]
        stands = self.picture.get("kind") == "stacks"
        high = max((title.height + scene.height for title, scene, _ in shapes if scene.svg), default=0.0)
        whole = []
        for panel, (title, scene, below) in zip(panels, shapes, strict=True):
            missing = high - title.height - scene.height
            fill = [space(missing)] if stands and scene.svg and missing > 0 else []
            whole.append(assembled(panel, title, column([*fill, scene]), below))
        return column([rows(whole, ROOM, gap), self.always(panels, whole)], 18)

    def whole(self, panel: View, scene: Shape) -> Shape:
        """Return a panel: its title, its drawing, and a list of the facts that are not drawn."""
        return assembled(panel, *self.parts(panel, scene))

    def parts(self, panel: View, scene: Shape) -> tuple[Shape, Shape, Shape]:
        """Return the parts of a panel: its title, its drawing, and the undrawn facts with the notes."""
        undrawn = panel.facts - scene.facts
        if not panel.partial:
            undrawn -= self.statics
        plain = replace(panel, facts=frozenset(), fresh=frozenset())
        notes = [lines(_words(note, bold=True), plain, panel.room) for note in panel.notes]
        if panel.never:
            never = ", ".join(" ".join(fact) for fact in sorted(panel.never))
            notes.append(lines(_words(f"not: {never}"), plain, panel.room))
        below = column([listed(undrawn, panel, panel.room), *notes], 6)
        room = max(170.0, min(panel.room, max(scene.width, below.width)))
        title = lines(_words(panel.title, bold=True), replace(plain, asked=frozenset()), room, 15, 0)
        return title, scene, below

    def always(self, panels: Sequence[View], whole: Sequence[Shape]) -> Shape:
        """Return the panel ``always``: undrawn static facts, and objects not named in the other panels."""
        states = [shape.facts for panel, shape in zip(panels, whole, strict=True) if not panel.partial]
        unchanging = self.statics - frozenset.intersection(*states) if states else frozenset()
        words = frozenset().union(*(shape.words for shape in whole))
        view = View(unchanging, self.problem, self.picture, ROOM)
        static_list = listed(unchanging, view, ROOM)
        unnamed = [typed for typed in self.problem.objects if typed.name not in words | static_list.words]
        parts = [static_list]
        if unnamed:
            parts.append(lines([LinePhrase("also there:"), *_named(unnamed)], view, ROOM))
        if not any(part.svg for part in parts):
            return NOTHING
        heading = word(0, 0, "always", 13, "dim", "start")
        return group([column([heading, *parts], 6)], panel=ALWAYS)

    def document(self, title: str, panels: Sequence[View], gap: float = APART) -> str:
        """Return the panels as an SVG document with a title and an equivalent text description."""
        return document(self.panels(panels, gap), title, self.text(panels))

    def text(self, panels: Sequence[View]) -> str:
        """Return a text description of the panels, for screen readers."""
        sentences = [f"{panel.title}: {_spelled(panel.facts - self.statics, panel)}." for panel in panels]
        return " ".join([*sentences, *([f"Always: {_spelled(self.statics)}."] if self.statics else [])])


def easel(domain: Domain, problem: Problem, picture: Picture) -> Easel:
    """Return the ``Easel`` of a problem. Without a description, each object is drawn as a box.

    Raises:
        OrreryError: the description names something that the domain does not have.
    """
    check_picture(picture, domain)
    if picture is None:
        picture = {"kind": "boxes", "changing": sorted(domain.fluents)}
    return Easel(domain, problem, picture)


def draw(domain: Domain, problem: Problem, state: State, picture: Picture) -> str:
    """Return an SVG document that shows one state of the problem. Errors: see ``Easel.scene``."""
    title = f"A state of the problem {problem.name} of the domain {domain.name}"
    drawing = easel(domain, problem, picture)
    return drawing.document(title, [drawing.panel("state", state)])


def draw_problem(domain: Domain, problem: Problem, picture: Picture) -> str:
    """Return an SVG document with initial state and goal side by side. Errors: see ``Easel.scene``."""
    title = f"Initial state and goal of the problem {problem.name} of the domain {domain.name}"
    drawing = easel(domain, problem, picture)
    return drawing.document(title, [drawing.panel("initial state", problem.init), drawing.goal()])


def assembled(panel: View, title: Shape, scene: Shape, below: Shape) -> Shape:
    """Return the parts of a panel below one another."""
    return group([column([title, column([scene, below], 8)], 10)], panel=panel.title)


def _words(text: str, *, bold: bool = False) -> list[LinePhrase]:
    """Split a text into words of a line that state no facts."""
    return [LinePhrase(word, bold=bold) for word in text.split()]


def _named(objects: Iterable[TypedName]) -> Iterator[LinePhrase]:
    """Yield the names of objects, grouped by type."""
    ranked = sorted(objects, key=lambda typed: (typed.types, natural(typed.name)))
    for types, same_types in groupby(ranked, key=lambda typed: typed.types):
        kind = "" if types == (OBJECT,) else f" ({' or '.join(types)})"
        texts = [typed.name for typed in same_types]
        yield from (LinePhrase(f"{text},") for text in texts[:-1])
        yield LinePhrase(texts[-1] + kind)


def _spelled(facts: State, panel: View | None = None) -> str:
    """Return a text that lists facts by predicate, then the negative facts and the notes of a panel."""
    ranked = sorted(facts, key=lambda fact: (fact[0], *map(natural, fact[1:])))
    parts = []
    for name, same_predicate in groupby(ranked, key=lambda fact: fact[0]):
        texts = [" ".join(fact[1:]) for fact in same_predicate]
        parts.append(f"{name}: {', '.join(texts)}" if any(texts) else name)
    if panel:
        parts += [f"not {' '.join(fact)}" for fact in sorted(panel.never)]
        parts += panel.notes
    return "; ".join(parts) or "nothing"
