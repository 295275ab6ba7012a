"""Measure how many rows of questions per second of processor time are generated from solved states.

By domain and difficulty: rows of open questions of all kinds per second, the time of the state itself
(grounding, PDDL and measures, shared by its rows), and the time of each kind. All times are medians over
states. If a kind has no question about a state (for example because the state has no plan), its time counts
but no row. The last column gives the rows per second of yes/no and multiple-choice questions, generated after
the open ones and before they are matched with each other. Run by hand from the repository's root:
python benchmarks/questions.py [--domains a,b] [--difficulties easy,medium] [--states 6]

A second table gives rows of plan tasks per second, by task, on the states of one domain and on twice as many
states. Problems are generated and solved first; only the generation of rows is timed.
"""

import argparse
import sys
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))


from orrery.catalog import Catalog, entry_of
from orrery.families.drafts import Draft, Rejected
from orrery.families.plans.source import Source, neutral_name
from orrery.families.plans.space import space_of
from orrery.families.plans.tasks import plan_tasks
from orrery.families.questions.context import context_of
from orrery.families.questions.distractors import turn_of
from orrery.families.questions.evidence import StateEvidence
from orrery.families.questions.kinds import question_kinds
from orrery.families.questions.state_record import StateRecord
from orrery.model import ParameterError
from orrery.planning.decide import decide
from orrery.planning.grounding import Grounder, ground
from orrery.seeds import stream

ROOT = Path(__file__).resolve().parent.parent
MOST_STATES = 20_000
TARGETS = {"without alfworld": 1000, "with alfworld": 200}
BUDGET = {"max_states": 20_000, "seconds": 2.0, "calls": 40}
HEADING = f"{'domain':12} {'difficulty':10} {'objects':>7} {'rows/s':>7} {'rows':>5} {'state ms':>8}"


def asked(domain, problem, plan, name):
    """Return the item of a solved state."""
    sure = plan.is_complete
    landmarks = sure("landmark") and plan.solvable
    return StateRecord(
        domain,
        problem,
        name,
        solvable=plan.solvable,
        h_star=plan.optimal_cost,
        landmarks=plan.landmarks if landmarks else None,
        not_landmarks=plan.not_landmarks if landmarks else None,
        unreachable=plan.unreachable_facts if sure("fact") else None,
        plan=plan.plan.steps if plan.plan else None,
        plan_optimal=plan.optimal_cost is not None,
        optimal_first_actions=plan.optimal_first_actions if sure("next") else None,
        not_optimal_first_actions=plan.not_optimal_first_actions if sure("next") else None,
        reachable_actions=plan.reachable_actions if sure("action") else None,
        unreachable_actions=plan.unreachable_actions if sure("action") else None,
        num_steps=plan.num_steps,
        num_unreachable_actions=plan.num_unreachable_actions,
        num_states=plan.num_states,
    )


def items(entry, difficulty, count):
    """Return solved initial states of generated problems, with the tasks in turn."""
    for number in range(count):
        rng = stream(0, "benchmark", entry.name, difficulty, number)
        task = entry.tasks[number % len(entry.tasks)]
        try:
            parameters = entry.call("draw", task, entry.limits(difficulty), rng)
        except ParameterError:
            continue
        problem = entry.call("build", task, parameters, rng).problem
        decided = decide(ground(entry.domain, problem), **BUDGET)
        yield asked(entry.domain, problem, decided, f"{entry.name}/test/{number:06d}")


def timed(function):
    """Return milliseconds of processor time, and the result."""
    began = time.process_time()
    result = function()
    return 1000 * (time.process_time() - began), result


def measure_state(item):
    """Compute the data shared by all rows of a state: grounding, PDDL and measures."""
    return item.measures, item.context_pddl


def rows_of(item, entry, kinds):
    """Return milliseconds by part, and the number of rows."""
    times = {"state": timed(lambda: measure_state(item))[0]}
    count = 0
    for name, kind in kinds.items():
        rng = stream(0, "benchmark", item.problem_id, name)

        def ask(kind=kind, rng=rng):
            with suppress(Rejected):
                return kind.draw.draft(item, entry.words, rng).rows[0]
            return None

        times[name], row = timed(ask)
        count += row is not None
    return times, count


def closed_rows(item, entry):
    """Return milliseconds and number of rows of yes/no and multiple-choice questions."""

    def ask():
        evidence, context = (
            StateEvidence(item, stream(0, "benchmark", item.problem_id)),
            context_of(item, entry.words),
        )
        count = 0
        for name, kind in question_kinds().items():
            turn, rng = turn_of(0, ("benchmark", name), 0), stream(0, "benchmark", item.problem_id, name)
            with suppress(Rejected):
                answers = kind.claims(kind, evidence, context, turn, rng) if kind.claims else {}
                count += sum(len(rows) for rows in answers.values() if not isinstance(rows, Rejected))
        return count

    return timed(ask)


