"""Charts of the report: Vega-Lite, converted to SVG by vl-convert when the report is written.

So the page needs no script for them, and the same figures give the same bytes. Colours are CSS properties of
the page, which differ between its light and dark theme. A mark links to the rows that it counts: it has the
address of a selection, and the command that prints the same rows.
"""

from __future__ import annotations

import html
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from orrery.dataset.selection import ADDRESS, Selection

VEGA_LITE = "5.21"  # fixed, so that a newer converter draws the same
RANGE = "\u2013"  # separates the ends of a bin
CHANNELS: Mapping[str, Any] = {"href": {"field": "to"}, "description": {"field": "say"}}  # of all marks
WIDE = 400  # pixels of the widest chart, which fits a small screen without scaling
# The converter contains the first font and measures words with it, independent of installed fonts. The others
# have the same widths.
FONT = "Liberation Sans, Arial, Helvetica, sans-serif"
# A unique address for each mark, because the converter reuses addresses.
_LINK = re.compile(rf'<a xlink:href="{ADDRESS}/#(\d+)"')
_HEAD = re.compile(r"<svg [^>]*>")


class Bar(NamedTuple):
    """A bar of a chart: its part, position, value and colour, and the rows that it counts."""

    part: str
    place: str
    value: float
    rows: Selection | None = None
    colour: str = ""


class Reach(NamedTuple):
    """A line of a chart of scores: chance, limit, score, and colour."""

    name: str
    chance: float
    limit: float
    score: float
    colour: str
    rows: Selection | None = None


