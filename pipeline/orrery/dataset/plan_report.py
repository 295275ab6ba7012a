"""The report on plans: rows by task and domain, and what was not asked and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from orrery.dataset.row_counts import RejectCount, RowCounts
from orrery.families.plans.schemas import PLANS
from orrery.store.kinds import table_name

STAGE = "pose"


class PlanFigures(NamedTuple):
    """The content of the report on plans.

    ``rows`` has the rows by domain and task; ``rejected`` by task and rule the number of rejects by domain.
    """

    tasks: Sequence[str]
    rows: Mapping[str, Mapping[str, int]]
    rejected: Mapping[tuple[str, str], Mapping[str, int]]

    def total(self, task: str = "") -> int:
        """Return the rows of a task over all domains, or of all tasks."""
        return sum(n for by_task in self.rows.values() for name, n in by_task.items() if task in ("", name))

    def not_asked(self, domain: str, task: str) -> list[tuple[str, int]]:
        """Return the rejects of a task in a domain by rule, most frequent first."""
        counts = [
            (rule, by_domain.get(domain, 0))
            for (name, rule), by_domain in self.rejected.items()
            if name == task
        ]
        return sorted([(rule, n) for rule, n in counts if n], key=lambda pair: (-pair[1], pair[0]))

    def as_json(self) -> dict[str, Any]:
        """Return the figures as plain values."""
        return {
            "rows": self.rows,
            "rejected": [
                {"task": task, "rule": rule, "by_domain": by_domain}
                for (task, rule), by_domain in self.rejected.items()
            ],
        }


def plan_figures(
    rows: RowCounts,
    rejects: Iterable[RejectCount],
) -> PlanFigures | None:
    """Return the figures of the plan tables of a build; None if it has no plan tables."""
    tables = {
        name: name.removeprefix("plan_") for name in map(table_name, PLANS.values()) if rows.total(name)
    }
    if not tables:
        return None
    return PlanFigures(list(tables.values()), rows.by_domain(tables), _rejected(rejects))


def _rejected(rejects: Iterable[RejectCount]) -> dict[tuple[str, str], dict[str, int]]:
    """Return the rejects by task and rule, by domain: a reason is ``task: rule``, or the rule."""
    counts: Counter[tuple[str, str, str]] = Counter()
    for reject in rejects:
        if reject.stage == STAGE:
            task, _, rule = reject.reason.rpartition(": ")
            counts[task.removeprefix("plan_"), rule, reject.domain] += reject.rows
    rejected: dict[tuple[str, str], dict[str, int]] = {}
    for (task, rule, domain), n in sorted(counts.items()):
        rejected.setdefault((task, rule), {})[domain] = n
    return rejected
