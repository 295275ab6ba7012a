"""A build in which single values were changed, and its manifest and card made anew: validation finds each."""

import json
import re
import shutil
from collections import defaultdict
from operator import not_

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


def is_not_one(number):
    return 1 - number


def one_more(number):
    return number + 1


def x_added(text):
    return text + "x"


def more_added(text):
    return text + "/more"


def reversed_list(values):
    return values[::-1]


def without_first(values):
    return values[1:]


def first_alone(values):
    return values[:1]


def text_cut(text):
    return text[:-40]


def rain_added(text):
    return text + " It rains."


def precondition_dropped(text):
    return re.sub(r"(:precondition \(and )\([^()]*\) ", r"\1", text, count=1)


def predicate_added(text):
    return text.replace("(:predicates ", "(:predicates (rains) ")


def without_last_turn(messages):
    return messages[:-2]


def other_slip(text):
    return {"impossible": "unhelpful", "unhelpful": "impossible"}[text]


def other_domain(text):
    return {"blocksworld": "ferry", "ferry": "blocksworld"}[text]


def other_answer(text):
    return {"yes": "no", "no": "yes"}[text]


def weaker_proof(text):
    return text.replace('"exhaustion"', '"h2"', 1)


def wider(horizon):
    return {**horizon, "upper": horizon["upper"] + 1}


def by_landmarks(horizon):
    return {**horizon, "lower_proof": "landmarks"}


def sides_swapped(text):
    return swapped(text, "(:init", "(:goal")


