"""Every damage to a value of a row on actions or domains is found, in every row that it fits."""

from hashlib import sha256
from types import SimpleNamespace

import pytest

from orrery.checks.composed_splits import twin_faults
from orrery.checks.inputs import CheckInputs
from orrery.checks.modelling import ENDINGS, TWIN_COLUMNS, RowCheck, check_rows, is_ours
from orrery.checks.reading.generated_descriptions import read_description
from orrery.checks.statements import symbols_of
from orrery.config import load
from orrery.corpus.rows import domain_row, with_split
from orrery.families.modelling.generated_description import describe
from orrery.families.modelling.schemas import DOMAIN_MODELING
from orrery.model import OrreryError
from orrery.pddl.tolerant import read_adl
from tests.checkout import SOME
from tests.checks.conftest import faults_of
from tests.checks.domain_damages import DAMAGES, replaced
from tests.tables import MODELLING

TWO_VARIABLES = r"(\?[\w-]+)( (?:(?!and |is different|is the same)[^.,;?\n])*)(\?[\w-]+)"  # of one fact
WIDE = """(define (domain wide) (:requirements :adl :derived-predicates) (:types car - thing thing)
 (:constants hub - thing)
 (:predicates (at ?c - car ?p - thing) (done) (near ?a ?b - thing)) (:functions (fuel ?c - car))
 (:derived (near ?a ?b - thing) (and (at ?a ?b) (done)))
 (:action go :parameters (?c - car ?p - thing)
  :precondition (and (not (at ?c ?p)) (or (done) (at ?c hub)) (imply (done) (near ?p hub))
    (forall (?q - car) (not (= ?q ?c))) (exists (?q - (either car thing)) (at ?c ?q)) (> (fuel ?c) 2))
  :effect (and (at ?c ?p) (not (done)) (when (done) (and (near ?p hub) (not (near hub ?p))))
    (forall (?q - thing) (not (at ?c ?q))) (decrease (fuel ?c) (+ 1 (fuel ?c))))))"""
PROBLEM = "(define (problem p) (:domain wide) (:objects a - car) (:init (done)) (:goal (done)))"
FILES = [
    SimpleNamespace(name="own/wide.pddl", text=f"; by somebody\n{WIDE}", license="MIT"),
    SimpleNamespace(name="own/p.pddl", text=PROBLEM, license="MIT"),
]


@pytest.fixture(scope="module")
def inputs(build):
    settings = load(build)
    dataset = build / "outputs" / "dataset"
    return CheckInputs(build, dataset, settings.domains, settings.seed, 5.0, 0.0, lambda: FILES)


@pytest.fixture(scope="module")
def check(inputs):
    return RowCheck(inputs)


@pytest.fixture(scope="module")
def rows_by_table(rows):
    return {name: [row for row in rows[name] if is_ours(row)] for name in MODELLING}


@pytest.fixture(scope="module")
def wide():
    """A row on a domain by another author, which uses full PDDL."""
    problem = {"name": "p.pddl", "pddl": PROBLEM, "solvable": True, "plan": [], "optimal_cost": 0}
    raw = SimpleNamespace(text=WIDE, license="MIT", source="own")
    item = SimpleNamespace(raw=raw, domain=read_adl(WIDE), decided=(problem,), name="own/wide.pddl")
    return with_split(domain_row(item), "test")


