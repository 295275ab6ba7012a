"""The report of a build: ``outputs/report/``, one self-contained page and JSON files."""

from __future__ import annotations

import html
import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from orrery.checks.verdicts import MALFORMED, CheckFinding
from orrery.config import BANDS, Settings
from orrery.dataset.adversary import TableFigures
from orrery.dataset.adversary.verdict import FAILED, FEW, NOISE
from orrery.dataset.charts import Bar, Reach, attributes, chart
from orrery.dataset.contents import folder_hash
from orrery.dataset.published_comparison import TextFigures, compare_with_published
from orrery.dataset.question_report import (
    ASK,
    POSE,
    plan_figures,
    question_figures,
)
from orrery.dataset.row_counts import (
    NO_BAND,
    RowCounts,
    count_rejects,
    count_rows,
    count_seen,
    leakage,
    rows_by_band,
)
from orrery.dataset.selection import ADDRESS, ROW, rows_of
from orrery.dataset.size_histograms import (
    CONDITIONS,
    PROBLEMS,
    answer_balances,
    planner_work,
    size_histograms,
)
from orrery.language.words import environment
from orrery.model import Row
from orrery.store.files import replacing
from orrery.store.shards import SPLITS

Cell: TypeAlias = tuple[tuple[str, ...], str, int]

NUMBERS = re.compile(r"\d+")
CHARTS = frozenset({"svg", "states_svg"})  # the names of charts among the figures
OTHERS = "others' domains"  # shown as one column, because there are dozens
VERDICT_COLOURS = {FAILED: "var(--bad)", NOISE: "var(--other)", FEW: "var(--soft)"}
# Further families have the same colours again.
FAMILY_COLOURS = tuple(
    f"var(--{name})" for name in ("share", "other", "third", "fourth", "fifth", "soft", "range")
)


@dataclass(frozen=True)
class RunLine:
    """An evaluation run in a line: its model, its replies, and the share of right replies with its interval.

    ``data`` is the content hash of the evaluated dataset. ``problem`` is the reason why the run cannot be
    read, otherwise empty.
    """

    name: str
    model: str = ""
    replies: int = 0
    accuracy: Mapping[str, float] | None = None
    data: str = ""
    problem: str = ""


class Grid(NamedTuple):
    """Counts by line and by column."""

    columns: list[str]
    lines: Mapping[tuple[str, ...], Mapping[str, int]]


class ReportFigures(NamedTuple):
    """All figures of the report on a build's rows; charts are the values named in ``CHARTS``."""

    rows: RowCounts
    domains: Sequence[str]
    by_domain: str
    counts: Mapping[str, Any]
    planners: Mapping[str, Any]
    rejects: Sequence[Row]
    texts: TextFigures | None
    questions: Mapping[str, Any] | None
    plans: Mapping[str, Any] | None

    def as_json(self) -> dict[str, Any]:
        """Return the figures of all tables without charts; questions and plans have separate files."""
        cells = [
            {"table": table, "split": split, "domain": domain, "rows": n}
            for table, split, domain, n in self.rows.cells()
        ]
        tables = [table for group in self.counts["balances"] for table in group["tables"]]
        counts = {**self.counts, "balance": tables, "planners": self.planners}
        del counts["balances"]
        plain: dict[str, Any] = _without_charts({"rows": cells, **counts})
        return plain


def _without_charts(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _without_charts(part) for name, part in value.items() if name not in CHARTS}
    return list(map(_without_charts, value)) if isinstance(value, list) else value


def count_figures(settings: Settings) -> ReportFigures | Exception:
    """Count all figures of the report on the rows of a build; return the error of a malformed value."""
    try:
        return _figures(settings)
    except MALFORMED as error:
        return error


def _figures(settings: Settings) -> ReportFigures:
    dataset, templates = settings.outputs / "dataset", settings.root / "templates"
    rows, rejects = count_rows(dataset), count_rejects(settings)
    domains = [domain for domain in rows.domains if domain in settings.all_domains]
    counts = {
        "seen": count_seen(dataset),
        "bands": rows_by_band(dataset),
        "histograms": size_histograms(dataset, templates),
        "balances": answer_balances(dataset, templates),
        "leakage": leakage(dataset),
    }
    return ReportFigures(
        rows,
        domains,
        _rows_chart(templates, rows, domains),
        counts,
        planner_work(dataset, templates) if rows.total(PROBLEMS) else {},
        rejects,
        compare_with_published(dataset, templates),
        question_figures(settings, rows, rejects),
        plan_figures(rows, rejects),
    )


