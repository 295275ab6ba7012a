"""Every malformed text ends in one error that names the place and says what is wrong."""

import pickle
import re
import time
from pathlib import Path

import pytest

from orrery.model import OrreryError
from orrery.pddl.faults import SyntaxFault
from orrery.pddl.read import OutsideSubset, PddlError, read_domain, read_domain_file, read_problem

# In each text the error lies where '@' stands (removed before reading); '<' and '>' around it are text.
MALFORMED_DOMAINS = [
    ("@", "nothing"),
    ("@; only a comment\n", "nothing"),
    ("@(define (domain d)", "never closed"),
    ("(define (domain d)\n  @(:predicates (p)", "never closed"),
    ("(define (domain d))@)", "closes nothing"),
    ("(define (domain d)) ; done\n  @more", "outside"),
    ("(define (domain d))\n@(define (domain e))", "outside"),
    ("@stray (define (domain d))", "outside"),
    ("@(defined (domain d))", "(domain NAME)"),
    ("@(define (problem d))", "(domain NAME)"),
    ("@(define domain d)", "(domain NAME)"),
    ("@(define (domain))", "(domain NAME)"),
    ("(define (domain @(d)))", "domain's name"),
    ("(define @(domain ?d))", "no sound"),
    ("@(define (domain d) :requirements)", "section"),
    ("@(define (domain d) ())", "section"),
    ("(define (domain d) (:predicates (p)) @(:predicates (q)))", "declared twice"),
    ("(define (domain d) (:requirements @(:strips)))", "requirement"),
    ("(define (domain d) @(:types a - b))", "type 'b'"),
    ("(define (domain d) @(:types a - b b - a))", "own supertype"),
    ("(define (domain d) @(:types a - a))", "own supertype"),
    ("(define (domain d) @(:types a - b b - c c - b))", "own supertype"),
    ("(define (domain d) @(:types a object - a))", "'object'"),
    ("(define (domain d) @(:types a a))", "declared twice"),
    ("(define (domain d) @(:types a -))", "followed by a type"),
    ("(define (domain d) @(:types - a))", "before it"),
    ("(define (domain d) (:types a) (:constants c - @(a)))", "either"),
    ("(define (domain d) @(:constants c c))", "declared twice"),
    ("(define (domain d) @(:constants ?c))", "no sound"),
    ('(define (domain d) @(:constants "c"))', "no sound"),
    ("(define (domain d) @(:constants é))", "no sound"),
    ("(define (domain d) @(:predicates p))", "write (p)"),
    ("(define (domain d) (:predicates (p) @(p ?x)))", "declared twice"),
    ("(define (domain d) (:predicates @(p x)))", "begin with '?'"),
    ("(define (domain d) (:predicates @(p ?x - thing)))", "type 'thing'"),
    ("(define (domain d) (:predicates @(not ?x)))", "word of PDDL"),
    ("(define (domain d) (:predicates @(= ?x ?y)))", "no sound"),
    ("(define (domain d) (:predicates @(?x ?y)))", "no sound"),
    ("(define (domain d) (:functions (f) @(f)))", "declared twice"),
    ("(define (domain d) @(:action))", ":action NAME"),
    ("(define (domain d) @(:action (a)))", ":action NAME"),
    ("(define (domain d)\n  (:action a)\n  @(:action a))", "declared twice"),
    ("(define (domain d) @(:action a :parameters))", ":parameters"),
    ("(define (domain d) @(:action a :parameters () :parameters ()))", "declared twice"),
    ("(define (domain d) @(:action a () ()))", "before the keywords"),
    ("(define (domain d) (:action a :parameters @(x)))", "begin with '?'"),
    ("(define (domain d) (:predicates (p)) (:action a :effect @(q)))", "predicate 'q'"),
    ("(define (domain d) (:predicates (p)) (:action a :effect (and (p) @(not))))", "'not' takes 1"),
    ("(define (domain d) (:predicates (p)) (:action a :effect @(and p)))", "parentheses"),
    ("(define (domain d) (:predicates (p ?x)) (:action a :effect @(p)))", "takes 1 arguments, found 0"),
    ("(define (domain d) (:predicates (p ?x)) (:action a :precondition @(p ?y)))", "variable '?y'"),
    ("(define (domain d) (:predicates (p ?x)) (:action a :precondition @(p y)))", "constant 'y'"),
    ("(define (domain d) (:predicates (p ?x)) (:action a :precondition (p @(p))))", "list"),
    (
        "(define (domain d) (:types s t) (:predicates (p ?x - s))"
        " (:action a :parameters (?y - t) :effect\n@(p ?y)))",
        "of type t",
    ),
    (
        "(define (domain d) (:types s t) (:predicates (p ?x - s))"
        " (:action a :parameters (?y - (either s t)) :effect @(p ?y)))",
        "of type (either s t)",
    ),
    ("(define (domain d) (:action a :parameters (?x) :effect @(= ?x ?x)))", "cannot be an effect"),
    ("(define (domain d) (:action a :effect (increase @(total-cost) 1)))", "function 'total-cost'"),
    (
        "(define (domain d) (:functions (total-cost)) (:action a :effect @(increase (total-cost) x)))",
        "integer",
    ),
    (
        "(define (domain d) (:functions (total-cost))"
        f" (:action a :effect @(increase (total-cost) {'9' * 5000})))",
        "digits",
    ),
    ("(define (domain d) (:functions (total-cost)) (:action a :effect @(increase (total-cost))))", "AMOUNT"),
    (
        "(define (domain d) (:functions (total-cost)) (:action a :effect"
        " (and (increase (total-cost) 1) @(increase (total-cost) 2))))",
        "at most one cost",
    ),
]

