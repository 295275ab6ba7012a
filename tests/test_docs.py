"""The documentation that is made from the code is what the code would make now."""

import importlib.util
import re

import pytest

from tests.every_domain import ROOT

DOCS = sorted((ROOT / "docs").glob("*.md"))
PAGES = [
    *DOCS,
    *(ROOT / name for name in ("docs/recipe/README.md", "README.md", "CONTRIBUTING.md", "CHANGELOG.md")),
]
LONG = ("compose.md", "train.md")  # their examples take more than a second
LINK = re.compile(r"\]\((?!https?:|#)([^)#]+)[^)]*\)")


def builder():
    spec = importlib.util.spec_from_file_location("docs_build", ROOT / "docs" / "build.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_what_is_made_from_the_code_is_up_to_date():
    stale = [path.name for path, text in builder().written().items() if path.read_text() != text]
    assert stale == [], "run `make docs`"


@pytest.mark.parametrize("path", PAGES, ids=lambda p: p.name)
def test_links_lead_to_files(path):
    missing = [link for link in LINK.findall(path.read_text()) if not (path.parent / link).exists()]
    assert missing == []


def test_the_picture_shows_every_room():
    drawn = set(re.findall(r'<g id="([\w.]+)"', builder().picture()))
    package = ROOT / "pipeline" / "orrery"
    rooms = {
        each.stem for each in package.iterdir() if each.suffix == ".py" or (each / "__init__.py").exists()
    }
    assert drawn == {room for room in rooms if not room.startswith("_")}


@pytest.mark.by_day(len(DOCS) - len(LONG))
@pytest.mark.parametrize("path", sorted(DOCS, key=lambda path: path.name in LONG), ids=lambda path: path.name)
def test_examples_in_python_run(path):
    for block in re.findall(r"```python\n(.*?)```", path.read_text(), re.DOTALL):
        exec(block, {})
