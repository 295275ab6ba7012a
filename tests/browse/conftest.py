"""A small dataset with its report, and the pages over it."""

import pytest
from starlette.testclient import TestClient

from orrery.browse.app import browser
from orrery.dataset.report import write_report
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
    write_report(settings, {("answers", "ferry"): 3}, [], "abc", {})
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
