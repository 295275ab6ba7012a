"""A build in which single values were changed, and its manifest and card made anew: validation finds each."""

import json
import re
import shutil

import pyarrow.parquet as pq
import pytest

from orrery.checks import folder, tables
from orrery.config import load
from orrery.store.shards import read_rows, shards, write
from tests.checkout import orrery, remade
from tests.stages.conftest import DOMAINS
from tests.tables import PUBLISHED

pytestmark = pytest.mark.slow


def swapped(text, old, new):
    """The text with one thing in the place of another, both of which it may hold."""
    return text.replace(old, "\0").replace(new, old).replace("\0", new)


TO_NOTHING = ("fold", "is_placeholder")  # columns in which nothing stands for something
# Of a table: what is changed, and the words in which the report says so.
DAMAGE = [
    ("problems", "solvable", lambda row: not row["solvable"], "solvable|unsolvable|plan"),
    ("problems", "plan_optimal", lambda row: not row["plan_optimal"], "optimal"),
    ("problems", "plan_cost", lambda row: row["plan_cost"] + 1, "plan_cost"),
    ("problems", "h_star", lambda row: row["h_star"] + 1, "h_star"),
    ("problems", "problem_id", lambda row: row["id"] + "x", "problem_id is"),
    ("problems", "num_objects", lambda row: row["num_objects"] + 1, "num_objects"),
    ("problems", "num_facts", lambda row: row["num_facts"] + 1, "num_facts"),
    ("problems", "num_actions", lambda row: row["num_actions"] + 1, "num_actions"),
    ("problems", "num_states", lambda row: row["num_states"] + 1, "num_states"),
    ("problems", "init_num_propositions", lambda row: 0, "init_num_propositions"),
    ("problems", "goal_num_propositions", lambda row: 0, "goal_num_propositions"),
    ("problems", "init", lambda row: "nowhere", "init is nowhere"),
    ("problems", "goal", lambda row: "nowhere", "goal is nowhere"),
    ("problems", "parameters", lambda row: '{"goal":{},"init":{}}', "parameters"),
    ("problems", "parameters", lambda row: "{", "parameters is not JSON"),
    ("problems", "seed_path", lambda row: row["seed_path"] + "/more", "seed_path"),
    ("problems", "names", lambda row: row["names"] + "x", "names is"),
    ("problems", "difficulty", lambda row: "huge", "difficulty|huge"),
    ("problems", "strict_key", lambda row: "0" * 32, "keys"),
    ("problems", "loose_key", lambda row: "0" * 32, "keys"),
    ("text_to_pddl", "natural_language", lambda row: row["natural_language"][:-40], "text|alone|say"),
    ("text_to_pddl", "is_placeholder", lambda row: 1 - row["is_placeholder"], "is_placeholder"),
    ("text_to_pddl", "solvable", lambda row: not row["solvable"], "solvable"),
    ("text_to_pddl", "h_star", lambda row: row["h_star"] + 1, "h_star"),
    ("text_to_pddl", "problem_id", lambda row: row["problem_id"][:-1] + "x", "problem_id|problem"),
    ("text_to_pddl", "names", lambda row: row["names"] + "x", "names is not that of its problem"),
    ("text_to_pddl", "name", lambda row: row["name"] + "x", "name is"),
    ("text_to_pddl", "fold", lambda row: row["fold"] + 1, "fold is"),
    ("acp_app_gen", "context", lambda row: "Nothing is known.", "context: "),
    ("acp_prog_gen", "question", lambda row: "Why?", "question is no wording"),
    ("acp_prog_gen", "question_pddl", lambda row: "Why?", "question_pddl is no wording"),
    ("acp_app_gen", "answer", lambda row: row["answer"][1:], "is missing"),
    ("acp_app_gen", "num_objects", lambda row: row["num_objects"] + 1, "num_objects"),
    ("acp_app_gen", "names", lambda row: row["names"] + "x", "names is not that of its problem"),
    ("acp_val_gen", "num_applicable_actions", lambda row: row["num_applicable_actions"] + 1, "num_appl"),
    ("acp_nexta_gen", "h_star", lambda row: (row["h_star"] or 0) + 1, "h_star"),
    ("acp_land_gen", "difficulty", lambda row: "huge", "difficulty is not that of its problem"),
    ("acp_app_bool", "claim", lambda row: "{", "claim is not JSON"),
    ("acp_prog_bool", "question", lambda row: "Really?\n" + row["question"], "question is no wording"),
    ("acp_app_mcq", "choices_pddl", lambda row: row["choices_pddl"][::-1], "choices_pddl"),
    ("acp_app_mcq", "query", lambda row: "Which?", "query is not"),
    ("acp_val_bool", "answer", lambda row: {"yes": "no", "no": "yes"}[row["answer"]], "graded|claim"),
    ("acp_land_gen", "proofs", lambda row: "nothing", "proofs is not JSON"),
    ("acp_land_bool", "proofs", lambda row: "{}", "proofs: 0 for 1"),
    ("acp_nexta_gen", "proofs", lambda row: row["proofs"].replace('"exhaustion"', '"h2"', 1), "proofs: 'h2'"),
    ("acp_just_gen", "PDDL_problem", lambda row: swapped(row["PDDL_problem"], "(:init", "(:goal"), ""),
    ("domain_modeling", "license", lambda row: "", "licence"),
    ("domain_modeling", "num_actions", lambda row: row["num_actions"] + 1, "num_actions"),
]  # fmt: skip


