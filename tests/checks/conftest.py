"""Rows of a tiny build, to be spoilt: of some domains, or of all with the slow tests."""

from types import SimpleNamespace

import pytest

from orrery.checks.modelling import RowCheck
from orrery.checks.verdicts import MALFORMED
from orrery.families.modelling.composed import KeptDomain, composed_rows, seen_in_train
from orrery.model import OrreryError
from orrery.store.shards import read_rows, shards
from tests.checkout import SOME, tiny_build
from tests.every_domain import CATALOG, ROOT
from tests.tables import INTERMEDIATE, PUBLISHED

COMPOSED, SEED = 6, 20260101  # compositions, and the seed that draws them


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Tests that look at the tiny build run in one process, so that it is built once."""
    for item in items:
        if item.nodeid.startswith("tests/checks/") and "build" in item.fixturenames:
            item.add_marker(pytest.mark.xdist_group("tiny"))


@pytest.fixture(
    scope="session",
    params=[
        pytest.param(SOME, id="some domains"),
        pytest.param(CATALOG.names, id="all domains", marks=pytest.mark.slow),
    ],
)
def build(request):
    """The checkout of the build."""
    return tiny_build(request.param)


@pytest.fixture(scope="session")
def rows(build):
    """The rows of every table: published ones, texts and states; each with domain and problem."""
    dataset = build / "outputs" / "dataset"
    rows_by_table = {
        table: [row for path in shards(dataset, table) for row in read_rows(path)] for table in PUBLISHED
    }
    problems = {row["id"]: row for row in rows_by_table["problems"]}
    for stage, table in (("texts", "texts"), ("solutions", "solved_states")):
        rows_read = []
        for name in sorted(path.name for path in (build / "domains").iterdir()):
            path = build / "outputs" / stage / name / f"{table}.parquet"
            for row in read_rows(path, INTERMEDIATE[table]):
                problem = problems[row["problem_id"]]
                of_problem = {key: problem[key] for key in ("problem_pddl", "parameters", "init", "goal")}
                rows_read.append({**of_problem, **row, "domain": name})
        rows_by_table[table] = rows_read
    return rows_by_table


@pytest.fixture(scope="session")
def composed():
    """The rows of six compositions by table, each with its split and what train has seen."""
    kept, number = [], 0
    while len(kept) < COMPOSED:
        rows = composed_rows(number, ROOT, SEED)
        kept += [rows] if rows["keys"] else []
        number += 1
    return with_splits(kept)


@pytest.fixture(scope="session")
def check():
    """The check of rows on domains."""
    return RowCheck(SimpleNamespace(root=ROOT, seed=SEED, seconds=5.0))


def faults_of(check, row):
    """The faults of a row; an error on the values of the row is one."""
    try:
        return check.faults(row)
    except (OrreryError, *MALFORMED) as error:
        return [str(error)]


def assert_all_damages_are_found(check, rows, damage):
    damaged_rows = [damaged for row in rows if (damaged := damage(row)) != row]
    assert damaged_rows
    assert [row["id"] for row in damaged_rows if not faults_of(check, row)] == []


def with_splits(compositions):
    """The rows of compositions by table with the columns that the other compositions decide."""
    domains = [
        KeptDomain(int(key["number"]), tuple(key["mechanics"]), key["theme"], key["split"])
        for rows in compositions
        for key in rows["keys"]
    ]
    seen = seen_in_train(domains)
    return {
        table: [
            {**row, "id": row["id"].replace("/", f"/{domain.split}/", 1), "seen": seen[domain]}
            for rows, domain in zip(compositions, domains, strict=True)
            for row in rows[table]
        ]
        for table in ("action_modeling", "domain_modeling")
    }
