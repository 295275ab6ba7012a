"""Facts told in lists and shared sentences, and read back: of every domain, in all wordings."""

import re
from functools import cache
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orrery.checks.reading.prose import ProseReader
from orrery.language.prose import ObjectOrder, ProseWriter
from orrery.language.words import names_by_type
from orrery.model import Literal, OrreryError
from tests.every_domain import CATALOG, easy_problems, entry, words

PROBLEMS = 6


@cache
def problems(domain):
    return easy_problems(domain, PROBLEMS)


@cache
def writer(domain):
    return ProseWriter(words(domain), entry(domain).domain)


@cache
def reader(domain):
    return ProseReader(words(domain), entry(domain).domain)


@pytest.mark.slow
@pytest.mark.parametrize("domain", CATALOG.names)
@given(data=st.data())
@settings(max_examples=40, deadline=None)
def test_what_is_told_is_read_back(domain, data):
    problem = data.draw(st.sampled_from(problems(domain)))
    names = names_by_type(problem, entry(domain).domain)
    seed, share = data.draw(st.integers(0, 2**32)), data.draw(st.sampled_from([0.2, 0.6, 1.0]))
    rng = Random(seed)
    stated = [Literal(fact, rng.random() < 0.95) for fact in sorted(problem.init) if rng.random() < share]
    options = {option: data.draw(st.booleans()) for option in ("held", "shuffled")}
    options["wordings"] = data.draw(st.sampled_from([None, {}]))
    text = " ".join(writer(domain).prose(stated, ObjectOrder.of(names), rng, **options).sentences)
    assert sorted(reader(domain).literals(text, names)) == sorted(stated), text


@pytest.mark.parametrize("domain", CATALOG.names)
def test_a_wrong_name_is_noticed(domain):
    problem = problems(domain)[0]
    names = names_by_type(problem, entry(domain).domain)
    stated = sorted(map(Literal, problem.init))
    text = " ".join(writer(domain).prose(stated, ObjectOrder.of(names), Random(1)).sentences)
    names_known = sorted({name for names_of_type in names.values() for name in names_of_type})
    wrong = [
        text.replace(f" {first} ", f" {second} ", 1)
        for first, second in pairwise(names_known)
        if f" {first} " in text
    ]
    assert wrong
    assert all(read_or_refused(domain, text_changed, names) != stated for text_changed in wrong)


def read_or_refused(domain, text, names):
    """What the text states, sorted; None where it cannot be read."""
    try:
        return sorted(reader(domain).literals(text, names))
    except OrreryError:
        return None


def told(domain, facts, names, seed=0, **options):
    stated = [Literal(tuple(fact.split())) for fact in facts]
    return writer(domain).prose(stated, ObjectOrder.of(names), Random(seed), **options).sentences


FERRY = {"car": ["c1", "c2", "c3", "c4"], "location": ["l1", "l2"]}


def test_lists_are_told_of_one_place_and_the_others_follow():
    facts = ["at c1 l1", "at c2 l2", "at c3 l2", "at c4 l2"]
    texts = {" ".join(told("ferry", facts, FERRY, seed)) for seed in range(60)}
    assert any("the others" in text or "the other cars" in text for text in texts)
    assert any("cars c2, c3 and c4" in text for text in texts)
    for text in texts:
        assert sorted(reader("ferry").literals(text, FERRY)) == [Literal(tuple(f.split())) for f in facts]


def test_what_shares_either_argument_is_told_together():
    """The middle of a star: what leads to it is one list, what it leads to is another."""
    names = {"waypoint": ["w1", "w2", "w3", "m"], "rover": ["r"]}
    facts = [
        fact
        for waypoint in names["waypoint"][:3]
        for fact in (f"visible {waypoint} m", f"visible m {waypoint}")
    ]
    for seed in range(60):
        sentences = told("rovers", facts, names, seed)
        text = " ".join(sentences)
        assert sorted(reader("rovers").literals(text, names)) == sorted(
            Literal(tuple(f.split())) for f in facts
        )
        assert len(re.findall(r"\bm\b", text)) <= 2, text


def test_a_settled_text_keeps_the_wording_of_a_predicate():
    names = {"agent": ["ann", "bob", "cid"], "role": ["cook", "host", "nurse"]}
    facts = ["assigned ann cook", "assigned bob host", "assigned cid nurse"]
    count = words("swap").variants("fact", "assigned")
    wordings = [words("swap").fact(("assigned", "NAME", "NAME"), variant) for variant in range(count)]
    for seed in range(30):
        text = " ".join(told("swap", facts, names, seed, wordings={})).lower()
        masked = re.sub(r"\b(ann|bob|cid|cook|host|nurse)\b", "NAME", text)
        assert len({wording for wording in wordings if wording in masked}) <= 1


def test_nothing_that_is_denied_is_said_of_all():
    names = {"object": ["a", "b", "c"]}
    for seed in range(40):
        text = " ".join(told("blocksworld", ["clear a", "clear b", "clear c"], names, seed, held=True))
        assert not ("othing" in text and "all" in text.split())


@pytest.mark.parametrize(
    "text",
    [
        "The others are at location l1.",
        "It is at location l1.",
        "Cars c1 and c9 are at location l1.",
        "All five cars are at location l1.",
        "Car c1 is at location l1 and car.",
        "Cars c1, c2 are at location l1.",
    ],
)
def test_what_cannot_be_read_is_refused(text):
    with pytest.raises(OrreryError):
        reader("ferry").literals(text, FERRY)


def test_a_preposition_is_not_left_out_as_a_verb_is():
    names = {"robot": ["r1", "r2"], "tile": ["t1", "t2"], "color": []}
    text = "You will find robot r1 on tile t1; you will find robot r2 on tile t2."
    assert len(reader("floortile").literals(text, names)) == 2
    with pytest.raises(OrreryError):
        reader("floortile").literals(text.replace("r2 on", "r2"), names)


def test_the_rest_is_that_of_the_sentence():
    text = "Car c1 is at location l1, the others at location l2."
    read = reader("ferry").literals(text, FERRY)
    assert [literal.atom for literal in read] == [
        ("at", "c1", "l1"), ("at", "c2", "l2"), ("at", "c3", "l2"), ("at", "c4", "l2"),
    ]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("domain", ["ferry", "rovers"])
def test_what_is_said_to_be_held_out_is(domain):
    """A wording that was chosen and then not said does not count."""
    prose_reader = ProseReader(words(domain), entry(domain).domain)
    for seed, problem in enumerate(problems(domain) * 20):
        names = names_by_type(problem, entry(domain).domain)
        stated = [Literal(fact) for fact in sorted(problem.init)] if seed % 2 else sorted(problem.goal)
        prose_written = writer(domain).prose(stated, ObjectOrder.of(names), Random(seed), held=True)
        assert prose_reader.read(" ".join(prose_written.sentences), names)[1] == prose_written.held_out


def test_a_sentence_that_was_read_says_of_other_objects_what_is_true_of_them():
    prose_reader = ProseReader(words("blocksworld"), entry("blocksworld").domain)
    for blocks in (["b1", "b2"], ["b1", "b2", "b3"], ["tin", "cup", "box"]):
        names = {"object": blocks, "block": blocks}
        all_of = prose_reader.literals("All the blocks are on the table.", names)
        assert sorted(all_of) == sorted(Literal(("on-table", name)) for name in blocks)
        first, second = blocks[:2]
        assert prose_reader.literals(f"Block {first} is on block {second}.", names) == [
            Literal(("on", first, second))
        ]