@pytest.fixture(scope="module")
def said_of_damage(two_domains, tmp_path_factory):
    """For each damage what the report says of the row that has it.

    Rows of problems are damaged in a copy of their own: where they cannot be read, not all else is checked.
    """
    said = {}
    for of_problems in (True, False):
        root = shutil.copytree(two_domains, tmp_path_factory.mktemp("damaged") / "copy")
        numbers = [n for n, (name, *_) in enumerate(DAMAGE) if (name == "problems") == of_problems]
        said |= dict(zip(numbers, damaged(root, [DAMAGE[n] for n in numbers]), strict=True))
    return said


def damaged(root, damage):
    """What the report says of each damaged row, once all are."""
    rows = {}
    for name in dict.fromkeys(name for name, *_ in damage):
        for path in shards(root / "outputs/dataset", name):
            rows[path] = list(read_rows(path, PUBLISHED[name]))
    changes, ids = {}, []
    for name, column, change, _ in damage:
        places = [(path, n) for path in rows if path.parent.name == name for n in range(len(rows[path]))]
        usable = [(path, n) for path, n in places if column in TO_NOTHING or rows[path][n][column]]
        path, n = min(usable, key=lambda place: changes.get(place, 0))
        changes[path, n] = changes.get((path, n), 0) + 1
        ids.append(rows[path][n]["id"])
        rows[path][n] = {**rows[path][n], column: change(rows[path][n])}
    for path, changed in rows.items():
        write(path, PUBLISHED[path.parent.name], changed)
    remade(root, DOMAINS)
    result = orrery(root, "validate", "--jobs", "1")
    assert result.exit_code == 3, result.exception
    verdict = json.loads((root / "outputs/report/validation.json").read_text())
    faults = [f"{each['row']}: {text}" for each in verdict["failed"] for text in each["faults"]]
    return [[text for text in faults if row in text] for row in ids]


@pytest.mark.xdist_group("damage")
@pytest.mark.parametrize(
    "number", range(len(DAMAGE)), ids=[f"{name}: {column} {n}" for n, (name, column, *_) in enumerate(DAMAGE)]
)
def test_a_changed_value_is_found(said_of_damage, number):
    assert [text for text in said_of_damage[number] if re.search(DAMAGE[number][3], text)], said_of_damage[
        number
    ]


