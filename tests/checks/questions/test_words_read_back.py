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


def choice(name, kind, formal, texts, pddl):
    ending = template("bool_mcq").mcq_ending(0)
    query, named = (lines(template(kind).question_mcq(0, steps)) for steps in about(name, kind))
    texts_of_options, pddl_of_options = (
        lines(*(f"{label}. {text}" for label, text in zip("ABCD", options, strict=True)))
        for options in (texts, pddl)
    )
    return {
        "kind": kind,
        "claims": json.dumps(formal),
        "choices": {"text": texts},
        "choices_pddl": pddl,
        "query": query,
        "question": lines(query, texts_of_options, ending),
        "question_pddl": lines(named, pddl_of_options, ending),
    }


def options(name, kind, atoms):
    texts, pddl = zip(*(claimed(name, kind, [atom]) for atom in atoms), strict=True)
    return choice(name, kind, [claim(name, kind, [atom]) for atom in atoms], list(texts), list(pddl))


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


@pytest.mark.parametrize("name", ["blocksworld", "ferry", "logistics"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_question_that_says_what_it_claims_passes_and_another_is_seen(name, kind):
    reader, (first, second) = reader_of(name), symbols(name)[kind in OF_ACTIONS][:2]
    row = yes_no(name, kind, [first])
    assert reader.check(row) == []
    if kind != "val":
        spoilt = yes_no(name, kind, [second])
        for column in ("claim", "question", "question_pddl"):
            assert reader.check({**row, column: spoilt[column]})
    if kind in ("just", "val"):
        formal = json.loads(row["claim"])
        key = "plan" if kind == "just" else "sequence"
        for steps in (formal[key][1:], formal[key][::-1], [*formal[key], formal[key][0]]):
            assert reader.check({**row, "claim": json.dumps({**formal, key: steps})})
    if kind == "prog":
        formal = {**json.loads(row["claim"]), "action": write_atom(symbols(name)[True][1])}
        assert reader.check({**row, "claim": json.dumps(formal)})


@pytest.mark.parametrize("name", ["blocksworld", "ferry", "logistics"])
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "val"])
def test_options_that_say_something_else_are_seen(name, kind):
    reader, atoms = reader_of(name), symbols(name)[kind in OF_ACTIONS][:5]
    row = options(name, kind, atoms[:4])
    assert reader.check(row) == []
    for place in range(4):
        spoilt = options(name, kind, [atoms[4] if at == place else a for at, a in enumerate(atoms[:4])])
        assert reader.check({**row, "claims": spoilt["claims"]})
        for option_column, column in (("choices", "question"), ("choices_pddl", "question_pddl")):
            assert reader.check({**row, option_column: spoilt[option_column]})
            assert reader.check({**row, option_column: spoilt[option_column], column: spoilt[column]})


def test_a_judgement_in_other_words_is_seen():
    reader, steps = reader_of("ferry"), list(map(write_atom, symbols("ferry")[True][:3]))
    wordings = [reader.judgements("val", verdict) for verdict in VERDICTS]
    formal = [{"kind": "val", "sequence": steps, "says": verdict} for verdict in VERDICTS]
    texts = list(map(min, wordings))
    turned = [*texts[1:], texts[0]]
    assert reader.check(choice("ferry", "val", formal, texts, texts)) == []
    assert reader.check(choice("ferry", "val", formal, turned, texts))
    assert reader.check(choice("ferry", "val", formal, texts, turned))
    assert len(set.union(*wordings)) == sum(map(len, wordings))


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


def test_what_is_published_says_what_it_claims(rows):
    readers = {name: reader_of(name) for name in {row["domain"] for row in rows["acp_app_bool"]}}
    tables = [table for table in rows if table.endswith(("_bool", "_mcq"))]
    assert len(tables) == 14
    for table in tables:
        for row in rows[table]:
            assert readers[row["domain"]].check(row) == [], row["id"]
