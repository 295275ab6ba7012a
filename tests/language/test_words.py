"""Words: the filters, the macros and what is said when one is missing or wrong."""

from __future__ import annotations

import json
import pickle
import random
from pathlib import Path

import pytest
from jinja2 import Environment

from orrery.language.sandbox import Sandbox, choose
from orrery.language.words import (
    Words,
    article,
    by_name,
    environment,
    explicit,
    form,
    listing,
    names_by_type,
    number,
    ordinal,
    plural,
    sentence,
    tidy,
)
from orrery.model import Atom, Domain, Literal, OrreryError, Problem, TypedName, literals
from orrery.pddl.read import read_domain

TEMPLATE = """
{% macro intro(variant) %}
{{ ["One
    thing.", "Another thing."] | choose(variant) }}
{% endmacro %}
{% macro objects(names, variant) %}{{ names.disc | listing }} {{ names | length }}.{% endmacro %}
{% macro fact_on(x, y, variant) %}
{{ [x ~ " on " ~ y, "under " ~ x ~ " is " ~ y] | choose(variant) }}
{% endmacro %}
{% macro fact_is_free(x, variant) %}{{ [x ~ " free"] | choose(variant) }}{% endmacro %}
{% macro fact_wrong(x, variant) %}

{{ [nothing_known ~ x] | choose(variant) }}
{% endmacro %}
{% macro fact_short(variant) %}{{ ["short"] | choose(variant) }}{% endmacro %}
{% macro action_move_it(x, variant) %}
{{ ["move " ~ x, "shift " ~ x, "carry " ~ x] | choose(variant) }}
{% endmacro %}
{% macro init_rows(p, names, variant) %}{{ p.rows }} rows, {{ names.disc[0] }}.{% endmacro %}
"""


@pytest.fixture
def words(tmp_path: Path) -> Words:
    (tmp_path / "domains").mkdir()
    (tmp_path / "domains" / "discs.j2").write_text(TEMPLATE)
    return Words("discs", tmp_path)


@pytest.fixture
def discs() -> Domain:
    return read_domain("""
        (define (domain discs) (:requirements :strips)
          (:predicates (on ?x ?y) (disc ?x) (is-free ?x))
          (:action move-it :parameters (?x) :precondition (disc ?x) :effect (and (on ?x ?x) (is-free ?x)))
          (:action other :parameters (?my-x) :precondition (disc ?my-x) :effect (on ?my-x ?my-x)))""")


@pytest.mark.parametrize(
    ("noun", "n", "expected"),
    [("ball", 1, "1 ball"), ("ball", 2, "2 balls"), ("ball", 0, "no balls"), ("box", 3, "3 boxes"),
     ("city", 2, "2 cities"), ("key", 2, "2 keys"), ("dish", 2, "2 dishes"),
     ("butter knife", 2, "2 butter knives")],
)  # fmt: skip
def test_plural(noun: str, n: int, expected: str) -> None:
    assert plural(noun, n) == expected
    assert form(noun, n) == expected.partition(" ")[2]


@pytest.mark.parametrize(
    ("n", "expected"),
    [(1, "first"), (10, "tenth"), (11, "11th"), (12, "12th"), (13, "13th"), (21, "21st"), (22, "22nd"),
     (33, "33rd"), (40, "40th"), (111, "111th"), (101, "101st")],
)  # fmt: skip
def test_ordinal(n: int, expected: str) -> None:
    assert ordinal(n) == expected


@pytest.mark.parametrize(
    ("noun", "expected"),
    [("orange", "an orange"), ("ball", "a ball"), ("hour", "an hour"), ("unit", "a unit"),
     ("8-block tower", "an 8-block tower"),
     ("11-step walk", "an 11-step walk"), ("18th block", "an 18th block"), ("118th block", "a 118th block"),
     ("one-block tower", "a one-block tower"), ("Airport", "an Airport"), ("urn", "an urn"),
     ("uninhabited island", "an uninhabited island"), ("union", "a union"), ("unused car", "an unused car")],
)  # fmt: skip
def test_article(noun: str, expected: str) -> None:
    assert article(noun) == expected


def test_number_listing_choose() -> None:
    assert [number(n) for n in (0, 3, 10, 11)] == ["zero", "three", "ten", "11"]
    assert [listing("a"), listing("ab"), listing("abc"), listing("")] == [
        "a",
        "a and b",
        "a, b and c",
        "none",
    ]
    assert [choose(["a", "b", "c"], n) for n in range(5)] == ["a", "b", "c", "a", "b"]
    with pytest.raises(ValueError, match="at least one"):
        choose([], 0)