def write_report(
    settings: Settings,
    checked: Mapping[tuple[str, str], int],
    findings: Sequence[CheckFinding],
    dataset_hash: str,
    unchecked: Mapping[str, Sequence[str]],
    attacked: Sequence[TableFigures] = (),
    runs: Sequence[RunLine] = (),
    counted: ReportFigures | Exception | None = None,
) -> None:
    """Write the files of the report atomically: the page, and its figures as JSON.

    Args:
        settings: the build.
        checked: the number of rows by check and domain.
        findings: rows with faults, and undecided rows.
        dataset_hash: the content hash of the dataset.
        unchecked: by table the columns without a check.
        attacked: the scores of replies without understanding, by table.
        runs: the evaluation runs so far.
        counted: the figures, if they were counted before.

    Raises:
        Exception: a value is malformed, but no finding reports it.
    """
    failed = [finding for finding in findings if finding.faults]
    counted = counted or count_figures(settings)
    figures = None if isinstance(counted, Exception) else counted
    if isinstance(counted, Exception) and not failed:
        raise counted
    verdict = _verdict(settings, checked, findings, dataset_hash) | {
        "unchecked": unchecked,
        "adversary": [_best_trick(table) for table in attacked],
    }
    files: dict[str, Any] = {"adversary.json": [table.as_json() for table in attacked]}
    if figures:
        files["figures.json"] = figures.as_json()
        if figures.questions:
            files["questions.json"] = figures.questions
        if figures.plans:
            files["plans.json"] = figures.plans
    page = environment(settings.root / "templates").get_template("report/index.html.j2")
    with replacing(settings.outputs / "report") as folder:
        folder.mkdir()
        (folder / "validation.json").write_text(json.dumps(verdict, indent=2) + "\n", encoding="utf-8")
        for name, content in files.items():
            (folder / name).write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
        content = page.render(
            verdict=verdict,
            figures=figures,
            questions=figures.questions if figures else None,
            plans=figures.plans if figures else None,
            runs=runs,
            splits=SPLITS,
            bands=(*map(str, BANDS), NO_BAND),
            link=link,
            address=row_address,
            conditions=CONDITIONS,
            failed=failed,
            unchecked=_by_equal_columns(unchecked),
            still_open=_still_open(findings),
            attacked=attacked,
            adversary_chart=_chart_of(settings.root / "templates", attacked),
            checked=_grid(
                [((check,), domain, n) for (check, domain), n in checked.items()], settings.all_domains
            ),
            rejects=_grid(_rejects(figures.rejects if figures else ()), settings.all_domains),
            corpus=_corpus(settings),
            wordings=_grid(figures.texts.kinds if figures and figures.texts else [], settings.all_domains),
        )
        (folder / "index.html").write_text(folded(content), encoding="utf-8")


def folded(page: str) -> str:
    """Return a page whose sections can be folded, and are, except the first one."""
    head, first, *sections = re.split(r'(?=<h2 id=")', page)
    *sections, last = sections
    last, end = last[: last.index("<dialog")], last[last.index("<dialog") :]
    details = [
        '<details class="part"><summary>{}</summary>{}</details>\n'.format(
            *re.split("(?<=</h2>)", section, maxsplit=1)
        )
        for section in (*sections, last)
    ]
    return "".join([head, first, *details, end])


def _verdict(
    settings: Settings,
    checked: Mapping[tuple[str, str], int],
    findings: Sequence[CheckFinding],
    dataset_hash: str,
) -> dict[str, Any]:
    """Return the verdict as JSON values: whether it passed, the checks, the failed and undecided rows."""
    failed = [
        {"check": finding.check, "row": finding.row, "faults": list(finding.faults)}
        for finding in findings
        if finding.faults
    ]
    undecided = [
        {"check": finding.check, "row": finding.row, "what": list(finding.undecided)}
        for finding in findings
        if finding.undecided
    ]
    return {
        "passed": not failed,
        "dataset_hash": dataset_hash,
        "folder_hash": folder_hash(settings.outputs / "dataset"),
        "size": settings.size_name,
        "checked": [{"check": c, "domain": d, "rows": n} for (c, d), n in sorted(checked.items())],
        "undecided": undecided,
        "failed": failed,
    }


