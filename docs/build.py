"""Write the generated documentation: pictures, the data dictionary, the API page.

``python docs/build.py`` writes them; a test holds what is committed against what it would write.
"""

from __future__ import annotations

import ast
import inspect
import json
import re
import tomllib
from functools import cached_property
from html import escape
from pathlib import Path
from typing import Any

import orrery
from orrery.catalog import Catalog
from orrery.dataset.question_view import QUESTIONS_VIEW
from orrery.families import families
from orrery.pddl.read import read_problem
from orrery.pddl.write import parse_atom
from orrery.pictures.draw import draw_problem
from orrery.pictures.plans import animation, strip
from orrery.store import kinds

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "pipeline" / "orrery"
WIDTH, MARGIN, GAP, LINE, LETTER = 1180, 20, 14, 18, 6.7
WRAPPED = 100  # letters of a signature that has one line


def layers() -> list[list[str]]:
    """Return the packages of each layer, from the top, as the contract in pyproject.toml lists them."""
    tool = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
    contract = next(each for each in tool["importlinter"]["contracts"] if each["type"] == "layers")
    # The first is the command line by another name.
    found = [re.split(r"\s*[|:]\s*", layer) for layer in contract["layers"] if layer != "__main__"]
    return [*found, contract["exhaustive_ignores"]]


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
    """Return the names of the files and folders in a folder."""
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


def dictionary_line(field: Any) -> str:
    """Return a column as a line of a table."""
    kind = str(field.type).replace("element: ", "").replace(" not null", "")
    kind = f"`{kind}`" + (", may be null" if field.nullable else "")
    return f"| `{field.name}` | {kind} | {kinds.description(field)} |"


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
                lines.append(dictionary_line(field))
    lines += ["", "## View `questions`", "", f"{kinds.description(QUESTIONS_VIEW)}: `views/questions`.", ""]
    lines += ["| column | type | meaning |", "|---|---|---|", *map(dictionary_line, QUESTIONS_VIEW)]
    return "\n".join(lines) + "\n"


def library() -> str:
    """Return the API page of ``import orrery``, from the docstrings: functions, then classes."""
    names = [name for name in orrery.__all__ if not name.startswith("_")]
    offered = sorted((inspect.isclass(getattr(orrery, name)), name) for name in names)
    lines = [
        "# The library",
        "",
        "What `import orrery` offers, from the docstrings (`make docs` writes it). How to use it:",
        "[Use it as a library](use-as-a-library.md).",
    ]
    for is_class, name in offered:
        found = getattr(orrery, name)
        lines += ["", f"## `orrery.{name}`", *([] if is_class else signature(name, found)), "", *said(found)]
        for each, member in members(found) if is_class else ():
            shown = signature(each, member) if callable(member) else []
            lines += ["", f"### `{name}.{each}`", *shown, "", *said(member)]
    return "\n".join(lines) + "\n"


def signature(name: str, function: object) -> list[str]:
    """Return a block with how a function is called, without ``self``."""
    spec = inspect.signature(function)
    given = [each for each in spec.parameters.values() if each.name != "self"]
    taken = [
        f"{each.name}: {each.annotation}" + ("" if each.default is each.empty else f" = {each.default!r}")
        for each in given
    ]
    apart = next((n for n, each in enumerate(given) if each.kind is each.KEYWORD_ONLY), None)
    if apart is not None:
        taken.insert(apart, "*")
    line = f"{name}({', '.join(taken)}) -> {spec.return_annotation}"
    listed = [f"{name}(", *(f"    {each}," for each in taken), f") -> {spec.return_annotation}"]
    return ["", "```", *([line] if len(line) < WRAPPED else listed), "```"]


def members(found: type) -> list[tuple[str, object]]:
    """Return the documented public members that a class defines, in its order."""
    public = [(name, each) for name, each in vars(found).items() if not name.startswith("_")]
    kinds_of = (property, cached_property)
    return [(name, each) for name, each in public if inspect.isfunction(each) or isinstance(each, kinds_of)]


