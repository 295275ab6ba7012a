"""SVG shapes with their extent, their words and the facts that they state.

The attribute ``data-fact`` of a shape contains its facts, such as ``(on a b) (clear a)``. So programs can
read a state back from its picture. Colors with a meaning are attributes of the shape. All other colors are
CSS classes, which differ between light and dark mode.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from colorsys import hls_to_rgb
from hashlib import sha256
from html import escape
from typing import NamedTuple

from orrery.model import Atom
from orrery.pddl.write import write_atom

PALETTE = ("#8ecae6", "#ffb703", "#a7c957", "#f28482", "#cdb4db", "#f9c74f", "#7fb7be", "#f8961e", "#43aa8b")
UNKNOWN = "#e8eef3"
MARGIN = 28
LETTER = 0.62  # width of a letter as a fraction of the text size: at least the average of common fonts

Edges = tuple[float, float, float, float]

_LIGHT = {
    "ink": "#22303c", "paper": "#ffffff", "line": "#a9b7c3", "plain": "#e8eef3", "strong": "#2f6690",
    "pale": "#ffffff", "dim": "#5a6b79", "shade": "#d3dae0", "mark": "#c2410c",
}  # fmt: skip
_DARK = {
    "ink": "#e4eaf0", "paper": "#161c22", "line": "#54636f", "plain": "#2a353f", "strong": "#7fb2d9",
    "pale": "#10161b", "dim": "#a3b1bd", "shade": "#3a4650", "mark": "#ff9d5c",
}  # fmt: skip
_RULES = (
    ("text", "fill:@ink"), ("text.dim,tspan.dim", "fill:@dim"),
    ("text.pale", "fill:@pale"), ("text.dark", "fill:#22303c"),
    (".paper", "fill:@paper;stroke:@line"), (".plain", "fill:@plain;stroke:@line"),
    (".strong", "fill:@strong;stroke:@strong"), (".shade", "fill:@shade;stroke:@line"),
    (".edged", "stroke:@ink"), (".ghost", "fill:@paper;stroke:@line;stroke-dasharray:4 3"),
    (".bare", "fill:@paper;stroke:none"), ("line", "stroke:@line"), ("line.floor", "stroke:@ink"),
    ("line.arm", "stroke:@strong"), (".ground", "opacity:.5"),
    (".new>rect,.new>circle", "stroke:@mark;stroke-width:2.5;stroke-dasharray:none"),
    (".new>text,tspan.new", "font-weight:700"),
    ("text.asked,tspan.asked", "font-weight:700;text-decoration:underline"),
)  # fmt: skip


class Shape(NamedTuple):
    """SVG text, its extent (left, top, right, bottom), the words in it, and the facts that it states."""

    svg: str
    edges: Edges
    words: frozenset[str] = frozenset()
    facts: frozenset[Atom] = frozenset()

    @property
    def width(self) -> float:
        """The width in pixels."""
        return self.edges[2] - self.edges[0]

    @property
    def height(self) -> float:
        """The height in pixels."""
        return self.edges[3] - self.edges[1]

    def at(self, x: float, y: float) -> Shape:
        """Return the shape moved so that its top left corner is at (x, y)."""
        return group([self], x=x - self.edges[0], y=y - self.edges[1])


NOTHING = Shape("", (0, 0, 0, 0))


def space(height: float) -> Shape:
    """Return an empty shape of the given height."""
    return Shape("<g/>", (0, 0, 0, height))


def box(x: float, y: float, width: float, height: float, look: str = "plain", tint: str = "") -> Shape:
    """Return a rectangle with rounded corners, filled with the color ``tint`` if it is not empty."""
    style = f"fill:{tint}" if tint else ""
    svg = _tag("rect", x=x, y=y, width=width, height=height, rx=5, class_=look, style=style)
    return Shape(svg, (x, y, x + width, y + height))


def disc(x: float, y: float, radius: float, look: str = "strong") -> Shape:
    """Return a circle around (x, y)."""
    svg = _tag("circle", cx=x, cy=y, r=radius, class_=look)
    return Shape(svg, (x - radius, y - radius, x + radius, y + radius))


def rule(
    x1: float, y1: float, x2: float, y2: float, width: float = 2, look: str = "", dashes: str = ""
) -> Shape:
    """Return a straight line. A dashed line has dashes and gaps of ``dashes`` pixels."""
    ends = {"x1": x1, "y1": y1, "x2": x2, "y2": y2}
    svg = _tag("line", **ends, stroke_width=width, class_=look, stroke_dasharray=dashes)
    return Shape(svg, (min(x1, x2), min(y1, y2), max(x1, x2), max(y1, y2)))


def word(x: float, y: float, text: str, size: float = 13, look: str = "", anchor: str = "middle") -> Shape:
    """Return a text whose baseline is a third of its size below ``y``."""
    place = {"x": x, "y": y + size / 3, "font_size": size}
    long = LETTER * size * len(text)
    min_x = x - {"middle": long / 2, "start": 0, "end": long}[anchor]
    edges = (min_x, y - 0.6 * size, min_x + long, y + 0.6 * size)
    svg = _tag("text", escape(text), **place, text_anchor=anchor, class_=look)
    return Shape(svg, edges, frozenset(re.split(r"[\s,:()]+", text)))


def phrases(x: float, y: float, parts: Sequence[tuple[str, str, Iterable[Atom]]], size: float) -> Shape:
    """Return a text of several parts. Each part has its words, its look and the facts that it states."""
    svg, stated_facts = [], set[Atom]()
    for number, (text, look, facts) in enumerate(parts):
        named = sorted({*facts})
        span = _tag("tspan", escape(text), class_=look, data_fact=_stated(named))
        svg.append((" " if number else "") + span)
        stated_facts.update(named)
    line = " ".join(text for text, _, _ in parts)
    _, edges, words, _ = word(x, y, line, size, "", "start")
    text = _tag("text", "".join(svg), x=x, y=y + size / 3, font_size=size)
    return Shape(text, edges, words, frozenset(stated_facts))


def fitting(
    x: float, y: float, text: str, width: float, look: str = "", size: float = 13, anchor: str = "middle"
) -> Shape:
    """Return a text of ``size`` pixels, or smaller so that it fits a width."""
    return word(x, y, text, int(10 * min(size, width / LETTER / max(len(text), 1))) / 10, look, anchor)


def group(
    shapes: Iterable[Shape], facts: Iterable[Atom] = (), look: str = "", x: float = 0, y: float = 0,
    scale: float = 1, panel: str = "",
) -> Shape:  # fmt: skip
    """Combine shapes into one, moved and scaled, that states ``facts`` and the facts of its parts.

    ``panel`` is the name of the panel, written in the attribute ``data-panel``.
    """
    parts = [shape for shape in shapes if shape.svg]
    if not parts:
        return NOTHING
    named = sorted({*facts})
    moves = f"translate({_n(x)} {_n(y)})" if x or y else ""
    moves += f"scale({scale:.4f})" if scale != 1 else ""
    inner = "".join(part.svg for part in parts)
    svg = _tag("g", inner, class_=look, data_fact=_stated(named), data_panel=escape(panel), transform=moves)
    lefts, tops, rights, bottoms = zip(*(part.edges for part in parts), strict=True)
    edges = (
        min(lefts) * scale + x, min(tops) * scale + y, max(rights) * scale + x, max(bottoms) * scale + y,
    )  # fmt: skip
    return Shape(
        svg if look or named or panel or moves else inner,
        edges,
        frozenset().union(*(part.words for part in parts)),
        frozenset(named).union(*(part.facts for part in parts)),
    )


def rows(shapes: Sequence[Shape], room: float, gap: float = 6, *, stand: bool = False) -> Shape:
    """Return the shapes in rows of at most ``room`` pixels.

    A shape wider than ``room`` has a row of its own. Shapes of a row are aligned at the bottom if ``stand``
    is set, and at the top otherwise.
    """
    shapes = [shape for shape in shapes if shape.svg]
    if not shapes:
        return NOTHING
    lines: list[list[Shape]] = [[]]
    used = 0.0
    for shape in shapes:
        if lines[-1] and used + shape.width > room:
            lines.append([])
            used = 0.0
        lines[-1].append(shape)
        used += shape.width + gap
    placed, top = [], 0.0
    for line in lines:
        height, x = max(shape.height for shape in line), 0.0
        for shape in line:
            placed.append(shape.at(x, top + (height - shape.height if stand else 0)))
            x += shape.width + gap
        top += height + gap
    return group(placed)


def column(shapes: Sequence[Shape], gap: float = 0) -> Shape:
    """Return the shapes below one another."""
    placed, top = [], 0.0
    for shape in shapes:
        if shape.svg:
            placed.append(shape.at(0, top))
            top += shape.height + gap
    return group(placed)


def squeezed(shape: Shape, room: float) -> Shape:
    """Return the shape, scaled down if it is wider than ``room``."""
    return shape if shape.width <= room else group([shape], scale=int(9999 * room / shape.width) / 10_000)


def _stated(facts: Iterable[Atom]) -> str:
    """Return the value of the attribute ``data-fact``."""
    return escape(" ".join(map(write_atom, facts)))


def _tag(name: str, inner: str | None = None, /, **attributes: str | float) -> str:
    """Return an element; empty attributes are omitted, and underscores in their names become hyphens."""
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{value if isinstance(value, str) else _n(value)}"'
        for key, value in attributes.items()
        if value != ""
    )
    return f"<{name}{written}/>" if inner is None else f"<{name}{written}>{inner}</{name}>"


def _n(value: float) -> str:
    """Format a number of pixels with two decimals, which hide rounding errors of the machine."""
    return f"{round(value, 2) + 0:.2f}".rstrip("0").rstrip(".")


def colour(names: Sequence[str], name: str) -> str:
    """Return the colour of ``name``; each of ``names`` has a different colour."""
    number = names.index(name) if name in names else -1
    if number < len(PALETTE):
        return PALETTE[number] if number >= 0 else UNKNOWN
    # Steps of the golden ratio separate any number of hues. Three shades separate similar hues.
    red, green, blue = hls_to_rgb(number * 0.618034 % 1, (0.8, 0.7, 0.6)[number % 3], 0.6)
    return f"#{round(255 * red):02x}{round(255 * green):02x}{round(255 * blue):02x}"


def document(drawn: Shape, title: str, text: str, style: str = "") -> str:
    """Return an SVG document: the shape with a margin, its title, and the text description ``text``.

    Its ids, and ``@ID`` in ``style``, are unique to the picture, so that a page can contain several pictures.
    """
    width, height = drawn.width + 2 * MARGIN, drawn.height + 2 * MARGIN
    placed = drawn.at(MARGIN, MARGIN)
    name = f"p{sha256((title + text + style + placed.svg).encode()).hexdigest()[:10]}"
    size = f'width="{_n(width)}" height="{_n(height)}" viewBox="0 0 {_n(width)} {_n(height)}"'
    ground = f'<rect width="{_n(width)}" height="{_n(height)}" class="bare"/>'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" id="{name}" {size} role="img"'
        f' aria-labelledby="{name}-title {name}-text" font-family="system-ui, sans-serif">'
        f'<title id="{name}-title">{escape(title)}</title><desc id="{name}-text">{escape(text)}</desc>'
        f"<style>{_style(name)}{style.replace('@ID', name)}</style>"
        f"{ground}{placed.svg}</svg>\n"
    )


def _style(name: str) -> str:
    """Return the style sheet of the document ``name``, for light and dark mode."""
    dark = "".join(_rule(name, *rule, _DARK) for rule in _RULES if "@" in rule[1])
    light = "".join(_rule(name, *rule, _LIGHT) for rule in _RULES)
    return f"{light}@media(prefers-color-scheme:dark){{{dark}}}"


def _rule(name: str, selectors: str, looks: str, colors: dict[str, str]) -> str:
    for kind, color in colors.items():
        looks = looks.replace(f"@{kind}", color)
    return f"{','.join(f'#{name} {selector}' for selector in selectors.split(','))}{{{looks}}}"
