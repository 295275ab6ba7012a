"""The words of claims: what they say is read back, and anything else is seen, in every domain."""

import json
import random
from dataclasses import replace
from itertools import pairwise

import pytest

from orrery.checks.execution import VERDICTS
from orrery.checks.questions.columns import read
from orrery.checks.questions.words_read_back import ClaimReader, check
from orrery.pddl.write import write_atom
from orrery.planning.universe import fluent_atoms, ground_steps
from tests.every_domain import CATALOG, easy_problems, entry, words

SAMPLE = 12


def phrases(name):
    return ClaimReader(words(name), entry(name).domain)


def some(things, name):
    things = list(things)
    return random.Random(name).sample(things, min(SAMPLE, len(things)))


def symbols(name):
    """(actions?, atoms) of a problem: facts of each predicate, and steps of each action."""
    domain, problem = entry(name).domain, easy_problems(name, 1)[0]
    few = replace(problem, objects=problem.objects[:12])
    return {False: some(fluent_atoms(domain, few), name), True: some(ground_steps(domain, few), name)}


def said(name, atom, actions, variant):
    here = words(name)
    return here.action(atom, variant) if actions else here.fact(atom, variant)


@pytest.mark.parametrize("name", [name for name in CATALOG.names if entry(name).tasks])
def test_words_are_read_as_what_they_say_and_nothing_else(name):
    reader = phrases(name)
    joined = ("{} and {}", "(1) {}; (2) {}", "{}, directly followed by {}")
    for actions, atoms in symbols(name).items():
        for variant, (one, other) in enumerate(pairwise(atoms)):
            first, second = (said(name, atom, actions, variant) for atom in (one, other))
            assert reader.readings(first, actions) == {(one,)}
            pair_said = joined[variant % 3].format(first, second)
            assert reader.readings(pair_said, actions) == {(one, other)}
            assert reader.readings(f"{first} or {second}", actions) == set()
            assert reader.readings(f"(1) {first} and {second}", actions) == set()
            assert reader.readings(f"{first}; {second}", actions) == set()
            question = f"Is it so that {first}? Say it."
            assert reader.says(question, [one], actions)
            assert not reader.says(question, [other], actions)
            both = f"Consider: {pair_said}."
            assert reader.says(both, [one, other], actions)
            assert not reader.says(both, [other, one], actions)
            if actions:
                assert reader.begun(f"{first}; (2) {second}", one) == len(first)
                assert reader.begun(f"{first}; (2) {second}", other) is None


def pair(name, kind):
    """Two different facts, or steps, of the domain."""
    return symbols(name)[kind in ("app", "areach", "just")][:2]


def claim(name, kind, atoms):
    texts = [write_atom(atom) for atom in atoms]
    steps = [write_atom(step) for step in symbols(name)[True][:3]]
    more = {
        "app": {"action": texts[0]},
        "areach": {"actions": texts},
        "reach": {"facts": texts},
        "land": {"fact": texts[0]},
        "prog": {"action": steps[0], "facts": texts},
        "just": {"plan": steps, "remove": texts, "at": [0]},
        "val": {"sequence": steps, "says": "plan"},
    }
    return {"kind": kind, **more[kind]}


def about(name, kind):
    """What a question of the kind speaks of, in words and in PDDL."""
    steps = symbols(name)[True][: {"prog": 1, "just": 3, "val": 3}.get(kind, 0)]
    stated = [said(name, step, True, 1) for step in steps]
    numbered = stated if len(stated) < 2 else [f"({i}) {text}" for i, text in enumerate(stated, 1)]
    return "; ".join(numbered), " ".join(map(write_atom, steps))


def yes_no(name, kind, atoms):
    formal, (wording, named) = claim(name, kind, atoms), about(name, kind)
    clause = " and ".join(said(name, atom, kind in ("app", "areach", "just"), 0) for atom in atoms)
    shown = "" if kind == "val" else clause
    pddl = "" if kind == "val" else " ".join(map(write_atom, atoms))
    return {
        "kind": kind,
        "claim": json.dumps(formal),
        "question": f"Think of this: {wording}. Is it right (all of it): {shown}?",
        "question_pddl": f"Think of this: {named}. Is it right (all of it): {pddl}?",
    }


