"""Questions of every domain: answers against a plain search, contexts read well and leave nothing out."""

from __future__ import annotations

import random
import re
from dataclasses import replace
from itertools import pairwise

import pytest

from orrery.families.questions.context import STYLES, context_of
from orrery.families.questions.kinds import question_kinds
from orrery.families.questions.state_record import StateRecord
from orrery.model import Literal, State
from orrery.planning import execution
from orrery.planning.decide import decide
from orrery.planning.grounding import ground
from orrery.planning.universe import ground_steps
from tests.every_domain import CATALOG, difficulties, drawn, entry, words
from tests.families.questions.asked_rows import ask_open
from tests.families.questions.test_context import expanded, says
from tests.universe import actions, facts, relaxed

KINDS = question_kinds()
ASKED = [name for name in CATALOG.names if CATALOG.entry(name).description.questions]
STATES = 700
TRIED = 12
MISTAKES = re.compile(
    r"  |[ (][.,;:)]|[,;:]{2}|\.\.(?!\.)(?<!\.\.\.)|[{}]|\( |\b(an?|the) (an?|the)\b|\band and\b"
)
AGREEMENT = re.compile(r"\b(?:no|0|[2-9]|\d\d+) \w+[^s\W]\b(?= [(:])|\b1 \w+s \(", re.IGNORECASE)


class Plain:
    """A problem as sets: ground actions by substitution, states by breadth-first search; nothing of ours."""

    def __init__(self, domain, problem):
        self.problem = problem
        static = frozenset(fact for fact in problem.init if fact[0] not in domain.fluents)
        self.actions = []
        for step in ground_steps(domain, problem):
            action = domain.action_named[step[0]]
            values = dict(zip((p.name for p in action.parameters), step[1:], strict=True))

            def put(atoms, values=values):
                return frozenset((a[0], *(values.get(x, x) for x in a[1:])) for a in atoms)

            literals = [Literal(*put([p.atom]), p.positive) for p in action.preconditions]
            lasting = [p for p in literals if p.atom[0] not in domain.fluents]
            if all(p.holds(static) for p in lasting):
                needs = frozenset(p.atom for p in literals if p.positive) - static
                needs = frozenset(atom for atom in needs if atom[0] in domain.fluents)
                avoids = frozenset(p.atom for p in literals if not p.positive and p not in lasting)
                self.actions.append((step, needs, avoids, put(action.add), put(action.delete)))

    def following(self, state: State):
        """Applicable steps and where they lead."""
        return {
            step: (state - delete) | add
            for step, needs, avoids, add, delete in self.actions
            if needs <= state and not avoids & state
        }

    def space(self, most: int):
        """Every reachable state with what follows it; None where they are more than ``most``."""
        reached, todo = {}, [self.problem.init]
        while todo:
            state = todo.pop()
            if state not in reached:
                reached[state] = self.following(state)
                todo.extend(reached[state].values())
            if len(reached) > most:
                return None
        return reached


def left(problem, space):
    """The fewest actions to the goal, by state."""
    into = {}
    for state, following in space.items():
        for after in following.values():
            into.setdefault(after, []).append(state)
    layer = [state for state in space if problem.satisfied(state)]
    plan_steps, length = dict.fromkeys(layer, 0), 0
    while layer:
        length += 1
        layer = [s for after in layer for s in into.get(after, ()) if s not in plan_steps]
        plan_steps |= dict.fromkeys(layer, length)
    return plan_steps


def small(name):
    """The item of a small problem that has a plan, by our own means, and its space by plain search."""
    tasks = entry(name).tasks
    for number in range(TRIED):
        generated = drawn(name, tasks[number % len(tasks)], "easy", 100 + number)
        if generated is None:
            continue
        domain, problem = entry(name).domain, generated.problem
        space = Plain(domain, problem).space(STATES)
        if space is not None and problem.init in left(problem, space):
            return item_of(domain, problem), space
    pytest.fail(f"{name}: no easy problem with at most {STATES} states and a plan")


def item_of(domain, problem):
    decided_task = decide(ground(domain, problem))
    return StateRecord(
        domain,
        problem,
        f"{domain.name}/test/000001",
        solvable=decided_task.solvable,
        h_star=decided_task.optimal_cost,
        landmarks=decided_task.landmarks,
        not_landmarks=decided_task.not_landmarks,
        unreachable=decided_task.unreachable_facts,
        plan=decided_task.plan.steps if decided_task.plan else None,
        optimal_first_actions=decided_task.optimal_first_actions,
        not_optimal_first_actions=decided_task.not_optimal_first_actions,
        reachable_actions=decided_task.reachable_actions,
        unreachable_actions=decided_task.unreachable_actions,
        num_steps=decided_task.num_steps,
    )


def text(atoms):
    return [f"({' '.join(atom)})" for atom in sorted(atoms)]


def steps_of(texts):
    return [tuple(text.strip("()").split()) for text in texts]


@pytest.mark.parametrize("name", ASKED)
def test_answers_are_what_plain_search_finds(name):
    item, space = small(name)
    domain, problem, following = item.domain, item.problem, space[item.problem.init]
    questions = {
        kind: ask_open(module, item, words(name), random.Random(1)) for kind, module in KINDS.items()
    }
    rows = {kind: row for kind, row in questions.items() if isinstance(row, dict)}
    # Two need a plan with room for a change, one an action that does not bring the goal closer.
    assert set(KINDS) - set(rows) <= {"just", "val", "nexta"}
    far = left(problem, space)

    assert rows["app"]["answer"] == text(following)
    check_out_of_reach(rows, domain, problem, space)
    closer = [step for step, after in following.items() if far.get(after, -1) == far[problem.init] - 1]
    assert ("nexta" in rows) == (len(closer) < len(following))
    if "nexta" in rows:
        farther = text(following.keys() - closer)
        sides = {"yes": text(closer), "no": farther, "maybe": [], "opt": str(far[problem.init])}
        assert rows["nexta"]["answer"] == sides
    check_landmarks(rows["land"]["answer"], problem, space)
    check_changes(rows["prog"], problem, following)
    if "val" in rows:
        sequence = steps_of(rows["val"]["sequence"])
        assert execution.check_plan(domain, problem, sequence).failed_at == rows["val"]["answer"]
    if "just" in rows:
        check_removals(rows["just"], domain, problem)