def histograms(title: str, bars: Sequence[Bar], places: Sequence[str]) -> str:
    """Return histograms below one another, one per part, with a common axis; empty without bars."""
    if not bars:
        return ""
    links = _Links()
    values = [links.bar(bar, f"{bar.part}: {title.lower()} {bar.place}") for bar in bars]
    stride = max(1, -(-len(places) // 8))
    shown = f"indexof({list(places)}, datum.value) % {stride} == 0 ? split(datum.label, '{RANGE}')[0] : ''"
    axis = {"title": None, "labelAngle": 0, "ticks": False, "labelExpr": shown, "labelOverlap": True}
    spec = {
        "data": {"values": values},
        "facet": {
            "row": {
                "field": "part",
                "title": None,
                "sort": list(dict.fromkeys(bar.part for bar in bars)),
                "header": {
                    "labelOrient": "top",
                    "labelAnchor": "start",
                    "labelAngle": 0,
                    "labelPadding": 3,
                    "labelFontWeight": 600,
                },
            }
        },
        "spacing": 14,
        "spec": {
            "width": WIDE - 50,
            "height": 62,
            "mark": {"type": "bar", "color": "var(--share)", "binSpacing": 1},
            "encoding": {
                "x": {"field": "place", "type": "ordinal", "scale": {"domain": list(places)}, "axis": axis},
                "y": {
                    "field": "n",
                    "type": "quantitative",
                    "axis": {"title": None, "tickCount": 3, "format": "~s", "domain": False},
                },
                **CHANNELS,
            },
        },
        "resolve": {"scale": {"y": "independent"}},
    }
    return links.drawn(spec, title)


def stacks(title: str, bars: Sequence[Bar], colours: Mapping[str, str], *, shares: bool = False) -> str:
    """Return a stacked bar for each part, with one piece per ``place``, as numbers or as shares."""
    if not bars:
        return ""
    links = _Links()
    order = {place: number for number, place in enumerate(colours)}
    values = [{**links.bar(bar, f"{bar.part}, {bar.place}"), "order": order[bar.place]} for bar in bars]
    spec = {
        "data": {"values": values},
        "width": WIDE - 150,
        "height": {"step": 15},
        "mark": {"type": "bar", "stroke": "var(--paper)", "strokeWidth": 0.5},
        "encoding": {
            "y": {
                "field": "part",
                "type": "nominal",
                "title": None,
                "sort": list(dict.fromkeys(bar.part for bar in bars)),
                "axis": {"ticks": False, "domain": False, "labelLimit": 150},
            },
            "x": {
                "field": "n",
                "type": "quantitative",
                "stack": "normalize" if shares else "zero",
                "axis": {"title": None, "tickCount": 4, "format": "%" if shares else "~s", "domain": False},
            },
            "order": {"field": "order"},
            "color": {
                "field": "place",
                "type": "nominal",
                "scale": {"domain": list(colours), "range": list(colours.values())},
                "legend": {"title": None, "orient": "top", "columns": 4, "symbolType": "square", "offset": 4},
            },
            **CHANNELS,
        },
    }
    return links.drawn(spec, title)


def reaches(title: str, lines: Sequence[Reach]) -> str:
    """Return a line for each table: from chance to the score, with a mark at the limit."""
    if not lines:
        return ""
    links = _Links()
    values = [
        line._asdict()
        | {
            "say": f"{line.name}: {line.score:.3f}, chance {line.chance:.3f}, limit {line.limit:.3f}",
            "rows": None,
            "to": links.number(line.rows),
        }
        for line in lines
    ]
    y = {
        "field": "name",
        "type": "nominal",
        "title": None,
        "sort": [line.name for line in lines],
        "axis": {"ticks": False, "domain": False, "grid": True, "labelLimit": 150},
    }
    colour = {"color": {"field": "colour", "type": "nominal", "scale": None}}
    axis = {"title": None, "format": "%", "tickCount": 5, "domain": False}

    def x(field: str) -> dict[str, Any]:
        return {"field": field, "type": "quantitative", "scale": {"domain": [0, 1]}, "axis": axis}

    spec = {
        "data": {"values": values},
        "width": WIDE - 150,
        "height": {"step": 15},
        "encoding": {"y": y},
        "layer": [
            {
                "mark": {"type": "rule", "strokeWidth": 2},
                "encoding": {"x": x("chance"), "x2": {"field": "score"}, **colour, **CHANNELS},
            },
            {
                "mark": {"type": "tick", "color": "var(--soft)", "thickness": 1, "size": 10},
                "encoding": {"x": x("chance")},
            },
            {
                "mark": {"type": "tick", "color": "var(--bad)", "thickness": 1, "size": 10},
                "encoding": {"x": x("limit")},
            },
            {
                "mark": {"type": "circle", "size": 38, "opacity": 1},
                "encoding": {"x": x("score"), **colour, **CHANNELS},
            },
        ],
    }
    return links.drawn(spec, title)


class _Links:
    """The selections that the marks of a chart link to, by number."""

    def __init__(self) -> None:
        self._rows: list[Selection] = []

    def number(self, rows: Selection | None) -> str | None:
        """Return the placeholder of a selection, which ``drawn`` replaces by the address."""
        if rows is None:
            return None
        self._rows.append(rows)
        return f"{ADDRESS}/#{len(self._rows) - 1}"

    def bar(self, bar: Bar, called: str) -> dict[str, Any]:
        """Return the specification of a bar; ``called`` is its name for screen readers."""
        label = f"{called}: {bar.value:,.0f}"
        return {
            "part": bar.part, "place": bar.place, "n": bar.value, "say": label, "to": self.number(bar.rows)
        }  # fmt: skip

    def drawn(self, spec: Mapping[str, Any], title: str) -> str:
        """Return a specification as SVG for a page, with its links and names for screen readers."""
        from vl_convert import vegalite_to_svg

        svg = vegalite_to_svg({**spec, "config": _config()}, vl_version=VEGA_LITE)
        svg = _LINK.sub(lambda match: f"<a {attributes(self._rows[int(match[1])])}", svg)
        return _HEAD.sub(lambda match: _head(match[0], title), svg, count=1)


def attributes(rows: Selection) -> str:
    """Return the attributes of a link to rows: their address, and the command that prints them."""
    return f'href="{html.escape(ADDRESS + rows.address)}" data-run="{html.escape(rows.command)}"'


def _head(svg: str, title: str) -> str:
    """Return the opening tag of a chart with its name; the chart is at most as wide as the page."""
    return svg.replace('class="marks"', f'class="chart" role="group" aria-label="{html.escape(title)}"')


def _config() -> dict[str, Any]:
    """Return the look of all charts."""
    words = {
        "aria": False,
        "labelFont": FONT,
        "titleFont": FONT,
        "labelFontSize": 11,
        "labelColor": "var(--ink)",
    }
    return {
        "background": None,
        "padding": {"left": 14, "right": 8, "top": 4, "bottom": 4},  # another font may be slightly wider
        "view": {"stroke": None},
        "axis": {
            **words,
            "gridColor": "var(--line)",
            "domainColor": "var(--soft)",
            "tickColor": "var(--line)",
        },
        "header": {name: value for name, value in words.items() if name != "aria"} | {"labelFontSize": 12},
        "legend": {**words, "symbolStrokeWidth": 0},
    }
