"""The page on composed domains: its example is a mechanic and a theme, and domains are composed with them."""

import re

import pytest

from orrery.composition.compose import FEWEST_ACTIONS, MOST_ACTIONS
from orrery.composition.mechanic import RULES, read_mechanic
from orrery.families.modelling.schemas import ACTION_MODELING, DOMAIN_MODELING
from orrery.pddl.read import read_domain
from orrery.stages import compose as stage
from orrery.store import shards
from tests.checkout import checkout, must
from tests.every_domain import ROOT

PAGE = (ROOT / "docs" / "compose.md").read_text()
FILES = dict(re.findall(r"^`([\w/.-]+)`:\n\n```\w+\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL))
SHARED = ("walking", "carrying", "recipe", "lessons")


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    root = checkout(tmp_path_factory.mktemp("page"), ["ferry"], mechanics=SHARED, composed=2)
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


def test_the_page_has_every_file_of_a_mechanic_and_a_theme():
    assert sorted(FILES) == [
        *(f"mechanics/bell/{name}" for name in ("mechanic.pddl", "mechanic.yaml", "words.yaml")),
        "themes/lighthouse.yaml",
    ]


def test_the_example_is_sound(root):
    must(root, "compose", "--check")
    assert read_mechanic(root, "bell").provides == {"bell-hangs", "bell-quiet", "bell-sounding"}


@pytest.mark.slow
def test_domains_are_composed_with_the_example(root, monkeypatch):
    monkeypatch.setattr(stage, "CHUNK", 6)
    must(root, "compose", "--jobs", "1")
    rows = [
        row
        for split in shards.SPLITS
        for row in shards.read_rows(
            root / f"outputs/composed/domain_modeling-{split}.parquet", DOMAIN_MODELING
        )
    ]
    assert len(rows) == 2
    with_bell = [row for row in rows if "bell" in row["mechanics"]]
    assert with_bell
    for row in with_bell:
        assert row["theme"] == "lighthouse"
        assert any(one.startswith("bell/by-the-bell/") for one in row["attachments"])
        assert "fog-bell" in {typed.name for typed in read_domain(row["gold_domain"]).types}
        assert "fog bell" in row["description_abstract"]


def test_what_the_page_names_is_there():
    columns = {field.name for schema in (ACTION_MODELING, DOMAIN_MODELING) for field in schema}
    section = PAGE.partition("## Columns")[2].partition("## How texts")[0]
    named = [
        name
        for line in section.splitlines()
        if line.startswith("- ")
        for name in re.findall(r"`(\w+)`", line.partition(":")[0])
    ]
    tables = {"action_modeling", "domain_modeling"}
    assert {"mechanics", "theme", "seen", "told", "explicitness"} <= set(named)
    assert set(named) - tables - {"bell"} <= columns
    assert all(f"`{rule}`" in PAGE for rule in RULES)
    assert f"{FEWEST_ACTIONS} to {MOST_ACTIONS} actions" in PAGE