def _rows_chart(templates: Path, rows: RowCounts, domains: Sequence[str]) -> str:
    """Return the chart of rows by domain and family."""
    tables: dict[str, list[str]] = {}
    for table, family in rows.families():
        tables.setdefault(family, []).append(table)
    bars = [
        Bar(domain, family, n, rows_of(family, domain=domain))
        for domain in domains
        for family, names in tables.items()
        if (n := sum(rows.total(name, "", domain) for name in names))
    ]
    colours = dict(zip(tables, cycle(FAMILY_COLOURS), strict=False))
    look = {"parts": "domain", "width": 640, "colours": colours, "shares": False}
    return chart(templates, "stacks", "Rows by domain", bars, **look)


def _chart_of(templates: Path, attacked: Sequence[TableFigures]) -> str:
    """Return the chart of the best rule on every table."""
    reach = [
        Reach(best.table, best.chance, best.limit, best.score, colour, rows_of(best.table))
        for table in attacked
        if not table.unread
        for best in [table.best]
        for colour in [VERDICT_COLOURS.get(best.verdict, "var(--share)")]
    ]
    return chart(templates, "reaches", "What replies without understanding score, by table", reach)


def link(n: int, source: str, text: str = "", /, **conditions: Any) -> str:
    """Return a number as an HTML link to the rows that it counts; plain text if it counts none."""
    return f"<a {attributes(rows_of(source, text, **conditions))}>{n:,}</a>" if n else f"{n}"


def row_address(name: str) -> str:
    """Return the id of a row as an HTML link to it; other names are returned as text."""
    escaped = html.escape(name)
    if name.count("/") < 2:
        return escaped
    command = html.escape(f"orrery show {name.partition(':')[0]}")
    return f'<a href="{ADDRESS}{ROW}{escaped}" data-run="{command}">{escaped}</a>'


def _best_trick(attacked: TableFigures) -> dict[str, Any]:
    """Return the rule of a table whose score is closest to its limit or exceeds it most."""
    named = {"table": attacked.table, "verdict": attacked.verdict}
    if attacked.unread:
        return named | {"unread": attacked.unread}
    best = attacked.best
    return named | {"rule": best.rule, "rows": best.rows, "score": best.score, "chance": best.chance}


def _by_equal_columns(columns: Mapping[str, Sequence[str]]) -> list[tuple[list[str], list[str]]]:
    """Return tables and their columns, grouped by equal columns."""
    tables: dict[tuple[str, ...], list[str]] = {}
    for table, names in columns.items():
        tables.setdefault(tuple(names), []).append(table)
    return [(names, list(listed)) for listed, names in tables.items()]


def _still_open(findings: Sequence[CheckFinding]) -> list[tuple[str, str, str, int, str]]:
    """Return check, domain, message without numbers, rows and first row of all undecided findings."""
    rows: dict[tuple[str, str, str], list[str]] = {}
    for finding in findings:
        for message in finding.undecided:
            pattern = NUMBERS.sub("…", message)
            rows.setdefault((finding.check, finding.domain, pattern), []).append(finding.row)
    return [(*key, len(ids), min(ids)) for key, ids in sorted(rows.items())]


def _corpus(settings: Settings) -> Any:
    """Return the counts of the corpus stage, or None if it was not run."""
    path = settings.outputs / "corpus" / "statistics.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None


def _grid(cells: Iterable[Cell], domains: Iterable[str]) -> Grid:
    """Return the cells as lines by name, with columns: no domain, our domains, all other domains."""
    ours = ["", *sorted(domains)]
    lines: dict[tuple[str, ...], Counter[str]] = {}
    for line, domain, n in sorted(cells):
        lines.setdefault(line, Counter())[domain if domain in ours else OTHERS] += n
    columns = {domain for counts in lines.values() for domain in counts}
    return Grid([domain for domain in (*ours, OTHERS) if domain in columns], lines)


def _rejects(rejects: Iterable[Row]) -> list[Cell]:
    """Return rejects by stage, reason and domain, except those of questions and plans."""
    return [
        ((reject["stage"], reject["reason"]), reject["domain"], reject["rows"])
        for reject in rejects
        if reject["stage"] not in (ASK, POSE)
    ]
