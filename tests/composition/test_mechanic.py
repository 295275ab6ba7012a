"""Mechanics: ours are read and parse everywhere; what is wrong with one is one error with its place."""

import shutil

import pytest

from orrery.composition.compose import NotComposed, compose, faults_of_files
from orrery.composition.mechanic import literal_keys, read_mechanic
from orrery.pddl.write import write_domain
from orrery.planning.external_parsers import PDDL, TRANSLATOR, UNIFIED_PLANNING, verdicts
from tests.checkout import checkout, copy_mechanics, must, orrery, spoil
from tests.composition.compositions import FEW, MECHANICS, every_mechanic
from tests.composition.faulty_files import BAKERY, FAULTS, PDDL_FILE, RULES, WALKING, WORDS
from tests.effort import by_day, slow
from tests.every_domain import ROOT


@every_mechanic
def test_ours_are_read(name):
    mechanic = read_mechanic(ROOT, name)
    assert 1 <= len(mechanic.fragment.actions) <= 5
    assert all(len(action.parameters) <= 4 for action in mechanic.fragment.actions)
    assert mechanic.rules.goals or mechanic.rules.attachments
    assert mechanic.provides


@every_mechanic
def test_wordings_tell_facts_apart(name):
    """No wording stands for two facts, or for a fact and its opposite."""
    facts = read_mechanic(ROOT, name).words.facts
    wordings = [text for polarity in facts.values() for text in (*polarity.true, *polarity.false)]
    assert len(set(wordings)) == len(wordings)


@every_mechanic
def test_what_is_common_knowledge_leaves_something_to_tell(name):
    mechanic = read_mechanic(ROOT, name)
    keys = {key for action in mechanic.fragment.actions for key in literal_keys(action)}
    assert set(mechanic.words.common) < keys
    assert all(reason.strip() for reason in mechanic.words.common.values())


@every_mechanic
def test_state_laws_are_about_facts_that_change(name):
    mechanic = read_mechanic(ROOT, name)
    for law in mechanic.rules.laws:
        assert {atom[0] for atom in law} <= mechanic.fragment.fluents | set(mechanic.rules.imports)


def test_there_are_enough():
    assert len(MECHANICS) >= 30
    attaching = [name for name in MECHANICS if read_mechanic(ROOT, name).rules.attachments]
    assert len(attaching) >= len(MECHANICS) / 2


@slow
def test_other_parsers_read_every_fragment():
    texts = [write_domain(read_mechanic(ROOT, name).fragment) for name in MECHANICS]
    files = [(ROOT / "mechanics" / name / "mechanic.pddl").read_text() for name in MECHANICS]
    for name, by_parser in zip(
        MECHANICS * 2, verdicts([*texts, *files], (PDDL, UNIFIED_PLANNING, TRANSLATOR)), strict=True
    ):
        assert any(one.accepted for one in by_parser.values()), name
        assert all(one.accepted or not one.installed for one in by_parser.values()), (name, by_parser)


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    """A folder with few mechanics and one theme."""
    root = tmp_path_factory.mktemp("sound")
    copy_mechanics(root, FEW, ["bakery"])
    assert list(faults_of_files(root)) == []
    return root


def spoiled(sound, folder, changes):
    root = folder / "spoiled"
    shutil.copytree(sound, root)
    for file, old, new in changes:
        spoil(root / file, old, new)
    return root


@by_day(30)
@pytest.mark.parametrize(("changes", "file", "problem", "mend"), FAULTS)
def test_a_fault_is_one_error_with_file_place_and_mend(sound, tmp_path, changes, file, problem, mend):
    root = spoiled(sound, tmp_path, changes)
    errors = list(faults_of_files(root))
    assert len(errors) == 1, errors
    [error] = errors
    assert file in error.where
    assert problem in str(error)
    assert mend in str(error)


@pytest.mark.parametrize("file", [PDDL_FILE, RULES, WORDS])
def test_a_missing_file_is_one_error(sound, tmp_path, file):
    root = spoiled(sound, tmp_path, [])
    (root / file).unlink()
    if file == PDDL_FILE:  # a folder without it is no mechanic, so the theme names too much
        file = f"{BAKERY}: mechanics.lessons"
    [error] = faults_of_files(root)
    assert file in error.where


def test_faults_of_several_files_are_all_found_and_the_other_mechanics_are_read(sound, tmp_path):
    changes = [
        (RULES, "goals:", "gaols:"),
        (WALKING + "mechanic.yaml", "goals:", "gaols:"),
        (BAKERY, "agent:", "agnet:"),
    ]
    root = spoiled(sound, tmp_path, changes)
    places = [error.where for error in faults_of_files(root)]
    assert [any(name in place for place in places) for name in ("lessons", "walking", "bakery")] == [True] * 3
    assert len(places) == 3
    assert {read_mechanic(root, name).name for name in ("carrying", "recipe")} == {"carrying", "recipe"}


def test_the_other_mechanics_compose_without_a_faulty_one(sound, tmp_path):
    root = tmp_path / "without"
    copy_mechanics(root, [name for name in FEW if name != "lessons"], ["bakery"])
    assert list(faults_of_files(root)) == []
    composed = set()
    for number in range(10):
        try:
            composed |= set(compose(root, 6, number).mechanics)
        except NotComposed:
            continue
    assert composed == {"walking", "carrying", "recipe"}


FAULTY = [(RULES, "goals:", "gaols:"), (BAKERY, "agent:", "agnet:")]


@pytest.mark.parametrize("arguments", [["--check"], ["--show"], []])
def test_the_command_names_every_fault_and_writes_nothing(tmp_path, arguments):
    root = checkout(tmp_path, ["ferry"], mechanics=FEW, themes=["bakery"], composed=1)
    for change in FAULTY:
        spoil(root / change[0], *change[1:])
    result = orrery(root, "compose", *arguments)
    assert result.exit_code == 3
    assert all(
        part in result.stderr for part in ("lessons/mechanic.yaml", "'gaols'", "bakery.yaml", "'agnet'")
    )
    assert not list((root / "outputs").rglob("*.parquet"))


@slow
def test_the_doctor_names_every_fault(tmp_path):
    root = checkout(tmp_path, ["ferry"], mechanics=FEW, themes=["bakery"])
    must(root, "doctor")
    for change in FAULTY:
        spoil(root / change[0], *change[1:])
    result = orrery(root, "doctor")
    assert result.exit_code == 3
    assert all(
        part in result.stdout for part in ("lessons/mechanic.yaml", "'gaols'", "bakery.yaml", "'agnet'")
    )
