"""The report of a build: ``outputs/report/``, one self-contained page with JSON beside it."""

from __future__ import annotations

import html
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol, TypeAlias, TypeVar

from orrery.checks.verdicts import MALFORMED
from orrery.config import Settings
from orrery.dataset.adversary import Attacked
from orrery.dataset.adversary.verdict import FAILED, FEW, NOISE
from orrery.dataset.balance_figures import Balanced, balances
from orrery.dataset.charts import Bar, Reach, attributes, reaches, stacks
from orrery.dataset.contents import folder_hash
from orrery.dataset.leakage import Apart, leakage
from orrery.dataset.plan_baselines import PlanAttempts
from orrery.dataset.plan_report import STAGE as POSE
from orrery.dataset.plan_report import plans_of
from orrery.dataset.planner_work import PlannerWork, planner_work
from orrery.dataset.published_comparison import figures
from orrery.dataset.question_report import STAGE, questions_of
from orrery.dataset.selection import ADDRESS, ROW, rows_of
from orrery.dataset.size_histograms import Histogram, shapes
from orrery.dataset.views import counts_of
from orrery.families import families
from orrery.families.problems.schemas import REJECTS
from orrery.language.words import environment
from orrery.store.shards import SPLITS, read_rows, replacing, splits

Cell: TypeAlias = tuple[tuple[str, ...], str, int]

NUMBERS = re.compile(r"\d+")
OTHERS = "others' domains"  # one column: there are dozens


class Finding(Protocol):
    """The findings of one check on one row: faults, and what it could not decide within its limits."""

    @property
    def check(self) -> str:
        """The name of the check."""

    @property
    def domain(self) -> str:
        """The domain of the row."""

    @property
    def row(self) -> str:
        """The name of the row."""

    @property
    def faults(self) -> Sequence[str]:
        """What is wrong with it."""

    @property
    def undecided(self) -> Sequence[str]:
        """What the check could not decide."""


Made = TypeVar("Made")


class Run(Protocol):
    """A run of an evaluation: its name and model, its replies, and the share of them that is right."""

    @property
    def name(self) -> str:
        """The name of its folder."""

    @property
    def model(self) -> str:
        """The model that was asked."""

    @property
    def replies(self) -> int:
        """How many replies were asked for."""

    @property
    def accuracy(self) -> tuple[float, float, float] | None:
        """The share of right replies, and the ends of its interval; None where nothing was decided."""

    @property
    def data(self) -> str:
        """What names the rows that were asked: of a dataset, its content hash."""

    @property
    def problem(self) -> str:
        """Why the run cannot be read; empty where it can."""


class TableRows(NamedTuple):
    """The rows of a table: its family, and how many there are by split and domain."""

    family: str
    table: str
    rows: Mapping[tuple[str, str], int]

    def count(self, split: str = "", domain: str = "") -> int:
        """Return the rows of a split, of a domain, or of all."""
        return sum(n for (s, d), n in self.rows.items() if split in ("", s) and domain in ("", d))


class RowsDrawn(NamedTuple):
    """The rows of every table, those of our domains that have some, and the chart of rows by domain."""

    tables: Sequence[TableRows]
    domains: Sequence[str]
    chart: str


class Grid(NamedTuple):
    """Counts by line and by column."""

    columns: list[str]
    lines: Mapping[tuple[str, ...], Mapping[str, int]]