def said(found: object) -> list[str]:
    """Return a docstring as Markdown: its sections as lists."""
    lines: list[str] = []
    for line in (inspect.getdoc(found) or "").split("\n"):
        text = re.sub(r"``(.+?)``", r"`\1`", line)
        if text in ("Args:", "Raises:"):
            lines += [text, ""]
        elif match := re.match(r" {4}(\w+): (.*)", text):
            lines.append(f"- `{match[1]}`: {match[2]}")
        else:
            lines.append(f"  {text.strip()}" if text.startswith("    ") else text)
    return lines


def hacking() -> str:
    """Return the page on reward hacking: unchanged text, with tables from the measurements."""
    docs = ROOT / "docs"
    found = json.loads((docs / "reward-hacking.json").read_text(encoding="utf-8"))
    head, rest = (docs / "reward-hacking.md").read_text(encoding="utf-8").split("<!-- measured -->\n", 1)
    _, tail = rest.split("<!-- end -->\n", 1)
    made = [*withstood(found), "", *taken(found), ""]
    return "\n".join([f"{head}<!-- measured -->\n", *made, f"<!-- end -->\n{tail}"])


def scaled() -> str:
    """Return the page on scale: unchanged text, with tables from the measurements."""
    docs = ROOT / "docs"
    found = json.loads((docs / "scale.json").read_text(encoding="utf-8"))
    head, rest = (docs / "scale.md").read_text(encoding="utf-8").split("<!-- measured -->\n", 1)
    _, tail = rest.split("<!-- end -->\n", 1)
    *runs, shared = found["runs"]
    made = [
        *curve(runs, "processor", "Processor seconds"),
        "",
        *curve(runs, "mebibytes", "Largest process, MiB"),
        "",
    ]
    made += [*workers(runs[-1], shared), ""]
    first, rest = tail.split("<!-- memory -->\n", 1)
    _, tail = rest.split("<!-- end -->\n", 1)
    tail = "\n".join([f"{first}<!-- memory -->\n", *remembered(), "", f"<!-- end -->\n{tail}"])
    return "\n".join([f"{head}<!-- measured -->\n", *made, f"<!-- end -->\n{tail}"])


def remembered() -> list[str]:
    """Return the table of the memory that stages take, by rows, and of their seconds."""
    found = json.loads((ROOT / "docs" / "memory.json").read_text(encoding="utf-8"))
    lines = [["Process", "Rows", "MiB at most", "Processor seconds"], ["---"] * 4]
    for stage, runs in found.items():
        for run in runs:
            figures = (run["rows"], run["mebibytes"], run["processor"])
            lines.append([stage, *(f"{each:,.0f}" for each in figures)])
    return [f"| {' | '.join(cells)} |" for cells in lines]


def curve(runs: list[dict[str, Any]], what: str, title: str) -> list[str]:
    """Return the table of a figure of each stage by the rows of a build; what more rows cost, of seconds."""
    sizes = [sum(run["rows"].values()) for run in runs]
    thousands = (sizes[-1] - sizes[0]) / 1000
    heads = [title, *(f"{size:,} rows" for size in sizes)]
    lines = [[*heads, "a thousand rows more"] if what == "processor" else heads]
    lines.append(["---"] * len(lines[0]))
    for stage in runs[0]["stages"]:
        values = [run["stages"][stage][what] for run in runs]
        more = [f"{(values[-1] - values[0]) / thousands:,.2f}"] if what == "processor" else []
        lines.append([stage, *(f"{value:,.1f}" for value in values), *more])
    return [f"| {' | '.join(cells)} |" for cells in lines]


def workers(alone: dict[str, Any], shared: dict[str, Any]) -> list[str]:
    """Return the table of the seconds that passed with one worker and with more."""
    lines = [f"| Seconds of the clock | 1 worker | {shared['jobs']} workers | ratio |", "|---|---|---|---|"]
    for stage in alone["stages"]:
        one, more = (run["stages"][stage]["clock"] for run in (alone, shared))
        lines.append(f"| {stage} | {one:,.1f} | {more:,.1f} | {one / more:.2f} |")
    return lines