@pytest.mark.parametrize(
    ("clause", "expected"),
    [("it is so", "It is so."), ("it is so.", "It is so."), ("is it so?", "Is it so?"), ("done ...", "Done."),
     ("x1 is", "X1 is.")],
)  # fmt: skip
def test_sentence_has_one_closing_mark(clause: str, expected: str) -> None:
    assert sentence(clause) == expected
    assert sentence(sentence(clause)) == expected


def test_pairs_by_name_come_as_people_count() -> None:
    stored = json.loads(json.dumps({f"r{i}": i for i in range(1, 13)}, sort_keys=True))
    assert by_name(stored) == [(f"r{i}", i) for i in range(1, 13)]


def test_tidy_leaves_single_spaces() -> None:
    assert tidy("  a\n b\t\tc ") == "a b c"


def test_phrases_come_from_the_macros(words: Words) -> None:
    assert words.fact(("on", "a", "b")) == "a on b"
    assert words.fact(("on", "a", "b"), 1) == words.fact(("on", "a", "b"), 3) == "under a is b"
    assert words.fact(("is-free", "a"), 5) == "a free"
    assert words.literal(Literal(("is-free", "a"), False)) == "it is not the case that a free"
    assert words.action(("move-it", "a"), 2) == words.say("action", "move-it", "a", variant=2) == "carry a"
    assert words.intro(0) == "One thing."
    assert words.objects({"disc": ["a", "b"]}) == "a and b 1."
    assert words.passage("init", "rows", {"rows": 3}, {"disc": ["a"]}) == "3 rows, a."
    assert words.has_passage("init", "rows")
    assert not words.has_passage("goal", "rows")


@pytest.mark.parametrize(
    "expression",
    [
        "['a', 'b' ~ n, 'c'] | choose(n)",
        "['a'] | choose(n)",
        "(['a', 'b'] | choose(n) | sentence) ~ (['c', 'd', 'e'] | choose(n + 1))",
        "['a', 'b'] | choose(n) if n > 3 else [['c', 'd'] | choose(n), 'e', 'f'] | choose(n)",
        "listed | choose(n)",
        "[listed, listed | reverse | list] | choose(n) | choose(n)",
    ],
)
def test_shortcuts_of_choices_say_what_the_filter_says(tmp_path: Path, expression: str) -> None:
    plain = Environment()
    plain.filters |= {"choose": choose, "sentence": sentence}
    for n in range(9):
        texts_rendered = {
            environment_made.from_string(f"{{{{ {expression} }}}}").render(n=n, listed=["x", "y", "z"])
            for environment_made in (plain, environment(tmp_path))
        }
        assert len(texts_rendered) == 1


def test_a_choice_among_nothing_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(OrreryError, match=r"<template>:1: choose\(\) needs at least one"):
        environment(tmp_path).from_string("{{ [] | choose(1) }}").render()


def test_variants_are_counted(words: Words) -> None:
    assert words.variants("fact", "on") == 2
    assert words.variants("fact", "is-free") == 1
    assert words.variants("action", "move-it") == 3


def test_words_travel_to_another_process_after_use(words: Words) -> None:
    words.fact(("on", "a", "b"))
    again = pickle.loads(pickle.dumps(words))
    assert again == words
    assert again.fact(("on", "a", "b")) == "a on b"


@pytest.mark.parametrize("ask", [lambda w: w.fact(("lies", "a")), lambda w: w.variants("fact", "lies")])
def test_a_missing_macro_is_named_with_its_stub(words: Words, ask) -> None:
    with pytest.raises(OrreryError, match="fact_lies") as caught:
        ask(words)
    assert caught.value.where.endswith("discs.j2")
    assert "{% macro fact_lies(" in caught.value.mend


def test_the_stubs_of_missing_macros_work(words: Words, discs: Domain) -> None:
    stubs = words.missing(discs)
    assert ["action_other(my_x" in stubs[0], "fact_disc(x" in stubs[1], len(stubs)] == [True, True, 2]
    words.path.write_text(TEMPLATE + "\n".join(stubs))
    mended = Words("discs", words.templates)
    assert mended.missing(discs) == []
    assert mended.fact(("disc", "d1")) == "disc d1"


def test_errors_in_a_template_say_file_and_line(words: Words) -> None:
    line = TEMPLATE.splitlines().index("{{ [nothing_known ~ x] | choose(variant) }}") + 1
    with pytest.raises(OrreryError, match="nothing_known") as caught:
        words.fact(("wrong", "a"))
    assert caught.value.where == f"{words.path}:{line}"
    line = next(i for i, text in enumerate(TEMPLATE.splitlines(), 1) if "macro fact_short" in text)
    with pytest.raises(OrreryError, match="fact_short") as caught:
        words.fact(("short", "a"))
    assert caught.value.where == f"{words.path}:{line}"


