"""What random walks show of a task that is taken to be too large, without a planner."""

import pytest

from orrery.model import Action, Domain, Literal, Predicate, Problem
from orrery.planning import reachability
from orrery.planning.decide import decide
from orrery.planning.grounding import ground
from tests.every_domain import CATALOG, easy_problems, entry

WITHOUT_PLANNER = {"max_states": 1, "calls": 0}


TOO_LARGE = ("floor-tile",)  # no problem is small enough to know the truth


def tasks(name, count):
    return [ground(entry(name).domain, problem) for problem in easy_problems(name, count)]


@pytest.mark.parametrize("name", CATALOG.names)
def test_what_is_reached_without_a_planner_can_be_and_the_rest_is_open_or_proven(name):
    compared = 0
    for task in tasks(name, 2):
        truth, decided_without = decide(task, max_states=100_000, calls=0), decide(task, **WITHOUT_PLANNER)
        if truth.num_states is None:
            continue
        compared += 1
        assert decided_without.reachable_actions <= truth.reachable_actions
        assert decided_without.unreachable_facts.keys() <= truth.unreachable_facts.keys()
        still_open = {
            message.partition(": ")[2]
            for message in decided_without.undecided
            if message.startswith("action: ")
        }
        missed = truth.reachable_actions - decided_without.reachable_actions
        assert {" ".join(step) for step in missed} <= still_open
    assert compared or name in TOO_LARGE


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