MALFORMED_PROBLEMS = [
    ("@(define (domain x))", "(problem NAME)"),
    ("@(define (problem x) (:init) (:goal (p)))", "name its domain"),
    ("(define (problem x) @(:domain) (:init) (:goal (p)))", "name its domain"),
    ("(define (problem x) @(:domain other) (:init) (:goal (p)))", "names domain 'other', expected 'd'"),
    ("(define (problem x) (:domain @(((d)))) (:init) (:goal (p)))", "list"),
    ("@(define (problem x) (:domain d) (:goal (p)))", "no initial state"),
    ("@(define (problem x) (:domain d) (:init))", "has no goal"),
    ("(define (problem x) (:domain d) (:init) @(:goal))", "no formula"),
    ("(define (problem x) (:domain d) (:init) @(:goal ()))", "no formula"),
    ("(define (problem x) (:domain d) (:init) @(:goal (p) (p)))", "join them by 'and'"),
    ("(define (problem x) (:domain d) (:init) (:goal @((p) (p))))", "join them by 'and'"),
    ("(define (problem x) (:domain d) @(:objects a a) (:init) (:goal (p)))", "declared twice"),
    ("(define (problem x) (:domain d) @(:objects a - v) (:init) (:goal (p)))", "type 'v'"),
    ("(define (problem x) (:domain d) @(:objects k) (:init) (:goal (p)))", "already a constant"),
    ("(define (problem x) (:domain d) @(:objects ?a) (:init) (:goal (p)))", "no sound"),
    ("(define (problem x) (:domain d) @(:init p) (:goal (p)))", "not a fact"),
    ("(define (problem x) (:domain d) (:init @(p k)) (:goal (p)))", "takes 0"),
    ("(define (problem x) (:domain d) (:init @(and (p))) (:goal (p)))", "without 'and' (remove 'and'"),
    ("(define (problem x) (:domain d) (:init @((p))) (:goal (p)))", "begin with a name (name the predicate"),
    ("(define (problem x) (:domain d) (:init) (:goal @(increase (p) 1)))", "'increase' stands where"),
    ("(define (problem x) (:domain d) (:init @(q nobody)) (:goal (p)))", "object 'nobody'"),
    ("(define (problem x) (:domain d) (:objects a) (:init @(q a)) (:goal (p)))", "of type object"),
    ("(define (problem x) (:domain d) @(:init (p) (not (p))) (:goal (p)))", "both true and false"),
    ("(define (problem x) (:domain d) (:init @(not p)) (:goal (p)))", "one fact"),
    ("(define (problem x) (:domain d) (:init @(not (= k k))) (:goal (p)))", "one fact"),
    ("(define (problem x) (:domain d) (:init @(= k k)) (:goal (p)))", "FUNCTION"),
    ("(define (problem x) (:domain d) (:init (= @(g) 1)) (:goal (p)))", "function 'g'"),
    ("(define (problem x) (:domain d) (:init @(= (f) one)) (:goal (p)))", "integer"),
    ("(define (problem x) (:domain d) (:init @(= (f) ²)) (:goal (p)))", "integer"),
    ("(define (problem x) (:domain d) (:init (= (f) 1)\n @(= (f) 2)) (:goal (p)))", "two values"),
    ("(define (problem x) (:domain d) (:init) (:goal @(r)))", "predicate 'r'"),
    ("(define (problem x) (:domain d) (:init) (:goal @(q ?x)))", "variable '?x'"),
    ("(define (problem x) (:domain d) (:init) (:goal (p)) @(:metric))", ":metric"),
]

