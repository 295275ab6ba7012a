"""Rows of a tiny build, to be spoilt: of some domains, or of all with the slow tests."""

import pytest

from orrery.store.shards import read_rows, shards
from tests.checkout import SOME, tiny_build
from tests.every_domain import CATALOG
from tests.tables import INTERMEDIATE, PUBLISHED


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
    for stage, table in (("texts", "texts"), ("solutions", "states")):
        rows_read = []
        for name in sorted(path.name for path in (build / "domains").iterdir()):
            path = build / "outputs" / stage / name / f"{table}.parquet"
            for row in read_rows(path, INTERMEDIATE[table]):
                problem = problems[row["problem_id"]]
                of_problem = {key: problem[key] for key in ("problem_pddl", "parameters", "init", "goal")}
                rows_read.append({**of_problem, **row, "domain": name})
        rows_by_table[table] = rows_read
    return rows_by_table
