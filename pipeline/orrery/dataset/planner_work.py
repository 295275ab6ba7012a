"""What planners found of the problems, and how much there was to search."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from orrery.dataset.charts import Bar, histograms, stacks
from orrery.dataset.selection import Selection, rows_of
from orrery.dataset.views import counts_of
from orrery.store.shards import splits

TABLE = "problems"
COLOURS = {
    "optimal plan": "var(--share)",
    "plan": "var(--other)",
    "no plan, proven": "var(--third)",
    "undecided": "var(--bad)",
}


class PlannerWork(NamedTuple):
    """Problems by domain and outcome, problems by planner, and charts of outcomes and of states visited."""

    outcomes: Mapping[str, Mapping[str, int]]
    planners: Sequence[tuple[str, str, int]]
    drawn: str
    states: str

    def rows(self, outcome: str, domain: str = "", planner: str = "") -> Selection:
        """Return the problems that an outcome counts."""
        given = {name: value for name, value in (("domain", domain), ("planner", planner)) if value}
        return rows_of(TABLE, **given, **_means(outcome))

    def total(self, outcome: str) -> int:
        """Return the problems with an outcome over all domains."""
        return sum(by.get(outcome, 0) for by in self.outcomes.values())

    def as_json(self) -> dict[str, Any]:
        """Return the figures as plain values."""
        return {"outcomes": {domain: dict(by) for domain, by in self.outcomes.items()}}


def planner_work(dataset: Path) -> PlannerWork | None:
    """Return the outcomes on the problems of a dataset; None where it has none."""
    if TABLE not in splits(dataset):
        return None
    outcome = (
        "case when solvable is null then 'undecided' when not solvable then 'no plan, proven' "
        "when plan_optimal then 'optimal plan' else 'plan' end"
    )
    columns = f"domain, {outcome} as outcome, planner, num_states"
    sql = f"select {columns}, count(*) as n from {TABLE} group by all order by all"
    rows = counts_of(dataset, sql)
    outcomes: dict[str, Counter[str]] = {}
    planners, states = Counter[tuple[str, str]](), Counter[int | None]()
    for row in rows:
        outcomes.setdefault(row["domain"], Counter())[row["outcome"]] += row["n"]
        planners[row["planner"], row["outcome"]] += row["n"]
        states[None if row["num_states"] is None else len(str(row["num_states"])) - 1] += row["n"]
    bars = [
        Bar(domain, name, by[name], rows_of(TABLE, domain=domain, **_means(name)))
        for domain, by in outcomes.items()
        for name in COLOURS
        if by[name]
    ]
    seen = {name: colour for name, colour in COLOURS.items() if any(bar.place == name for bar in bars)}
    drawn = stacks("Outcomes of the planners by domain", bars, seen)
    listed = [(*key, n) for key, n in sorted(planners.items())]
    return PlannerWork(outcomes, listed, drawn, _states(states))


def _means(outcome: str) -> dict[str, Any]:
    """Return the values that an outcome stands for."""
    if outcome == "undecided":
        return {"solvable": None}
    if outcome == "no plan, proven":
        return {"solvable": False}
    return {"solvable": True, "plan_optimal": outcome == "optimal plan"}


def _states(by_decade: Counter[int | None]) -> str:
    """Return the chart of reachable states by power of ten; those of which not all were visited apart."""
    decades = sorted(each for each in by_decade if each is not None)
    ends = range(decades[0], decades[-1] + 1) if decades else range(0)
    places = [_from(decade) for decade in ends]
    title = "Reachable states"
    bars = [
        Bar("problems", _from(decade), n, rows_of(TABLE, num_states=(10**decade, 10 ** (decade + 1) - 1)))
        for decade in ends
        if (n := by_decade[decade])
    ]
    if by_decade[None]:
        places.append("more")
        bars.append(Bar("problems", "more", by_decade[None], rows_of(TABLE, num_states=None)))
    return histograms(title, bars, places)


def _from(decade: int) -> str:
    return ("1", "10", "100", "1 k", "10 k", "100 k", "1 M", "10 M", "100 M")[decade] if decade < 9 else "1 G"
