"""Texts: a changed word, a dropped or added fact, slips of grammar."""

import json
import re
from functools import cache

import pytest

from orrery.checks.texts import DomainTexts, Reader
from orrery.language.words import macro_name
from orrery.model import parameters_beside
from orrery.pddl.read import read_problem
from tests.effort import by_day, slow
from tests.every_domain import entry, words


@cache
def reader(name):
    return Reader.of(words(name), entry(name).domain)


def texts_of(row):
    problem = read_problem(row["problem_pddl"], entry(row["domain"]).domain)
    return DomainTexts(reader(row["domain"]), problem)


def passages(row, names):
    """The wordings of the abstract parts of a text."""
    parameters, beside = json.loads(row["parameters"]), not row["goal_is_abstract"]
    return {
        part: words(row["domain"]).every(
            macro_name(part, row[part]), parameters_beside(parameters[part], explicit_goal=beside), names
        )
        for part in ("init", "goal")
        if row[f"{part}_is_abstract"] and words(row["domain"]).has_passage(part, row[part])
    }


def less_one(row, objects):
    """The list of objects without the name of one."""
    name = texts_of(row).problem.objects[0].name
    return re.sub(rf"(?<![\w-]){name}(?![\w-])", "", objects)


def faults(row):
    texts = texts_of(row)
    return texts.check(row, passages(row, texts.names))


@pytest.mark.parametrize(("sentence", "slips"), [("None of it is red.", False), ("Of None it is red.", True)])
def test_the_english_word_is_no_trace_of_the_template(rows, sentence, slips):
    row = next(row for row in rows["texts"] if row["init_is_abstract"])
    faults_read = faults(reworded(row, "init", f"{row['init_text']} {sentence}"))
    assert any("trace of the template" in fault for fault in faults_read) is slips


def explicit(rows):
    chosen = [row for row in rows["texts"] if row["mixture"] == "explicit-explicit"]
    return [row for row in chosen if row["init_text"].count(". ") >= 2]


def reworded(row, side, text):
    """The row with another text of one side, here and in the whole text."""
    key = f"{side}_text"
    return {**row, key: text, "natural_language": row["natural_language"].replace(row[key], text)}


def sentences(text):
    return re.findall(r"[^.]+\.(?: |$)", text)


def edit_word(text):
    """The text with the last letter of its first word doubled."""
    word = re.search(r"[A-Za-z]+(\w)", text)
    return text[: word.end()] + word[1] + text[word.end() :]


@by_day(4)
@pytest.mark.parametrize("side", ["init", "goal"])
@pytest.mark.parametrize(
    "change",
    [
        edit_word,
        lambda text: text[: text.rindex(". ") + 1] if ". " in text else "",
        lambda text: "".join(sentences(text)[1:]),
        lambda text: text + " It rains.",
        lambda text: re.sub(r"\b([a-z]+)\d+\b", r"\g<1>99", text, count=1),
        lambda text: text.replace(".", "..", 1),
    ],
    ids=["a word", "the last fact", "the first fact", "a sentence more", "an object", "two full stops"],
)
def test_a_spoilt_explicit_text_is_seen(rows, side, change):
    for row in explicit(rows):
        spoilt = change(row[f"{side}_text"])
        if spoilt != row[f"{side}_text"]:
            assert faults(reworded(row, side, spoilt)), (row["problem_id"], spoilt)


def edit_each_word(text):
    """The text with the last letter of one of its words doubled, of every word in turn."""
    for word in re.finditer(r"[A-Za-z]+(\w)", text):
        yield text[: word.end()] + word[1] + text[word.end() :]


@slow
def test_a_changed_word_of_a_passage_is_seen(rows):
    abstract = [
        (row, part) for row in rows["texts"] for part in ("init", "goal") if row[f"{part}_is_abstract"]
    ]
    stated = {row["domain"] for row in rows["texts"]}
    assert {row["domain"] for row, _ in abstract} == stated, "every domain with texts has passages"
    for row, part in abstract:
        texts = texts_of(row)
        passages_known = passages(row, texts.names)
        for spoilt in edit_each_word(row[f"{part}_text"]):
            faults_read = texts.check(reworded(row, part, spoilt), passages_known)
            assert f"the {part} text is no wording of its configuration" in faults_read, spoilt


@pytest.mark.parametrize(
    ("slip", "fault"),
    [
        ("There are 1 blocks.", "'1' with a plural"),
        ("One blocks is red.", "'1' with a plural"),
        ("It is a towers.", "article with a plural"),
        ("It is so..", "doubled full stop"),
        ("It is  so.", "white space"),
        ("It is so .", "white space"),
        ("It is {{ so }}.", "template"),
        ("It is None.", "template"),
    ],
)
def test_slips_of_grammar_are_seen_in_any_text(rows, slip, fault):
    for mixture in ("explicit-explicit", "abstract-abstract"):
        row = next(r for r in rows["texts"] if r["mixture"] == mixture and r["domain"] == "blocksworld")
        faults_read = faults({**row, "natural_language": f"{row['natural_language']} {slip}"})
        assert len([message for message in faults_read if fault in message]) == 1
        assert len(faults_read) == 2, "and the text is no longer made of its parts alone"


def test_kinds_of_objects_of_the_domain_are_counted_in_the_singular(rows):
    """The nouns come from the domain, so that a new domain is held to its own."""
    row = next(r for r in rows["texts"] if r["domain"] == "ferry")
    slips = [
        [
            fault
            for fault in faults({**row, "natural_language": f"{row['natural_language']} {slip_text}"})
            if "'1'" in fault
        ]
        for slip_text in ("There are 1 cars.", "This is ring 1 runs.")
    ]
    assert [len(faults_of_slip) for faults_of_slip in slips] == [1, 0]


def test_a_side_that_the_whole_text_lacks_is_seen(rows):
    for row in rows["texts"][::7]:
        text = row["natural_language"].replace(row["goal_text"], "Nothing is to be done.")
        assert any("goal text is not in" in fault for fault in faults({**row, "natural_language": text}))


def test_flags_that_do_not_fit_the_mixture_are_seen(rows):
    for row in rows["texts"][::7]:
        assert faults({**row, "init_is_abstract": 1 - row["init_is_abstract"]})
        assert faults({**row, "goal_is_abstract": 1 - row["goal_is_abstract"]})


@slow
@pytest.mark.parametrize(
    "change",
    [
        lambda row, objects: row["natural_language"].replace(objects, "Here are some things."),
        lambda row, objects: row["natural_language"].replace(objects, objects + " Block b1 is red."),
        lambda row, objects: row["natural_language"].replace(objects, less_one(row, objects)),
        lambda row, objects: row["natural_language"] + "\n\n" + row["goal_text"],
        lambda row, objects: "It is so. " + row["natural_language"],
        lambda row, objects: row["init_text"] + " " + row["goal_text"],
    ],
    ids=[
        "no objects",
        "a fact among the objects",
        "an object less",
        "the goal twice",
        "a sentence before",
        "no frame",
    ],
)
def test_nothing_stands_beside_objects_and_sides(rows, change):
    for row in rows["texts"][::5]:
        listings = words(row["domain"]).every("objects", texts_of(row).names).every(100_000)
        objects = max((listing for listing in listings if listing in row["natural_language"]), key=len)
        faults_read = faults({**row, "natural_language": change(row, objects)})
        assert any("alone" in fault for fault in faults_read), (row["problem_id"], faults_read)