GOLD = {
    **DAMAGES,
    "parameters swapped": replaced(
        r":parameters \((\?[\w-]+(?: - [\w-]+)?) (\?[\w-]+(?: - [\w-]+)?)", r":parameters (\2 \1"
    ),
}
CUT, TWICE, ADDED = "a clause cut", "a clause twice", "a sentence added"
STEPS = {
    CUT: replaced(r"(make sure that )[^.]*?(?:, | and )", r"\1"),
    TWICE: replaced(r"make sure that ([^.]*?)(, | and )", r"make sure that \1, \1\2"),
    ADDED: replaced(r"(After that, [^.]*\.)", r"\1 It rains."),
    "what holds said not to hold": replaced(r"make sure that ", "make sure that it is not the case that "),
    "variables swapped": replaced(rf"(make sure that [^.]*?){TWO_VARIABLES}", r"\1\4\3\2"),
    "an effect cut": replaced(r"After that, [^.;]*\.", "After that, nothing has changed."),
    "a deletion cut": replaced(r"; it no longer holds that [^.]*\.", "."),
    "a deletion made an addition": replaced(r"; it no longer holds that ", " and "),
    "a type changed": replaced(r"(; here \?[\w-]+ is an? )[\w-]+", r"\1thing"),
    "a phrase with other variables": replaced(rf"(Then [^.;]*?){TWO_VARIABLES}", r"\1\4\3\2"),
}
ABSTRACT = {
    "a predicate cut": replaced(r"(## Predicates\n)- [^\n]*\n", r"\1"),
    "a predicate twice": replaced(r"(## Predicates\n)(- [^\n]*\n)", r"\1\2\2"),
    "a predicate with another meaning": replaced(r"(## Predicates\n- [^:]*: )[^\n]*", r"\1it rains."),
    "a meaning negated": replaced(r"(## Predicates\n- [^:]*: )", r"\1it is not the case that "),
    "types of a signature changed": replaced(r"(## Predicates\n- \([\w-]+ \?[\w-]+ - )[\w-]+", r"\1thing"),
    "a type cut": replaced(r"(## Types\n)- [^\n]*\n", r"\1"),
    "a type added": replaced(r"(## Types\n)", r"\1- rain\n"),
    "an action cut": replaced(r"(## Actions\n)- .*?(\n- |$)", r"\1\2"),
    "an action with another phrase": replaced(r"(## Actions\n- [^:]*: )[^\n]*", r"\1do it."),
    ADDED: lambda text: f"{text} It rains.",
    "a title changed": replaced(r"^# ", "# The "),
    "the general part changed": replaced(r"(## General\n)", r"\1It rains. "),
    "a part twice": replaced(r"(## Predicates\n.*?)\n\n", r"\1\n\n\1\n\n"),
}
CONCRETE = {
    **ABSTRACT,
    CUT: replaced(r"(  Needs: )[^\n;]*; ", r"\1"),
    TWICE: replaced(r"  Needs: ([^\n;.]*)", r"  Needs: \1; \1"),
    "all conditions cut": replaced(r"  Needs: [^\n]*", "  Needs: nothing."),
    "a condition negated": replaced(r"  Needs: ", "  Needs: it is not the case that "),
    "an effect cut": replaced(r"  Makes true: [^\n]*", "  Makes true: nothing."),
    "a deletion cut": replaced(r"  Makes false: (?!nothing)[^\n]*", "  Makes false: nothing."),
    "effects exchanged": replaced(
        r"Makes true: ([^\n]*)\n  Makes false: ([^\n]*)", r"Makes true: \2\n  Makes false: \1"
    ),
    "variables swapped": replaced(rf"(  Needs: [^\n]*?){TWO_VARIABLES}", r"\1\4\3\2"),
    "a cost added": replaced(r"(  Makes false: [^\n]*)", r"\1\n  Adds to the total cost: 3."),
    "a line cut": replaced(r"\n  Makes false: [^\n]*", ""),
}
PROBLEMS = {
    "a step dropped": lambda problem: {"plan": problem["plan"][1:]},
    "another cost": lambda problem: {"optimal_cost": (problem["optimal_cost"] or 0) + 1},
    "no cost": lambda _: {"optimal_cost": None},
    "the other verdict": lambda problem: {"solvable": not problem["solvable"]},
    "another problem": lambda problem: {
        "pddl": problem["pddl"].replace("(:goal (and (", "(:goal (and (not (", 1)
    },
    "another name": lambda problem: {"name": problem["name"] + "0"},
}
TEXTS = {
    ("none", "a hint"): lambda _: "A hint.",
    ("sum", "a summary cut"): lambda text: text.partition("\n")[2],
    ("sum", "a summary twice"): replaced(r"^([^\n]*)", r"\1\n\1"),
    ("sum", "another phrase"): replaced(r": [^\n]*", ": do it"),
    ("sum", "variables swapped"): replaced(rf"(: [^\n]*?){TWO_VARIABLES}", r"\1\4\3\2"),
    ("map", "a step cut"): replaced(r" \(\d+\) Then [^.]*\.", ""),
    ("rel", "a step cut"): replaced(r"\(\d+\) Then [^.]*\.\n", ""),
    ("all", "a step cut"): replaced(r"\n\(\d+\) Then [^.]*\.", ""),
    ("all", "a word cut"): replaced(r"\(1\) (\w+) ", r"(1) "),
    ("all", "a type cut"): replaced(r"(kinds of things: )[^,.]*?(, | and )", r"\1"),
    ("all", ADDED): lambda text: f"{text}\n(999) It rains.",
}
LISTS = {"reversed": lambda values: values[::-1], "shorter": lambda values: values[1:]}
VALUES = {
    "license": str.lower,
    "source": lambda value: f"x{value}",
    "domain": lambda value: f"x{value}",
    "num_actions": lambda number: number + 1,
    "num_predicates": lambda number: number + 1,
    "num_types": lambda number: number + 1,
    "tokens": lambda number: number - 1,
    "tokenizer": lambda value: f"x{value}",
    "sha256": lambda value: value[::-1],
    "style": lambda value: f"{value}s",
}


