"""A small dataset with its report, and the pages over it."""

import pytest
from starlette.testclient import TestClient

from orrery.browse.app import browser
from orrery.config import load
from orrery.dataset.card import write_card
from orrery.dataset.report import write_report
from tests.every_domain import CATALOG, ROOT
from tests.library import samples

TABLES = (
    "acp_app_gen", "acp_app_mcq", "acp_prog_bool", "plan_generation", "plan_verification", "text_to_pddl",
)  # fmt: skip
ADDRESS = "http://127.0.0.1:8017"


@pytest.fixture(scope="package")
def build(tmp_path_factory):
    """The settings of a build with few rows of some tables."""
    root = tmp_path_factory.mktemp("browsed")
    (root / "params.yaml").write_text(
        "seed: 1\ndomains: [blocksworld, ferry]\nsize: s\nsizes:\n  s: {scale: 1, draw: {problems: {}}, "
        "by_domain: {}, solve: {asked: 1, states: 1}, render: {}, ask: {questions: 1}, check: {}}\n"
    )
    (root / "templates").symlink_to(ROOT / "templates")
    folder = samples.dataset(root / "outputs" / "dataset", *TABLES)
    about = {name: CATALOG.entry(name).description for name in CATALOG.names}
    write_card(folder, about, templates=ROOT / "templates", seed=1, size="s")
    settings = load(root)
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
