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


def test_a_fence_ends_what_is_open():
    result = found(f"```\n{WHOLE[:-2]}\n```\nThat is (:action b) above.")
    assert result.lists[0] == TREE
    assert result.mended


def test_domain_and_problem_are_distinguished_though_the_first_is_not_closed():
    result = found(WHOLE[:-1] + "\n(define (problem x) (:domain d))")
    assert result.lists == (TREE, ["define", ["problem", "x"], [":domain", "d"]])
    assert len(result.mended) == 1
