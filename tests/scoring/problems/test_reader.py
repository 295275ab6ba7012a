"""The tolerant reader: ugly outputs with the wanted result each, and what must hold of any output."""

import json
from itertools import chain
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from orrery.model import OBJECT
from orrery.pddl.faults import SyntaxFault
from orrery.pddl.read import read_domain, read_domain_file, read_problem
from orrery.pddl.write import write_problem
from orrery.scoring.problems.extract import LONGEST_OUTPUT, ReplyErrorClass, Tolerance
from orrery.scoring.problems.reader import LONGEST_DETAIL, Reading, read_both
from tests.effort import examples, grows_linearly
from tests.pddl.nonsense import NAMES, nonsense
from tests.pddl.random_pddl import tasks
from tests.scoring.problems.rows import read_output

HERE = Path(__file__).resolve().parent
DOMAINS = HERE.parents[2] / "domains"
GOLDEN = [json.loads(line) for line in (HERE / "golden_outputs.jsonl").read_text().splitlines()]


def domain_named(name):
    return read_domain_file(DOMAINS / name / "domain.pddl")


BLOCKS = domain_named("blocksworld")


def reference(domain):
    """The problem that the outputs of a domain are variations of."""
    text = next(row["output"] for row in GOLDEN if row["domain"] == domain.name and "as asked" in row["name"])
    return read_problem(text, domain)


def same(reading, problem):
    """Whether a reading is a problem up to its name, the order of objects and `- object`."""
    ours, theirs = reading.problem, problem
    return (ours.init, ours.goal) == (theirs.init, theirs.goal) and set(ours.objects) == set(theirs.objects)


@pytest.mark.parametrize("row", GOLDEN, ids=lambda row: row["name"])
def test_ugly_outputs(row):
    domain = domain_named(row["domain"])
    reading = read_both(row["output"], domain)
    assert reading.plain.error == row["error"]
    if row["error"] is None:
        assert reading.plain.tolerated == tuple(row["tolerated"])
        assert same(reading.plain, reference(domain)) is row["same"]
        assert reading.relaxed == reading.plain
    elif "relaxed_error" in row:
        assert reading.relaxed.error == row["relaxed_error"]
        assert (Tolerance.ADDED_TYPES in reading.relaxed.tolerated) == (reading.relaxed != reading.plain)
        if row["relaxed_error"] is None:
            assert same(reading.relaxed, reference(domain)) is row["relaxed_same"]
    else:
        assert reading.relaxed == reading.plain


def test_the_golden_outputs_show_every_class_and_tolerance():
    shown = {row["error"] for row in GOLDEN} | set(chain.from_iterable(row["tolerated"] for row in GOLDEN))
    wanted = {*ReplyErrorClass, *SyntaxFault, *Tolerance} - {ReplyErrorClass.TOO_LONG, Tolerance.ADDED_TYPES}
    assert shown - {None} == wanted
    assert len({row["name"] for row in GOLDEN}) == len(GOLDEN) > 40


def test_no_class_is_named_twice():
    assert not {*ReplyErrorClass} & {*SyntaxFault}


def holds(reading_of_both):
    """What must hold of any reading."""
    for reading in (reading_of_both.plain, reading_of_both.relaxed):
        assert isinstance(reading, Reading)
        assert (reading.problem is None) != (reading.error is None)
        assert len(reading.detail) <= LONGEST_DETAIL
        assert list(reading.tolerated) == sorted(set(reading.tolerated))


@examples(200)
@given(st.text(alphabet=st.characters(exclude_categories=())))
@example("\ud800 (define (problem x)")
@example("(define (problem \u0130)")
def test_any_text(text):
    holds(read_both(text, BLOCKS))


AS_ASKED = GOLDEN[0]["output"]
PIECES = (
    "( ) (define (problem x) (define(domain d) ``` </think> <think> ; \n \\n \\( &#40; &nbsp; &amp; <br>"
    " - object (and (not (or (:init (:goal (:objects (:types b1 b2 - block (block b1) (clear b1) (clear"
    " (on b1 b1) (either \0 \u200b \uff08 = (= (f) 1) define problem ~~~ ' \" , ."
)


@examples(500)
@given(
    st.lists(
        st.tuples(
            st.floats(0, 1), st.sampled_from(PIECES.split(" ")) | st.text(max_size=3), st.integers(0, 12)
        ),
        max_size=6,
    )
)
def test_any_change_of_a_sound_output(changes):
    text = AS_ASKED
    for share, inserted, removed in changes:
        at = int(share * len(text))
        text = text[:at] + inserted + text[at + removed :]
    holds(read_both(text, BLOCKS))


PROSE = st.text(alphabet="abc DEFine()[]:;.,!\n`'\"*#-é", max_size=40).filter(
    lambda text: "```" not in text and "define" not in text.lower()
)


