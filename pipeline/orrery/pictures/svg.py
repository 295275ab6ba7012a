"""The few shapes that pictures are made of, as SVG text, and scenes that hold them."""

from __future__ import annotations

from collections.abc import Sequence
from colorsys import hls_to_rgb
from dataclasses import dataclass
from html import escape

INK, PAPER, LINE, FILL, STRONG = "#22303c", "#ffffff", "#b8c4ce", "#e8eef3", "#2f6690"
PALETTE = ("#8ecae6", "#ffb703", "#a7c957", "#f28482", "#cdb4db", "#f9c74f", "#7fb7be", "#f8961e", "#43aa8b")


@dataclass(frozen=True, slots=True)
class Scene:
    """Shapes within a rectangle of ``width`` times ``height`` pixels, the origin at its top left.

    Beside a taller one it hangs from the top, unless it ``stands`` on the floor.
    """

    shapes: tuple[str, ...]
    width: float
    height: float
    stands: bool = False


def box(x: float, y: float, width: float, height: float, fill: str = FILL, line: str = LINE) -> str:
    """Return a rectangle with rounded corners."""
    place = f'x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}"'
    return f'<rect {place} rx="5" fill="{fill}" stroke="{line}"/>'


def disc(x: float, y: float, radius: float, fill: str = STRONG, line: str = INK) -> str:
    """Return a circle around (x, y)."""
    return f'<circle cx="{x:g}" cy="{y:g}" r="{radius:g}" fill="{fill}" stroke="{line}" stroke-width="2"/>'


def rule(x1: float, y1: float, x2: float, y2: float, width: float = 2, line: str = LINE) -> str:
    """Return a straight line."""
    return f'<line x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}" stroke="{line}" stroke-width="{width:g}"/>'


def word(x: float, y: float, text: str, size: float = 13, fill: str = INK, anchor: str = "middle") -> str:
    """Return a text whose baseline is a third of its size below ``y``."""
    return (
        f'<text x="{x:g}" y="{y + size / 3:g}" font-size="{size:g}" fill="{fill}"'
        f' text-anchor="{anchor}">{escape(text)}</text>'
    )


def fitting(
    x: float, y: float, text: str, width: float, fill: str = INK, size: float = 13, anchor: str = "middle"
) -> str:
    """Return a text of ``size`` pixels, or smaller so that it fits a width."""
    return word(x, y, text, round(min(size, 1.75 * (width - 2) / max(len(text), 1)), 1), fill, anchor)


def colour(names: Sequence[str], name: str) -> str:
    """Return the colour of ``name`` among ``names``, each of which has another."""
    number = names.index(name) if name in names else -1
    if number < len(PALETTE):
        return PALETTE[number] if number >= 0 else FILL
    # Steps of the golden ratio keep hues apart however many there are; three shades separate close ones.
    red, green, blue = hls_to_rgb(number * 0.618034 % 1, (0.8, 0.7, 0.6)[number % 3], 0.6)
    return f"#{round(255 * red):02x}{round(255 * green):02x}{round(255 * blue):02x}"


def document(scenes: Sequence[tuple[str, Scene]]) -> str:
    """Return the scenes side by side under their titles, as one SVG document."""
    gap, title = 28, 30
    tallest = max(scene.height for _, scene in scenes)
    height = tallest + title + gap
    parts, x = [], float(gap)
    for name, scene in scenes:
        width = max(scene.width, 60)
        parts.append(word(x, 20, name, 15, anchor="start"))
        y = title + gap / 2 + (tallest - scene.height if scene.stands else 0)
        parts.append(f'<g transform="translate({x:g} {y:g})">{"".join(scene.shapes)}</g>')
        x += width + 2 * gap
    width = x - gap
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}"'
        f' viewBox="0 0 {width:g} {height:g}" font-family="system-ui, sans-serif">'
        f'<rect width="100%" height="100%" fill="{PAPER}"/>{"".join(parts)}</svg>\n'
    )