def measure(entry, difficulty, kinds, count):
    """Print a line of the table; return the sum of the medians and the mean number of rows per state."""
    solved = items(entry, difficulty, count)
    rows_by_item = [(item, *rows_of(item, entry, kinds), closed_rows(item, entry)) for item in solved]
    if not rows_by_item:
        return None
    parts = {part: median(times[part] for _, times, _, _ in rows_by_item) for part in rows_by_item[0][1]}
    rate_made = sum(rate_made for _, _, rate_made, _ in rows_by_item) / len(rows_by_item)
    total = median(sum(times.values()) for _, times, _, _ in rows_by_item)
    objects = median(len(item.problem.objects) for item, _, _, _ in rows_by_item)
    line = f"{entry.name:12} {difficulty:10} {objects:7.0f} {1000 * rate_made / total:7.0f} {rate_made:5.1f}"
    line += f" {parts.pop('state'):8.2f}" + "".join(f" {value:7.2f}" for value in parts.values())
    spent, rows = map(sum, zip(*(ask for _, _, _, ask in rows_by_item), strict=True))
    print(f"{line} {1000 * rows / spent:8.0f}")
    return total, rate_made


def summary(results):
    """Print rows per second over all domains of the published sizes, with the same number of states each."""
    for name, target in TARGETS.items():
        if name == "with alfworld" and ("alfworld", "medium") not in results:
            continue
        chosen = [r for (domain, _), r in results.items() if name == "with alfworld" or domain != "alfworld"]
        rate = 1000 * sum(count for _, count in chosen) / sum(total for total, _ in chosen)
        verdict = "met" if rate >= target else "MISSED"
        print(f"medium, {name}: {rate:.0f} rows/s and core, target {target}: {verdict}")


def main():
    """Print the table, and whether the targets are met at published sizes (medium)."""
    options = argparse.ArgumentParser()
    options.add_argument("--domains", default="")
    options.add_argument("--difficulties", default="easy,medium,hard")
    options.add_argument("--states", type=int, default=6)
    options.add_argument("--plan-domain", default="blocksworld")
    options.add_argument("--plan-states", type=int, default=30)
    arguments = options.parse_args()
    catalog, kinds, results = Catalog(ROOT), question_kinds(), {}
    entries = [catalog.entry(name) for name in arguments.domains.split(",") if name]
    entries = entries or [e for e in map(catalog.entry, catalog.names) if e.description.questions]
    print(HEADING + "".join(f" {kind:>7}" for kind in kinds) + " claims/s")
    for entry in entries:
        rows_of(next(items(entry, "easy", 1)), entry, kinds)  # templates are compiled once per process
        for difficulty in arguments.difficulties.split(","):
            result = measure(entry, difficulty, kinds, arguments.states)
            if result and difficulty == "medium":
                results[entry.name, difficulty] = result
    if results:
        summary(results)
    time_plans(arguments.plan_domain, arguments.plan_states)


def sources(entry, count):
    """Return ``count`` easy problems of a domain, each with a shortest plan."""
    states, number, grounder = [], 0, Grounder(entry.domain)
    level = next(iter(entry.description.difficulties or {"": {}}))
    while len(states) < count:
        number += 1
        task = entry.tasks[number % len(entry.tasks)]
        try:
            generated = entry.make(task, level, stream(0, "benchmark", entry.name, number))
        except ParameterError:
            continue
        planning = grounder.ground(generated.problem)
        space = space_of(planning, MOST_STATES)
        if space is None:
            continue
        distances = space.distances(space.found.goal)
        if distances[0] < 2:
            continue
        plan = tuple(space.shortest(0, distances, stream(0, number)))
        record = StateRecord(
            entry.domain,
            generated.problem,
            f"{entry.name}/train/{number:06d}",
            solvable=True,
            h_star=len(plan),
            plan=plan,
            plan_optimal=True,
        )
        no_passage = neutral_name(generated.problem)  # its parameters are not available
        row = {"split": "train", "task": task.name, "goal_configuration": no_passage}
        states.append(Source(entry, record, row, entry.words, "plain", 0, MOST_STATES))
    return states


def plan_times(states):
    """Return rows and seconds by task."""
    rows, seconds = Counter(), Counter()
    for source in states:
        start = time.process_time()
        _ = source.distances
        seconds["(states)"] += time.process_time() - start
        for name, task in plan_tasks().items():
            start = time.process_time()
            drafts = list(task.draw(source, stream(0, source.name, name)))
            seconds[name] += time.process_time() - start
            rows[name] += sum(len(draft.rows) for draft in drafts if isinstance(draft, Draft))
    return rows, seconds


def time_plans(domain, count):
    """Print a line per task, then the ratio of the times for all states and for the first half."""
    entry = entry_of(ROOT, domain)
    states = sources(entry, 3 * count + 1)
    plan_times(states[:1])  # load the compiled loops
    rows, seconds = plan_times(states[1 : count + 1])
    twice_rows, twice_seconds = plan_times(states[count + 1 :])
    print(f"\n{'task':16}{'rows':>8}{'seconds':>10}{'rows/s':>10}")
    for name, spent in seconds.items():
        rate = f"{rows[name] / spent:10.0f}" if rows[name] else ""
        print(f"{name:16}{rows[name]:8}{spent:10.2f}{rate}")
    total, twice = sum(seconds.values()), sum(twice_seconds.values())
    print(f"{'all':16}{sum(rows.values()):8}{total:10.2f}{sum(rows.values()) / total:10.0f}")
    ratio = (twice / sum(twice_rows.values())) / (total / sum(rows.values()))
    print(f"\n{sum(twice_rows.values())} rows take {ratio:.2f} times the time a row")


if __name__ == "__main__":
    main()
