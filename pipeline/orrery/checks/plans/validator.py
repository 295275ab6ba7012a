"""Plans of rows that are drawn, by the validator of unified-planning."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from orrery.checks.inputs import CheckInputs
from orrery.checks.verdicts import Verdicts, undecided
from orrery.families import families
from orrery.planners.unified import PlannedProblem, validate_plans
from orrery.seeds import stream
from orrery.store.shards import read_batches

FAMILY = "plans"
SHARE = 0.02  # of the rows
MOST = 8  # rows of a domain
PIECE = 20_000  # rows of which the names are in memory


class Named(NamedTuple):
    """A row that was drawn: its domain, its name, and its number in its table."""

    domain: str
    name: str
    table: str
    number: int


class Drawn(NamedTuple):
    """A row to be looked at: what it belongs to, its PDDL, and whether its steps are stated to be a plan."""

    domain: str
    name: str
    domain_pddl: str
    problem_pddl: str
    steps: tuple[str, ...]
    valid: bool


def check(inputs: CheckInputs) -> Verdicts:
    """Return what unified-planning says of the rows drawn: some of each domain."""
    found = Verdicts()
    for domain, name, messages in validated(drawn(inputs), inputs.seconds):
        found.enter("plan validator", domain, name, messages)
    return found


def drawn(inputs: CheckInputs) -> Iterator[Drawn]:
    """Yield rows drawn by their names, ``MOST`` of a domain at most, by domain and name."""
    columns, by_domain = _columns_of_steps(), defaultdict[str, list[Named]](list)
    for each in sorted(_named(inputs, columns), key=lambda each: each.name):
        by_domain[each.domain].append(each)
    for some in by_domain.values():
        for each in some[:: max(1, -(-len(some) // MOST))]:
            (row,) = inputs.rows[each.table].rows([each.number]).to_pylist()
            steps, valid = tuple(row[columns[each.table]]), bool(row.get("valid", True))
            yield Drawn(row["domain"], row["id"], row["domain_pddl"], row["problem_pddl"], steps, valid)


def _columns_of_steps() -> dict[str, str]:
    """Return by table the column with the plan of a row: its own, or that whose verdict it has."""
    found = {}
    for table in families()[FAMILY].tables:
        if "plan" in table.schema.names:
            found[table.name] = "plan"
        elif {"shown", "valid"} <= set(table.schema.names):
            found[table.name] = "shown"
    return found


def _named(inputs: CheckInputs, columns: Mapping[str, str]) -> Iterator[Named]:
    """Yield the rows with steps whose names are drawn."""
    for table, steps in columns.items():
        number = 0
        for path in inputs.rows[table].paths:
            for rows in read_batches(path, columns=["id", "domain", steps], size=PIECE):
                names = list(map(str, rows["id"].to_pylist()))
                for place in (place for place, name in enumerate(names) if _is_drawn(inputs.seed, name)):
                    if rows[steps][place].as_py():
                        yield Named(rows["domain"][place].as_py(), names[place], table, number + place)
                number += len(names)


def _is_drawn(seed: int, name: str) -> bool:
    return stream(seed, "validate", "plans", name).random() < SHARE


def validated(some: Iterable[Drawn], seconds: float) -> Iterator[tuple[str, str, list[str]]]:
    """Yield domain, row and messages of each row; those on one domain text are asked about together."""
    groups: dict[tuple[str, str], list[Drawn]] = defaultdict(list)
    for each in some:
        groups[each.domain, each.domain_pddl].append(each)
    for together in groups.values():
        for each, messages in zip(together, _said(seconds, together), strict=True):
            yield each.domain, each.name, messages


def _said(seconds: float, some: Sequence[Drawn]) -> list[list[str]]:
    """Return what is wrong with rows on one domain text."""
    problems = [PlannedProblem(each.problem_pddl, "\n".join(each.steps)) for each in some]
    verdicts = validate_plans(some[0].domain_pddl, problems, seconds=seconds)
    if verdicts is None:
        return [[undecided("whether unified-planning finds the plan valid")] for _ in some]
    wanted = ["VALID" if each.valid else "INVALID" for each in some]
    return [
        [] if said == right else [f"unified-planning says {said}"]
        for said, right in zip(verdicts, wanted, strict=True)
    ]