NO_KEY = "0" * 32
UNREADABLE = ("problem_pddl", "task", "domain", "plan")
BY_THEMSELVES = (  # nothing else of their rows is checked
    ("world", "problem_id"),
    *(("states", column) for column in ("problem_id", "state_source", "state_step")),
)
TO_NOTHING = (
    "fold",
    "is_placeholder",
    "goal_holds_initially",
    "seen",
    "num_dead_ends",
)  # nothing stands for something
# Of a table: a column, what becomes of its value (a function of it, or a value), and the words in which the
# report says so.
DAMAGE = [
    ("problems", "solvable", not_, "solvable|unsolvable|plan"),
    ("problems", "plan_optimal", not_, "optimal"),
    ("problems", "plan_cost", one_more, "plan_cost"),
    ("problems", "plan", without_first, "plan_cost is"),
    ("problems", "plan", first_alone, "invalid plan"),
    ("problems", "h_star", one_more, "h_star"),
    ("problems", "horizon", wider, "horizon is"),
    ("problems", "horizon", by_landmarks, "horizon is"),
    ("problems", "horizon", None, "horizon is"),
    ("problems", "problem_id", x_added, "problem_id is"),
    ("problems", "problem_pddl", "(define", "1:1"),
    ("problems", "task", "nothing-to-nothing", "the domain has no task"),
    ("problems", "domain", "nowhere", "domain 'nowhere'"),
    ("problems", "num_objects", one_more, "num_objects"),
    ("problems", "num_facts", one_more, "num_facts"),
    ("problems", "num_actions", one_more, "num_actions"),
    ("problems", "num_states", one_more, "num_states"),
    ("problems", "init_num_propositions", 0, "init_num_propositions"),
    ("problems", "goal_num_propositions", 0, "goal_num_propositions"),
    ("problems", "init", "nowhere", "init is nowhere"),
    ("problems", "goal", "nowhere", "goal is nowhere"),
    ("problems", "parameters", '{"goal":{},"init":{}}', "parameters"),
    ("problems", "parameters", "{", "parameters is not JSON"),
    ("problems", "seed_path", more_added, "seed_path"),
    ("problems", "names", x_added, "names is"),
    ("problems", "seen", "both", "seen is not that of its problem"),
    ("plan_generation", "seen", "both", "seen"),
    ("problems", "difficulty", "huge", "difficulty|huge"),
    ("problems", "strict_key", NO_KEY, "its stored keys are not its own"),
    ("problems", "loose_key", NO_KEY, "keys"),
    ("text_to_pddl", "natural_language", text_cut, "text|alone|say"),
    ("text_to_pddl", "natural_language", "None", "a trace of the template"),
    ("text_to_pddl", "natural_language", rain_added, "alone"),
    ("text_to_pddl", "plan", without_first, "plan is not that of its problem"),
    ("text_to_pddl", "is_placeholder", is_not_one, "is_placeholder"),
    ("text_to_pddl", "goal_holds_initially", is_not_one, "goal_holds_initially is 1, should be 0"),
    ("text_to_pddl", "vocabulary", "misleading", "keeps the names"),
    ("text_to_pddl", "solvable", not_, "solvable"),
    ("text_to_pddl", "h_star", one_more, "h_star"),
    ("text_to_pddl", "horizon", wider, "horizon is not that of its problem"),
    ("text_to_pddl", "problem_id", x_added, "problem_id|problem"),
    ("text_to_pddl", "names", x_added, "names is not that of its problem"),
    ("text_to_pddl", "name", x_added, "name is"),
    ("text_to_pddl", "fold", one_more, "fold is"),
    ("acp_app_gen", "context", "Nothing is known.", "context: "),
    ("acp_prog_gen", "question", "Why?", "question is no wording"),
    ("acp_prog_gen", "question_pddl", "Why?", "question_pddl is no wording"),
    ("acp_app_gen", "answer", without_first, "is missing"),
    ("acp_app_gen", "num_objects", one_more, "num_objects"),
    ("acp_app_gen", "num_states", one_more, "num_states is .*, that of the state"),
    ("acp_app_gen", "names", x_added, "names is not that of its problem"),
    ("acp_val_gen", "num_applicable_actions", one_more, "num_applicable_actions"),
    ("acp_nexta_gen", "h_star", one_more, "h_star"),
    ("acp_land_gen", "difficulty", "huge", "difficulty is not that of its problem"),
    ("acp_app_bool", "claim", "{", "claim is not JSON"),
    ("acp_prog_bool", "question", x_added, "question is no wording"),
    ("acp_app_mcq", "choices_pddl", reversed_list, "end with its options"),
    ("acp_app_mcq", "query", "Which?", "query is not"),
    ("acp_val_bool", "answer", other_answer, "graded|claim"),
    ("acp_land_gen", "proofs", "nothing", "proofs is not JSON"),
    ("acp_land_bool", "proofs", "{}", "proofs: 0 for 1"),
    ("acp_nexta_gen", "proofs", weaker_proof, "proofs: 'h2'"),
    ("acp_just_gen", "PDDL_problem", sides_swapped, ""),
    ("acp_val_gen", "PDDL_domain", precondition_dropped, "PDDL_domain"),
    ("acp_app_gen", "group", "progression_gen", "group"),
    ("acp_app_gen", "context_pddl", text_cut, "context_pddl"),
    ("acp_app_gen", "context_both", text_cut, "context_both"),
    ("acp_app_gen", "num_facts", one_more, "num_facts"),
    ("acp_app_gen", "num_actions", one_more, "num_actions"),
    ("domain_modeling", "license", "", "licence"),
    ("domain_modeling", "num_actions", one_more, "num_actions"),
    ("domain_modeling", "gold_domain", precondition_dropped, "gold_domain lacks .needs"),
    ("domain_modeling", "description_concrete", rain_added, "a text "),
    ("domain_modeling", "tokens", one_more, "tokens"),
    ("domain_modeling", "problems", first_alone, "different ones"),
    ("action_modeling", "gold_domain", precondition_dropped, "gold_domain lacks .needs"),
    ("action_modeling", "header", predicate_added, "header wrongly has .predicate"),
    ("action_modeling", "source", x_added, "source is"),
    ("action_modeling", "action_names", reversed_list, "action_names is"),
    ("states", "problem_id", x_added, "problem_id|problem"),
    ("states", "domain", other_domain, "domain is not that of its problem"),
    ("states", "difficulty", "huge", "difficulty is not that of its problem"),
    ("states", "names", x_added, "names is not that of its problem"),
    ("states", "seen", "both", "seen is not that of its problem"),
    ("states", "seed_path", more_added, "seed_path is not that of its problem"),
    ("states", "num_objects", one_more, "num_objects is not that of its problem"),
    ("states", "domain_pddl", precondition_dropped, "domain_pddl is not that of its problem"),
    ("states", "problem_pddl", sides_swapped, "problem_pddl is"),
    ("states", "state_source", "nowhere", "there is no state"),
    ("states", "state_step", 1000, "there is no state"),
    ("states", "solvable", not_, "stated unsolvable"),
    ("states", "h_star", one_more, "the cost is|h_star"),
    ("states", "h_star_proof", "witness", "h_star_proof is witness"),
    ("states", "plan", without_first, "plan"),
    ("states", "landmarks", without_first, "candidates: .* is missing"),
    ("states", "landmark_proofs", without_first, "landmark_proofs has"),
    ("states", "not_landmarks", without_first, "candidates: .* is missing"),
    ("states", "unreachable_facts", without_first, "is never reached"),
    ("states", "unreachable_fact_proofs", without_first, "unreachable_fact_proofs has"),
    ("states", "unreachable_actions", without_first, "is never applied"),
    ("states", "unreachable_action_proofs", without_first, "unreachable_action_proofs has"),
    ("states", "num_possible_actions", one_more, "num_possible_actions is"),
    ("states", "num_states", one_more, "num_states is"),
    ("world", "problem_id", x_added, "problem_id|problem"),
    ("world", "difficulty", "huge", "difficulty is not that of its problem"),
    ("world", "names", x_added, "names is not that of its problem"),
    ("world", "seen", "both", "seen is not that of its problem"),
    ("world", "seed_path", more_added, "seed_path is not that of its problem"),
    ("world", "num_objects", one_more, "num_objects is not that of its problem"),
    ("world", "domain_pddl", precondition_dropped, "domain_pddl is not"),
    ("world", "problem_pddl", sides_swapped, "problem_pddl is not that of its problem"),
    ("world", "nl_templates", '{"actions":{},"facts":{}}', "nl_templates are not"),
    ("world", "nl_templates", "{", "nl_templates is not JSON"),
    ("world", "first_observation", rain_added, "context: "),
    ("world", "first_observation", text_cut, "context: "),
    ("world", "goal_text", rain_added, "goal_text is not the end"),
    ("world", "h_star", one_more, "h_star is"),
    ("world", "horizon", wider, "horizon is"),
    ("world", "num_states", one_more, "num_states is"),
    ("world", "num_dead_ends", one_more, "num_dead_ends is"),
    ("world", "expert", reversed_list, "expert: the roles"),
    ("world", "expert", without_last_turn, "expert: .* one reply for each action"),
    ("world", "plan", reversed_list, "expert: |no shortest plan"),
    ("world", "plan", first_alone, "expert: "),
    ("world", "slip", without_last_turn, "slip: .* one reply for each action"),
    ("world", "slip_plan", without_first, "slip: "),
    ("world", "slip_kind", other_slip, "slip_kind is"),
    ("world", "slip_step", one_more, "slip_step is"),
]


@pytest.fixture(scope="module")
def said_of_damage(two_domains, tmp_path_factory):
    """For each damage what the report says of the row that has it.

    Of a problem that cannot be read nothing else is checked, and where problems are damaged not all of other
    tables: each lot of damages has a copy of its own.
    """
    lots, said = defaultdict(list), {}
    for number, (name, column, *_) in enumerate(DAMAGE):
        apart = column in UNREADABLE or (name, column) in BY_THEMSELVES
        lots[name == "problems", apart].append(number)
    for (of_problems, _), numbers in lots.items():
        root = shutil.copytree(two_domains, tmp_path_factory.mktemp("damaged") / "copy")
        said |= dict(zip(numbers, damaged(root, [DAMAGE[n] for n in numbers], of_problems), strict=True))
    return said


def damaged(root, damage, of_problems):
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
        changed = change(rows[path][n][column]) if callable(change) else change
        rows[path][n] = {**rows[path][n], column: changed}
    for path, changed in rows.items():
        write(path, PUBLISHED[path.parent.name], changed)
    if not of_problems:  # a card names no unknown domain
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
