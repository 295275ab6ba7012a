"""Problems of a domain from anywhere are tried, as long as it makes sense."""

import pytest

from orrery.corpus import deciding
from orrery.corpus.deciding import NOT_TRIED, decide
from orrery.planning.outcome import PlannerOutcome, PlannerResult
from tests.every_domain import ROOT

DOMAIN = (ROOT / "domains" / "blocksworld" / "domain.pddl").read_text()
SHORT, LONG, LONGER = "(short)", "(long one)", "(long one, too)"
SOLVABLE = PlannerResult(PlannerOutcome.UNSOLVABLE_PROVEN)


class Stand:
    """A world in which problems have the answers given."""

    def __init__(self, answers):
        self.answers, self.asked = answers, []

    def solve(self, problem, limits):
        self.asked.append(problem)
        return self.answers[problem]


@pytest.mark.parametrize(("grounded", "calls"), [(True, [LONG, LONGER, SHORT]), (False, [LONG, SHORT])])
def test_what_is_as_long_as_one_too_large_to_ground_is_not_tried(monkeypatch, grounded, calls):
    late = PlannerResult(PlannerOutcome.OUT_OF_TIME, detail="stopped", grounded=grounded)
    world = Stand({LONG: late, LONGER: late, SHORT: SOLVABLE})
    monkeypatch.setattr(deciding, "executable_domain", lambda text: world)
    verdicts = decide(DOMAIN, [("a", LONG), ("b", LONGER), ("c", SHORT)])
    assert world.asked == calls
    assert [row["name"] for row in verdicts.rows] == ["c"]
    assert verdicts.open == {
        "a": "out-of-time: stopped",
        "b": "out-of-time: stopped" if grounded else NOT_TRIED,
    }
