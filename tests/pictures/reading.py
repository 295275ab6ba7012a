"""What a picture says, read back from its SVG without the code that wrote it."""

import re
import xml.etree.ElementTree as ET
from dataclasses import dataclass

NAMESPACE = "{http://www.w3.org/2000/svg}"
LETTER = 0.56  # of the size of a text: as wide as a letter is on average, in a wide font


@dataclass(frozen=True)
class Element:
    """A rectangle, circle, line or text: its attributes and words, where it is, and the facts around it."""

    kind: str
    look: str
    style: str
    words: str
    edges: tuple
    panel: str
    facts: frozenset


class Picture:
    """An SVG document: its elements, its facts by panel, its words and its size."""

    def __init__(self, svg):
        self.root = ET.fromstring(svg)
        self.width, self.height = float(self.root.get("width")), float(self.root.get("height"))
        self.elements, self.facts, self.panels = [], {}, []
        self._walk(self.root, 1.0, 0.0, 0.0, "", frozenset())

    def _walk(self, node, scale, x, y, panel, facts):
        kind = node.tag.removeprefix(NAMESPACE)
        if kind in ("title", "desc", "style"):
            return
        if node.get("data-panel"):
            panel = node.get("data-panel")
            self.panels.append(panel)
        moved = node.get("transform", "")
        if shift := re.search(r"translate\((\S+) (\S+)\)", moved):
            x, y = x + scale * float(shift[1]), y + scale * float(shift[2])
        if shift := re.search(r"scale\((\S+)\)", moved):
            scale *= float(shift[1])
        own = frozenset(tuple(f.split()) for f in re.findall(r"\(([^()]*)\)", node.get("data-fact", "")))
        facts |= own
        self.facts.setdefault(panel, set()).update(own)
        if kind in ("rect", "circle", "line", "text"):
            edges = self._edges(node, kind)
            placed = tuple(scale * edge + (x, y)[n % 2] for n, edge in enumerate(edges))
            inner = "".join(node.itertext())
            self.elements.append(
                Element(kind, node.get("class", ""), node.get("style", ""), inner, placed, panel, facts)
            )
        for child in node:
            self._walk(child, scale, x, y, panel, facts)

    @staticmethod
    def _edges(node, kind):
        def number(name):
            return float(node.get(name, 0))

        if kind == "rect":
            return number("x"), number("y"), number("x") + number("width"), number("y") + number("height")
        if kind == "circle":
            x, y, r = number("cx"), number("cy"), number("r")
            return x - r, y - r, x + r, y + r
        if kind == "line":
            xs, ys = (number("x1"), number("x2")), (number("y1"), number("y2"))
            return min(xs), min(ys), max(xs), max(ys)
        size = number("font-size")
        long = LETTER * size * len("".join(node.itertext()))
        left_edge = number("x") - {"middle": long / 2, "end": long}.get(node.get("text-anchor"), 0)
        return left_edge, number("y") - 0.75 * size, left_edge + long, number("y") + 0.2 * size

    @property
    def texts(self):
        """The texts, in their order."""
        return [element.words for element in self.elements if element.kind == "text"]

    @property
    def spots(self):
        """The middle of each text."""
        return {e.words: middle(e.edges) for e in self.elements if e.kind == "text"}

    def words(self, panel=None):
        """The words of all texts, or of those of a panel."""
        texts = [e.words for e in self.elements if e.kind == "text" and panel in (None, e.panel)]
        return {word for text in texts for word in re.split(r"[\s,:()\[\]]+", text)}

    def outside(self):
        """The elements that are not within the picture."""
        return [
            e for e in self.elements
            if min(e.edges[:2]) < 0 or e.edges[2] > self.width + 0.1 or e.edges[3] > self.height + 0.1
        ]  # fmt: skip

    def box_around(self, text):
        """The innermost rectangle around the middle of a text."""
        around = [e for e in self.elements if e.kind == "rect" and within(self.spots[text], e.edges)]
        return min(around, key=lambda e: (e.edges[2] - e.edges[0]) * (e.edges[3] - e.edges[1]))


def middle(edges):
    """The point in the middle of a rectangle."""
    return (edges[0] + edges[2]) / 2, (edges[1] + edges[3]) / 2


def within(spot, edges):
    """Whether a point lies in a rectangle."""
    return edges[0] <= spot[0] <= edges[2] and edges[1] <= spot[1] <= edges[3]