OUTSIDE_DOMAINS = [
    ("@(:derived (p) (p))", ":derived"),
    ("@(:durative-action a)", ":durative-action"),
    ("@(:constraints)", ":constraints"),
    ("(:action a :precondition @(or (p)))", "'or'"),
    ("(:action a :precondition @(imply (p) (p)))", "'imply'"),
    ("(:action a :precondition (and (p) @(forall (?x) (p))))", "'forall'"),
    ("(:action a :precondition @(exists (?x) (p)))", "'exists'"),
    ("(:action a :precondition (not @(and (p) (p))))", "not (and"),
    ("(:action a :precondition (not @(or (p) (p))))", "'or'"),
    ("(:action a :precondition @(> (f) 3))", "'>'"),
    ("(:action a :precondition @(= (f) 3))", "numbers"),
    ("(:action a :effect (and (p) @(when (p) (not (p)))))", "'when'"),
    ("(:action a :effect @(assign (f) 3))", "'assign'"),
    ("(:action a :effect @(increase (f) 3))", "increase"),
    ("(:action a :effect (and (increase (total-cost) 1) @(increase (f) 1)))", "increase of anything but"),
    ("(:action a :effect @(increase (total-cost) -1))", "(-1)"),
    ("(:action a :effect @(increase (total-cost) 2.5))", "(2.5)"),
    ("@(:action a :duration (= ?duration 3))", ":duration"),
    ("@(:constants c - (either t u))".replace("@(:constants c - (e", "(:constants c - @(e"), "either"),
]


def split(marked):
    """The text without its mark, and the line and column of the mark."""
    before, mark, after = marked.partition("@")
    assert mark
    return before + after, f"{before.count(chr(10)) + 1}:{len(before) - before.rfind(chr(10))}"


DOMAIN = read_domain(
    "(define (domain d) (:types t u) (:constants k - t) (:predicates (p) (q ?x - t)) (:functions (f)))"
)


@pytest.mark.parametrize(("marked", "word"), MALFORMED_DOMAINS)
def test_malformed_domain(marked, word):
    text, place = split(marked)
    with pytest.raises(PddlError) as caught:
        read_domain(text, "some.pddl")
    assert caught.value.where == f"some.pddl:{place}"
    assert word in str(caught.value)
    assert not isinstance(caught.value, OutsideSubset)
    assert isinstance(caught.value, OrreryError)


@pytest.mark.parametrize(("marked", "word"), MALFORMED_PROBLEMS)
def test_malformed_problem(marked, word):
    text, place = split(marked)
    with pytest.raises(PddlError) as caught:
        read_problem(text, DOMAIN, "some.pddl")
    assert caught.value.where == f"some.pddl:{place}"
    assert word in str(caught.value)
    assert not isinstance(caught.value, OutsideSubset)


@pytest.mark.parametrize(("section", "word"), OUTSIDE_DOMAINS)
def test_outside_the_subset(section, word):
    start = "(define (domain d) (:types t u) (:predicates (p)) (:functions (f) (total-cost))\n"
    if section.startswith("(:constants"):
        start = start.replace(" (:predicates", "\n(:predicates").replace("\n(:functions", " (:functions")
    text, place = split(f"{start}{section})")
    with pytest.raises(OutsideSubset, match="subset") as caught:
        read_domain(text, "some.pddl")
    assert caught.value.where == f"some.pddl:{place}"
    assert word in caught.value.problem