def with_gold(row, change):
    """The row with another gold domain, and the columns that follow from its text."""
    gold = change(row["gold_domain"])
    derived = {"sha256": sha256(gold.encode()).hexdigest(), "tokens": len(symbols_of(gold))}
    return {**row, "gold_domain": gold} | {name: value for name, value in derived.items() if name in row}


def with_problem(row, change):
    first, *others = row["problems"]
    return {**row, "problems": [{**first, **change(first)}, *others]}


COLUMNS = {
    "header": {
        name: GOLD[name] for name in GOLD if name.startswith(("a predicate", "types", "a requirement"))
    },
    "action_names": LISTS,
    "requirements": LISTS,
    "description_abstract": ABSTRACT,
    "description_concrete": CONCRETE,
    "problems": {"shorter": LISTS["shorter"], "one twice": lambda values: [values[0], *values]},
    **{column: {"another value": change} for column, change in VALUES.items()},
}


def damages_of(row):
    """Damaged copies of a row by the name of the damage."""
    changes = [(column, name) for column in COLUMNS if column in row for name in COLUMNS[column]]
    damages = {
        f"{column}: {name}": {**row, column: COLUMNS[column][name](row[column])} for column, name in changes
    }
    damages |= {f"gold_domain: {name}": with_gold(row, change) for name, change in GOLD.items()}
    damages |= {f"problems: {name}": with_problem(row, change) for name, change in PROBLEMS.items()}
    texts = row.get("texts")
    for (part, name), change in TEXTS.items() if texts else ():
        damages[f"texts, {part}: {name}"] = {**row, "texts": texts | {part: change(texts[part])}}
    for name, change in STEPS.items() if texts else ():
        changed = {part: change(texts[part]) for part in ("map", "rel", "all")}
        damages[f"texts: {name}"] = {**row, "texts": texts | changed}
    return damages


@pytest.mark.slow
@pytest.mark.parametrize("table", ["action_modeling", "domain_modeling"])
def test_every_damage_is_found_and_rows_as_made_have_no_fault(check, rows_by_table, table):
    """Each damage is planted in all rows that it fits; with some domains only in two."""
    planted, missed = {}, []
    most = 2 if len(rows_by_table[table]) == len(SOME) else len(rows_by_table[table])
    for row in rows_by_table[table]:
        assert check.faults(row) == [], row["id"]
        for name, damaged in damages_of(row).items():
            if damaged != row and len(planted.get(name, ())) < most:
                planted.setdefault(name, []).append(row["domain"])
                missed += [] if faults_of(check, damaged) else [(row["id"], name)]
    assert missed == []
    assert planted.keys() == damages_of(rows_by_table[table][0]).keys()
    assert len(planted) >= 50
    assert sum(map(len, planted.values())) > 30 * most


def contradictions(rows):
    return list(twin_faults(rows, ENDINGS, TWIN_COLUMNS))


def test_both_tables_tell_the_same_of_a_domain(rows_by_table):
    for pair in zip(*rows_by_table.values(), strict=True):
        first, last = pair
        assert contradictions(pair) == []
        assert contradictions([first]) != []
        for column in ("gold_domain", "license", "source", "problems"):
            assert contradictions([first, {**last, column: last[column][:-1]}])
        moved = last["id"].replace("/test/", "/train/").replace("/validation/", "/train/")
        assert moved == last["id"] or contradictions([first, {**last, "id": moved}])


@pytest.mark.slow
def test_the_whole_dataset_is_checked(inputs, rows_by_table):
    verdicts = check_rows(inputs)
    assert verdicts.findings == []
    rows = sum(map(len, rows_by_table.values()))
    assert sum(n for (name, _), n in verdicts.checked.items() if name == "descriptions") == rows
    assert sum(n for (name, _), n in verdicts.checked.items() if name == "twins") == rows / 2


