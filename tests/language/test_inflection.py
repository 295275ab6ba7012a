"""Clauses with lists of names: nouns and verbs in the plural, or no list at all."""

import pytest

from orrery.language.inflection import listed, nouns_of, plural_verb, subject_of

NOUNS = {"car", "location", "key", "room", "ball", "waypoint"}


@pytest.mark.parametrize(
    ("clause", "position", "expected"),
    [
        ("car qx0zq is at location qx1zq", 0, "cars a, b and c are at location {1}"),
        ("car qx0zq carries ball qx1zq", 0, "cars a, b and c carry ball {1}"),
        ("car qx0zq does not carry ball qx1zq", 0, "cars a, b and c do not carry ball {1}"),
        ("location qx1zq is where car qx0zq stands", 0, "location {1} is where cars a, b and c stand"),
        ("the ferry is carrying car qx0zq", 0, "the ferry is carrying cars a, b and c"),
        ("qx0zq holds qx1zq", 1, "{0} holds a, b and c"),
        ("room qx0zq is a kitchen", 0, "rooms a, b and c are kitchens"),
        ("waypoint qx0zq has a soil sample", 0, "waypoints a, b and c each have a soil sample"),
        ("the data of waypoint qx0zq have been sent", 0, "the data of waypoints a, b and c have been sent"),
        ("room qx1zq has ball qx0zq in it", 0, "room {1} has balls a, b and c in it"),
        ("nothing is on car qx0zq", 0, "nothing is on cars a, b and c"),
    ],
)
def test_clause_for_a_list(clause, position, expected):
    listing = listed(clause, position, NOUNS)
    assert listing.clause.format("{0}", "{1}", np=f"{listing.nouns}a, b and c") == expected


@pytest.mark.parametrize(
    ("clause", "position"),
    [
        ("car qx0zq is the car of room qx1zq", 0),
        ("car qx0zq is on its own", 0),
        ("car qx0zq stands by itself", 0),
        ("the lock of room qx0zq is closed", 0),
        ("there is a key in room qx0zq", 0),
        ("a way leads from room qx0zq to room qx1zq", 1),
        ("room qx0zq and room qx1zq are different", 0),
        ("room qx0zq and room qx1zq are different", 1),
        ("qx0zq's key is lost", 0),
        ("it is car qx0zq that drives", 0),
        ("car qx0zq is clear and carries ball qx1zq", 0),
        ("car qx0zq beeps, and car qx0zq stops", 0),
        ("what is at hand is car qx0zq", 0),
    ],
)
def test_no_list_where_agreement_is_not_known(clause, position):
    assert listed(clause, position, NOUNS) is None


def test_verbs_of_several_subjects():
    verbs = ["is", "has", "does", "lies", "carries", "stands", "pushes", "can", "goes", "uses"]
    assert [plural_verb(verb) for verb in verbs] == [
        "are", "have", "do", "lie", "carry", "stand", "push", "can", "go", "use",
    ]  # fmt: skip


def test_subjects_end_before_their_verbs():
    assert subject_of("car qx0zq is at location qx1zq")[:5] == (0, "car", "is", "are", "at location qx1zq")
    assert subject_of("the robot arm holds nothing")[:3] == (-1, "the robot arm", "holds")
    assert subject_of("there is a key in room qx0zq") is None
    assert subject_of("at location qx0zq lies the ferry") is None


def test_nouns_are_what_stands_before_a_name_and_a_verb():
    clauses = [
        "car qx0zq is at location qx1zq",
        "location qx1zq holds car qx0zq",
        "qx0zq lies on shelf qx1zq",
    ]
    assert nouns_of(clauses) == {"car", "location"}