def write_report(
    settings: Settings,
    checked: Mapping[tuple[str, str], int],
    findings: Sequence[Finding],
    dataset_hash: str,
    unchecked: Mapping[str, Sequence[str]],
    attacked: Sequence[Attacked] = (),
    attempts: Sequence[PlanAttempts] = (),
    runs: Sequence[Run] = (),
    counted: Mapping[str, Counted] | None = None,
    reached: str | None = None,
) -> None:
    """Write the files of the report, whole or not at all: the page, and the same as JSON.

    ``checked`` has the number of rows by check and domain, ``findings`` those with which something is wrong
    or undecided, ``unchecked`` by table the columns that no check vouches for, ``attacked`` and ``attempts``
    what replies without understanding score, ``runs`` what models scored so far, ``counted`` what was counted
    before of COUNTS, ``reached`` the chart of ``attacked`` where it was drawn before.
    """
    failed = [finding for finding in findings if finding.faults]
    told = _Counts(settings, counted or {}, bool(failed))
    verdict = _verdict(settings, checked, findings, dataset_hash) | {
        "unchecked": unchecked,
        "adversary": [_best_trick(each) for each in attacked],
    }
    templates = settings.root / "templates"
    shown, questions = told["figures"], told["questions"]
    plans = told.unless_malformed(lambda: plans_of(settings, attempts))
    drawn = _drawn(told, chart_of(attacked) if reached is None else reached)
    page = environment(templates).get_template("report/index.html.j2")
    with replacing(settings.outputs / "report") as folder:
        folder.mkdir()
        (folder / "validation.json").write_text(json.dumps(verdict, indent=2) + "\n", encoding="utf-8")
        tricks = json.dumps([each.as_json() for each in attacked], indent=1) + "\n"
        (folder / "adversary.json").write_text(tricks, encoding="utf-8")
        if questions:
            asked = json.dumps(questions.as_json(), indent=1) + "\n"
            (folder / "questions.json").write_text(asked, encoding="utf-8")
        if plans:
            (folder / "plans.json").write_text(json.dumps(plans.as_json(), indent=1) + "\n", encoding="utf-8")
        if drawn:
            (folder / "figures.json").write_text(
                json.dumps(drawn.as_json(), indent=1) + "\n", encoding="utf-8"
            )
        content = page.render(
            verdict=verdict,
            drawn=drawn,
            runs=runs,
            splits=SPLITS,
            link=link,
            address=row_address,
            attributes=attributes,
            failed=failed,
            unchecked=_by_equal_columns(unchecked),
            still_open=_still_open(findings),
            questions=questions,
            plans=plans,
            attacked=attacked,
            checked=_grid(
                [((check,), domain, n) for (check, domain), n in checked.items()], settings.domains
            ),
            rejects=_grid(_rejects(settings), settings.domains),
            figures=shown,
            corpus=_corpus(settings),
            kinds=_grid(shown.kinds if shown else [], settings.domains),
        )
        (folder / "index.html").write_text(content, encoding="utf-8")


