"""Questions of every kind and format about small states, made by brute force on sets of facts alone."""

import json
from dataclasses import replace
from functools import cache, partial
from itertools import accumulate, product

from orrery.model import Proof
from orrery.pddl.write import write_atom, write_domain, write_problem
from orrery.planning.execution import check_plan, progress
from orrery.planning.universe import names_of
from tests.every_domain import easy_problems, entry
from tests.plain_search import PlainSearch
from tests.planning import naive
from tests.universe import applicable_steps

DOMAINS = ("blocksworld", "ferry", "visitall")
FOREIGN = "(teleport a)"
GROUPS = {
    "app": ("applicable_actions_gen", "applicable_actions_bool", "applicable_actions_mc"),
    "prog": ("progression_gen", "progression_bool", "progression_mcq"),
    "reach": ("reachable_atom_gen", "reachable_atom_bool", "reachable_atom_mc"),
    "areach": ("reachable_action_gen", "reachable_action_bool", "reachable_action_mc"),
    "val": ("validation_gen", "validation_bool", "validation_mcq"),
    "just": ("action_justification_gen", "action_justification_bool", "action_justification_mcq"),
    "land": ("landmarks_gen", "landmarks_bool", "landmarks_mcq"),
    "nexta": ("goal_closer_gen",),
}


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


def row(brute, kind, answer, question="Which?", style="gen", **overrides):
    """A row with all columns that the checks read."""
    domain, problem = write_domain(brute.domain), write_problem(brute.problem)
    name = f"{brute.domain.name}/test/000000"
    ground = overrides.pop("task")
    return {
        "id": f"{name}/walk-1/{kind}" + ("" if style == "gen" else f"/{style}"),
        "group": GROUPS[kind][("gen", "bool", "mcq").index(style)],
        "context": "Once upon a time.",
        "context_pddl": f"{domain}\n{problem}".strip(),
        "context_both": f"Once upon a time.\n\n{domain}\n{problem}".strip(),
        "question": question,
        "answer": answer,
        "PDDL_domain": domain,
        "PDDL_problem": problem,
        "domain": brute.domain.name,
        "problem_id": name,
        "kind": kind,
        "state_source": "walk",
        "state_step": 1,
        "num_objects": len(brute.problem.objects),
        "num_facts": len(ground.facts),
        "num_actions": len(ground.actions),
        "num_states": len(brute.after),
        "num_applicable_actions": len(brute.steps),
        "h_star": brute.distance,
        "proofs": "{}",
        **overrides,
    }


def opened(brute, task):
    """The open question of each kind."""
    init, steps = brute.problem.init, brute.steps
    step = steps[0]
    after = progress(brute.domain, init, step)
    yield row(
        brute, "prog",
        {"pos": texts(sorted(after - init)), "neg": texts(sorted(init - after))},
        f"What does {write_atom(step)} do?", task=task,
    )  # fmt: skip
    yield row(brute, "app", texts(steps), task=task)
    never = [" ".join(fact) for fact in brute.never_facts]
    yield row(
        brute, "reach", never[:50], answer_all=never, chance=len(never) / len(brute.facts),
        answer_needs=needs(brute, brute.never_facts, 0), task=task,
    )  # fmt: skip
    yield areach(brute, task)
    yes, no = brute.landmarks
    proofs = json.dumps({"yes": [Proof.EXHAUSTION] * len(yes), "no": [Proof.WITNESS] * len(no)})
    yield row(brute, "land", {"yes": texts(yes), "no": texts(no)}, proofs=proofs, task=task)
    optimal_first, away = brute.sides(init)
    nexta = {"yes": texts(optimal_first), "no": texts(away), "maybe": [], "opt": str(brute.distance)}
    yield row(brute, "nexta", nexta, task=task)
    sequence = spoilt_plan(brute)
    yield row(
        brute, "val", failing(brute, sequence), f"When does {' '.join(texts(sequence))} fail?",
        sequence=texts(sequence), task=task,
    )  # fmt: skip
    plan = longer_plan(brute)
    removals = superfluous(brute, plan)
    yield row(
        brute, "just", [r for _, r in removals], "x" * 19 + " ".join(texts(plan)) + "y" * 147,
        plan=texts(plan), positions=[at for at, _ in removals], task=task,
    )  # fmt: skip


def areach(brute, task):
    never = brute.never_actions
    reachable = [step for step in brute.actions if step not in never]
    fewer = "unreachable" if len(never) <= len(reachable) else "reachable"
    objects = {
        kind: names_of(brute.domain, brute.problem, (kind,)) for kind in sorted(brute.domain.ancestors)
    }
    arguments = {a.name: [list(p.types) for p in a.parameters] for a in brute.domain.actions}
    conditions = {a.name: static_conditions(brute.domain, a) for a in brute.domain.actions}
    used = {condition_part[1] for condition in conditions.values() for condition_part in condition} - {"="}
    statics = {name: [list(f[1:]) for f in sorted(brute.problem.init) if f[0] == name] for name in used}
    typing = {"actions": arguments, "objects": objects, "conditions": conditions, "statics": statics}
    return row(
        brute, "areach", texts(never), chance=len(never) / len(brute.actions),
        answer_needs=needs(brute, never, 1),
        answer_all=texts(never if fewer == "unreachable" else reachable), answer_all_is=fewer,
        num_unreachable=len(never), typing=json.dumps(typing), task=task,
    )  # fmt: skip


def needs(brute, never, which):
    """What the easiest right reply takes; ``which``: 0 for facts, 1 for actions."""
    steps, facts = naive.relaxed(brute.domain, brute.problem)
    reached = (facts, steps)[which]
    return "none" if not never else "search" if set(never) <= reached else "relaxation"


def static_conditions(domain, action):
    names = [parameter.name for parameter in action.parameters]
    changed = {atom[0] for action in domain.actions for atom in action.add | action.delete}
    return [
        [p.positive, p.atom[0], *(names.index(x) + 1 if x in names else x for x in p.atom[1:])]
        for p in sorted(action.preconditions)
        if p.atom[0] not in changed
    ]


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


def superfluous(brute, plan):
    """(start, removal) of each removal; a pair that may go in some places only must not occur."""
    removals = []
    for at, step in enumerate(plan):
        if valid(brute, [*plan[:at], *plan[at + 1 :]]):
            removals.append((at, [write_atom(step), str(plan[: at + 1].count(step))]))
    for at in range(len(plan) - 1):
        if valid(brute, [*plan[:at], *plan[at + 2 :]]):
            removals.append((at, [*texts(plan[at : at + 2]), "-1"]))
    return removals


def claims(brute):
    """True and false claims by kind."""
    init = brute.problem.init
    by_kind = {kind: {True: [], False: []} for kind in GROUPS if kind != "nexta"}

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


def yes_no(brute, task, claim, truth):
    answer, formal = "yes" if truth else "no", json.dumps(claim)
    return row(brute, claim["kind"], answer, "Is it so?", "bool", task=task, claim=formal, form="some")


def choice(brute, task, right, wrong, place):
    """One right option among wrong ones, at ``place``."""
    options = [*wrong[:place], right, *wrong[place:]]
    words = [f"option {json.dumps(option)}" for option in options]
    listed = "".join(f"{label}. {text}\n" for label, text in zip("ABCD", words, strict=True))
    return row(
        brute, right["kind"], "ABCD"[place], f"Which one?\n{listed}Say so.", "mcq", task=task,
        choices={"text": words, "label": list("ABCD")}, query="Which one?",
        choices_pddl=[json.dumps(option) for option in options], claims=json.dumps(options),
        forms=["some"] * 4,
    )  # fmt: skip