@pytest.mark.parametrize(("text", "line"), [("\n\n{% macro intro(variant %}", 3), ("\n{{ 1 / 0 }}", 2)])
def test_a_template_that_does_not_load_says_file_and_line(words: Words, text: str, line: int) -> None:
    words.path.write_text(text)
    with pytest.raises(OrreryError) as caught:
        words.intro()
    assert caught.value.where == f"{words.path}:{line}"


def test_a_domain_without_words_is_named(tmp_path: Path) -> None:
    with pytest.raises(OrreryError, match="does not exist"):
        Words("nowhere", tmp_path).intro()


def test_names_by_type_takes_static_predicates_for_types(discs: Domain) -> None:
    names = ["d10", "d2", "peg"]
    init: frozenset[Atom] = frozenset({("disc", "d10"), ("disc", "d2"), ("is-free", "d2")})
    problem = Problem("p", "discs", tuple(TypedName(n) for n in names), init, frozenset())
    assert names_by_type(problem, discs) == {"disc": ["d2", "d10"], "object": ["d2", "d10", "peg"]}


@pytest.mark.parametrize("name", ["ann", "zoe", "x9", "\x7f0\x7f"])
def test_constants_come_first_whatever_the_others_are_called(name: str) -> None:
    domain = read_domain(
        "(define (domain d) (:requirements :typing) (:types place) (:constants kitchen cellar - place)"
        " (:predicates (p ?x - place)))"
    )
    objects = (TypedName(name, ("place",)),)
    problem = Problem("p", "d", objects, frozenset(), frozenset())
    assert names_by_type(problem, domain)["place"] == ["cellar", "kitchen", name]


def test_explicit_text_says_each_literal_once_in_a_drawn_order(words: Words) -> None:
    stated = literals([("on", f"x{i}", f"x{j}") for i in range(4) for j in range(4)])
    stated |= {Literal(("is-free", "y"), False)}
    text = explicit(stated, words, random.Random(1))
    assert text.count(".") == len(stated)
    assert "It is not the case that y free." in text
    assert " under " in text.lower()
    assert " on " in text
    assert text == explicit(sorted(stated, reverse=True), words, random.Random(1))
    assert text != explicit(stated, words, random.Random(2))
    assert explicit([], words, random.Random(1)) == ""


def test_a_template_that_is_not_utf8_is_named(tmp_path):
    (tmp_path / "domains").mkdir()
    (tmp_path / "domains" / "lamps.j2").write_bytes(b"{% macro intro(variant) %}caf\xe9{% endmacro %}")
    with pytest.raises(OrreryError, match="UTF-8 at byte 29") as error:
        _ = Words("lamps", tmp_path).macros
    assert error.value.where == str(tmp_path / "domains" / "lamps.j2")


@pytest.mark.parametrize(
    ("stated", "text"), [("x ~ ' is up'", "b1 is up."), ("'up is ' ~ x", "Up is b1."), ("''", ".")]
)
def test_a_fact_that_begins_with_a_name_keeps_it_and_one_without_words_is_no_riddle(tmp_path, stated, text):
    (tmp_path / "domains").mkdir()
    macro = "{% macro fact_up(x, variant) %}{{ [" + stated + "] | choose(variant) }}{% endmacro %}"
    (tmp_path / "domains" / "d.j2").write_text(macro)
    assert Words("d", tmp_path).stated(Literal(("up", "b1")), 0) == text


def test_processes_share_compiled_templates_until_the_text_changes(tmp_path: Path, monkeypatch) -> None:
    (tmp_path / ".dvc" / "tmp").mkdir(parents=True)
    path = tmp_path / "templates" / "domains" / "discs.j2"
    path.parent.mkdir(parents=True)
    path.write_text(TEMPLATE)

    def phrase() -> str:
        environment.cache_clear()  # as in another process
        return Words("discs", path.parents[1]).fact(("on", "d1", "p1"))

    first = phrase()
    with monkeypatch.context() as patched:
        patched.setattr(Sandbox, "compile", None)
        assert phrase() == first
    path.write_text(TEMPLATE.replace("fact_on(x, y, variant) %}", "fact_on(x, y, variant) %}now "))
    assert phrase() == f"now {first}"


def test_templates_are_compiled_after_a_change_of_the_working_folder(tmp_path: Path, monkeypatch) -> None:
    (tmp_path / "first" / ".dvc" / "tmp").mkdir(parents=True)
    for folder, text in {"first": TEMPLATE, "second": TEMPLATE + " "}.items():
        path = tmp_path / folder / "templates" / "domains" / "discs.j2"
        path.parent.mkdir(parents=True)
        path.write_text(text)
    phrases = []
    environment.cache_clear()
    for folder in ("first", "second"):
        monkeypatch.chdir(tmp_path / folder)
        environment(Path("templates")).cache.clear()
        phrases.append(Words("discs", Path("templates")).fact(("on", "d1", "p1")))
    environment.cache_clear()
    assert phrases[0] == phrases[1]
