"""The words of questions: what they say is read back, and anything else is seen, in every domain."""

import json
import random
from dataclasses import replace
from itertools import pairwise

import pytest

from orrery.checks.execution import VERDICTS
from orrery.checks.questions.words_read_back import QuestionReader
from orrery.families.questions.kinds import question_kinds
from orrery.language.words import WORDINGS_TRIED, environment
from orrery.pddl.write import write_atom
from orrery.planning.universe import fluent_atoms, ground_steps
from tests.effort import by_day
from tests.every_domain import CATALOG, ROOT, easy_problems, entry, words

SAMPLE = 12
OF_ACTIONS = ("app", "areach", "just")


def reader_of(name):
    return QuestionReader(words(name), entry(name).domain)


def sample(atoms, name):
    atoms = list(atoms)
    return random.Random(name).sample(atoms, min(SAMPLE, len(atoms)))


def symbols(name):
    """(actions?, atoms) of a problem: facts of each predicate, and steps of each action."""
    domain, problem = entry(name).domain, easy_problems(name, 1)[0]
    few = replace(problem, objects=problem.objects[:12])
    return {False: sample(fluent_atoms(domain, few), name), True: sample(ground_steps(domain, few), name)}


def worded(name, atom, actions, variant):
    return words(name).action(atom, variant) if actions else words(name).fact(atom, variant)


@pytest.mark.parametrize("name", [name for name in CATALOG.names if entry(name).tasks])
def test_words_are_read_as_what_they_say_and_nothing_else(name):
    reader = reader_of(name)
    for actions, atoms in symbols(name).items():
        for variant, (left, right) in enumerate(pairwise(atoms)):
            first, second = (worded(name, atom, actions, variant) for atom in (left, right))
            joined = ("{} and {}", "(1) {}; (2) {}", "{}, directly followed by {}")[variant % 3]
            assert reader.readings(first, actions) == {(left,)}
            assert reader.says(joined.format(first, second), [left, right], actions)
            assert not reader.says(joined.format(first, second), [right, left], actions)
            assert not reader.says(f"(1) {first}; (3) {second}", [left, right], actions)
            assert not reader.says(first, [right], actions)
            for text in (f"{first} or {second}", f"(1) {first} and {second}", f"{first}; {second}"):
                assert reader.readings(text, actions) == set()
                assert not reader.says(text, [left, right], actions)


@pytest.mark.parametrize(
    ("claim", "text", "is_said"),
    [
        ({"kind": "count", "number": 5}, "5", True),
        ({"kind": "count", "number": -5}, "the number -5", True),
        ({"kind": "count", "number": 5}, "not 5, but 6", False),
        ({"kind": "count", "number": 5}, "none", False),
        ({"kind": "count", "least": 5, "most": 6}, "5 to 6", True),
        ({"kind": "count", "least": 5, "most": 6}, "5", False),
        ({"kind": "count"}, "anything", False),
    ],
)
def test_a_claim_of_integers_is_said_by_a_text_with_exactly_these(claim, text, is_said):
    reader = reader_of("ferry")
    assert reader._claims(text, claim, reader.says) is is_said


def template(kind):
    return environment(ROOT / "templates").get_template(f"questions/{kind}.j2").module


KINDS = [kind for kind in sorted(question_kinds()) if hasattr(template(kind), "question_bool")]


def claim(name, kind, atoms):
    texts = [write_atom(atom) for atom in atoms]
    steps = [write_atom(step) for step in symbols(name)[True][:3]]
    by_kind = {
        "app": {"action": texts[0]},
        "areach": {"actions": texts},
        "reach": {"facts": texts},
        "land": {"fact": texts[0]},
        "prog": {"action": steps[0], "facts": texts},
        "just": {"plan": steps, "remove": texts, "at": [0]},
        "val": {"sequence": steps, "says": "plan"},
    }
    return {"kind": kind, **by_kind[kind]}


def about(name, kind):
    """What a question of the kind speaks of, in words and in PDDL."""
    steps = symbols(name)[True][: {"prog": 1, "just": 3, "val": 3}.get(kind, 0)]
    phrases = [worded(name, step, True, 1) for step in steps]
    numbered = phrases if len(phrases) < 2 else [f"({i}) {text}" for i, text in enumerate(phrases, 1)]
    return "; ".join(numbered), " ".join(map(write_atom, steps))


