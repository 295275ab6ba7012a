"""What is decided of a problem by visiting every state, by substitution and sets alone."""

from __future__ import annotations

from functools import cached_property

from tests import universe


class PlainSearch:
    """The states that are reached from the initial one of a problem.

    ``after`` has by state the applicable steps, sorted, with the states that they lead to. It is ``complete``
    unless there are more than ``most`` states.
    """

    def __init__(self, domain, problem, most=None):
        self.domain, self.problem = domain, problem
        actions = sorted(
            (
                step,
                {literal.atom for literal in needs if literal.positive},
                {literal.atom for literal in needs if not literal.positive},
                add,
                delete,
            )
            for step, needs, add, delete in universe.possible_actions(domain, problem)
        )
        self.after, waiting = {}, [problem.init]
        while waiting and (most is None or len(self.after) <= most):
            if (state := waiting.pop()) not in self.after:
                self.after[state] = {
                    step: (state - delete) | add
                    for step, needs, avoids, add, delete in actions
                    if needs <= state and not avoids & state
                }
                waiting.extend(self.after[state].values())
        self.complete = not waiting

    @property
    def steps(self):
        """The steps that are applicable in the initial state."""
        return list(self.after[self.problem.init])

    @cached_property
    def distances(self):
        """The fewest steps to the goal, by state; states without a way there are left out."""
        before = {}
        for state, following in self.after.items():
            for after in following.values():
                before.setdefault(after, []).append(state)
        layer = [state for state in self.after if self.problem.satisfied(state)]
        distances, length = dict.fromkeys(layer, 0), 0
        while layer:
            length += 1
            layer = [s for after in layer for s in before.get(after, ()) if s not in distances]
            distances |= dict.fromkeys(layer, length)
        return distances

    @property
    def distance(self):
        """The fewest steps from the initial state to the goal; None where there is no way."""
        return self.distances.get(self.problem.init)

    def sides(self, state):
        """The steps of a state that bring the goal nearer, and the others."""
        nearer = self.distances.get(state, 0) - 1
        steps = self.after[state].items()
        closer = [step for step, after in steps if self.distances.get(after) == nearer]
        return closer, [step for step, _ in steps if step not in closer]

    def plan(self):
        """A shortest plan, of the first steps that bring the goal nearer."""
        state, steps = self.problem.init, []
        while self.distances[state]:
            steps.append(self.sides(state)[0][0])
            state = self.after[state][steps[-1]]
        return steps

    def avoids(self, fact):
        """Whether the goal is reached by a way on which a fact never holds."""
        reached, waiting = {self.problem.init}, [self.problem.init]
        while waiting:
            new = {state for state in self.after[waiting.pop()].values() if fact not in state} - reached
            reached |= new
            waiting.extend(new)
        return any(map(self.problem.satisfied, reached))

    @cached_property
    def facts(self):
        """The facts that may be asked about, sorted."""
        return sorted(universe.facts(self.domain, self.problem))

    @cached_property
    def actions(self):
        """The actions that may be asked about, sorted."""
        return sorted(universe.actions(self.domain, self.problem))

    @cached_property
    def never_facts(self):
        """The facts that no state holds."""
        held = frozenset().union(*self.after)
        return [fact for fact in self.facts if fact not in held]

    @cached_property
    def never_actions(self):
        """The actions that no state allows."""
        applied = {step for steps in self.after.values() for step in steps}
        return [step for step in self.actions if step not in applied]

    @cached_property
    def landmarks(self):
        """The facts, true neither now nor in the goal, that every plan makes true; and the others."""
        trivial = self.problem.init | self.problem.goal_facts
        candidates = [fact for fact in self.facts if fact not in trivial]
        yes = [fact for fact in candidates if not self.avoids(fact)]
        return yes, [fact for fact in candidates if fact not in yes]
