"""Charts of the report: Vega-Lite, converted to SVG by vl-convert when the report is written.

So the page needs no script for them, and the same figures give the same bytes. Colours are CSS properties of
the page, which differ between its light and dark theme. A mark links to the rows that it counts: it has the
address of a selection, and the command that prints the same rows.
"""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple
from xml.sax.saxutils import quoteattr

from orrery.dataset.selection import ADDRESS, Selection
from orrery.language.words import environment

VEGA_LITE = "5.21"  # fixed, so that a newer converter draws the same
RANGE = "\u2013"  # separates the ends of a bin
# A unique address for each mark, because the converter reuses addresses.
_LINK = re.compile(rf'<a xlink:href="{ADDRESS}/#(\d+)"')
# Half of the converter's SVG: shapes without area, defaults, and what the style of the page says once.
_EMPTY = re.compile(
    r'<path class="(?:back|fore)ground" aria-hidden="true" d="(?:M0,0h0v0h0Z)?"[^>]*/>'
    r'| (?:opacity|stroke-width)="1"| font-family="[^"]*"| aria-roledescription="[^"]*"'
)
_DECIMALS = re.compile(r"(\.\d\d)\d\d+")  # of places; shown scores have three


class Bar(NamedTuple):
    """A bar of a chart: its part, position and value, and the rows that it counts."""

    part: str
    place: str
    value: int
    rows: Selection


class Reach(NamedTuple):
    """A line of a chart of scores: chance, limit, score, and colour."""

    name: str
    chance: float
    limit: float
    score: float
    colour: str
    rows: Selection


def chart(templates: Path, form: str, title: str, marks: Sequence[Bar | Reach], **look: Any) -> str:
    """Return a chart as SVG for a page; empty without marks.

    ``form`` is the name of a specification in ``templates/report/charts``, and ``look`` its other variables.
    """
    if not marks:
        return ""
    from vl_convert import vegalite_to_svg

    specification = environment(templates).get_template(f"report/charts/{form}.json.j2")
    text = specification.render(title=title, marks=marks, address=ADDRESS, **look)
    svg = _EMPTY.sub("", _DECIMALS.sub(r"\1", vegalite_to_svg(text, vl_version=VEGA_LITE)))
    svg = _LINK.sub(lambda match: f"<a {attributes(marks[int(match[1])].rows)}", svg)
    # The chart has a name for screen readers, and is at most as wide as the page.
    named = f'class="chart" role="group" aria-label="{html.escape(title)}"'
    return str(svg.replace('class="marks"', named, 1))


def attributes(rows: Selection) -> str:
    """Return the attributes of a link to rows: their address, and their table and conditions in SQL.

    The rows of a family have no SQL, but the command that shows them.
    """
    address = f"href={quoteattr(ADDRESS + rows.address)}"
    return (
        f"{address} data-from={quoteattr(rows.clause)}"
        if rows.clause
        else f'{address} data-run="orrery browse"'
    )