def check_out_of_reach(rows, domain, problem, space):
    """What is never so, of what could be asked, and what the easiest answer needs."""
    held, done = relaxed(domain, problem)
    seen, applied = frozenset().union(*space), {s for steps in space.values() for s in steps}
    never = {"reach": facts(domain, problem) - seen, "areach": actions(domain, problem) - applied}
    stored = {"reach": "answer_all", "areach": "answer"}
    for kind, reached in (("reach", held), ("areach", done)):
        answer_listed = (
            text(never[kind]) if kind == "areach" else [" ".join(fact) for fact in sorted(never[kind])]
        )
        assert rows[kind][stored[kind]] == answer_listed
        needs = "none" if not answer_listed else "search" if never[kind] <= reached else "relaxation"
        assert rows[kind]["answer_needs"] == needs


def check_landmarks(answer, problem, space):
    """Each candidate, by searching for the goal through states without it."""
    for side, avoidable in (("yes", False), ("no", True)):
        for (fact,) in map(steps_of, [[fact] for fact in answer[side]]):
            reached, todo = {problem.init}, [problem.init]
            while todo:
                new = {t for t in space[todo.pop()].values() if fact not in t} - reached
                reached |= new
                todo.extend(new)
            assert any(map(problem.satisfied, reached)) == avoidable, fact


def check_changes(row, problem, following):
    """The one applicable action that the question names."""
    (step,) = [step for step in following if text([step])[0] in row["question"]]
    after = following[step]
    assert row["answer"] == {"pos": text(after - problem.init), "neg": text(problem.init - after)}


def check_removals(row, domain, problem):
    steps = steps_of(row["plan"])

    def valid(plan):
        return execution.check_plan(domain, problem, plan).valid

    assert valid(steps)
    singles = [(i, steps[:i] + steps[i + 1 :]) for i in range(len(steps))]
    pairs = [(i, steps[:i] + steps[i + 2 :]) for i in range(len(steps) - 1)]
    removals = sorted(
        (i, size) for size, parts in ((1, singles), (2, pairs)) for i, remaining in parts if valid(remaining)
    )
    assert row["positions"] == [i for i, _ in removals]
    assert [3 if rendered[-1] == "-1" else 2 for rendered in row["answer"]] == [
        size + 1 for _, size in removals
    ]
    alike = [pair for i, pair in enumerate(pairwise(steps)) if (i, 2) in removals]
    assert all((i, 2) in removals for i, pair in enumerate(pairwise(steps)) if pair in alike)


def contexts(name, count):
    """Settings of drawn problems of every difficulty, nothing of them decided."""
    tasks = entry(name).tasks
    for difficulty in difficulties(name):
        for number in range(count):
            generated = drawn(name, tasks[number % len(tasks)], difficulty, number)
            if generated is not None:
                item = StateRecord(entry(name).domain, generated.problem, f"{name}/{difficulty}/{number}")
                yield context_of(item, words(name))


@pytest.mark.parametrize("name", ASKED)
def test_contexts_read_well(name):
    seen = 0
    for context in (replace(context, style=style) for context in contexts(name, 2) for style in STYLES):
        names = {typed.name for typed in (*context.record.problem.objects, *context.record.domain.constants)}
        for line in context.text("land").splitlines():
            assert not MISTAKES.search(line), line
            assert line[0].isupper() or line[0] in "(0123456789" or line.split()[0] in names, line
            assert line[-1] in ".:", line
            assert line.count("(") == line.count(")"), line
            seen += 1
        objects = context.text("app").splitlines()[1]
        assert not AGREEMENT.search(objects), objects
    assert seen >= 40


@pytest.mark.parametrize("name", ASKED)
def test_the_state_and_the_goal_are_reported_completely_and_truly(name):
    rng = random.Random(name)
    for context in contexts(name, 1):
        domain, problem = context.record.domain, context.record.problem
        rendered = expanded(" ".join([*context.statics, *context.state]))
        wanted = expanded(" ".join(context.goal_sentences) or " ".join(context.goal))
        for fact in rng.sample(sorted(problem.init), min(60, len(problem.init))):
            assert says(rendered, context.fact(fact)), fact
            assert says(wanted, context.fact(fact)) == (fact in problem.goal_facts), fact
        for fact in rng.choices(nearby(domain, problem, rng), k=60):
            assert says(rendered, context.fact(fact)) == (fact in problem.init), fact
        for fact in problem.goal_facts:
            assert says(wanted, context.fact(fact)), fact


def nearby(domain, problem, rng):
    """Well-typed facts that differ from one of the initial state in one object."""
    types = {typed.name: typed.types for typed in (*problem.objects, *domain.constants)}
    facts_drawn = []
    for fact in rng.choices(sorted(problem.init), k=200):
        if len(fact) > 1:
            place = rng.randrange(1, len(fact))
            wanted = domain.predicate_named[fact[0]].parameters[place - 1].types
            another = rng.choice([name for name in sorted(types) if domain.fits(types[name], wanted)])
            facts_drawn.append((*fact[:place], another, *fact[place + 1 :]))
    return facts_drawn
