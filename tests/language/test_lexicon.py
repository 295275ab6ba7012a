"""The words of the vocabularies: sound names, all different, and of the right kind."""

import re
from itertools import combinations

import pytest

from orrery.language.renamed_domain import NAMES, RESERVED, Lexicon, vocabulary_of
from orrery.language.words import form, macros_of
from orrery.model import Domain, OrreryError, Predicate, TypedName
from orrery.seeds import stream
from tests.every_domain import CATALOG, ROOT, entry

TEMPLATES = ROOT / "templates"


def symbols(domain):
    return [domain.name, *(each.name for each in (*domain.predicates, *domain.actions, *domain.types))]


def large(count):
    """A domain with so many predicates of each arity 0 to 2."""
    predicates = [
        Predicate(f"p{arity}n{number}", tuple(TypedName(f"?v{i}") for i in range(arity)))
        for arity in range(3)
        for number in range(count)
    ]
    return Domain("large", (), (), (), tuple(predicates), ())


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("domain", CATALOG.names)
def test_words_are_sound_names_and_no_word_begins_another(domain, name):
    words = symbols(vocabulary_of(entry(domain).domain, name, TEMPLATES, 7).domain)
    assert all(re.fullmatch(r"[a-z]{3,}", word) for word in words)
    assert not any(one.startswith(other) or other.startswith(one) for one, other in combinations(words, 2))
    assert RESERVED.isdisjoint(words)


def test_meaningless_words_can_be_pronounced():
    made = vocabulary_of(large(40), "meaningless", TEMPLATES, 7).domain
    for word in symbols(made):
        assert re.fullmatch(r"([^aeiou]{1,3}[aeiouy]+)+[^aeiou]{0,3}e?", word), word


def test_misleading_words_come_from_one_topic_as_far_as_it_goes():
    topics = macros_of(TEMPLATES, "vocabularies/misleading").topics
    here = vocabulary_of(entry("gripper").domain, "misleading", TEMPLATES, 7).domain
    pools = [set().union(*topic.values()) for topic in topics.values()]
    assert any(set(symbols(here)) <= pool for pool in pools)
    seeds = [
        vocabulary_of(entry("gripper").domain, "misleading", TEMPLATES, seed).domain for seed in range(12)
    ]
    assert {next(n for n, pool in enumerate(pools) if made.name in pool) for made in seeds} == set(
        range(len(pools))
    )


def test_the_topics_do_not_overlap_and_can_be_inflected():
    topics = macros_of(TEMPLATES, "vocabularies/misleading").topics
    words = [word for topic in topics.values() for kind in topic.values() for word in kind]
    assert len(words) == len(set(words))
    assert {"verb", "adjective", "noun", "domain"} == {kind for topic in topics.values() for kind in topic}
    verbs = [verb for topic in topics.values() for verb in topic["verb"]]
    assert all(re.fullmatch(r"[a-z]+[^s]s", form(verb, 2)) for verb in verbs)


def test_a_list_that_is_too_short_is_named():
    with pytest.raises(OrreryError, match=r"misleading\.j2.*too few words of kind 'adjective'"):
        vocabulary_of(large(80), "misleading", TEMPLATES, 7)


def test_words_that_recall_the_domain_are_passed_over(tmp_path):
    (tmp_path / "vocabularies").mkdir()
    (tmp_path / "vocabularies" / "odd.j2").write_text(
        '{% set topics = {"one": {"verb": ["mow", "paint", "repaint", "not", "knit", "knitted", "sew"]}} %}'
    )
    domain = Domain("art", (), (), (), (Predicate("painter"), Predicate("paint")), ())
    words = Lexicon(tmp_path, "odd", domain, stream(1))
    taken = [words.take("verb") for _ in range(3)]
    assert taken[0] in {"mow", "knit", "knitted", "sew"}
    assert {"mow", "sew"} < set(taken)
    assert len({"knit", "knitted"} & set(taken)) == 1
    with pytest.raises(OrreryError, match="too few"):
        words.take("verb")


def test_a_broken_template_is_named(tmp_path):
    (tmp_path / "vocabularies").mkdir()
    (tmp_path / "vocabularies" / "meaningless.j2").write_text("{% set x = %}")
    with pytest.raises(OrreryError, match=r"meaningless\.j2:1"):
        vocabulary_of(entry("gripper").domain, "meaningless", tmp_path, 7)
