"""The picture of a question shows the state, and what is claimed of it as a claim."""

import pytest

from orrery.model import Problem, TypedName, literals
from orrery.pictures.questions import question
from tests.every_domain import entry
from tests.pictures.reading import Picture

BLOCKS = tuple(TypedName(name) for name in ("a", "b", "c"))
INIT = frozenset(
    {("on-table", "a"), ("on", "b", "a"), ("on-table", "c"), ("clear", "b"), ("clear", "c"), ("arm-empty",)}
)
PROBLEM = Problem("p", "blocksworld", BLOCKS, INIT, literals([("on", "c", "b")]))
CLAIMS = {
    "land": ({"fact": "(holding b)"}, {("holding", "b")}, "every plan makes this true", {"b"}),
    "reach": ({"kind": "reach", "facts": ["(on a b)", "(clear c)"]}, {("on", "a", "b"), ("clear", "c")},
              "this can come true at one time", {"a", "b", "c"}),
    "prog": ({"kind": "prog", "action": "(pickup c)", "facts": ["(holding c)"]}, {("holding", "c")},
             "this holds after (pickup c)", {"c"}),
    "app": ({"kind": "app", "action": "(pickup a)"}, set(), "is applicable", {"a"}),
    "areach": ({"kind": "areach", "actions": ["(pickup a)"]}, set(), "can become applicable", {"a"}),
    "just": ({"at": [0, 2], "plan": ["(pickup c)", "(putdown c)", "(pickup c)", "(stack c b)"],
              "remove": ["(pickup c)"]}, set(), "still a plan without one of what is in brackets", set()),
    "val": ({"sequence": ["(pickup c)", "(stack c b)"], "says": "plan"}, set(),
            "the sequence is a plan that reaches the goal", set()),
}  # fmt: skip


def picture(claims, claims_asked=()):
    place = entry("blocksworld")
    return Picture(question(place.domain, PROBLEM, place.description.picture, claims, claims_asked))


def marked(drawing, panel="state"):
    nodes = [node for node in drawing.root.iter() if node.get("data-panel") == panel]
    return {node.text for node in nodes[0].iter() if "asked" in (node.get("class") or "").split()}


@pytest.mark.parametrize("kind", CLAIMS)
def test_a_claim_stands_beside_the_state_and_its_objects_are_marked(kind):
    claim, facts, says, objects = CLAIMS[kind]
    drawing = picture({"claim": claim})
    panel = f"claim: {says}"
    assert drawing.panels == ["state", "goal", panel]
    assert drawing.facts["state"] == INIT
    assert drawing.facts.get(panel, set()) == facts
    assert marked(drawing) == objects
    assert drawing.width <= 1240
    assert drawing.outside() == []


def test_a_plan_that_is_to_lose_a_step_has_it_in_brackets():
    drawing = picture({"claim": CLAIMS["just"][0]})
    steps = [text for text in drawing.texts if text[0].isdigit()]
    assert steps == ["1. [(pickup c)]", "2. (putdown c)", "3. [(pickup c)]", "4. (stack c b)"]


def test_options_are_panels_with_their_labels_and_nothing_is_marked():
    claims = {
        label: {"kind": "reach", "facts": [fact]}
        for label, fact in zip("AB", ("(on a b)", "(on b c)"), strict=True)
    }
    drawing = picture(claims)
    assert drawing.panels == ["state", "goal", *(f"{label}: this can come true" for label in "AB")]
    assert drawing.facts["A: this can come true"] == {("on", "a", "b")}
    assert marked(drawing) == set()


def test_an_open_question_is_shown_with_its_words():
    drawing = picture({}, ["What changes by (unstack b a)?"])
    assert "What changes by (unstack b a)?" in " ".join(drawing.texts)
    assert marked(drawing) == {"b", "a"}
