"""What a user would name in a reply that cannot be read: every fault, and nothing of the gold."""

from orrery.scoring.scorers.domains import faults_of
from tests.scoring.domains.lamps import LAMPS

BROKEN = LAMPS.replace("(hangs-in ?l hall)", "(hung ?l hall)").replace("(not (lit ?k))", "(not (lit ?m))")


def test_a_sound_domain_has_no_faults():
    assert faults_of(LAMPS) == []
    assert faults_of(f"Here:\n```pddl\n{LAMPS}```") == []


def test_every_fault_is_reported_with_class_place_and_mend():
    first, second = faults_of(BROKEN)
    assert first.startswith("UndefinedConstant: reply:18:19: predicate 'hung' is not declared (add")
    assert "UndefinedVariable" in second
    assert "?m" in second


def test_the_gold_is_not_given_away():
    assert faults_of(LAMPS.replace("(hangs-in ?l hall)", "(dark)")) == []


def test_all_of_many_faults_are_reported():
    faults = " ".join(f"(p{number})" for number in range(15))
    listed = faults_of(f"(define (domain d) (:action a :effect (and {faults})))")
    assert [number for number in range(15) if any(f"'p{number}'" in fault for fault in listed)] == [
        *range(15)
    ]


def test_actions_are_judged_under_their_header():
    header = LAMPS[: LAMPS.index("  (:action")] + ")"
    actions = BROKEN[BROKEN.index("(:action") :].rstrip()[:-1]
    assert any("hung" in fault for fault in faults_of(actions, header))
    assert faults_of(LAMPS[LAMPS.index("(:action") :].rstrip()[:-1], header) == []
