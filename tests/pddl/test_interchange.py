import sys

import pytest

from orrery.pddl.interchange import PackageReader, diagnose, requirements_beyond
from tests.effort import slow

START = "(define (domain d) (:requirements :strips :adl) (:predicates (p) (q ?x))\n"
WHEN = START + "(:action a :parameters (?x) :precondition (p) :effect (when (q ?x) (not (p)))))"
DURATIVE = (
    START.replace(":adl", ":durative-actions")
    + "(:durative-action a :parameters () :duration (= ?duration 2) :condition (at start (p))"
    " :effect (at end (not (p)))))"
)


def test_a_text_of_the_subset():
    assert diagnose(START + "(:action a :effect (p)))").startswith("within the supported subset")


@slow
def test_full_pddl_is_named_with_its_reader():
    verdict = diagnose(WHEN, "mine.pddl")
    assert verdict.startswith("sound PDDL beyond the subset (read by the pddl package)")
    assert "uses :conditional-effects" in verdict
    assert "mine.pddl:2:" in verdict


@slow
def test_what_the_package_cannot_read_goes_to_unified_planning():
    verdict = diagnose(DURATIVE)
    assert verdict.startswith("sound PDDL beyond the subset (read by unified-planning)")
    assert "uses :durative-actions" in verdict


@pytest.mark.parametrize("text", ["", "(define", START + "(:action a :effect (r)))", "\0", "(" * 5000])
def test_malformed_texts_are_called_so(text):
    assert diagnose(text, "mine.pddl").startswith("malformed: mine.pddl:")


@slow
def test_a_text_that_nobody_reads():
    verdict = diagnose(START + "(:magic a :parameters () :effect ()))")
    assert verdict.startswith("outside the subset, and refused by readers of full PDDL too")
    assert "unified-planning: " in verdict


@slow
def test_a_verdict_does_not_depend_on_the_text_before():
    constants = WHEN.replace("(:predicates", "(:constants c) (:predicates")
    stray = WHEN.replace("(q ?x)) (", "(q ?x) (r ?x)) (").replace("(when (q ?x)", "(when (q c)")
    before = diagnose(stray)
    assert diagnose(constants).startswith("sound")
    assert diagnose(stray) == before


@slow
def test_traceback_limit_survives_the_package():
    had = getattr(sys, "tracebacklimit", None)
    with pytest.raises(Exception, match=r"end of|Unexpected"):
        PackageReader().domain("(define")
    assert getattr(sys, "tracebacklimit", None) == had
    sys.tracebacklimit = 7
    try:
        PackageReader().domain(WHEN)
        assert sys.tracebacklimit == 7
    finally:
        del sys.tracebacklimit


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        ("(:action a :effect (increase (total-cost) 1))", []),
        ("(:action a :effect (increase (fuel) 1))", [":numeric-fluents"]),
        ("(:action a :precondition (= ?x ?y))", []),
        ("(:action a :precondition (= (fuel) 1))", [":numeric-fluents"]),
        ("(:action a :precondition (or (p) (> (f) 1)))", [":disjunctive-preconditions", ":numeric-fluents"]),
        ("(:derived (p) (exists (?x) (q ?x)))", [":derived-predicates", ":existential-preconditions"]),
    ],
)
def test_requirements_beyond_the_subset(part, expected):
    assert requirements_beyond(START + part + ")") == expected