@pytest.mark.parametrize(
    ("section", "word"),
    [
        ("(:goal @(or (p) (p)))", "'or'"),
        ("(:goal @(forall (?x) (p)))", "'forall'"),
        ("(:goal (p)) @(:constraints)", ":constraints"),
        ("(:init @(at 5 (p))) (:goal (p))", "timed initial literal"),
        ("(:goal (p)) @(:metric maximize (total-cost))", "metric"),
        ("(:goal (p)) @(:metric minimize (f))", "metric"),
    ],
)
def test_problem_outside_the_subset(section, word):
    init = "" if "(:init" in section else "(:init)"
    text, place = split(f"(define (problem x) (:domain d) {init}\n {section})")
    with pytest.raises(OutsideSubset) as caught:
        read_problem(text, DOMAIN, "some.pddl")
    assert caught.value.where == f"some.pddl:{place}"
    assert word in caught.value.problem


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(PddlError, match=r"missing\.pddl"):
        read_domain_file(tmp_path / "missing.pddl")
    (tmp_path / "latin.pddl").write_bytes(b"(define (domain caf\xe9))")
    with pytest.raises(PddlError, match=r"latin\.pddl.*UTF-8"):
        read_domain_file(tmp_path / "latin.pddl")
    (tmp_path / "sound.pddl").write_text("(define (domain d))")
    assert read_domain_file(tmp_path / "sound.pddl").name == "d"


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_comments_may_have_another_encoding(tmp_path, line_end):
    lines = ["; caf\xe9 (", "(define (domain d) ; \xfc", " (:predicates (p)))", "; \xff"]
    (tmp_path / "old.pddl").write_bytes(line_end.join(lines).encode("latin-1"))
    assert [predicate.name for predicate in read_domain_file(tmp_path / "old.pddl").predicates] == ["p"]
    lines[2] = " (:predicates (\xe9)))"
    (tmp_path / "old.pddl").write_bytes("\n".join(lines).encode("latin-1"))
    with pytest.raises(PddlError, match=r"old\.pddl:3:16.*UTF-8"):
        read_domain_file(tmp_path / "old.pddl")


@pytest.mark.parametrize(
    ("parts", "fault"),
    [
        ("(:domain d) (:init) (:goal (p))", "incorrect-parentheses"),
        ("(:domain d) (:init) (:goal (p))))", "incorrect-parentheses"),
        ("(:domain d) (:init p) (:goal (p)))", "malformed"),
        ("(:domain d) (:init) (:goal (or (p) (p))))", "outside-subset"),
        ("(:domain d) (:init (= (g) 1)) (:goal (p)))", "outside-subset"),
        ("(:domain d) (:init (r)) (:goal (p)))", "unknown-predicate"),
        ("(:domain d) (:init (and (p))) (:goal (p)))", "malformed"),
        ("(:domain d) (:init) (:goal (p k)))", "wrong-arity"),
        ("(:domain d) (:init) (:goal (q a)))", "unknown-object"),
        ("(:domain d) (:objects a a) (:init) (:goal (p)))", "duplicate-object"),
        ("(:domain d) (:objects k) (:init) (:goal (p)))", "duplicate-object"),
        ("(:domain d) (:objects a - v) (:init) (:goal (p)))", "unknown-type"),
        ("(:domain d) (:objects a) (:init (q a)) (:goal (p)))", "wrong-type"),
        ("(:init) (:goal (p)))", "missing-domain"),
        ("(:domain e) (:init) (:goal (p)))", "wrong-domain"),
        ("(:domain d) (:goal (p)))", "missing-init"),
        ("(:domain d) (:init (p) (not (p))) (:goal (p)))", "contradictory-init"),
        ("(:domain d) (:init))", "missing-goal"),
        ("(:domain d) (:init) (:goal))", "missing-goal"),
        ("(:domain d) (:init) (:goal (p) (p)))", "malformed"),
    ],
)
def test_the_class_of_an_error_and_that_it_travels(parts, fault):
    with pytest.raises(PddlError) as caught:
        read_problem(f"(define (problem x) {parts}", DOMAIN)
    copy = pickle.loads(pickle.dumps(caught.value))
    assert copy.fault == caught.value.fault == SyntaxFault(fault)
    assert (type(copy), str(copy)) == (type(caught.value), str(caught.value))