def withstood(found: dict[str, Any]) -> list[str]:
    """Return the table of the rules that the published tables withstand."""
    lines = [
        "## Published tables",
        "",
        f"The best rule of each table in a build of the size `{found['size']}`, from its report; the report",
        "of a larger one (`outputs/report/index.html`) says more.",
        "",
        "| table | rows | rules | best rule | score | chance | verdict | weighs the state |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for name, each in found["published"].items():
        best = each["best"]
        cells = (best["rule"], *map(percent, (best["score"], best["chance"])), best["verdict"], shown(each))
        lines.append(f"| `{name}` | {each['rows']} | {each['rules']} | {' | '.join(cells)} |")
    return lines


def taken(found: dict[str, Any]) -> list[str]:
    """Return the table of rewards of shortcuts on fresh streams."""
    tricks = ("one reply", "one reply a domain", "several answers", "the prompt", "the reply before", "read")
    figures = ("score", "interval", "chance", "verdict", "weighs the state")
    columns = ("table", "items", "seconds", *tricks, "best rule", *figures)
    lines = [
        "## Fresh streams",
        "",
        'Items for training (`split="train"`) of the easiest difficulty, all domains in turn, seed '
        f"{found['seed']}, in percent. Constants",
        "are chosen on the first half of the items and scored on the second. `read`: how often the most",
        "readable one is. `interval`: of the best rule, 95 %, where items of one problem count as fewer.",
        "`seconds`: processor time of an item.",
        "",
        f"| {' | '.join(columns)} |",
        "|---" * len(columns) + "|",
    ]
    for name, each in found["fresh"].items():
        rule, paid = each["rule"], [percent(each[trick]) for trick in tricks]
        seconds = f"{each['seconds']:.2f}" if "seconds" in each else ""
        bounds = f"{percent(rule['low'])} to {percent(rule['high'])}" if "low" in rule else ""
        score = (percent(rule["score"]), bounds, percent(rule["chance"]), rule["verdict"])
        cells = (*paid, rule["rule"], *score)
        lines.append(f"| `{name}` | {each['items']} | {seconds} | {' | '.join(cells)} | {shown(each)} |")
    return lines


def percent(share: float) -> str:
    """Return a share in percent."""
    return f"{100 * share:.1f}"


def shown(each: dict[str, Any]) -> str:
    """Return the best of the rules that read the subject of open questions."""
    rule = each["shown"]
    return f"{percent(rule['score'])} ({rule['rule']})" if rule else ""


def drawings(folder: Path) -> dict[Path, str]:
    """Return the pictures of the problems in ``folder``: one of a problem, and those of a plan."""
    catalog = Catalog(ROOT)
    blocks, logistics = catalog.entry("blocksworld"), catalog.entry("logistics")
    stairs = read_problem((folder / "blocksworld.pddl").read_text(encoding="utf-8"), blocks.domain)
    parcels = read_problem((folder / "logistics.pddl").read_text(encoding="utf-8"), logistics.domain)
    steps = [
        parse_atom(line)
        for line in (folder / "logistics.plan").read_text(encoding="utf-8").split("\n")
        if line
    ]
    plan = (logistics.domain, parcels, steps, logistics.description.picture)
    return {
        folder.parent / "blocksworld.svg": draw_problem(blocks.domain, stairs, blocks.description.picture),
        folder / "strip.svg": strip(*plan),
        folder / "film.svg": animation(*plan),
    }


def written() -> dict[Path, str]:
    """Return the content of every generated file."""
    docs = ROOT / "docs"
    return {
        **drawings(docs / "pictures"),
        docs / "architecture.svg": picture(),
        docs / "data.md": dictionary(),
        docs / "api.md": library(),
        docs / "reward-hacking.md": hacking(),
        docs / "scale.md": scaled(),
    }


if __name__ == "__main__":
    for target, content in written().items():
        target.write_text(content, encoding="utf-8")