@examples(100)
@given(tasks(), PROSE, PROSE, st.booleans())
def test_a_problem_is_found_in_prose(task, before, after, fenced):
    domain, problem = task
    text = write_problem(problem)
    inside = f"\n```pddl\n{text}\n```\n" if fenced else f"\n{text}\n"
    # What follows must not look like a section that was cut off by a parenthesis too many.
    after = "" if after.strip().startswith("(:") else after
    assert read_output(before + inside + after, domain).problem == problem


@examples(60)
@given(tasks(), st.sampled_from(["{0} ", "{0:4}| ", "{0}. ", "{0}\t"]), st.integers(0, 200), st.data())
def test_marks_at_lines_change_nothing(task, numbering, start, data):
    """Numbers, comments of other languages at line ends, and a template behind."""
    domain, problem = task
    lines = [
        line + data.draw(st.sampled_from(["", "", " // (a b", " # :goal (c))"]))
        for line in write_problem(problem).rstrip().split("\n")
    ]
    text = "\n".join(numbering.format(number) + line for number, line in enumerate(lines, start))
    form = "\n(define (problem x) (:domain d) (:objects ...) (:init ...) (:goal ...))"
    for reply in (text, f"Here:\n```\n{text}\n```\nThat is it. # (done)", text + form):
        assert read_output(reply, domain).problem == problem


@examples(60)
@given(tasks(), st.data())
def test_bullets_and_fences_change_nothing(task, data):
    domain, problem = task
    head, *lines = write_problem(problem).rstrip().split("\n")
    bullet = data.draw(st.sampled_from(["- ", "* ", "  • ", "3. "]))
    marked = [bullet + line.strip() if line.strip().startswith("(") else line for line in lines]
    at = data.draw(st.integers(0, len(lines)))
    assert read_output("\n".join([head, *marked]), domain).problem == problem
    fenced = [head, *lines[:at], "```", *lines[at:]]
    if lines[at : at + 1] and not lines[at].strip().startswith(("(:", ")")):
        return  # within a section, where sections alone do not show that it is one problem
    assert read_output("\n".join(fenced), domain).problem == problem


@examples(100)
@given(tasks(), st.data())
def test_nothing_in_a_goal_is_ever_dropped(task, data):
    domain, problem = task
    literals = [literal for literal in sorted(problem.goal) if literal.atom[0] != "="]
    if not literals:
        return
    text = write_problem(problem)
    head, goal = text.split("(:goal")
    predicate, *arguments = data.draw(st.sampled_from(literals)).atom
    atom = f"({' '.join([predicate, *arguments])})"
    for changed, error in (
        (f"({' '.join(['nowhere', *arguments])})", {SyntaxFault.UNKNOWN_PREDICATE}),
        (f"({' '.join([predicate, *arguments, 'o0'])})", {SyntaxFault.WRONG_ARITY}),
        (f"({' '.join([predicate, *arguments[:-1], 'nobody'])})", {SyntaxFault.UNKNOWN_OBJECT}),
    ):
        if error == {SyntaxFault.UNKNOWN_OBJECT} and not arguments:
            continue
        reading = read_output(f"{head}(:goal{goal.replace(atom, changed, 1)}", domain)
        assert reading.error in error


def test_types_add_the_atoms_of_their_names_and_nothing_else():
    domain = read_domain("(define (domain d) (:predicates (room ?x) (at ?x ?y) (big ?x)))")
    text = "(define (problem x) (:domain d) (:objects {}) (:init {}) (:goal (at a a)))"
    reading = read_output(text.format("a b - room c - cat", "(big a) (cat c)"), domain, ignore_types=True)
    assert reading.problem.init == {("big", "a"), ("room", "a"), ("room", "b")}
    assert all(typed.types == (OBJECT,) for typed in reading.problem.objects)
    plain = read_output(text.format("a b c", "(big a) (room a) (room b)"), domain)
    assert plain.problem.init == reading.problem.init
    # No atom of a type is dropped that nothing has, or that names no object.
    for objects, init in (("a", "(cat a)"), ("a - cat", "(dog a)"), ("a - cat", "(cat nobody)")):
        error = read_output(text.format(objects, init), domain, ignore_types=True).error
        assert error == SyntaxFault.UNKNOWN_PREDICATE


@pytest.mark.slow
@pytest.mark.parametrize("number", range(len(NAMES)), ids=NAMES)
def test_a_megabyte_of_nonsense_has_a_class_in_time_linear_in_its_length(number):
    shorter, longer = (nonsense(size)[number][:LONGEST_OUTPUT] for size in (250_000, 1_000_000))
    reading_of_both = read_both(longer, BLOCKS)
    assert grows_linearly(lambda text: read_both(text, BLOCKS), shorter, longer)
    holds(reading_of_both)
    assert reading_of_both.plain.error or reading_of_both.plain.problem.goal == frozenset()


def test_more_than_a_megabyte_has_a_class():
    holds(read_both("(" * (LONGEST_OUTPUT + 1), BLOCKS))


def test_what_is_too_long_is_not_looked_at():
    assert read_output("x" * (LONGEST_OUTPUT + 1), BLOCKS).error == ReplyErrorClass.TOO_LONG
    assert read_output(AS_ASKED + " " * 1000, BLOCKS).problem
