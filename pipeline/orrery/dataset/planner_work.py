"""What planners proved of the problems, and how many states there were to search."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from orrery.dataset.charts import Bar, histograms, stacks
from orrery.dataset.selection import Selection, rows_of
from orrery.dataset.views import counts_of_each

TABLE = "problems"
COLOURS = {
    "optimal plan": "var(--share)",
    "plan": "var(--other)",
    "no plan, proven": "var(--third)",
    "undecided": "var(--bad)",
}
CONDITIONS: Mapping[str, Mapping[str, Any]] = {
    "optimal plan": {"solvable": True, "plan_optimal": True},
    "plan": {"solvable": True, "plan_optimal": False},
    "no plan, proven": {"solvable": False},
    "undecided": {"solvable": None},
}
_OUTCOME = """case when solvable is null then 'undecided' when not solvable then 'no plan, proven'
    when plan_optimal then 'optimal plan' else 'plan' end as outcome"""
_STATEMENTS = (
    f"select domain, {_OUTCOME}, count(*) as problems from {TABLE} group by all order by all",
    f"select planner, {_OUTCOME}, count(*) as problems from {TABLE} group by all order by all",
    f"select length(num_states::varchar) - 1 as decade, count(*) as problems from {TABLE} group by all",
)


class PlannerWork(NamedTuple):
    """Problems by domain and outcome, problems by planner, and charts of outcomes and of reachable states."""

    outcomes: Mapping[str, Mapping[str, int]]
    planners: Sequence[tuple[str, str, int]]
    drawn: str
    states: str

    def rows(self, outcome: str, domain: str = "", planner: str = "") -> Selection:
        """Return the problems that an outcome counts."""
        names = {name: value for name, value in (("domain", domain), ("planner", planner)) if value}
        return rows_of(TABLE, **names, **CONDITIONS[outcome])

    def total(self, outcome: str) -> int:
        """Return the problems with an outcome over all domains."""
        return sum(by_outcome.get(outcome, 0) for by_outcome in self.outcomes.values())

    def as_json(self) -> dict[str, Any]:
        """Return the figures as plain values."""
        return {"outcomes": self.outcomes}


def planner_work(dataset: Path) -> PlannerWork:
    """Return the outcomes on the problems of a dataset that has problems."""
    by_domain, by_planner, by_decade = counts_of_each(dataset, _STATEMENTS)
    outcomes: dict[str, dict[str, int]] = {}
    for row in by_domain:
        outcomes.setdefault(row["domain"], {})[row["outcome"]] = row["problems"]
    planners = [(row["planner"], row["outcome"], row["problems"]) for row in by_planner]
    states = {row["decade"]: row["problems"] for row in by_decade}
    return PlannerWork(outcomes, planners, _outcome_chart(outcomes), _states_chart(states))


def _outcome_chart(outcomes: Mapping[str, Mapping[str, int]]) -> str:
    bars = [
        Bar(domain, outcome, n, rows_of(TABLE, domain=domain, **CONDITIONS[outcome]))
        for domain, by_outcome in outcomes.items()
        for outcome in COLOURS
        if (n := by_outcome.get(outcome))
    ]
    colours = {name: colour for name, colour in COLOURS.items() if any(bar.place == name for bar in bars)}
    return stacks("Outcomes of the planners by domain", bars, colours)


def _states_chart(problems: Mapping[int | None, int]) -> str:
    """Return the chart of reachable states by power of ten; the last bar has problems not fully explored."""
    decades = [decade for decade in problems if decade is not None]
    ends: Iterable[int] = range(min(decades), max(decades) + 1) if decades else ()
    places = [_power_of_ten(decade) for decade in ends]
    bars = [
        Bar("problems", _power_of_ten(decade), n, rows_of(TABLE, num_states=_ends(decade)))
        for decade in ends
        if (n := problems.get(decade))
    ]
    if unexplored := problems.get(None):
        places.append("more")
        bars.append(Bar("problems", "more", unexplored, rows_of(TABLE, num_states=None)))
    return histograms("Reachable states", bars, places)


def _ends(decade: int) -> tuple[int, int]:
    return 10**decade, 10 ** (decade + 1) - 1


def _power_of_ten(decade: int) -> str:
    return ("1", "10", "100", "1 k", "10 k", "100 k", "1 M", "10 M", "100 M")[decade] if decade < 9 else "1 G"
