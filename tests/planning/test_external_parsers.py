"""The parser matrix: verdicts of other readers, their classes, and limits that hold."""

import sys

import pytest

from orrery.model import UsageError
from orrery.pddl.faults import DomainErrorClass
from orrery.pddl.tolerant import read_adl
from orrery.planning import external_parser_worker as parser_worker
from orrery.planning import external_parsers as parsers
from orrery.planning.external_parsers import (
    PDDL,
    TARSKI,
    TRANSLATOR,
    UNIFIED_PLANNING,
    ParserVerdict,
    PlannedProblem,
    accepted_by_some,
    validate_plans,
    verdicts,
)
from tests.scoring.domains.lamps import LAMPS

E = DomainErrorClass
HERE = (PDDL, UNIFIED_PLANNING, TRANSLATOR)
PLAIN = LAMPS.replace("(increase (total-cost) 1)", "").replace("(:functions (total-cost) - number)", "")
TEXTS = {
    "sound": PLAIN,
    "name": PLAIN.replace("(domain lamps)", ""),
    "parenthesis": PLAIN.replace("(not (lit ?l)))\n", "(not (lit ?l))\n"),
    "constant": PLAIN.replace("(hangs-in ?l hall)", "(hangs-in ?l cellar)"),
    "variable": PLAIN.replace("(not (lit ?k))", "(not (lit ?m))"),
    "requirement": PLAIN.replace("(:requirements", "(:requirements :constraints\n :goal-utilities"),
    "section": PLAIN.replace("(:constants", "(:colours red) (:constants"),
}


@pytest.fixture(scope="module")
def matrix():
    return dict(zip(TEXTS, verdicts(list(TEXTS.values()), HERE), strict=True))


def test_all_accept_a_sound_domain(matrix):
    assert matrix["sound"] == {parser: ParserVerdict(parser, True) for parser in HERE}
    assert accepted_by_some(matrix["sound"]) is True


@pytest.mark.parametrize(
    ("name", "kind", "refusing"),
    [
        ("name", E.UNDEFINED_DOMAIN_NAME, HERE),
        ("parenthesis", E.INCORRECT_PARENTHESES, HERE),
        ("constant", E.UNDEFINED_CONSTANT, HERE),
        ("variable", E.UNDEFINED_VARIABLE, (UNIFIED_PLANNING, TRANSLATOR)),
        ("section", E.UNSUPPORTED_FEATURE, HERE),
        ("requirement", E.UNSUPPORTED_FEATURE, HERE),
    ],
)
def test_refusals_have_a_class_and_a_message(matrix, name, kind, refusing):
    for parser in refusing:
        verdict = matrix[name][parser]
        assert (verdict.accepted, verdict.error) == (False, kind), verdict
        assert verdict.message
    assert accepted_by_some(matrix[name]) is (len(refusing) < len(HERE))


WORKER = """
import json, os, sys
for text in json.load(sys.stdin)["texts"]:
    if text == "dies": os._exit(7)
    while text == "hangs": pass
    print(json.dumps([True, ""]), flush=True)
"""


@pytest.mark.slow
def test_a_reader_that_hangs_or_dies_costs_only_the_text_it_read(monkeypatch, tmp_path):
    worker = tmp_path / "worker.py"
    worker.write_text(WORKER)
    monkeypatch.setattr(parsers, "_WORKER", worker)
    monkeypatch.setattr(parsers, "_START", 1.0)
    verdicts_read = [row[PDDL] for row in verdicts(["a", "dies", "b", "hangs", "c"], (PDDL,), seconds=0.1)]
    assert [verdict.accepted for verdict in verdicts_read] == [True, None, True, None, True]
    assert "code 7" in verdicts_read[1].message
    assert "time limit" in verdicts_read[3].message
    assert accepted_by_some({PDDL: verdicts_read[1]}) is None


