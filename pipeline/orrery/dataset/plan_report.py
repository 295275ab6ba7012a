"""The report on plans: rows by task and domain, what was not asked and why, and replies without skill."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from orrery.config import Settings
from orrery.dataset.adversary.verdict import EVERY
from orrery.dataset.plan_baselines import PlanAttempts, PlanBaseline
from orrery.families.plans.schemas import PLANS
from orrery.families.problems.schemas import REJECTS
from orrery.store.kinds import table_name
from orrery.store.shards import read_rows, splits

STAGE = "pose"


class Plans(NamedTuple):
    """The content of the report on plans.

    ``made`` has the rows by domain and task; ``rejected`` by task and rule what was not asked, by domain;
    ``attempts`` what replies without skill score.
    """

    tasks: Sequence[str]
    made: Mapping[str, Mapping[str, int]]
    rejected: Mapping[tuple[str, str], Mapping[str, int]]
    attempts: Sequence[PlanAttempts] = ()

    def total(self, task: str = "") -> int:
        """Return the rows of a task over all domains, or of all tasks."""
        return sum(n for made in self.made.values() for name, n in made.items() if task in ("", name))

    def not_asked(self, domain: str, task: str) -> list[tuple[str, int]]:
        """Return what was not asked of a task in a domain, by rule, most frequent first."""
        found = [(rule, by.get(domain, 0)) for (of, rule), by in self.rejected.items() if of == task]
        return sorted([(rule, n) for rule, n in found if n], key=lambda pair: (-pair[1], pair[0]))

    @property
    def overall(self) -> list[tuple[PlanBaseline, list[PlanBaseline]]]:
        """The figures of every rule on all rows of a task, each with those of its domains, highest first."""
        return [
            (
                each,
                sorted(
                    [f for f in attempts.figures if f.rule == each.rule and f.domain != EVERY],
                    key=lambda figure: (-(figure.score - figure.limit), figure.domain),
                ),
            )
            for attempts in self.attempts
            for each in attempts.figures
            if each.domain == EVERY
        ]

    def as_json(self) -> dict[str, Any]:
        """Return the figures as plain values."""
        return {
            "rows": self.made,
            "rejected": [
                {"task": task, "rule": rule, "by_domain": by} for (task, rule), by in self.rejected.items()
            ],
            "baselines": [each.as_json() for each in self.attempts],
        }


def plans_of(settings: Settings, attempts: Sequence[PlanAttempts] = ()) -> Plans | None:
    """Return the summary of the plan tables of a build; None where there are none."""
    there = splits(settings.outputs / "dataset")
    names = [name for name in map(table_name, PLANS.values()) if name in there]
    tables = {name: list(chain(*there[name].values())) for name in names}
    if not tables:
        return None
    tasks = [name.partition("_")[2] for name in tables]
    return Plans(tasks, _made(tables), _rejected(settings), attempts)


def _made(tables: Mapping[str, Iterable[Path]]) -> dict[str, dict[str, int]]:
    """Return rows by domain and task, domains sorted."""
    found: dict[str, dict[str, int]] = {}
    for name, paths in tables.items():
        rows = Counter(row["domain"] for path in paths for row in read_rows(path, columns=["domain"]))
        for domain, n in rows.items():
            found.setdefault(domain, {})[name.partition("_")[2]] = n
    return dict(sorted(found.items()))


def _rejected(settings: Settings) -> dict[tuple[str, str], dict[str, int]]:
    """Return by task and rule how often it applied, by domain: a reason is ``task: rule``, or the rule."""
    counts: Counter[tuple[str, str, str]] = Counter()
    for name in sorted(settings.domains):
        path = settings.outputs / "plans" / name / "rejects.parquet"
        for row in read_rows(path, REJECTS, ["stage", "reason"]) if path.exists() else ():
            if row["stage"] == STAGE:
                task, _, rule = row["reason"].rpartition(": ")
                counts[task.removeprefix("plan_"), rule, name] += 1
    found: dict[tuple[str, str], dict[str, int]] = {}
    for (task, rule, name), n in sorted(counts.items()):
        found.setdefault((task, rule), {})[name] = n
    return found
