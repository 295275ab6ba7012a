"""Marks around PDDL in a reply are removed, and PDDL without marks stays as it is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from orrery.pddl.read import read_domain
from orrery.pddl.reply_text import unwrapped
from orrery.pddl.tolerant import read_actions, read_adl

DOMAINS = sorted((Path(__file__).parents[2] / "domains").glob("*/domain.pddl"))
MARKS = {
    "a string of JSON": lambda text: json.dumps(text),
    "an object of JSON": lambda text: json.dumps({"path": "domain.pddl", "content": text}),
    "quoted": lambda text: "\n".join(f"> {line}" for line in text.splitlines()),
    "quoted in a fence": lambda text: "```\n" + MARKS["quoted"](text) + "\n```\nDone > all.",
    "numbered": lambda text: "\n".join(f"{n:3} | {line}" for n, line in enumerate(text.splitlines(), 1)),
    "numbered with dots": lambda text: "\n".join(
        f"{n}. {line}" for n, line in enumerate(text.splitlines(), 1)
    ),
    "added in a diff": lambda text: "\n".join(f"+{line}" for line in text.splitlines()),
    "changed in a diff": lambda text: "\n".join(
        ["--- a/domain.pddl", "+++ b/domain.pddl", *(f"+{line}" for line in text.splitlines()), "-(old)"]
    ),
    "with comments of C": lambda text: "\n".join(f"{line} // (see" for line in _lines(text)),
    "with comments of a shell": lambda text: "\n# (see\n".join(_lines(text)),
    "thought before": lambda text: f"<think>(define (domain draft))</think>\n{text}",
    "thought in other marks": lambda text: f"[THINK](:action draft)[/THINK]\n{text}",
}


def _lines(text):
    return text[text.index("(define") :].rstrip().split("\n")


@pytest.mark.parametrize("mark", MARKS)
@pytest.mark.parametrize("path", DOMAINS[:4], ids=lambda path: path.parent.name)
def test_a_domain_is_the_same_within_marks(path, mark):
    text = path.read_text(encoding="utf-8")
    marked = MARKS[mark](text)
    plain, found = read_adl(text), read_adl(marked)
    assert (found.name, found.predicates, found.actions) == (plain.name, plain.predicates, plain.actions)
    assert found.faults == ()
    assert read_actions(marked, text).actions == plain.actions


@pytest.mark.parametrize(
    "text",
    [
        "(define (domain d))\n# Wait, (p) is wrong.\nSee http://a.b (c) // d",
        "(define (domain d) ; see http://a.b (c)\n (:predicates (p)))",
        "(define (domain d)\n (:process p :effect (increase (f) (* #t 1))))",
    ],
)
def test_what_is_no_comment_of_another_language_stays(text):
    assert unwrapped(text) == text


def test_a_comment_may_contain_an_escape():
    text = "(define (domain d) ; lines end in \\n here\n (:predicates (p)))"
    assert unwrapped(text) == text


@pytest.mark.parametrize("path", DOMAINS, ids=lambda path: path.parent.name)
def test_pddl_without_marks_is_unchanged(path):
    text = path.read_text(encoding="utf-8")
    assert unwrapped(text) == text
    assert read_domain(text).actions


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        ("1. (define (domain d)\n2 3 4 - num", "(define (domain d)\n3 4 - num"),
        ("> (define (domain d)\n> (p))\nIt is > 3.", "(define (domain d)\n(p))\nIt is > 3."),
        ("-(define (domain o)\n+(define (domain d)\n  (p))", "(define (domain d)\n (p))"),
        ('{"a": "(define (domain d)\\n (p))"}\n; \\n', '{"a": "(define (domain d)\n (p))"}\n; \\n'),
        ('"(define (domain d) \\ud83d\\ude00\\n"', '"(define (domain d) \U0001f600\n"'),
        ("(define (domain d)\n; iff \\neg (q)\n (p))", "(define (domain d)\n; iff \\neg (q)\n (p))"),
        (
            "```\n> (define (a)\n```\nor\n```\n> (define (b)\n```",
            "```\n(define (a)\n```\nor\n```\n(define (b)\n```",
        ),
    ],
)
def test_marks_are_removed_where_a_definition_has_them(text, bare):
    assert unwrapped(text) == bare