@pytest.mark.slow
@pytest.mark.parametrize("parser", HERE)
def test_a_text_is_read_as_if_it_were_the_only_one(parser):
    """Types of one name with other parents, predicates of other arities, names of another kind, faults."""
    kinds = PLAIN.replace("room", "lamp-like").replace("lamp", "room")
    texts = [
        PLAIN,
        kinds,
        *TEXTS.values(),
        PLAIN.replace("(lit ?l - lamp)", "(lit ?l - lamp ?r - room)"),
        kinds,
    ]
    alone = [verdicts([text], (parser,))[0] for text in texts]
    assert verdicts(texts, (parser,)) == alone
    assert verdicts(texts[::-1], (parser,)) == alone[::-1]
    assert {row[parser].accepted for row in alone} == {True, False}


def test_where_the_memory_ended_after_other_texts_a_text_is_read_alone(monkeypatch, tmp_path):
    worker = tmp_path / "worker.py"
    worker.write_text(f"""
import json, sys
texts = json.load(sys.stdin)["texts"]
for text in texts:
    print(json.dumps([True, ""] if text == texts[0] else [None, {parser_worker.NO_MEMORY!r}]))
""")
    monkeypatch.setattr(parsers, "_WORKER", worker)
    verdicts_read = [row[PDDL] for row in verdicts(["a", "b", "c"], (PDDL,))]
    assert [verdict.accepted for verdict in verdicts_read] == [True, True, True]


def test_a_text_that_takes_too_long_is_open_not_refused():
    def stubborn(text):
        try:
            while True:
                pass
        except Exception:
            return "as if nothing had been"

    assert parser_worker._read(stubborn, "", 0.1) == (None, "stopped after 0.1 s")
    assert parser_worker._read(str.upper, "", 0.1) == (True, "")
    assert parser_worker._read(int, "x", 0.1)[0] is False


def test_texts_beyond_the_limit_are_not_shown(monkeypatch):
    monkeypatch.setattr(parsers, "LONGEST", 10)
    verdicts_read = verdicts([PLAIN], HERE)[0]
    assert {verdict.accepted for verdict in verdicts_read.values()} == {None}
    assert accepted_by_some(verdicts_read) is None


def test_tarski_has_a_python_of_its_own(monkeypatch, tmp_path):
    package = tmp_path / "tarski"
    package.mkdir()
    (package / "__init__.py").write_text("")
    reader = "class PDDLReader:\n def __init__(self, raise_on_error): pass\n"
    reader += " def parse_domain_string(self, text):\n"
    reader += "  if 'cellar' in text: raise ValueError('UndefinedConstant')\n"
    (package / "io.py").write_text(reader)
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\nPYTHONPATH={tmp_path} exec {sys.executable} "$@"\n')
    python.chmod(0o755)
    monkeypatch.setenv(parsers.TARSKI_VARIABLE, str(python))
    verdicts_read = [row[TARSKI] for row in verdicts([PLAIN, TEXTS["constant"]], (TARSKI,))]
    assert [(v.accepted, v.error) for v in verdicts_read] == [(True, None), (False, E.UNDEFINED_CONSTANT)]


def test_a_parser_that_is_not_installed_says_so(monkeypatch):
    monkeypatch.delenv(parsers.TARSKI_VARIABLE, raising=False)
    monkeypatch.setattr(parsers.importlib.util, "find_spec", lambda name: None)
    verdict = verdicts([PLAIN], (TARSKI,))[0][TARSKI]
    assert (verdict.accepted, verdict.installed) == (None, False)
    assert accepted_by_some({TARSKI: verdict, PDDL: ParserVerdict(PDDL, False)}) is False


def test_an_unknown_parser_is_a_usage_error():
    with pytest.raises(UsageError, match="there are: pddl"):
        verdicts([PLAIN], ("val",))