LINES = {
    "a line cut": lambda lines, at: [*lines[:at], *lines[at + 1 :]],
    "a line twice": lambda lines, at: [*lines[: at + 1], *lines[at:]],
    "a word added": lambda lines, at: [*lines[:at], f"{lines[at]} now", *lines[at + 1 :]],
}


@pytest.mark.parametrize("name", LINES)
def test_every_line_of_a_generated_description_counts(check, wide, name):
    assert check.faults(wide) == []
    lines = wide["description_concrete"].split("\n")
    for at in (at for at, line in enumerate(lines) if line):
        assert check.faults({**wide, "description_concrete": "\n".join(LINES[name](lines, at))}), lines[at]


def test_only_a_domain_without_words_has_no_abstract_description(check, wide, rows_by_table):
    assert wide["description_abstract"] == ""
    (fault,) = check.faults({**wide, "description_abstract": wide["description_concrete"]})
    assert fault.startswith("description_abstract")
    for row in rows_by_table["domain_modeling"]:
        assert faults_of(check, {**row, "description_abstract": ""}), row["id"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("'at' does not hold", "'at' holds"),
        ("'done' no longer holds", "'done' holds"),
        ("either ", "if "),
        (" or ", " and "),
        ("for every", "for some"),
        ("of type car", "of type thing"),
        ("is not the same as", "is the same as"),
        ("is more than 2", "is at least 2"),
        ("is more than 2", "is more than 3"),
        ("falls by", "grows by"),
        ("?p and hub", "hub and ?p"),
        ("whenever (", "whenever it is not the case that (("),
        ("2 types", "3 types"),
        (":adl and ", ""),
        ("'wide'", "'narrow'"),
        ("a number", "a fact"),
        ("an action on ?c", "an action on ?p"),
        ("if before it ", "if "),
    ],
)
def test_every_word_of_a_generated_description_counts(check, wide, old, new):
    assert old in wide["description_concrete"]
    changed = wide["description_concrete"].replace(old, new, 1)
    assert check.faults({**wide, "description_concrete": changed})


def test_a_deeply_nested_condition_is_read():
    nested = "(done)"
    for _ in range(250):
        nested = f"(and (done) {nested})"
    action = f"(:action deep :parameters () :precondition {nested} :effect (done))"
    read = read_description(describe(read_adl(WIDE.replace("(:action", f"{action} (:action", 1))))
    assert ("action", ":action", "deep", ()) in read.statements


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (" (at ?c ?p) (not (done))", " (at ?c ?p)"),
        ("(near ?p hub)", "(near hub ?p)"),
        ("(not (at ?c ?p))", "(at ?c ?p)"),
    ],
)
def test_the_gold_domain_of_another_author_is_that_of_its_file(check, wide, old, new):
    damaged = with_gold(wide, lambda gold: gold.replace(old, new, 1))
    assert damaged != wide
    assert any("is not that of own/wide.pddl" in fault for fault in check.faults(damaged))
    assert any("description_concrete" in fault for fault in check.faults(damaged))


def test_a_file_that_is_not_at_hand_leaves_the_row_undecided(inputs, wide):
    (fault,) = RowCheck(CheckInputs(inputs.root, inputs.dataset, inputs.domains, 1, 5.0)).faults(wide)
    assert fault.startswith("undecided: whether gold_domain is that of its file")

    def missing():
        raise OrreryError("corpus.lock", "is missing")

    inputs_without_corpus = CheckInputs(inputs.root, inputs.dataset, inputs.domains, 1, 5.0, corpus=missing)
    (fault,) = RowCheck(inputs_without_corpus).faults(wide)
    assert fault.startswith("undecided: ")
    assert "corpus.lock: is missing" in fault


def test_the_columns_of_a_row_of_another_author_are_checked(check, wide):
    for column, change in VALUES.items():
        assert check.faults({**wide, column: change(wide[column])}), column
    assert {*VALUES} <= {*DOMAIN_MODELING.names}
    for problems in ([], wide["problems"] * 2):
        assert "has no problems, or one twice" in check.faults({**wide, "problems": problems})
    for change in ({"pddl": PROBLEM.replace("(done)", "")}, {"optimal_cost": 3}):
        assert check.faults(with_problem(wide, lambda _, change=change: change))
