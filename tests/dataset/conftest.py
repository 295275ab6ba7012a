import hashlib
import json
import shutil
from pathlib import Path

import pytest

from orrery.config import Description
from orrery.dataset import contents
from orrery.dataset.card import NOT_CHECKED, checked_card, write_card
from orrery.stages.assemble import copy_graders
from tests.store import samples

TEMPLATES = Path(__file__).parents[2] / "templates"


ABOUT = {
    name: Description(title=name.capitalize(), source="made up | for tests")
    for name in ("gripper", "blocksworld")
}


TRIED = [
    {"table": "acp_app_bool", "verdict": "within the limit", "rule": "most length",
     "rows": 7, "score": 0.571, "chance": 0.5},
    {"table": "acp_val_gen", "verdict": "", "unread": "no rows"},
]  # fmt: skip


def passed(dataset, report, *, verdict=True):
    report.mkdir(exist_ok=True)
    content = {
        "passed": verdict,
        "adversary": TRIED,
        "dataset_hash": contents.content_hash(dataset),
        "folder_hash": contents.folder_hash(dataset),
    }
    (report / "validation.json").write_text(json.dumps(content))


def make(folder: Path, templates: Path = TEMPLATES, tables=None, version="", **split_rows) -> Path:
    """A dataset of all tables with the graders, or of some tables without."""
    if tables:
        samples.dataset(folder, split_rows=split_rows or None, tables=tables)
    else:
        samples.dataset(folder, split_rows=split_rows or None)
        copy_graders(folder)
    write_card(folder, ABOUT, templates=templates, version=version, seed=7, size="smallest")
    return folder


def published(dataset):
    """The hashes of what is published of a dataset: its files, and a card that says they were checked."""
    card = (dataset / contents.CARD).read_text()
    assert NOT_CHECKED in card
    said = checked_card(card, {"adversary": TRIED}).encode()
    return contents.file_hashes(dataset) | {contents.CARD: hashlib.sha256(said).hexdigest()}


@pytest.fixture(scope="session")
def pattern(tmp_path_factory):
    """The dataset that tests get copies of."""
    return make(tmp_path_factory.mktemp("pattern") / "dataset")


@pytest.fixture
def dataset(pattern, tmp_path):
    return shutil.copytree(pattern, tmp_path / "outputs" / "dataset")


@pytest.fixture
def report(tmp_path, dataset):
    passed(dataset, tmp_path / "outputs" / "report")
    return tmp_path / "outputs" / "report"
