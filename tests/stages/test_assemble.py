"""Joining by columns: every row gets what belongs to it, and what does not fit together is refused."""

import json
import random
import shutil

import pytest

from orrery.config import load
from orrery.families.text_to_pddl.schemas import TEXT_TO_PDDL, TEXTS
from orrery.language.frame import explicit_text
from orrery.language.renamed_domain import vocabulary_of
from orrery.pddl.read import read_problem
from orrery.pddl.write import write_domain
from orrery.problems.schemas import GENERATED_PROBLEMS
from orrery.store.shards import read_rows, shards, write
from tests.checkout import must, orrery
from tests.every_domain import entry
from tests.stages.test_stages import failed, table
from tests.tables import INTERMEDIATE

pytestmark = pytest.mark.slow

DOMAINS = ("blocksworld", "ferry")


@pytest.fixture
def root(two_domains, tmp_path):
    """A copy of the build to be spoilt."""
    return shutil.copytree(two_domains, tmp_path / "copy")


def texts_of(here):
    """The published rows of texts, by id."""
    paths = shards(here / "outputs/dataset", "text_to_pddl")
    return {row["id"]: row for path in paths for row in read_rows(path, TEXT_TO_PDDL)}


def test_every_text_gets_problem_solution_and_landmarks(two_domains):
    published = texts_of(two_domains)
    found = 0
    for name in DOMAINS:
        problems = {row["problem_id"]: row for row in table(two_domains, "problems", name, "problems")}
        solutions = {row["problem_id"]: row for row in table(two_domains, "solutions", name, "solutions")}
        states = table(two_domains, "solutions", name, "solved_states")
        landmarks = {
            row["problem_id"]: len(row["landmarks_yes"])
            for row in states
            if row["source"] == "initial" and row["landmarks_complete"]
        }
        for text in table(two_domains, "texts", name, "texts"):
            row = published[f"{text['problem_id']}/{text['mixture']}"]
            problem, solution = problems[text["problem_id"]], solutions[text["problem_id"]]
            found += 1
            for column in (
                "natural_language",
                "is_placeholder",
                "goal_holds_initially",
                "vocabulary",
                "paraphrase",
            ):
                assert row[column] == text[column]
            for column in ("problem_pddl", "strict_key", "loose_key", "seed_path", "task", "difficulty"):
                assert row[column] == problem[column]
            for column in ("plan", "plan_cost", "solvable", "planner"):
                assert row[column] == solution[column]
            assert row["num_landmarks"] == landmarks.get(text["problem_id"])
            sides = (problem["init_parameters"], problem["goal_parameters"])
            assert row["parameters"] == '{{"goal":{1},"init":{0}}}'.format(*sides)
            assert row["domain_pddl"] == write_domain(entry(name).domain)
    assert found == len(published)


def test_rows_stand_in_the_order_of_the_problems(two_domains):
    for path in shards(two_domains / "outputs/dataset", "text_to_pddl"):
        names = [row["problem_id"] for row in read_rows(path)]
        assert names == sorted(names)


@pytest.mark.parametrize("key", ["strict_key", "loose_key"])
def test_a_problem_in_two_splits_is_refused(root, key):
    path = root / "outputs/problems/ferry/problems.parquet"
    rows = list(read_rows(path))
    test, train = (next(row for row in rows if row["split"] == split) for split in ("test", "train"))
    write(path, GENERATED_PROBLEMS, [{**row, key: test[key]} if row == train else row for row in rows])
    line = failed(orrery(root, "assemble"), 3)
    assert f"its {key} is also in split" in line
    assert test["problem_id"] in line or train["problem_id"] in line