def claimed(name, kind, atoms):
    """What a claim of the kind says, in words and in PDDL."""
    phrases = [worded(name, atom, kind in OF_ACTIONS, 0) for atom in atoms]
    if kind == "areach" and len(phrases) > 1:
        phrases = ["; ".join(f"({i}) {text}" for i, text in enumerate(phrases, 1))]
    return " and ".join(phrases), " ".join(map(write_atom, atoms))


def lines(*texts):
    return "\n".join(" ".join(line.split()) for text in texts for line in text.splitlines() if line.strip())


def yes_no(name, kind, atoms, variant=0):
    ending = template("bool_mcq").bool_ending(variant)
    parts = zip(claimed(name, kind, atoms), about(name, kind), strict=True)
    question, named = (lines(template(kind).question_bool(variant, *part), ending) for part in parts)
    formal = json.dumps(claim(name, kind, atoms))
    return {"kind": kind, "claim": formal, "question": question, "question_pddl": named}


@by_day(4)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("count", [1, 2])
def test_every_wording_around_a_claim_is_known_and_no_other(kind, count):
    reader, atoms = reader_of("depots"), symbols("depots")[kind in OF_ACTIONS][:count]
    if kind in ("app", "land", "val"):
        atoms = atoms[:1]
    for variant in range(WORDINGS_TRIED):
        row = yes_no("depots", kind, atoms, variant)
        assert reader.check(row) == []
        for column in ("question", "question_pddl"):
            assert reader.check({**row, column: f"{row[column]} Really?"})
            assert reader.check({**row, column: f"Really? {row[column]}"})


def test_an_action_in_other_words_than_in_pddl_is_seen():
    reader, steps = reader_of("ferry"), symbols("ferry")[True][:2]
    phrases, named = zip(*((worded("ferry", step, True, 0), write_atom(step)) for step in steps), strict=True)

    class Context:
        def action(self, action):
            return phrases[action[0]]

        def pddl(self, action):
            return named[action[1]]

    for variant in range(WORDINGS_TRIED):
        for action in ((0, 0), (0, 1)):
            question, in_pddl = (
                lines(macro(Context(), variant, action))
                for macro in (template("prog").question, template("prog").question_pddl)
            )
            row = {"kind": "prog", "question": question, "question_pddl": in_pddl}
            assert bool(reader.check(row)) == (action == (0, 1))


SPOILT = ("claim", "claims", "choices", "choices_pddl", "question", "question_pddl", "query")


def pairs(rows, table):
    """Rows of a table, each with another of its domain on something else."""
    by_domain = sorted(rows[table], key=lambda row: row["domain"])
    return [
        (row, other)
        for row, other in pairwise(by_domain)
        if row["domain"] == other["domain"] and row.get("claim", "") != other.get("claim")
    ]


@by_day(4)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("form", ["bool", "mcq"])
def test_published_questions_say_what_they_claim_and_parts_of_others_are_seen(rows, kind, form):
    table = rows[f"acp_{kind}_{form}"]
    readers = {name: reader_of(name) for name in {row["domain"] for row in table}}
    for row in table:
        assert readers[row["domain"]].check(row) == [], row["id"]
    for row, other in pairs(rows, f"acp_{kind}_{form}"):
        for column in SPOILT:
            if column in row and row[column] != other[column]:
                assert readers[row["domain"]].check({**row, column: other[column]}), (row["id"], column)


@pytest.mark.parametrize(("kind", "key"), [("just", "plan"), ("val", "sequence")])
def test_a_claim_on_other_steps_than_the_question_names_is_seen(rows, kind, key):
    for row in rows[f"acp_{kind}_bool"]:
        claim, reader = json.loads(row["claim"]), reader_of(row["domain"])
        for steps in (claim[key][1:], claim[key][::-1], [*claim[key], claim[key][0]]):
            if steps != claim[key]:
                assert reader.check({**row, "claim": json.dumps({**claim, key: steps})})


def test_options_and_judgements_in_another_order_are_seen(rows):
    for kind in KINDS:
        for row in rows[f"acp_{kind}_mcq"]:
            texts = row["choices"]["text"]
            turned = {**row["choices"], "text": [*texts[1:], texts[0]]}
            reader = reader_of(row["domain"])
            assert reader.check({**row, "choices": turned})
            claims = json.loads(row["claims"])
            assert reader.check({**row, "claims": json.dumps([*claims[1:], claims[0]])})
    wordings = [reader_of("ferry").judgements("val", verdict) for verdict in VERDICTS]
    assert len(set.union(*wordings)) == sum(map(len, wordings))