def test_a_message_without_signs_takes_the_gravest_fault_of_ours():
    broken = read_adl(LAMPS.replace("(domain lamps)", ""))
    assert parsers.classify("strange", broken) is E.UNDEFINED_DOMAIN_NAME
    assert parsers.classify("strange", read_adl(LAMPS)) is E.UNSUPPORTED_FEATURE
    assert parsers.classify("Unexpected token", read_adl(LAMPS)) is E.INCORRECT_PARENTHESES


# An action shares its name with a predicate; actions have costs, whether or not a metric asks for them.
DOORS = """
(define (domain d) (:requirements :strips :negative-preconditions :action-costs)
  (:predicates (open ?x) (done)) (:functions (total-cost) - number)
  (:action open :parameters (?x) :precondition (not (open ?x))
    :effect (and (open ?x) (increase (total-cost) 1)))
  (:action leap :parameters (?x ?y) :precondition (and (open ?x) (not (= ?x ?y)))
    :effect (and (done) (increase (total-cost) 100)))
  (:action wait :parameters () :effect (increase (total-cost) 1))
  (:action look :parameters () :effect (and)))
"""


def planned(goal, *steps, metric=""):
    init = "(:objects A b c) (:init (= (total-cost) 0))"
    problem = f"(define (problem p) (:domain d) {init} (:goal {goal}) {metric})"
    return PlannedProblem(DOORS, problem, "\n".join(steps))


@pytest.mark.slow
def test_plans_are_validated_together():
    expected = {
        planned("(done)", "(open a)", "(look)", "(leap a b)"): (True, ""),
        planned("(forall (?x) (open ?x))", "(open a)", "(wait)", "(open b)", "(open c)"): (
            True,
            "",
        ),
        planned("(done)", "(open a)", "(leap a b)", metric="(:metric minimize (total-cost))"): (True, ""),
        planned("(done)", "(open a)"): (False, "INVALID"),
        planned("(done)", "(leap a b)"): (False, "INVALID"),
    }
    unreadable = planned("(done)", "(fly a)"), planned("(nothing)", "(open a)")
    answers = validate_plans([*expected, *unreadable])
    assert answers[: len(expected)] == list(expected.values())
    assert [accepted for accepted, _ in answers[len(expected) :]] == [False, False]
    assert all("Error" in message for _, message in answers[len(expected) :])
    assert "nothing" in answers[-1][1]


@pytest.mark.slow
def test_costs_and_metrics_do_not_affect_whether_a_plan_is_valid():
    plan = planned("(done)", "(open a)", "(leap a b)", metric="(:metric minimize (total-cost))")
    cost = "(increase (total-cost) 100)"
    several_costs = plan._replace(domain=plan.domain.replace(cost, f"{cost} (increase (total-cost) 1)"))
    other_metric = plan._replace(
        problem=plan.problem.replace("minimize (total-cost)", "minimize (total-time)")
    )
    assert validate_plans([several_costs, other_metric]) == [(True, ""), (True, "")]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("program", "accepted", "message"),
    [
        ("while True: pass", None, "stopped by the time limit"),
        ("sys.exit('MemoryError')", None, "ended with code 1; MemoryError"),
        ("sys.exit('x.so: failed to map segment')", None, "ended with code 1; x.so: failed to map segment"),
        ("sys.exit('ValueError: why')", False, "ended with code 1; ValueError: why"),
        ("sys.exit(3)", False, "ended with code 3; Traceback"),
        ("print('[false, \"Error: two\\\\n  lines\"]')", False, "Error: two lines"),
    ],
)
def test_a_crash_of_the_validator_is_a_fault_and_a_limit_is_undecided(
    monkeypatch, tmp_path, program, accepted, message
):
    worker = tmp_path / "worker.py"
    worker.write_text(f"import sys\nprint('Traceback', file=sys.stderr)\n{program}\n")
    monkeypatch.setattr(parsers, "_WORKER", worker)
    monkeypatch.setattr(parsers, "_START", 0.0)
    assert validate_plans([planned("(done)")], seconds=0.8) == [(accepted, message)]
