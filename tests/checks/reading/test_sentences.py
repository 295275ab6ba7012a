"""Inversion: explicit text gives its facts back, and nothing else does."""

from __future__ import annotations

import random
import re
from functools import cache
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orrery.checks.reading.prose import prose_reader
from orrery.checks.reading.sentences import SentenceReader
from orrery.language.words import Words, explicit
from orrery.model import Literal, OrreryError
from orrery.pddl.read import read_domain
from tests.every_domain import entry

DOMAIN = read_domain("""
    (define (domain odd) (:requirements :strips)
      (:predicates (near ?x ?y) (kind ?x) (quiet) (same ?x ?y))
      (:action hush :parameters (?x) :precondition (kind ?x)
        :effect (and (quiet) (near ?x ?x) (same ?x ?x))))""")
TEMPLATE = """
{% macro fact_near(x, y, variant) %}
{{ [x ~ " is near " ~ y, "the place (i.e. near " ~ y ~ ") is " ~ x ~ "'s."] | choose(variant) }}
{% endmacro %}
{% macro fact_kind(x, variant) %}
{{ ["there is " ~ (x | a) ~ ", yes: " ~ x] | choose(variant) }}
{% endmacro %}
{% macro fact_quiet(variant) %}
{{ ["all is quiet", "one hears no sound. None"] | choose(variant) }}
{% endmacro %}
{% macro fact_same(x, y, variant) %}
{{ ["it is the case that " ~ x ~ " equals " ~ y] | choose(variant) }}
{% endmacro %}
"""
NAMES = st.from_regex(r"[a-z][a-z0-9_-]{0,3}", fullmatch=True)
ATOMS = st.one_of(
    st.tuples(st.just("near"), NAMES, NAMES),
    st.tuples(st.just("kind"), NAMES),
    st.tuples(st.just("quiet")),
    st.tuples(st.just("same"), NAMES, NAMES),
)


def worded(folder: Path, template: str) -> SentenceReader:
    (folder / "domains").mkdir(exist_ok=True)
    (folder / "domains" / "odd.j2").write_text(template)
    return SentenceReader(Words("odd", folder), DOMAIN)


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> SentenceReader:
    return worded(tmp_path_factory.mktemp("templates"), TEMPLATE)


@given(st.frozensets(st.builds(Literal, ATOMS, st.booleans()), max_size=8), st.integers(0, 1000))
def test_explicit_text_inverts(reader: SentenceReader, said: frozenset[Literal], seed: int) -> None:
    text = explicit(said, reader.words, random.Random(seed))
    assert reader.literals(text) == said
    assert reader.literals("  " + text.replace(". ", ".\n\n") + "\n") == said


@cache
def patterns(reader: SentenceReader) -> list[tuple[str, int, re.Pattern[str]]]:
    """Each wording of each predicate as a pattern of its own, with the name and arity of the predicate."""
    made = []
    for predicate, family in product(DOMAIN.predicates, ("qx{}zq", "ux{}zu")):
        for variant in range(reader.words.variants("fact", predicate.name)):
            names = [family.format(place) for place in range(predicate.arity)]
            pattern = re.escape(reader.words.fact((predicate.name, *names), variant).rstrip(" ."))
            for place, name in enumerate(names):
                pattern = pattern.replace(name, rf"(?P<a{place}>\??[\w-]+)", 1)
                pattern = pattern.replace(name, rf"(?P=a{place})")
            pattern = f"(?i:{pattern[0]}){pattern[1:]}" if pattern[0].isalpha() else pattern
            made.append((predicate.name, predicate.arity, re.compile(rf"{pattern}(?![\w-])")))
    return made


@given(st.frozensets(st.builds(Literal, ATOMS, st.booleans()), min_size=1, max_size=4), st.integers(0, 1000))
def test_the_tree_finds_what_a_pattern_of_each_wording_finds(
    reader: SentenceReader, said: frozenset[Literal], seed: int
) -> None:
    """At the beginning of every word of a text, whether or not a sentence begins there."""
    text = explicit(said, reader.words, random.Random(seed))
    for start in (word.start() for word in re.finditer(r"\??[\w-]+|[^\w\s]", text)):
        phrases = {(phrase.atom, phrase.end) for phrase in reader.facts.read(text, start, opening=True)}
        assert phrases == {
            ((name, *(match[f"a{place}"].lower() for place in range(arity))), match.end())
            for name, arity, pattern in patterns(reader)
            if (match := pattern.match(text, start))
        }


def test_wordings_that_share_their_first_word_are_ambiguous_too(tmp_path: Path) -> None:
    """One begins with a name, the other with a word that may be one: both must be tried."""
    clash = TEMPLATE.replace('[x ~ " is near " ~ y,', '[x ~ " is near " ~ y, "block " ~ x ~ " touches " ~ y,')
    clash = clash.replace('["it is the case that " ~ x ~ " equals "', '[x ~ " b touches "')
    with pytest.raises(OrreryError, match="more than one"):
        worded(tmp_path, clash).literals("Block b touches c.")


@pytest.mark.parametrize(
    "text",
    ["A is far from b.", "A is near b", "A is near b and c.", "A is near b. Hello.",
     "A is near b and all is quiet.", "A is near b; c is near d.", "All is quiet, all is quiet.",
     "There is an ab, yes: ac.", "All is quiet.All is quiet.", "."],
)  # fmt: skip
def test_other_text_is_refused_where_it_stands(reader: SentenceReader, text: str) -> None:
    with pytest.raises(OrreryError, match=r"text at character.*no fact of odd is worded like this"):
        reader.literals(text)


def test_a_wording_of_two_facts_is_ambiguous(tmp_path: Path) -> None:
    crossed = TEMPLATE.replace('[x ~ " is near " ~ y,', '[x ~ " is near " ~ y, y ~ " is near " ~ x,')
    reader = worded(tmp_path, crossed)
    with pytest.raises(OrreryError, match=r"more than one fact .*: \(near a b\), \(near b a\)"):
        reader.literals("A is near b.")
    assert reader.literals("A is near a.") == {Literal(("near", "a", "a"))}


def test_a_wording_that_drops_an_argument_is_refused(tmp_path: Path) -> None:
    with pytest.raises(OrreryError, match="does not name all its arguments"):
        worded(tmp_path, TEMPLATE.replace('" is near " ~ y', '" is near"')).literals("A is near.")


def test_a_pronoun_stands_for_all_that_the_sentence_before_speaks_of():
    words, domain = entry("rovers").words, entry("rovers").domain
    names = {"rover": ["r1", "r2"], "waypoint": ["w1"]}
    text = "Both rovers carry the equipment for soil analysis. They are kitted out for rock analysis."
    literals = prose_reader(words, domain).literals(text, names)
    assert {literal.atom for literal in literals} == {
        (f"equipped_for_{kind}_analysis", rover) for kind in ("soil", "rock") for rover in names["rover"]
    }
