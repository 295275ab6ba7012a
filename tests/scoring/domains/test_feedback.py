"""Error correction: what a user would answer, and a scripted model that learns from it."""

from orrery.pddl.faults import DomainErrorClass
from orrery.planners.external_parsers import ParserVerdict
from orrery.scoring.domains.feedback import MOST, correct, feedback
from tests.scoring.domains.lamps import LAMPS

BROKEN = LAMPS.replace("(hangs-in ?l hall)", "(hung ?l hall)").replace("(not (lit ?k))", "(not (lit ?m))")


class Scripted:
    """A model that gives its replies in turn and remembers what it was sent."""

    def __init__(self, *replies):
        self.replies, self.heard = list(replies), []

    def __call__(self, messages):
        self.heard.append([dict(message) for message in messages])
        return self.replies.pop(0)


def test_a_sound_domain_needs_no_answer():
    assert feedback(LAMPS) == ""
    assert feedback(f"Here:\n```pddl\n{LAMPS}```") == ""


def test_every_fault_is_reported_with_class_place_and_mend():
    lines = feedback(BROKEN).splitlines()
    assert len(lines) == 4
    assert lines[1].startswith("1. UndefinedConstant: reply:18:19: predicate 'hung' is not declared (add")
    assert "UndefinedVariable" in lines[2]
    assert "?m" in lines[2]


def test_the_gold_is_not_given_away():
    assert feedback(LAMPS.replace("(hangs-in ?l hall)", "(dark)")) == ""


def test_many_faults_are_counted():
    faults = " ".join(f"(p{number})" for number in range(MOST + 5))
    lines = feedback(f"(define (domain d) (:action a :effect (and {faults})))").splitlines()
    assert f"(and {5} more)" in lines


def test_actions_are_judged_under_their_header():
    header = LAMPS[: LAMPS.index("  (:action")] + ")"
    actions = BROKEN[BROKEN.index("(:action") :].rstrip()[:-1]
    assert "hung" in feedback(actions, header)
    assert "all actions" in feedback(actions, header)
    assert feedback(LAMPS[LAMPS.index("(:action") :].rstrip()[:-1], header) == ""


def test_refusals_of_parsers_are_reported_where_we_find_no_fault():
    refused = ParserVerdict("pddl", False, "no such word", DomainErrorClass.UNSUPPORTED_FEATURE)
    said = feedback(LAMPS, verdicts={"pddl": refused, "tarski": ParserVerdict("tarski", None, "?")})
    assert "1. UnsupportedFeature: pddl says: no such word" in said
    assert "tarski" not in said


def test_the_loop_ends_when_there_is_nothing_to_correct():
    model = Scripted("no idea", BROKEN, LAMPS, "never asked")
    replies, conversation = correct(model, "Write a domain.", 5)
    assert replies == ["no idea", BROKEN, LAMPS]
    assert [message["role"] for message in conversation] == ["user", "assistant"] * 3
    assert conversation[2]["content"] == feedback("no idea")
    assert model.heard[2] == conversation[:5]


def test_k_is_the_number_of_corrections():
    for k, asked in ((0, 1), (3, 4)):
        model = Scripted(*[BROKEN] * 9)
        replies, _ = correct(model, "Write a domain.", k)
        assert len(replies) == len(model.heard) == asked


def test_any_judge_will_do():
    replies, _ = correct(Scripted("a", "b", "c"), "?", 3, judge=lambda reply: "" if reply == "b" else "again")
    assert replies == ["a", "b"]
