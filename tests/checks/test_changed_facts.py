"""A fact that is dropped, told twice, added or exchanged is noticed by the readers of texts and contexts."""

from dataclasses import replace
from random import Random

import pytest

from orrery.checks.reading.contexts import ContextReader
from orrery.checks.texts import PROSE, SENTENCES, DomainTexts, Reader
from orrery.families.questions.context import STYLES, context_of
from orrery.families.questions.state_record import StateRecord
from orrery.language.prose import ObjectOrder, ProseWriter
from orrery.language.words import names_by_type
from orrery.model import Literal, literals
from orrery.planning.grounding import ground
from tests.effort import some
from tests.every_domain import CATALOG, difficulties, drawn, entry, words

CHANGES = 40  # of each problem


def problems(name):
    """Two problems of the domain."""
    tasks, level = entry(name).tasks, difficulties(name)[0]
    generated = (drawn(name, tasks[number % len(tasks)], level, number) for number in range(9))
    return [problem_made.problem for problem_made in generated if problem_made is not None][:2]


def changed(literals_stated, name, problem, rng):
    """The literals with one of them dropped, told twice, or with another object, alone or beside it."""
    domain = entry(name).domain
    types = {typed.name: typed.types for typed in (*problem.objects, *domain.constants)}
    literals_stated = sorted(literals_stated)
    for _ in range(some(CHANGES)):
        number = rng.randrange(len(literals_stated))
        (predicate, *arguments), positive = literals_stated[number]
        others_stated = literals_stated[:number] + literals_stated[number + 1 :]
        yield from (others_stated, [*literals_stated, literals_stated[number]])
        if arguments:
            place = rng.randrange(len(arguments))
            wanted = domain.predicate_named[predicate].parameters[place].types
            fitting = [literal for literal in sorted(types) if domain.fits(types[literal], wanted)]
            arguments[place] = rng.choice(fitting)
            literal = Literal((predicate, *arguments), positive)
            if literal not in literals_stated:
                yield from ([*others_stated, literal], [*literals_stated, literal])


@pytest.mark.parametrize("name", CATALOG.names)
def test_a_changed_fact_of_an_explicit_text_is_noticed(name):
    rng, place = Random(name), entry(name)
    reader, writer = Reader.of(place.words, place.domain), ProseWriter(place.words, place.domain)
    left_out = {*place.words.kinds_listed(place.domain)}
    for problem in problems(name):
        texts, names = DomainTexts(reader, problem), names_by_type(problem, place.domain)
        initial = {literal for literal in literals(problem.init) if literal.atom[0] not in left_out}
        for part, stated in (("init", initial), ("goal", problem.goal)):

            def faults(literals, style, part=part, texts=texts, names=names):
                if style == PROSE:
                    chance, held = Random(rng.random()), rng.random() < 0.5
                    sentences = writer.prose(literals, ObjectOrder.of(names), chance, held=held).sentences
                else:
                    sentences = [rng.choice(place.words.sentences(literal)) for literal in literals]
                return texts.explicit(part, " ".join(sentences), style).faults

            for style in (SENTENCES, PROSE):
                assert faults(sorted(stated), style) == []
                for changed_literals in changed(stated, name, problem, rng):
                    assert faults(changed_literals, style), changed_literals


@pytest.mark.slow
@pytest.mark.parametrize("name", CATALOG.names)
def test_a_changed_fact_of_a_context_is_noticed(name):
    rng, domain = Random(name), entry(name).domain
    reader = ContextReader(words(name), domain)
    for number, problem in enumerate(problems(name)):
        steps = tuple(ground(domain, problem).action_of)

        def faults(literals_told, style, number=number, problem=problem, steps=steps):
            item = StateRecord(domain, literals_told, f"{name}/test/{number:06d}", step=rng.randrange(100))
            text = replace(context_of(item, words(name)), style=style).rendered("land", answered=True).text
            return reader.check(text, "land", problem, steps, style=style, answered=True).faults

        for style in STYLES:
            assert faults(problem, style) == []
            for stated in changed(literals(problem.init), name, problem, rng):
                if frozenset(stated) != literals(problem.init):  # a state has no fact twice
                    init = frozenset(literal.atom for literal in stated)
                    assert faults(replace(problem, init=init), style), stated
            for stated in changed(problem.goal, name, problem, rng):
                if frozenset(stated) not in (problem.goal, frozenset()):
                    assert faults(replace(problem, goal=frozenset(stated)), style), stated
