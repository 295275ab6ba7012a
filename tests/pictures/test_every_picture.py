"""Pictures of all domains say what is so, all of it and nothing else; so do generic ones."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orrery.model import Problem, TypedName, literals
from orrery.pictures import plans
from orrery.pictures.draw import draw, draw_problem
from orrery.pictures.questions import question
from tests.every_domain import CATALOG, difficulties, drawn, entry
from tests.pictures.reading import Picture
from tests.universe import walk

WIDEST = 1240
HOW = ("described", "generic")


def problems(name):
    """A problem of each difficulty, of different tasks."""
    place = entry(name)
    problems_drawn = []
    for number, level in enumerate(difficulties(name)):
        tries = (drawn(name, place.tasks[(7 * number + i) % len(place.tasks)], level, i) for i in range(9))
        problems_drawn += [generated.problem for generated in [next(filter(None, tries), None)] if generated]
    return problems_drawn


def how(name, kind):
    return entry(name).description.picture if kind == "described" else None


def check(picture, problem, states, partial=()):
    """That panels state these facts, with what always holds or alone, within bounds."""
    always = picture.facts.get("always", set())
    for panel, facts in states:
        assert picture.facts.get(panel, set()) <= facts
        assert picture.facts.get(panel, set()) | always == facts
    for panel, facts in partial:
        assert picture.facts.get(panel, set()) == facts
    assert {typed.name for typed in problem.objects} <= picture.words()
    assert picture.width <= WIDEST
    assert picture.outside() == []


@pytest.mark.parametrize("kind", HOW)
@pytest.mark.parametrize("name", CATALOG.names)
def test_state_and_goal_are_said_exactly(name, kind):
    for problem in problems(name):
        svg = draw_problem(entry(name).domain, problem, how(name, kind))
        assert svg == draw_problem(entry(name).domain, problem, how(name, kind))
        check(Picture(svg), problem, [("initial state", problem.init)], [("goal", problem.goal_facts)])


@pytest.mark.parametrize("kind", HOW)
@pytest.mark.parametrize("name", CATALOG.names)
def test_what_is_drawn_of_a_state_is_text_for_who_does_not_see_it(name, kind):
    problem = problems(name)[0]
    picture = Picture(draw_problem(entry(name).domain, problem, how(name, kind)))
    title, desc = picture.root[0], picture.root[1]
    assert picture.root.get("role") == "img"
    assert picture.root.get("aria-labelledby").split() == [title.get("id"), desc.get("id")]
    assert title.text.startswith("Initial state and goal")
    words = {word.strip(".,;:") for word in desc.text.split()}
    assert {word for fact in problem.init | problem.goal_facts for word in fact} <= words
    assert "prefers-color-scheme:dark" in picture.root[2].text


@pytest.mark.parametrize("name", CATALOG.names)
def test_strips_and_animations_say_each_state(name):
    problem = problems(name)[0]
    domain, picture = entry(name).domain, how(name, "described")
    steps, states = walk(domain, problem, random.Random(1), 6)
    titles = ["0: initial state", *(f"{n}: ({' '.join(step)})" for n, step in enumerate(steps, 1))]
    for draw_plan in (plans.strip, plans.animation):
        svg = draw_plan(domain, problem, steps, picture)
        assert svg == draw_plan(domain, problem, steps, picture)
        drawing = Picture(svg)
        assert [panel for panel in drawing.panels if panel != "always"] == [*titles, "goal"]
        check(drawing, problem, zip(titles, states, strict=True), [("goal", problem.goal_facts)])


@pytest.mark.parametrize("name", CATALOG.names)
def test_claims_are_drawn_apart_from_the_state(name):
    problem = problems(name)[0]
    place = entry(name)
    steps, states = walk(place.domain, problem, random.Random(2), 4)
    picture = place.description.picture
    later = sorted(states[-1] - problem.init)[:3] or sorted(problem.goal_facts)[:1]
    texts = ["(" + " ".join(step) + ")" for step in (*later, *steps)]
    facts, actions = texts[: len(later)], texts[len(later) :]
    claims = {
        "can come true at one time" if len(facts) > 1 else "can come true": {"facts": facts},
        f"holds after {actions[0]}": {"action": actions[0], "facts": facts},
    }
    for label, claim in claims.items():
        drawing = Picture(question(place.domain, problem, picture, {"claim": claim}))
        (panel,) = [step for step in drawing.panels if step.startswith("claim: ")]
        assert panel == f"claim: this {label}"
        check(
            drawing, problem, [("state", problem.init)], [("goal", problem.goal_facts), (panel, set(later))]
        )
    drawing = Picture(question(place.domain, problem, picture, {"claim": {"actions": actions[:2]}}))
    check(drawing, problem, [("state", problem.init)], [("goal", problem.goal_facts)])
    assert set(actions[:2]) <= set(drawing.texts)


def objects_of(problem, domain, parameter):
    return [typed.name for typed in problem.objects if domain.fits(typed.types, parameter.types)]


@st.composite
def sets_of_facts(draw_, name):
    """Some facts of a problem: some of its own, and some that no state of it may have together."""
    problem, domain = problems(name)[0], entry(name).domain
    rng = random.Random(draw_(st.integers(0, 10**6)))
    facts = {fact for fact in sorted(problem.init) if rng.random() < 0.8}
    for _ in range(rng.randint(0, 12)):
        predicate = rng.choice(domain.predicates)
        choices = [objects_of(problem, domain, parameter) for parameter in predicate.parameters]
        if all(choices):
            facts.add((predicate.name, *map(rng.choice, choices)))
    return Problem("p", name, problem.objects, problem.init, literals(facts)), frozenset(facts)


@pytest.mark.parametrize("name", CATALOG.names)
@settings(max_examples=12)
@given(data=st.data())
def test_no_fact_gets_lost_however_odd_the_state_and_the_goal(name, data):
    problem, facts = data.draw(sets_of_facts(name))
    domain, picture = entry(name).domain, how(name, "described")
    statics = frozenset(fact for fact in problem.init if fact[0] not in domain.fluents)
    state = facts | statics
    drawing = Picture(draw(domain, problem, state, picture))
    check(drawing, problem, [("state", state)])
    drawing = Picture(draw_problem(domain, problem, picture))
    check(drawing, problem, [("initial state", problem.init)], [("goal", facts)])


def test_what_must_not_hold_is_listed_and_an_empty_goal_says_so():
    place = entry("ferry")
    objects = (TypedName("c", ("car",)), TypedName("l", ("location",)))
    unwanted = frozenset(problem._replace(positive=False) for problem in literals([("at", "c", "l")]))
    problems_shown = [
        Problem("p", "ferry", objects, frozenset({("at-ferry", "l")}), goal)
        for goal in (unwanted, frozenset())
    ]
    texts = [
        Picture(draw_problem(place.domain, problem, place.description.picture)).texts
        for problem in problems_shown
    ]
    assert "not: at c l" in texts[0]
    assert "Nothing is wanted." in texts[1]
