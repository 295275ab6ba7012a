"""Inversion: explicit text gives its facts back, and nothing else does."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orrery.language.read_back import Inverter
from orrery.language.words import Words, explicit
from orrery.model import Literal, OrreryError
from orrery.pddl.read import read_domain

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


def worded(folder: Path, template: str) -> Inverter:
    (folder / "domains").mkdir(exist_ok=True)
    (folder / "domains" / "odd.j2").write_text(template)
    return Inverter(Words("odd", folder), DOMAIN)


@pytest.fixture(scope="module")
def inverter(tmp_path_factory: pytest.TempPathFactory) -> Inverter:
    return worded(tmp_path_factory.mktemp("templates"), TEMPLATE)


@given(st.frozensets(st.builds(Literal, ATOMS, st.booleans()), max_size=8), st.integers(0, 1000))
def test_explicit_text_inverts(inverter: Inverter, said: frozenset[Literal], seed: int) -> None:
    text = explicit(said, inverter.words, random.Random(seed))
    assert inverter.literals(text) == said
    assert inverter.literals("  " + text.replace(". ", ".\n\n") + "\n") == said


@given(st.frozensets(st.builds(Literal, ATOMS, st.booleans()), min_size=1, max_size=4), st.integers(0, 1000))
def test_the_first_word_leaves_out_no_reading(
    inverter: Inverter, said: frozenset[Literal], seed: int
) -> None:
    """At every place of a text, sentence or not, the patterns tried read what all patterns together read."""
    text = explicit(said, inverter.words, random.Random(seed))
    for start in range(len(text)):
        every = {reading for p in inverter.patterns if (reading := p.read(text, start))}
        tried = {reading for p in inverter._candidates(text, start) if (reading := p.read(text, start))}
        assert tried == every


def test_wordings_that_share_their_first_word_are_ambiguous_too(tmp_path: Path) -> None:
    """One begins with a name, the other with a word that may be one: both must be tried."""
    clash = TEMPLATE.replace('[x ~ " is near " ~ y,', '[x ~ " is near " ~ y, "block " ~ x ~ " touches " ~ y,')
    clash = clash.replace('["it is the case that " ~ x ~ " equals "', '[x ~ " b touches "')
    with pytest.raises(OrreryError, match="ambiguous"):
        worded(tmp_path, clash).literals("Block b touches c.")


@pytest.mark.parametrize(
    "text",
    ["A is far from b.", "A is near b", "A is near b and c.", "A is near b. Hello.",
     "There is an ab, yes: ac.", "All is quiet.All is quiet.", ".", "All is quiet, a is near b."],
)  # fmt: skip
def test_other_text_is_refused_where_it_stands(inverter: Inverter, text: str) -> None:
    with pytest.raises(OrreryError, match="text at character"):
        inverter.literals(text)


def test_a_wording_of_two_facts_is_ambiguous(tmp_path: Path) -> None:
    crossed = TEMPLATE.replace('[x ~ " is near " ~ y,', '[x ~ " is near " ~ y, y ~ " is near " ~ x,')
    inverter = worded(tmp_path, crossed)
    with pytest.raises(OrreryError, match="ambiguous"):
        inverter.literals("A is near b.")
    assert inverter.literals("A is near a.") == {Literal(("near", "a", "a"))}


def test_a_wording_that_drops_an_argument_is_refused(tmp_path: Path) -> None:
    with pytest.raises(OrreryError, match="does not name all its arguments"):
        worded(tmp_path, TEMPLATE.replace('" is near " ~ y', '" is near"')).literals("A is near.")
