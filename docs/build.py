"""Write what is made from the code: the picture of the packages and the data dictionary.

``python docs/build.py`` writes them; a test holds what is committed against what it would write.
"""

from __future__ import annotations

import ast
import re
import tomllib
from html import escape
from pathlib import Path

from orrery.families import families
from orrery.store import kinds

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "pipeline" / "orrery"
WIDTH, MARGIN, GAP, LINE, LETTER = 1180, 20, 14, 18, 6.7


def layers() -> list[list[str]]:
    """Return the packages of each layer, from the top, as the contract in pyproject.toml lists them."""
    tool = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
    contract = next(each for each in tool["importlinter"]["contracts"] if each["type"] == "layers")
    return [re.split(r"\s*[|:]\s*", layer) for layer in contract["layers"]] + [contract["exhaustive_ignores"]]


def place(room: str) -> Path:
    """Return the folder or file of a package."""
    folder = PACKAGE / room
    return folder if folder.is_dir() else folder.with_suffix(".py")


def purpose(path: Path) -> str:
    """Return the first line of a package's documentation."""
    source = path / "__init__.py" if path.is_dir() else path
    text = ast.get_docstring(ast.parse(source.read_text(encoding="utf-8"))) or ""
    return re.sub(r"``?", "", text.split("\n")[0]).rstrip(".")


def contents(path: Path) -> str:
    """Return the names of what a folder holds."""
    inside = sorted(path.iterdir()) if path.is_dir() else []
    names = [each.stem for each in inside if each.suffix == ".py" or (each / "__init__.py").exists()]
    return ", ".join(name for name in names if not name.startswith("_"))


def wrapped(text: str, width: float) -> list[str]:
    """Return ``text`` in lines that fit ``width`` pixels."""
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if len(longer) * LETTER <= width:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


def box(room: str, x: float, y: float, width: float) -> tuple[str, float]:
    """Return the drawing of one package and its height."""
    path, inner = place(room), width - 20
    said, held = wrapped(purpose(path), inner), wrapped(contents(path), inner) if path.is_dir() else []
    lines = [*((line, "said") for line in said), *((line, "held") for line in held)]
    height = LINE * (len(lines) + 1) + 22
    title = room if path.is_dir() else f"{room}.py"
    drawn = [
        f'<g id="{room}" transform="translate({x:g} {y:g})">',
        f'<rect rx="6" width="{width:g}" height="@HEIGHT@"/>',
        f'<text class="name" x="10" y="{LINE + 6}">{escape(title)}</text>',
    ]
    for number, (line, kind) in enumerate(lines, 2):
        drawn.append(f'<text class="{kind}" x="10" y="{LINE * number + 6}">{escape(line)}</text>')
    return "\n".join([*drawn, "</g>"]), height


def picture() -> str:
    """Return the packages of ``orrery`` as an SVG: a layer a line, the importing ones above the imported."""
    drawn, y = [], MARGIN + 34.0
    for rooms in layers():
        width = (WIDTH - 2 * MARGIN - GAP * (len(rooms) - 1)) / len(rooms)
        boxes = [box(room, MARGIN + n * (width + GAP), y, width) for n, room in enumerate(rooms)]
        height = max(height for _, height in boxes)
        drawn += [svg.replace("@HEIGHT@", f"{height:g}") for svg, _ in boxes]
        y += height + GAP
    style = (
        "text{font:12px ui-sans-serif,system-ui,sans-serif;fill:#1f2933}.name{font-weight:700;font-size:14px}"
        ".held{fill:#52606d;font-family:ui-monospace,monospace;font-size:11px}"
        "rect{fill:#f5f7fa;stroke:#9aa5b1}.head{font-size:13px}"
        "@media(prefers-color-scheme:dark){text{fill:#e4e7eb}.held{fill:#9aa5b1}rect{fill:#1f2933;stroke:#52606d}}"
    )
    head = (
        "A package imports those of the layers below it, and none of its own layer. The graders stand alone."
    )
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y + MARGIN - GAP:g}" role="img">',
            "<title>The parts of the package orrery, by layer</title>",
            f"<style>{style}</style>",
            f'<text class="head" x="{MARGIN}" y="{MARGIN + 14}">{head}</text>',
            *drawn,
            "</svg>\n",
        ]
    )


def dictionary() -> str:
    """Return every column of every published table, by family."""
    lines = [
        "# Data dictionary",
        "",
        "Every column of the published tables, from their schemas (`make docs` writes it). Files are",
        "`data/<table>/<split>-*.parquet`; in SQL (`orrery query`) each table also has the column `split`.",
    ]
    for name, family in families().items():
        lines += ["", f"## Family `{name}`"]
        for table in family.tables:
            read = ", ".join(f"{how} ({', '.join(columns)})" for how, columns in table.prompts.items())
            lines += ["", f"### {table.name}", "", f"{kinds.description(table.schema)}."]
            lines += [f"A model reads: {read}."] if read else []
            lines += ["", "| column | type | meaning |", "|---|---|---|"]
            for field in table.schema:
                kind = str(field.type).replace("element: ", "").replace(" not null", "")
                kind = f"`{kind}`" + (", may be null" if field.nullable else "")
                lines.append(f"| `{field.name}` | {kind} | {kinds.description(field)} |")
    return "\n".join(lines) + "\n"


def written() -> dict[Path, str]:
    """Return the content of every file that is made from the code."""
    docs = ROOT / "docs"
    return {docs / "architecture.svg": picture(), docs / "data.md": dictionary()}


if __name__ == "__main__":
    for target, content in written().items():
        target.write_text(content, encoding="utf-8")
