"""Lists of broken texts: where what is missing or too much must have been."""

import pytest

from orrery.pddl.faults import SourceText
from orrery.pddl.recover import recover

WHOLE = "(define (domain d) (:action a :precondition (and (p) (q)) :effect (p)) (:action b :effect (q)))"
TREE = [
    "define",
    ["domain", "d"],
    [":action", "a", ":precondition", ["and", ["p"], ["q"]], ":effect", ["p"]],
    [":action", "b", ":effect", ["q"]],
]


def found(text):
    return recover(SourceText(text))


def test_a_sound_text_is_its_own_tree():
    result = found(WHOLE)
    assert result.lists == (TREE,)
    assert (result.ends, result.mended) == ((len(WHOLE),), ())
    assert WHOLE[result.lists[0][3].at : result.closed[result.lists[0][3].at]] == "(:action b :effect (q))"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("(q)) :effect", "(q) :effect"),
        ("(q)) :effect", "(q))) :effect"),
        ("(q)) :effect", "(q)))) :effect"),
        ("(p)) (:action b", "(p) (:action b"),
        ("(p)) (:action b", "(p))) (:action b"),
        ("(q)))", "(q))"),
        ("(q)))", "(q))))"),
        ("(q)))", "(q)"),
    ],
)
def test_one_parenthesis_too_few_or_too_many_changes_nothing_but_is_reported(old, new):
    result = found(WHOLE.replace(old, new, 1) if old != "(q)))" else WHOLE[: -len(old)] + new)
    assert result.lists == (TREE,)
    assert result.mended


def test_prose_around_is_no_fault():
    result = found(f"1) Note :) (as (said) before)\n```pddl\n{WHOLE}\n```\nDone (really) :-) (")
    assert (result.lists, result.mended) == ((TREE,), ())


def test_a_fence_ends_what_is_open():
    result = found(f"```\n{WHOLE[:-2]}\n```\nThat is (:action b) above.")
    assert result.lists[0] == TREE
    assert result.mended


def test_actions_alone_need_no_define():
    result = found("(:action a :effect (p) (:action b :effect (q)")
    assert result.lists == ([":action", "a", ":effect", ["p"]], [":action", "b", ":effect", ["q"]])


def test_domain_and_problem_are_distinguished_though_the_first_is_not_closed():
    result = found(WHOLE[:-1] + "\n(define (problem x) (:domain d))")
    assert result.lists == (TREE, ["define", ["problem", "x"], [":domain", "d"]])
    assert len(result.mended) == 1
