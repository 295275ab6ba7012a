"""A fact that is dropped, told twice, added or exchanged is noticed by the readers of texts and contexts."""

from dataclasses import replace
from random import Random

import pytest

from orrery.checks.reading.contexts import ContextReader
from orrery.checks.texts import PROSE, SENTENCES, DomainTexts, Reader
from orrery.families.questions.context import STYLES, context_of
from orrery.families.questions.state_record import StateRecord
from orrery.language.prose import ProseWriter
from orrery.language.words import names_by_type
from orrery.model import Literal, literals
from orrery.planning.grounding import ground
from tests.effort import some
from tests.every_domain import CATALOG, difficulties, drawn, entry, words

CHANGES = 40  # of each problem


def problems(name):
    """Two problems of the domain."""
    tasks, level = entry(name).tasks, difficulties(name)[0]
    made = (drawn(name, tasks[number % len(tasks)], level, number) for number in range(9))
    return [each.problem for each in made if each is not None][:2]


def changed(said, name, problem, rng):
    """The literals with one of them dropped, told twice, or with another object, alone or beside it."""
    domain = entry(name).domain
    types = {each.name: each.types for each in (*problem.objects, *domain.constants)}
    said = sorted(said)
    for _ in range(some(CHANGES)):
        number = rng.randrange(len(said))
        (predicate, *arguments), positive = said[number]
        rest = said[:number] + said[number + 1 :]
        yield from (rest, [*said, said[number]])
        if arguments:
            place = rng.randrange(len(arguments))
            wanted = domain.predicate_named[predicate].parameters[place].types
            fitting = [other for other in sorted(types) if domain.fits(types[other], wanted)]
            arguments[place] = rng.choice(fitting)
            other = Literal((predicate, *arguments), positive)
            if other not in said:
                yield from ([*rest, other], [*said, other])


@pytest.mark.parametrize("name", CATALOG.names)
def test_a_changed_fact_of_an_explicit_text_is_noticed(name):
    rng, here = Random(name), entry(name)
    reader, writer = Reader.of(here.words, here.domain), ProseWriter(here.words, here.domain)
    left_out = {*here.words.kinds_listed(here.domain)}
    for problem in problems(name):
        texts, names = DomainTexts(reader, problem), names_by_type(problem, here.domain)
        told = {literal for literal in literals(problem.init) if literal.atom[0] not in left_out}
        for part, said in (("init", told), ("goal", problem.goal)):

            def faults(literals, style, part=part, texts=texts, names=names):
                if style == PROSE:
                    sentences = writer.sentences(
                        literals, names, Random(rng.random()), held=rng.random() < 0.5
                    )
                else:
                    sentences = [rng.choice(here.words.sentences(literal)) for literal in literals]
                return texts.explicit(part, " ".join(sentences), style).faults

            for style in (SENTENCES, PROSE):
                assert faults(sorted(said), style) == []
                for other in changed(said, name, problem, rng):
                    assert faults(other, style), other


@pytest.mark.slow
@pytest.mark.parametrize("name", CATALOG.names)
def test_a_changed_fact_of_a_context_is_noticed(name):
    rng, domain = Random(name), entry(name).domain
    reader = ContextReader(words(name), domain)
    for number, problem in enumerate(problems(name)):
        steps = tuple(ground(domain, problem).action_of)

        def faults(told, style, number=number, problem=problem, steps=steps):
            item = StateRecord(domain, told, f"{name}/test/{number:06d}", step=rng.randrange(100))
            text = replace(context_of(item, words(name)), style=style).text("land", answered=True)
            return reader.check(text, "land", problem, steps, style=style, answered=True).faults

        for style in STYLES:
            assert faults(problem, style) == []
            for said in changed(literals(problem.init), name, problem, rng):
                if frozenset(said) != literals(problem.init):  # a state has no fact twice
                    init = frozenset(literal.atom for literal in said)
                    assert faults(replace(problem, init=init), style), said
            for said in changed(problem.goal, name, problem, rng):
                if frozenset(said) not in (problem.goal, frozenset()):
                    assert faults(replace(problem, goal=frozenset(said)), style), said
