import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orrery.model import (
    ConfigurationPair,
    Domain,
    OrreryError,
    ParameterError,
    ServiceError,
    ToolMissing,
    TypedName,
    UsageError,
)
from orrery.pddl.faults import OutsideSubset


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        (OrreryError, 3),
        (UsageError, 2),
        (ParameterError, 2),
        (ToolMissing, 4),
        (ServiceError, 6),
        (OutsideSubset, 3),
    ],
)
def test_errors_say_where_what_and_mend_and_survive_pickling(kind, code):
    error = pickle.loads(pickle.dumps(kind("a.pddl:3:4", "'(' is never closed", "add ')'")))
    assert type(error) is kind
    assert (error.where, error.problem, error.mend) == ("a.pddl:3:4", "'(' is never closed", "add ')'")
    assert str(error) == "a.pddl:3:4: '(' is never closed (add ')')"
    assert error.code == code
    assert str(kind("here", "bad")) == "here: bad"


def domain_with(*types):
    return Domain("d", (), tuple(TypedName(name, (parent,)) for name, parent in types), (), (), ())


@given(st.permutations([("b", "a"), ("c", "b"), ("d", "a"), ("a", "object")]))
def test_ancestors_do_not_depend_on_the_order_of_declarations(types):
    assert domain_with(*types).ancestors == {
        "object": {"object"},
        "a": {"object", "a"},
        "b": {"object", "a", "b"},
        "c": {"object", "a", "b", "c"},
        "d": {"object", "a", "d"},
    }


def test_ancestors_end_even_in_a_cycle():
    assert domain_with(("a", "b"), ("b", "a")).ancestors["a"] == {"object", "a", "b"}


def test_what_fits():
    domain = domain_with(("b", "a"), ("a", "object"), ("d", "object"))
    assert domain.fits(("b",), ("a",))
    assert domain.fits(("b",), ("d", "a"))
    assert domain.fits(("b",), ("object",))
    assert not domain.fits(("a",), ("b", "d"))
    assert not domain.fits(("object",), ("a",))


def test_static_predicates_are_those_no_action_changes():
    from orrery.pddl.read import read_domain

    domain = read_domain(
        "(define (domain d) (:predicates (p) (q) (r) (s))"
        " (:action a :precondition (and (p) (not (q))) :effect (and (r) (not (s)))))"
    )
    assert domain.fluents == {"r", "s"}


def test_pairings():
    task = ConfigurationPair("staircase", "stack")
    assert task.name == "staircase-to-stack"
    assert task.interchangeable
    assert not ConfigurationPair("swap", "swap", tied=True).interchangeable
    assert not ConfigurationPair("stack", "stack", strict=True).interchangeable