def without_rows(count):
    def change(dataset):
        path = shards(dataset, "acp_app_gen")[0]
        write(path, PUBLISHED["acp_app_gen"], list(read_rows(path))[count:])

    return change


def with_another_row(dataset):
    path = shards(dataset, "acp_app_gen")[0]
    rows = list(read_rows(path))
    write(path, PUBLISHED["acp_app_gen"], [*rows, {**rows[0], "id": rows[0]["id"].replace("/app", "/else")}])


ROWS = [
    (without_rows(1), "is missing"),
    (without_rows(2), "is missing"),
    (with_another_row, "1 rows are none that the stages before made"),
    (lambda dataset: shards(dataset, "acp_app_gen")[0].unlink(), "is missing"),
    (lambda dataset: shutil.rmtree(dataset / "data/acp_app_gen"), "is missing"),
]


@pytest.mark.parametrize(("change", "fault"), ROWS)
def test_other_rows_than_those_made_are_found_in_spite_of_the_manifest(two_domains, tmp_path, change, fault):
    root = shutil.copytree(two_domains, tmp_path / "copy")
    change(root / "outputs/dataset")
    remade(root, DOMAINS)
    assert [text for text in tables.check_table(load(root), "acp_app_gen") if fault in text]


def text_changed(name, old, new):
    def change(dataset):
        path = dataset / name
        changed = path.read_text().replace(old, new)
        assert changed != path.read_text()
        path.write_text(changed)

    return change


FILES = [
    (lambda dataset: (dataset / "notes.txt").write_text("mine"), "notes.txt: is not in the manifest"),
    (lambda dataset: (dataset / "CHANGELOG.md").unlink(), "CHANGELOG.md: is missing"),
    (lambda dataset: (dataset / "manifest.json").unlink(), "manifest.json: cannot be read"),
    (lambda dataset: (dataset / "manifest.json").write_text("{}"), "manifest.json: lacks"),
    (text_changed("manifest.json", '"test": ', '"test": 1'), "manifest.json: rows of"),
    (text_changed("README.md", "acp_app_gen", "acp_app_all"), "README.md: the header names"),
    (text_changed("README.md", "---\n", "\n"), "README.md: cannot be read"),
    (lambda dataset: (dataset / "README.md").unlink(), "README.md: cannot be read"),
    (text_changed("grading/score.py", "1", "0"), "grading/score.py: is not the grader"),
    (lambda dataset: (dataset / "grading/kinds/app.py").unlink(), "grading/kinds/app.py: is not the grader"),
    (
        text_changed("prompts/acp_zero_shot.txt", "{context}", "{contents}"),
        "takes 'contents'",
    ),
    (text_changed("prompts/acp_zero_shot.txt", "{", "("), "takes no column"),
    (lambda dataset: (dataset / "prompts/examples.jsonl").unlink(), "prompts: lacks examples.jsonl"),
    (text_changed("lm_eval/orrery_acp_app_gen.yaml", "split: test", "split: dev"), "which has no rows"),
]


@pytest.mark.parametrize(("change", "fault"), FILES, ids=[fault for _, fault in FILES])
def test_other_files_than_those_made_are_found(two_domains, tmp_path, change, fault):
    dataset = shutil.copytree(two_domains / "outputs/dataset", tmp_path / "dataset")
    assert folder.check(dataset) == []
    change(dataset)
    assert [text for text in folder.check(dataset) if fault in text], folder.check(dataset)


def test_a_test_split_without_its_canary_is_found(two_domains, tmp_path):
    dataset = shutil.copytree(two_domains / "outputs/dataset", tmp_path / "dataset")
    path = next(each for each in shards(dataset, "problems") if each.name.startswith("test"))
    content = pq.read_table(path)
    pq.write_table(content.replace_schema_metadata({}), path)
    assert any("lacks the canary" in text for text in folder.check(dataset))
