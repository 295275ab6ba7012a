"""Questions for a domain in PDDL: its actions from texts, or the whole domain from a description.

Rows are on our own domains, and on those that the corpus stage accepted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

from orrery.catalog import Entry, entry_of
from orrery.config import Settings
from orrery.families import Family, Gold, Rows
from orrery.families import Table as PublishedTable
from orrery.families.modelling.descriptions import DomainDescriber, header
from orrery.families.modelling.schemas import ACTION_MODELING, DOMAIN_MODELING, NOT_COMPOSED, measures
from orrery.model import OrreryError
from orrery.model import Row as PublishedRow
from orrery.pddl.write import write_domain
from orrery.problems.horizon import shortest_length
from orrery.problems.schemas import GENERATED_PROBLEMS, SOLUTIONS
from orrery.seeds import digest
from orrery.store.columns import Table
from orrery.store.kinds import Schema, table_name
from orrery.store.shards import read_batches, read_rows

STAGES = ("descriptions", "corpus", "composed")  # they write rows, one file per table and split
SOURCE = "orrery"
SHARES = {
    "train": 0.2,
    "validation": 0.125,
}  # of the domains that are not held out; the others are for testing
PROBLEMS = 4

Row: TypeAlias = dict[str, Any]


def modelling_rows(schema: Schema) -> Rows:
    """Return the function that makes the rows of the table of ``schema``."""

    def rows(settings: Settings, split: str, only: Sequence[str] | None = None) -> Iterator[Table]:
        """Yield the rows of a split as the stages wrote them."""
        for stage in STAGES:
            path = settings.outputs / stage / f"{table_name(schema)}-{split}.parquet"
            if path.exists():
                yield from read_batches(path, schema, columns=only)

    return rows


def splits_of_domains(settings: Settings) -> dict[str, str]:
    """Return the split of each of our domains; held-out domains go to test."""
    held_out = set(settings.held_out.domains)
    held_out |= {name for name in settings.domains if entry_of(settings.root, name).description.test_only}
    return {
        name: "test" if name in held_out else split_of_domain(name, settings.seed)
        for name in settings.domains
    }


def split_of_domain(name: str, seed: int) -> str:
    """Return the split that a name gets; which other domains there are makes no difference."""
    place = int.from_bytes(digest(seed, "describe", name)) / 2**256
    for split, share in SHARES.items():
        if place < share:
            return split
        place -= share
    return "test"


def domain_rows(settings: Settings, name: str, split: str) -> tuple[Row, Row]:
    """Return the two rows of one of our domains: one asks for its actions, the other for the whole domain.

    Raises:
        OrreryError: none of its problems is decided.
    """
    entry = entry_of(settings.root, name)
    domain, about = entry.domain, entry.description
    describer = DomainDescriber(domain, entry.words, about.title or entry.name)
    pddl = write_domain(domain)
    common = {
        "domain": entry.name,
        "source": SOURCE,
        "license": about.license,
        "gold_domain": pddl,
        "problems": _problems(settings, entry, split),
        **NOT_COMPOSED,
    }
    actions = {
        **common,
        "id": f"{entry.name}/{split}/actions",
        "header": header(domain),
        "action_names": [action.name for action in domain.actions],
        "texts": describer.texts(),
        "explicitness": "",
    }
    row = {
        **common,
        **measures(domain, pddl),
        "id": f"{entry.name}/{split}/domain",
        "description_abstract": describer.abstract(),
        "description_concrete": describer.concrete(),
        "style": "words",
    }
    return actions, row


def _problems(settings: Settings, entry: Entry, split: str) -> list[Row]:
    """Return the smallest decided problems of the domain and split; of any split if that one has none."""
    read = {
        stage: read_rows(settings.outputs / stage / entry.name / f"{stage}.parquet", schema)
        for stage, schema in (("problems", GENERATED_PROBLEMS), ("solutions", SOLUTIONS))
    }
    solutions = {row["problem_id"]: row for row in read["solutions"] if row["solvable"] is not None}
    decided = [row for row in read["problems"] if row["problem_id"] in solutions]
    mine = [row for row in decided if row["split"] == split] or decided
    if not mine:
        raise OrreryError(f"domain '{entry.name}'", "has no solved problems", "run `orrery solve`")
    return [_problem(row, solutions[row["problem_id"]]) for row in _varied(mine)]


def _varied(rows: Sequence[Row]) -> Iterator[Row]:
    """Yield the smallest problems, of different tasks if there are enough."""
    ordered = sorted(rows, key=lambda row: (row["num_objects"], row["problem_id"]))
    first = {row["task"]: row for row in reversed(ordered)}
    chosen = sorted(first.values(), key=ordered.index)
    yield from (chosen + [row for row in ordered if row not in chosen])[:PROBLEMS]


def _problem(row: Row, solution: Row) -> Row:
    return {
        "name": row["problem_id"],
        "pddl": row["problem_pddl"],
        "solvable": solution["solvable"],
        "plan": solution["plan"],
        "optimal_cost": shortest_length(solution["horizon"]),
    }


def _domain(row: PublishedRow, *_: object) -> str:
    return str(row["gold_domain"]).strip()


def _actions(row: PublishedRow, *_: object) -> str:
    """Return the bodies of the actions, which are the last part of a domain as written."""
    _before, opening, bodies = _domain(row).removesuffix(")").partition("(:action")
    return opening + bodies


FAMILY = Family(
    tables=(
        PublishedTable(
            ACTION_MODELING,
            modelling_rows(ACTION_MODELING),
            apart=("gold_domain",),
            prompts={
                "header": ("header", "action_names"),
                "text": ("header", "action_names", "texts"),
            },
            template="action_modeling",
            gold=Gold(("gold_domain",), _actions),
            scorer="actions",
        ),
        PublishedTable(
            DOMAIN_MODELING,
            modelling_rows(DOMAIN_MODELING),
            apart=("gold_domain",),
            prompts={"abstract": ("description_abstract",), "concrete": ("description_concrete",)},
            template="domain_modeling",
            gold=Gold(("gold_domain",), _domain),
            scorer="domains",
        ),
    ),
)