def choice(name, kind, options):
    rows = [yes_no(name, kind, atoms) for atoms in options]
    actions, (wording, named) = kind in ("app", "areach", "just"), about(name, kind)
    pddl = [" ".join(map(write_atom, atoms)) for atoms in options]
    return {
        "kind": kind,
        "claims": json.dumps([json.loads(row["claim"]) for row in rows]),
        "choices": {"text": [" and ".join(said(name, a, actions, 0) for a in atoms) for atoms in options]},
        "choices_pddl": pddl,
        "query": f"Think of this: {wording}. Which one?",
        "question_pddl": f"Think of this: {named}. Which one? {' '.join(pddl)}",
    }


KINDS = ("app", "areach", "just", "land", "prog", "reach", "val")


@pytest.mark.parametrize("name", ["blocksworld", "ferry", "logistics"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_question_that_says_what_it_claims_passes_and_another_is_seen(name, kind):
    reader, (one, other) = phrases(name), pair(name, kind)
    row = yes_no(name, kind, [one])
    assert check(row, reader) == []
    if kind != "val":
        spoilt = json.dumps(claim(name, kind, [other]))
        assert check({**row, "claim": spoilt}, reader)
        assert check({**row, "question": yes_no(name, kind, [other])["question"]}, reader)
        assert check({**row, "question_pddl": yes_no(name, kind, [other])["question_pddl"]}, reader)
    if kind in ("just", "val"):
        formal = json.loads(row["claim"])
        key = "plan" if kind == "just" else "sequence"
        for steps in (formal[key][1:], formal[key][::-1], [*formal[key], formal[key][0]]):
            assert check({**row, "claim": json.dumps({**formal, key: steps})}, reader)
    if kind == "prog":
        formal = {**json.loads(row["claim"]), "action": write_atom(symbols(name)[True][1])}
        assert check({**row, "claim": json.dumps(formal)}, reader)


@pytest.mark.parametrize("name", ["blocksworld", "ferry", "logistics"])
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "val"])
def test_options_that_say_something_else_are_seen(name, kind):
    reader, atoms = phrases(name), symbols(name)[kind in ("app", "areach", "just")][:5]
    row = choice(name, kind, [[atom] for atom in atoms[:4]])
    assert check(row, reader) == []
    for place in range(4):
        for column in ("choices_pddl", "claims"):
            spoilt = choice(name, kind, [[atoms[4] if at == place else a] for at, a in enumerate(atoms[:4])])
            assert check({**row, column: spoilt[column]}, reader)
            assert check({**spoilt, column: row[column]}, reader)
        texts = list(row["choices"]["text"])
        texts[place] = f"{texts[place]} and so on"
        assert check({**row, "choices": {"text": texts}}, reader)


def test_a_judgement_in_other_words_is_seen():
    reader, steps = phrases("ferry"), symbols("ferry")[True][:3]
    wordings = [reader.judgements("val", says) for says in VERDICTS]
    formal = [{"kind": "val", "sequence": list(map(write_atom, steps)), "says": says} for says in VERDICTS]
    stated, named = about("ferry", "val")
    row = {
        "kind": "val",
        "claims": json.dumps(formal),
        "choices": {"text": list(map(min, wordings))},
        "choices_pddl": [""] * 4,
        "query": f"Think of this: {stated}. What is true?",
        "question_pddl": f"Think of this: {named}. What is true?",
    }
    assert check(row, reader) == []
    texts = row["choices"]["text"]
    assert check({**row, "choices": {"text": [*texts[1:], texts[0]]}}, reader)
    assert len(set.union(*wordings)) == sum(map(len, wordings))


def test_what_is_published_says_what_it_claims(rows):
    readers = {name: phrases(name) for name in {row["domain"] for row in rows["acp_app_bool"]}}
    tables = [table for table in rows if table.endswith(("_bool", "_mcq"))]
    assert len(tables) == 14
    for table in tables:
        for row in rows[table]:
            assert check(row, readers[row["domain"]]) == [], row["id"]
            assert read(row)[0].name == row["domain"]
