"""Claims of every kind about small states, decided by brute force on sets of facts alone."""

from dataclasses import replace
from functools import cache, partial
from itertools import accumulate, product

from orrery.pddl.write import write_atom
from orrery.planning.execution import check_plan, progress
from tests.every_domain import easy_problems, entry
from tests.plain_search import PlainSearch
from tests.universe import applicable_steps

DOMAINS = ("blocksworld", "ferry", "visitall")
FOREIGN = "(teleport a)"
KINDS = ("app", "prog", "reach", "areach", "val", "just", "land")


@cache
def states():
    """Some small states from which a plan of some steps leads to the goal."""
    chosen = []
    for name in DOMAINS:
        domain = entry(name).domain
        for problem in easy_problems(name, 8):
            start = PlainSearch(domain, problem, 300)
            if not start.complete:
                continue
            inside = sorted(start.after, key=sorted)[len(start.after) // 2]
            for init in (problem.init, inside):
                brute = PlainSearch(domain, replace(problem, init=init))
                if (brute.distance or 0) > 1:
                    chosen.append(brute)
                    break
            if sum(brute.domain.name == name for brute in chosen) == 2:
                break
    return chosen


def texts(atoms):
    return [write_atom(atom) for atom in atoms]


def failing(brute, steps):
    state = brute.problem.init
    for index, step in enumerate(steps):
        if step not in applicable_steps(brute.domain, brute.problem, state):
            return index
        state = progress(brute.domain, state, step)
    return None


def possible(brute, step):
    """Whether what never changes allows the step: some state reached from anywhere might."""
    facts = brute.problem.init | set(brute.facts)
    action = brute.domain.action_named[step[0]]
    values = dict(zip([p.name for p in action.parameters], step[1:], strict=True))
    for literal in action.preconditions:
        atom = (literal.atom[0], *(values.get(x, x) for x in literal.atom[1:]))
        if literal.positive and atom[0] != "=" and atom not in facts:
            return False
        if atom[0] == "=" and (atom[1] == atom[2]) != literal.positive:
            return False
    return True


def spoilt_plan(brute):
    plan = brute.plan()
    for at, step in product(reversed(range(len(plan))), brute.actions):
        steps = [*plan[:at], step, *plan[at + 1 :]]
        if failing(brute, steps) == at and possible(brute, step):
            return steps
    raise AssertionError("no plan to spoil")


def longer_plan(brute):
    """A plan in which two steps can be removed: those that are put in."""
    plan = brute.plan()
    states = list(accumulate(plan, partial(progress, brute.domain), initial=brute.problem.init))
    for at in reversed(range(len(states))):
        for step, after in brute.after[states[at]].items():
            for back in brute.after[after]:
                if valid(brute, longer := [*plan[:at], step, back, *plan[at:]]):
                    return longer
    raise AssertionError("no plan can be made longer")


def valid(brute, plan):
    return check_plan(brute.domain, brute.problem, plan).valid


def claims(brute):
    """True and false claims by kind."""
    init = brute.problem.init
    by_kind = {kind: {True: [], False: []} for kind in KINDS}

    def add(kind, truth, **formal):
        by_kind[kind][bool(truth)].append({"kind": kind, **formal})

    for step in brute.actions:
        add("app", step in brute.steps, action=write_atom(step))
        add("areach", step not in brute.never_actions, actions=[write_atom(step)])
    after = progress(brute.domain, init, brute.steps[0])
    facts = brute.facts
    for fact in facts:
        add("prog", fact in after, action=write_atom(brute.steps[0]), facts=texts([fact]))
    for first, second in zip(facts, [*facts[3:], *facts[:3]], strict=True):
        add("reach", any({first, second} <= s for s in brute.after), facts=texts([first, second]))
        add("prog", {first, second} <= after, action=write_atom(brute.steps[0]), facts=texts([first, second]))
    for truth, side in zip((True, False), brute.landmarks, strict=True):
        for fact in side:
            add("land", truth, fact=write_atom(fact))
    plan, spoilt = brute.plan(), spoilt_plan(brute)
    stated = {"plan": texts(plan), "applicable": texts(plan[:-1]), "inapplicable": texts(spoilt)}
    stated["invalid"] = [*texts(plan), FOREIGN]
    for truth, sequence in stated.items():
        for says in stated:
            add("val", truth == says, sequence=sequence, says=says)
    _add_removals(brute, add)
    return by_kind


def _add_removals(brute, add):
    plan = longer_plan(brute)
    for width in (1, 2):
        for at in range(len(plan) - width + 1):
            part = plan[at : at + width]
            places = [i for i in range(len(plan) - width + 1) if plan[i : i + width] == part]
            verdicts = {valid(brute, [*plan[:i], *plan[i + width :]]) for i in places}
            if len(verdicts) == 1:
                add("just", verdicts.pop(), plan=texts(plan), remove=texts(part), at=places)
