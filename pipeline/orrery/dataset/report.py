"""The report of a build: ``outputs/report/``, one self-contained page with JSON beside it."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, TypeAlias, TypeVar

from orrery.config import Settings
from orrery.dataset.adversary import Attacked
from orrery.dataset.contents import folder_hash
from orrery.dataset.figures import figures
from orrery.dataset.plan_baselines import PlanAttempts
from orrery.dataset.plan_report import STAGE as POSE
from orrery.dataset.plan_report import plans_of
from orrery.dataset.question_report import STAGE, questions_of
from orrery.dataset.views import query
from orrery.families import families
from orrery.families.problems.schemas import REJECTS, SOLUTIONS
from orrery.language.words import environment
from orrery.store.shards import read_rows, replacing, splits

Cell: TypeAlias = tuple[tuple[str, ...], str, int]

MOST_LINES = 4  # a family of more tables is one line of the table of rows
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


MALFORMED = (ValueError, LookupError, TypeError, AttributeError)
Counted = TypeVar("Counted")


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
) -> None:
    """Write the files of the report, whole or not at all: the page, and the same as JSON.

    ``checked`` has the number of rows by check and domain, ``findings`` those with which something is wrong
    or undecided, ``unchecked`` by table the columns that no check vouches for, ``attacked`` and ``attempts``
    what replies without understanding score.
    """
    failed = [finding for finding in findings if finding.faults]
    verdict = {
        "passed": not failed,
        "dataset_hash": dataset_hash,
        "folder_hash": folder_hash(settings.outputs / "dataset"),
        "size": settings.size_name,
        "checked": [{"check": c, "domain": d, "rows": n} for (c, d), n in sorted(checked.items())],
        "undecided": [
            {"check": f.check, "row": f.row, "what": list(f.undecided)} for f in findings if f.undecided
        ],
        "failed": [{"check": f.check, "row": f.row, "faults": list(f.faults)} for f in failed],
        "unchecked": unchecked,
        "adversary": [_best_trick(each) for each in attacked],
    }
    templates = settings.root / "templates"
    counted = _unless_malformed(lambda: figures(settings.outputs / "dataset", templates), failed)
    questions = _unless_malformed(lambda: questions_of(settings), failed)
    plans = _unless_malformed(lambda: plans_of(settings, attempts), failed)
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
        content = page.render(
            verdict=verdict,
            failed=failed,
            unchecked=_by_equal_columns(unchecked),
            still_open=_still_open(findings),
            questions=questions,
            plans=plans,
            attacked=attacked,
            checked=_grid(
                [((check,), domain, n) for (check, domain), n in checked.items()], settings.domains
            ),
            counts=_grid(_counts(settings), settings.domains),
            rejects=_grid(_rejects(settings), settings.domains),
            outcomes=_grid(_outcomes(settings), settings.domains),
            figures=counted,
            corpus=_corpus(settings),
            kinds=_grid(counted.kinds if counted else [], settings.domains),
        )
        (folder / "index.html").write_text(content, encoding="utf-8")


def _best_trick(attacked: Attacked) -> dict[str, Any]:
    """Return of a table the rule that comes nearest to its limit, or exceeds it most."""
    named = {"table": attacked.table, "verdict": attacked.verdict}
    if attacked.unread:
        return named | {"unread": attacked.unread}
    best = attacked.best
    return named | {"rule": best.rule, "rows": best.rows, "score": best.score, "chance": best.chance}


def _unless_malformed(count: Callable[[], Counted], failed: Sequence[Finding]) -> Counted | None:
    """Return figures; None where values cannot be read of which the report says so already."""
    try:
        return count()
    except MALFORMED:
        if not failed:
            raise
        return None


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


def _counts(settings: Settings) -> list[Cell]:
    """Return rows by table, split and domain; tables of a large family are summed."""
    dataset = settings.outputs / "dataset"
    there = splits(dataset)
    parts = [
        f"select '{family if len(its.tables) > MOST_LINES else table.name}' as name, split, domain, "
        f"count(*) as n from {table.name} group by all"
        for family, its in families().items()
        for table in its.tables
        if table.name in there
    ]
    rows = query(dataset, " union all ".join(parts)).to_pylist()
    return [((row["name"], row["split"]), row["domain"], row["n"]) for row in rows]


def _rejects(settings: Settings) -> list[Cell]:
    """Return what stages left out, by stage, reason and domain; questions and plans have their own tables."""
    counts: Counter[tuple[str, str, str]] = Counter()
    for name in settings.domains:
        for path in sorted(settings.outputs.glob(f"*/{name}/rejects.parquet")):
            rows = read_rows(path, REJECTS, columns=["stage", "reason"])
            left_out = (row for row in rows if row["stage"] not in (STAGE, POSE))
            counts.update((row["stage"], row["reason"], name) for row in left_out)
    return [((stage, reason), name, n) for (stage, reason, name), n in counts.items()]


def _outcomes(settings: Settings) -> list[Cell]:
    """Return outcomes of the planners, by outcome, planner and domain."""
    counts: Counter[tuple[str, str, str]] = Counter()
    for name in settings.domains:
        path = settings.outputs / "solutions" / name / "solutions.parquet"
        rows = read_rows(path, SOLUTIONS, columns=["outcome", "planner"])
        counts.update((row["outcome"], row["planner"], name) for row in rows)
    return [((outcome, planner), name, n) for (outcome, planner, name), n in counts.items()]