@pytest.mark.parametrize(
    ("stage", "file", "change", "fault"),
    [
        ("solutions", "solutions", lambda rows: rows[1:], "has solutions for other problems"),
        (
            "solutions",
            "solutions",
            lambda rows: [rows[1], rows[0], *rows[2:]],
            "has solutions for other problems",
        ),
        (
            "texts",
            "texts",
            lambda rows: [*rows, {**rows[0], "problem_id": "ferry/test/999999"}],
            "out of order",
        ),
    ],
)
def test_tables_that_do_not_go_together_are_refused(root, stage, file, change, fault):
    path = root / f"outputs/{stage}/ferry/{file}.parquet"
    rows = list(read_rows(path))
    write(path, INTERMEDIATE[file], change(rows))
    line = failed(orrery(root, "assemble"), 3)
    assert str(path) in line
    assert fault in line
    assert "dvc repro" in line


def obfuscated(here, text, row, name):
    """The explicit text of a problem in another vocabulary, as a row of intermediate texts."""
    settings, domain = load(here), entry("ferry").domain
    vocabulary = vocabulary_of(domain, name, here / "templates", settings.seed)
    problem = vocabulary.of(read_problem(row["problem_pddl"], domain)).problem(
        read_problem(row["problem_pddl"], domain)
    )
    words, rng = vocabulary.words, random.Random(1)
    said = explicit_text(problem, vocabulary.domain, words, here / "templates", rng)
    parts = {"init_text": said.init, "goal_text": said.goal, "natural_language": said.text}
    about = {"style": "sentences", "register": said.register, "unseen_templates": 0}
    return {**text, **parts, **about, "vocabulary": name}


@pytest.fixture
def with_vocabularies(root):
    """A build in which each problem of ferry is also rendered in two other vocabularies."""
    path = root / "outputs/texts/ferry/texts.parquet"
    problems = {row["problem_id"]: row for row in table(root, "problems", "ferry", "problems")}
    rows = []
    for text in read_rows(path):
        rows.append(text)
        if text["mixture"] == "explicit-explicit":
            rows += [
                obfuscated(root, text, problems[text["problem_id"]], n) for n in ("meaningless", "misleading")
            ]
    write(path, TEXTS, rows)
    must(root, "assemble")
    return root


def test_rows_in_other_vocabularies_are_renamed_and_pass(with_vocabularies):
    published = texts_of(with_vocabularies)
    renamed = {name: row for name, row in published.items() if row["vocabulary"] != "plain"}
    assert len(renamed) == 12
    for name, row in renamed.items():
        plain = published[name.removesuffix(f"/{row['vocabulary']}")]
        assert plain["vocabulary"] == "plain"
        assert "ferry" not in row["problem_pddl"] + row["domain_pddl"]
        assert len(row["plan"]) == len(plain["plan"])
        assert row["strict_key"] == plain["strict_key"]
    must(with_vocabularies, "validate", "--jobs", "1")


def test_a_spoilt_row_in_another_vocabulary_is_seen(with_vocabularies):
    """Three rows, each spoilt in another way, and one run that says what is wrong with each."""
    changes = [
        (lambda row: {"plan": row["plan"][::-1]}, "the renamed domain, problem or plan is another one"),
        (lambda row: {"natural_language": row["natural_language"] + " It rains."}, "alone"),
        (lambda row: {"num_objects": 0}, "num_objects is not that of its problem"),
    ]
    path = with_vocabularies / "outputs/dataset/data/text_to_pddl/train-00000-of-00001.parquet"
    rows, wanted = list(read_rows(path)), {}
    renamed = (n for n, row in enumerate(rows) if row["vocabulary"] != "plain" and len(row["plan"]) > 1)
    for number, (change, fault) in zip(renamed, changes, strict=False):
        rows[number] = {**rows[number], **change(rows[number])}
        wanted[rows[number]["id"]] = fault
    assert len(wanted) == len(changes)
    write(path, TEXT_TO_PDDL, rows)
    failed(orrery(with_vocabularies, "validate", "--jobs", "1"), 3)
    found = json.loads((with_vocabularies / "outputs/report/validation.json").read_text())["failed"]
    for name, fault in wanted.items():
        assert any(fault in text for each in found if name in each["row"] for text in each["faults"]), fault
