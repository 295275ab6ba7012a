"""A small dataset with its report, and the pages over it."""

import pytest
from starlette.testclient import TestClient

from orrery.browse.app import browser
from orrery.checks.verdicts import CheckFinding
from orrery.dataset.adversary import TableFigures
from orrery.dataset.adversary.verdict import TrickFigure
from orrery.dataset.report import RunLine, write_report
from orrery.evaluation.results.page import write_pages
from orrery.evaluation.results.runs import write_run
from tests.evaluation.results.samples import ABOUT, rows
from tests.every_domain import ROOT
from tests.library import samples

TABLES = (
    "acp_app_gen", "acp_app_mcq", "acp_prog_bool", "plan_generation", "plan_verification", "text_to_pddl",
)  # fmt: skip
ADDRESS = "http://127.0.0.1:8017"


@pytest.fixture(scope="package")
def build(tmp_path_factory):
    """The settings of a build with few rows of some tables."""
    settings = samples.build(tmp_path_factory.mktemp("browsed"), *TABLES)
    faults = CheckFinding(
        "answers", "ferry", samples.fresh("acp_app_gen")[0].row["id"], ("not <b>",), ("2 states",)
    )
    many = [
        CheckFinding("states", f"domain-{n}", f"domain-{n}/test/0/state", shown, ("2 states",))
        for n, shown in enumerate([*[("1 fact too few",)] * 30, *[()] * 60])
    ]
    trick = TrickFigure("acp_prog_bool", "", "longest option", 900, 0.6, 0.5, 900.0)
    run = RunLine("one", "demo", 9, {"value": 0.5, "low": 0.2, "high": 0.8}, "abc")
    write_report(
        settings, {("answers", "ferry"): 3}, [faults, *many], "abc", {"acp_app_gen": ["license"]},
        [TableFigures("acp_prog_bool", 900, [trick])], [run],
    )  # fmt: skip
    for name in ("one", "two"):
        write_run(settings.outputs / "evals" / name, rows(["right", "wrong", "right"], plan_length=7), ABOUT)
    write_pages(settings.outputs / "evals", ROOT)
    return settings


@pytest.fixture(scope="package")
def site(build):
    """The application."""
    return browser(build.outputs / "dataset", build.outputs, ROOT)


@pytest.fixture
def client(site):
    """A client on this machine, that follows nowhere by itself."""
    return TestClient(site, ADDRESS, follow_redirects=False)


@pytest.fixture(params=TABLES)
def item(request):
    """A row of each table, as the library has it."""
    return samples.fresh(request.param)[0]
