"""Random walks in a task that is taken to be too large: how many there are."""

import pytest

from orrery.model import Action, Domain, Literal, Predicate, Problem
from orrery.planning import reachability
from orrery.planning.decide import decide
from orrery.planning.grounding import ground

WITHOUT_PLANNER = {"max_states": 1, "calls": 0}


def task_with_an_unreachable_fact_that_pairs_allow():
    """One of two facts holds always, which a precondition excludes only by what is false."""

    def action(name, needed, forbidden, added, deleted):
        literals = frozenset({*map(Literal, needed), *(Literal(fact, positive=False) for fact in forbidden)})
        return Action(name, (), literals, frozenset(added), frozenset(deleted))

    p, q, r = ("p",), ("q",), ("r",)
    actions = (
        action("off", [p], [], [q], [p]),
        action("on", [q], [], [p], [q]),
        action("never", [], [p, q], [r], []),
    )
    domain = Domain("d", (), (), (), tuple(Predicate(name) for (name,) in (p, q, r)), actions)
    return ground(domain, Problem("x", "d", (), frozenset({p}), frozenset({Literal(q)})))


@pytest.mark.slow
def test_a_task_with_many_actions_has_fewer_walks(monkeypatch):
    task = task_with_an_unreachable_fact_that_pairs_allow()
    tested, preferred = [], reachability.preferred

    def counted(actions, *rest):
        tested.append(len(task.actions))
        return preferred(actions, *rest)

    monkeypatch.setattr(reachability, "preferred", counted)
    walk = len(task.actions) * (reachability.LONGEST_WALK + 1)
    for most, walks in ((0, 1), (3 * walk, 3), (10**12, reachability.WALKS)):
        tested.clear()
        monkeypatch.setattr(reachability, "MOST_TESTED", most)
        assert "fact: r" in decide(task, **WITHOUT_PLANNER).undecided
        assert sum(tested) == walks * walk