def _verdict(
    settings: Settings,
    checked: Mapping[tuple[str, str], int],
    findings: Sequence[Finding],
    dataset_hash: str,
) -> dict[str, Any]:
    """Return whether the dataset passed, what was checked, and what failed or stayed open, as JSON has it."""
    failed = [
        {"check": each.check, "row": each.row, "faults": list(each.faults)}
        for each in findings
        if each.faults
    ]
    undecided = [
        {"check": each.check, "row": each.row, "what": list(each.undecided)}
        for each in findings
        if each.undecided
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


class Drawn(NamedTuple):
    """What the page says in charts, and the figures of each."""

    tables: Sequence[TableRows]
    domains: Sequence[str]
    by_domain: str
    shapes: Sequence[Histogram]
    balances: Sequence[Balanced]
    adversary: str
    leakage: Apart
    planners: PlannerWork | None

    def rows(self, split: str = "", domain: str = "") -> int:
        """Return the rows of all tables, of a split, or of a domain."""
        return sum(each.count(split, domain) for each in self.tables)

    def as_json(self) -> dict[str, Any]:
        """Return the figures as plain values."""
        return {
            "rows": [
                {"table": each.table, "split": split, "domain": domain, "rows": n}
                for each in self.tables
                for (split, domain), n in sorted(each.rows.items())
            ],
            "histograms": [each.as_json() for each in self.shapes],
            "balance": [row for each in self.balances for row in each.as_json()],
            "leakage": self.leakage.as_json(),
            "planners": self.planners.as_json() if self.planners else {},
        }


VERDICT_COLOURS = MappingProxyType({FAILED: "var(--bad)", NOISE: "var(--other)", FEW: "var(--soft)"})
FAMILY_COLOURS = ("var(--share)", "var(--other)", "var(--third)", "var(--fourth)", "var(--soft)")


COUNTS: Mapping[str, Callable[[Settings], Any]] = MappingProxyType(
    {
        "figures": lambda settings: figures(settings.outputs / "dataset", settings.root / "templates"),
        "questions": questions_of,
        "tables": lambda settings: _rows_drawn(table_rows(settings.outputs / "dataset"), settings.domains),
        "shapes": lambda settings: shapes(settings.outputs / "dataset"),
        "balances": lambda settings: balances(settings.outputs / "dataset"),
        "leakage": lambda settings: leakage(settings.outputs / "dataset"),
        "planners": lambda settings: planner_work(settings.outputs / "dataset"),
    }
)


class Counted(NamedTuple):
    """What was counted of the rows under a name of COUNTS, or why they cannot be read."""

    value: Any = None
    malformed: Exception | None = None


def count(settings: Settings, name: str) -> Counted:
    """Return what the report tells of the rows under a name of COUNTS."""
    try:
        return Counted(COUNTS[name](settings))
    except MALFORMED as error:
        return Counted(malformed=error)


@dataclass(frozen=True)
class _Counts:
    """What the report tells of the rows, counted before or now; None where they cannot be read.

    That raises the error unless the report says so already, of rows that ``failed``.
    """

    settings: Settings
    known: Mapping[str, Counted]
    failed: bool

    def __getitem__(self, name: str) -> Any:
        found = self.known[name] if name in self.known else count(self.settings, name)
        if found.malformed and not self.failed:
            raise found.malformed
        return found.value

    def unless_malformed(self, made: Callable[[], Made]) -> Made | None:
        """Return what is made of the rows."""
        try:
            return made()
        except MALFORMED:
            if not self.failed:
                raise
            return None


def _drawn(counts: _Counts, reached: str) -> Drawn | None:
    """Return the charts; None where what they show cannot be counted."""
    names = ("tables", "shapes", "balances", "leakage", "planners")
    found = {name: counts[name] for name in names}
    if any(found[name] is None for name in names[:-1]):
        return None
    rows: RowsDrawn = found["tables"]
    shown = found["shapes"], found["balances"], reached, found["leakage"], found["planners"]
    return Drawn(rows.tables, rows.domains, rows.chart, *shown)


def _rows_drawn(counted: Sequence[TableRows], domains: Iterable[str]) -> RowsDrawn:
    there = {domain for each in counted for _, domain in each.rows}
    ours = [domain for domain in sorted(domains) if domain in there]
    return RowsDrawn(counted, ours, _by_domain(counted, ours))


def _by_domain(counted: Sequence[TableRows], domains: Sequence[str]) -> str:
    """Return the chart of rows by domain and family."""
    names = list(dict.fromkeys(each.family for each in counted))
    bars = [
        Bar(domain, family, n, rows_of(family, domain=domain))
        for domain in domains
        for family in names
        if (n := sum(each.count(domain=domain) for each in counted if each.family == family))
    ]
    return stacks("Rows by domain", bars, dict(zip(names, FAMILY_COLOURS, strict=False)))


def chart_of(attacked: Sequence[Attacked]) -> str:
    """Return the chart of the best rule on every table."""
    found = [
        Reach(best.table, best.chance, best.limit, best.score, colour, rows_of(best.table))
        for each in attacked
        if not each.unread
        for best in [each.best]
        for colour in [VERDICT_COLOURS.get(best.verdict, "var(--share)")]
    ]
    return reaches("What replies without understanding score, by table", found)


def link(n: int, source: str, text: str = "", /, **given: Any) -> str:
    """Return a number as a link to the rows that it counts, as HTML; plain where it counts none."""
    return f"<a {attributes(rows_of(source, text, **given))}>{n:,}</a>" if n else f"{n}"


def row_address(name: str) -> str:
    """Return the name of a row as a link to it, as HTML, where it looks like the name of one."""
    said = html.escape(name)
    if name.count("/") < 2:
        return said
    command = html.escape(f"orrery show {name.partition(':')[0]}")
    return f'<a href="{ADDRESS}{ROW}{said}" data-run="{command}">{said}</a>'


def _best_trick(attacked: Attacked) -> dict[str, Any]:
    """Return of a table the rule that comes nearest to its limit, or exceeds it most."""
    named = {"table": attacked.table, "verdict": attacked.verdict}
    if attacked.unread:
        return named | {"unread": attacked.unread}
    best = attacked.best
    return named | {"rule": best.rule, "rows": best.rows, "score": best.score, "chance": best.chance}


def _by_equal_columns(columns: Mapping[str, Sequence[str]]) -> list[tuple[list[str], list[str]]]:
    """Return tables and their columns, grouped by equal columns."""
    found: dict[tuple[str, ...], list[str]] = {}
    for table, names in columns.items():
        found.setdefault(tuple(names), []).append(table)
    return [(tables, list(names)) for names, tables in found.items()]


def _still_open(findings: Sequence[Finding]) -> list[tuple[str, str, str, int, str]]:
    """Return (check, domain, what, rows, the first row) of everything undecided, numbers left out."""
    found: dict[tuple[str, str, str], list[str]] = {}
    for finding in findings:
        for message in finding.undecided:
            what = NUMBERS.sub("…", message)
            found.setdefault((finding.check, finding.domain, what), []).append(finding.row)
    return [(*key, len(rows), min(rows)) for key, rows in sorted(found.items())]


def _corpus(settings: Settings) -> Any:
    """Return what the corpus stage counted, or None where it has not run."""
    path = settings.outputs / "corpus" / "statistics.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None


def _grid(cells: Iterable[Cell], domains: Iterable[str]) -> Grid:
    """Return the cells as lines by name and columns: without domain, ours, and all others together."""
    ours = ["", *sorted(domains)]
    lines: dict[tuple[str, ...], Counter[str]] = {}
    for line, domain, n in sorted(cells):
        lines.setdefault(line, Counter())[domain if domain in ours else OTHERS] += n
    there = {domain for counts in lines.values() for domain in counts}
    return Grid([domain for domain in (*ours, OTHERS) if domain in there], lines)


def table_rows(dataset: Path) -> list[TableRows]:
    """Return the rows of every table by split and domain, family by family."""
    there = splits(dataset)
    named = [
        (family, table.name)
        for family, its in families().items()
        for table in its.tables
        if table.name in there
    ]
    parts = [
        f"select '{name}' as name, split, domain, count(*) as n from {name} group by all" for _, name in named
    ]
    found: dict[str, dict[tuple[str, str], int]] = {}
    for row in counts_of(dataset, f"{' union all '.join(parts)} order by all") if parts else ():
        found.setdefault(row["name"], {})[row["split"], row["domain"]] = row["n"]
    return [TableRows(family, name, found[name]) for family, name in named]


def _rejects(settings: Settings) -> list[Cell]:
    """Return what stages left out, by stage, reason and domain; questions and plans have their own tables."""
    counts: Counter[tuple[str, str, str]] = Counter()
    for name in settings.domains:
        for path in sorted(settings.outputs.glob(f"*/{name}/rejects.parquet")):
            rows = read_rows(path, REJECTS, columns=["stage", "reason"])
            left_out = (row for row in rows if row["stage"] not in (STAGE, POSE))
            counts.update((row["stage"], row["reason"], name) for row in left_out)
    return [((stage, reason), name, n) for (stage, reason, name), n in counts.items()]
