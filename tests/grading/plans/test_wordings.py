"""ReplyWordings in which an argument is named twice."""

from __future__ import annotations

import json

import pytest

from orrery.grading import grade
from tests.grading.plans.rows import phrases, problem, row

SWAP = problem(
    "swap",
    "anna ben - agent cook judge - role",
    "(assigned anna cook) (assigned ben judge)",
    "(assigned anna judge)",
)
TWICE = "give role {2} of agent {0} to agent {1}, and role {3} of agent {1} to agent {0}"
BACK = "give role cook of agent anna to agent ben, and role judge of agent ben to agent anna"


@pytest.fixture(scope="module")
def row_asked():
    return row("generation", "swap", SWAP, plan=["(swap anna ben cook judge)"])


def test_the_domain_says_a_name_twice(row_asked):
    assert TWICE in json.loads(phrases("swap"))["actions"]["swap"]


@pytest.mark.parametrize("reply", [BACK, f"- {BACK}", f"[PLAN]\n1. {BACK}\n[PLAN END]", BACK.upper()])
def test_a_name_may_be_said_twice(row_asked, reply):
    assert grade(reply, row_asked).verdict == "right"


def test_it_is_to_be_the_same_name(row_asked):
    changed = BACK.replace("of agent ben", "of agent anna")
    assert grade(f"[PLAN]\n{changed}\n[PLAN END]", row_asked).verdict != "right"
