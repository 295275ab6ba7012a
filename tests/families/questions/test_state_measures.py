"""What simple rules make of facts, counted again fact by fact."""

from __future__ import annotations

from itertools import combinations

from orrery.families.questions.state_measures import RARE, StateMeasures


def mentions(facts, names):
    """How often facts name the objects on average, in hundredths."""
    counts = [sum(fact[1:].count(name) for fact in facts) for name in sorted({*names})]
    return 100 * sum(counts) // len(counts) if counts else 0


def test_measures_are_what_their_names_say(cases_made):
    near_any = 0
    for case in cases_made:
        problem, fluents = case.item.problem, case.item.domain.fluents
        measures = StateMeasures(case.item)
        fluent = [fact for fact in problem.init if fact[0] in fluents and len(fact) > 1]
        facts_drawn = case.item.task.facts[:12]
        for facts in (*((fact,) for fact in facts_drawn), *combinations(facts_drawn[:6], 2)):
            names = [name for fact in facts for name in fact[1:]]
            near = [fact for fact in fluent if {*fact[1:]} <= {*names}]
            alike = [sum(fluent_fact[0] == fact[0] for fluent_fact in fluent) for fact in near]
            near_any += bool(near)
            assert dict(measures.of(facts)) == {
                "objects often in the state": mentions(problem.init, names),
                "objects often in what changes": mentions(fluent, names),
                "objects often in the goal": mentions(problem.goal_facts, names),
                "facts that hold": sum(fact in problem.init for fact in facts),
                "facts that hold of all": 100 * sum(fact in problem.init for fact in facts) // len(facts),
                "facts of the goal": sum(fact in problem.goal_facts for fact in facts),
                "objects that facts name": sum(any(n in fact[1:] for fact in fluent) for n in {*names}),
                "facts on its objects": len(near),
                "rare facts on its objects": sum(RARE // count for count in alike),
            }
    assert near_any >= 10, "hardly any facts have others beside them: the test shows nothing"