FERRY = (Path(__file__).resolve().parents[2] / "domains/ferry/domain.pddl").read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("content", "place", "problem"),
    [
        (FERRY.replace("(domain ferry)", "(domain fer\0ry)").encode(), ":2:9", "is no sound domain name"),
        (FERRY.encode() + b"\0", ":26:1", "text outside"),
        (
            FERRY.replace(":strips", ":strips :quantum").encode(),
            r":\d+:3",
            "requirement ':quantum' is not one of PDDL's",
        ),
        (FERRY.encode().replace(b"ferry", b"f\xe9rry", 1), r":\d+:\d+", "invalid continuation byte"),
        (FERRY.encode("utf-16"), ":1:1", "invalid start byte"),
        (FERRY.replace("ferry", "f\u00e4rry", 1).encode(), ":2:9", "is no sound domain name"),
        (b"(" * 50_000_000, "", "longer than 20000000 characters"),
        (b"(" * 19_000_000, ":1:200000", "nested deeper than 200000"),
        (b"()" * 1_000_000, ":1:3", "text outside"),
        (b"(define " + b"(not " * 300_000, ":1:", "nested deeper than 200000"),
        (FERRY.replace("(and", "(" + "and (" * 300_000, 1).encode(), ":14:", "nested deeper than 200000"),
        (
            b"(define (domain d) (:types "
            + b" ".join(b"t%d - t%d" % (n, n + 1) for n in range(3_000))
            + b"))",
            r":1:\d+",
            "more than 2000 types",
        ),
    ],
    ids=lambda value: value[:20] if isinstance(value, str) else "text",
)
def test_odd_files_are_one_error_with_its_place_and_soon(tmp_path, content, place, problem):
    path = tmp_path / "domain.pddl"
    path.write_bytes(content)
    started = time.process_time()
    with pytest.raises(PddlError, match=problem) as caught:
        read_domain_file(path)
    assert re.match(re.escape(str(path)) + place, caught.value.where)
    assert len(str(caught.value)) < 500
    assert time.process_time() - started < 10


@pytest.mark.parametrize(
    "text",
    ["\ufeff" + FERRY, FERRY.replace("\n", "\r"), FERRY.replace("\n", "\r\n"), FERRY.replace(" ", "\t")],
)
def test_marks_and_line_ends_of_other_systems_are_read(tmp_path, text):
    path = tmp_path / "domain.pddl"
    path.write_bytes(text.encode())
    assert read_domain_file(path) == read_domain(FERRY)


@pytest.mark.parametrize(
    ("name", "mend"),
    [
        ("(wating c)", "did you mean 'waiting'? else add it to (:predicates ...)"),
        ("(quite-another c)", "add it to (:predicates ...)"),
        ("(waiting chld)", "did you mean 'child'? else declare it, or write the name of another"),
    ],
)
def test_a_misspelt_name_is_told_the_one_that_is_like_it(name, mend):
    domain = read_domain("(define (domain d) (:predicates (waiting ?x) (served ?x)))")
    with pytest.raises(PddlError) as error:
        read_problem(
            f"(define (problem p) (:domain d) (:objects c child) (:init {name}) (:goal (served c)))", domain
        )
    assert error.value.mend == mend


@pytest.mark.parametrize(
    ("right", "written"),
    [
        (":predicates", ":predicats"),
        (":action", ":axtion"),
        (":precondition", ":precondtion"),
        (":init", ":inti"),
        (":goal", ":gaol"),
    ],
)
def test_a_misspelt_keyword_is_called_so_and_not_outside_the_subset(right, written):
    domain = "(define (domain d) (:predicates (p)) (:action a :precondition (p) :effect (not (p))))"
    problem = "(define (problem x) (:domain d) (:init (p)) (:goal (p)))"
    read_problem(problem, read_domain(domain))
    with pytest.raises(PddlError) as error:
        read_problem(problem.replace(right, written), read_domain(domain.replace(right, written)))
    assert not isinstance(error.value, OutsideSubset)
    assert f"did you mean '{right}'?" in str(error.value)
