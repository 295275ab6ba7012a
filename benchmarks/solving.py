"""Measure the states solved per second, and the share of undecided states, by domain and difficulty.

Run by hand from the repository's root: python benchmarks/solving.py [PROBLEMS [DOMAIN ...]]
Earlier tables: milliseconds to read and ground a problem, compared with the pddl package and unified-planning
(published problems if ORRERY_CASES is set, otherwise ours); states per second of the compiled search and of
its plain Python version; and the time of one planner call.

A sample is the first problems of each difficulty (default: 3), with the tasks in turn. For each problem, four
states are solved, as in ``orrery solve``: the initial state, one on a plan, one on a different plan, and one
on a random walk. Seconds are processor time, planner calls included.
"""

import json
import os
import resource
import statistics
import sys
import time
from collections import Counter
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from orrery.catalog import Catalog
from orrery.model import ParameterError, Plan
from orrery.pddl.interchange import PackageReader, read_with_unified_planning
from orrery.pddl.read import read_domain, read_problem
from orrery.pddl.write import write_domain, write_problem
from orrery.planning import exhaustive, exhaustive_python, fast_downward
from orrery.planning.decide import decide
from orrery.planning.grounding import Grounder, ground
from orrery.planning.states import asked_states, diverse_plan
from orrery.seeds import stream

ROOT = Path(__file__).resolve().parent.parent
STATES = 4
EXPLORED = 2_000_000
REPEATS = 3
TEXTS_A_DOMAIN = 20
SLOW_SHARE = 8  # unified-planning reads only every eighth text
READING_TARGET = 3.0
MAX_STATES = 200_000
SECONDS = 5.0
SETS = ("plan", "landmark", "next", "fact", "action")
HEADS = ("domain", "difficulty", "states", "explored", "median ms", "worst s", "states/s", *SETS)
WIDTHS = (14, 11, 7, 6, 10, 8, 9, *[9] * len(SETS))


def drawn(entry, difficulty, count):
    """Return the first problems of a difficulty, with the tasks in turn."""
    limits = entry.limits(difficulty)
    for number in range(count):
        task = entry.tasks[number % len(entry.tasks)]
        path = ("benchmark", task.name, difficulty, number)
        try:
            parameters = entry.call("draw", task, limits, stream(*path, "parameters"))
        except ParameterError:
            continue
        yield entry.call("build", task, parameters, stream(*path, "problem")).problem


def spent():
    """Return the processor seconds of this process and of its planner calls."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def decided(grounder, problem):
    """Yield each state of a problem with its results and its processor time."""
    start = spent()
    task = grounder.ground(problem)
    facts = decide(task, max_states=MAX_STATES, seconds=SECONDS)
    yield facts, spent() - start
    rng = stream(0, problem.name)
    start = spent()
    alternative = diverse_plan(task, facts, rng, max_states=MAX_STATES, seconds=SECONDS)
    for state in asked_states(task, facts.plan, alternative, STATES - 1, rng):
        task_of_state = grounder.ground(replace(problem, init=state.state))
        plan = Plan(state.rest, "rest") if state.rest is not None else None
        yield decide(task_of_state, plan=plan, max_states=MAX_STATES, seconds=SECONDS), spent() - start
        start = spent()


def measured(entry, difficulty, count):
    """Return a line of figures."""
    grounder = Grounder(entry.domain)
    seconds, undecided, explored = [], Counter(), 0
    for problem in drawn(entry, difficulty, count):
        for facts, took in decided(grounder, problem):
            seconds.append(took)
            explored += facts.num_states is not None
            undecided.update(kind for kind in SETS if not facts.is_complete(kind))
    if not seconds:
        return (entry.name, difficulty, 0, *[""] * (len(HEADS) - 3))
    return (
        entry.name,
        difficulty,
        len(seconds),
        explored,
        f"{1000 * statistics.median(seconds):.0f}",
        f"{max(seconds):.1f}",
        f"{len(seconds) / sum(seconds):.2f}",
        *(f"{100 * undecided[kind] / len(seconds):.0f} %" for kind in SETS),
    )


def main(arguments):
    """Print the table; the last columns give the numbers of states with an undecided set."""
    catalog = Catalog(ROOT)
    count = int(arguments[0]) if arguments else 3
    print("".join(head.rjust(width) for head, width in zip(HEADS, WIDTHS, strict=True)))
    for name in arguments[1:] or catalog.names:
        entry = catalog.entry(name)
        for difficulty in entry.description.difficulties or ():
            if entry.description.questions and difficulty in ("easy", "medium", "hard"):
                row = measured(entry, difficulty, count)
                cells = zip(row, WIDTHS, strict=True)
                print("".join(str(cell).rjust(width) for cell, width in cells), flush=True)
    print(f"memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB at most")


def published():
    """Return the PDDL texts of the published questions as sorted (domain, problem) pairs."""
    path = Path(os.environ["ORRERY_CASES"]) / "acpbench_hard_dev.jsonl"
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    return sorted({(row["PDDL_domain"], row["PDDL_problem"]) for row in rows})


def generated():
    """Return medium problems of every domain, the same number for each."""
    catalog = Catalog(ROOT)
    texts = []
    for name in catalog.names:
        entry = catalog.entry(name)
        limits = entry.limits("medium")
        for number in range(TEXTS_A_DOMAIN):
            rng = stream(0, "benchmark", name, number)
            task = entry.tasks[number % len(entry.tasks)]
            built = entry.generator.build(task, entry.generator.draw(task, limits, rng), rng)
            texts.append((write_domain(entry.domain), write_problem(built.problem)))
    return texts


def milliseconds(function, *arguments):
    """Return the milliseconds of one call, and its result."""
    began = time.perf_counter()
    result = function(*arguments)
    return 1000 * (time.perf_counter() - began), result


def reading_times(texts):
    """Return milliseconds by operation. All packages read domain and problem together."""
    package = PackageReader()
    times = {}
    for number, (domain_text, problem_text) in enumerate(texts):
        read_d, domain = milliseconds(read_domain, domain_text)
        read_p, problem = milliseconds(read_problem, problem_text, domain)
        grounded, _ = milliseconds(ground, domain, problem)
        theirs_d, _ = milliseconds(package.domain, domain_text)
        theirs_p, _ = milliseconds(package.problem, problem_text)
        spent = {
            "read the domain": read_d,
            "read the problem": read_p,
            "read both": read_d + read_p,
            "ground": grounded,
            "read both and ground": read_d + read_p + grounded,
            "pddl package reads both": theirs_d + theirs_p,
        }
        if number % SLOW_SHARE == 0:
            spent["unified-planning reads both"] = milliseconds(
                read_with_unified_planning, domain_text, problem_text
            )[0]
        for label, duration in spent.items():
            times.setdefault(label, []).append(duration)
    return times


def time_reading():
    """Print the medians of reading and grounding, ours and those of two other packages."""
    kind = "published" if os.environ.get("ORRERY_CASES") else "generated"
    texts = published() if kind == "published" else generated()
    reading_times(texts[:3])  # imports and warm-up
    times = reading_times(texts)
    ours = statistics.median(times["read both"])
    print(f"{len(texts)} {kind} problems, medians")
    for label, spent in times.items():
        ratio = f"  {statistics.median(spent) / ours:7.1f} times our reading" if "reads" in label else ""
        print(f"  {label:28} {statistics.median(spent):8.2f} ms{ratio}")
    within = statistics.median(times["read both and ground"]) <= READING_TARGET
    print(f"  target {READING_TARGET} ms to read and ground: {'met' if within else 'MISSED'}")


def blocksworld(n):
    """Return the task of ``n`` blocks in a random arrangement."""
    blocks = [f"b{i}" for i in range(n)]
    init = "(arm-empty)" + "".join(f"(on-table {b})(clear {b})" for b in blocks)
    goal = "".join(f"(on {a} {b})" for a, b in pairwise(blocks))
    return problem("blocksworld", " ".join(blocks), init, goal)


def gripper(n):
    """Return the task of carrying ``n`` balls to the other room."""
    rooms, balls = ("left", "right"), [f"b{i}" for i in range(n)]
    kinds = "".join(f"(room {r})" for r in rooms) + "".join(f"(ball {b})" for b in balls)
    init = kinds + "(gripper g1)(gripper g2)(free g1)(free g2)(at-robby left)"
    init += "".join(f"(at {b} left)" for b in balls)
    goal = "".join(f"(at {b} right)" for b in balls)
    return problem("gripper", " ".join([*rooms, *balls, "g1", "g2"]), init, goal)


def visitall(n):
    """Return the task of visiting every place of an n by n grid."""
    places = {(x, y): f"p{x}-{y}" for x in range(n) for y in range(n)}
    steps = [(1, 0), (-1, 0), (0, 1), (0, -1)]
    links = [(p, places.get((x + dx, y + dy))) for (x, y), p in places.items() for dx, dy in steps]
    init = "(at-robot p0-0)(visited p0-0)" + "".join(f"(connected {a} {b})" for a, b in links if b)
    goal = "".join(f"(visited {p})" for p in places.values())
    return problem("visitall", " ".join(places.values()) + " - place", init, goal)


def problem(domain, objects, init, goal):
    """Return a problem in PDDL."""
    text = f"(define (problem p) (:domain {domain}) (:objects {objects}) (:init {init}) (:goal (and {goal})))"
    return domain, text


def task_of(domain, text):
    """Return the planning task of PDDL texts."""
    read_model = read_domain((ROOT / "domains" / domain / "domain.pddl").read_text())
    return ground(read_model, read_problem(text, read_model))


def best(function):
    """Return the shortest of some runs in seconds, and the result of the function."""
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        result = function()
        times.append(time.perf_counter() - start)
    return min(times), result


def median_call(task, planner):
    """Return the median time of a Fast Downward call, in milliseconds."""
    times = []
    for _ in range(4 * REPEATS):
        start = time.perf_counter()
        fast_downward.solve(task, planner=planner)
        times.append(time.perf_counter() - start)
    return 1000 * statistics.median(times)


def analysis(task):
    """Run exhaustive search, distances and exact landmarks."""
    space = exhaustive.explore(task, limit=EXPLORED)
    space.h_star()
    return space.landmarks()


def search_rows():
    """Yield a line of figures for each task."""
    cases = [
        ("blocksworld 5", blocksworld(5), True),
        ("blocksworld 7", blocksworld(7), False),
        ("gripper 6", gripper(6), True),
        ("gripper 10", gripper(10), False),
        ("visitall 3x3", visitall(3), True),
        ("visitall 4x4", visitall(4), False),
    ]
    for name, case, optimal in cases:
        task = task_of(*case)
        analysis(task)  # load or compile the loops
        seconds, space = best(lambda task=task: exhaustive.explore(task, limit=EXPLORED))
        slow, reached = best(lambda task=task: exhaustive_python.reachable(task, limit=EXPLORED))
        everything, _ = best(lambda task=task: analysis(task))
        fast, plain = len(space) / seconds, len(reached.depth) / slow
        planner = fast_downward.OPTIMAL if optimal else fast_downward.SATISFICING
        call, kind = median_call(task, planner), "A*" if optimal else "LAMA"
        yield (
            name,
            len(space),
            f"{fast / 1e6:.2f} M",
            f"{plain / 1e3:.0f} k",
            f"{fast / plain:.0f}",
            (f"{1000 * everything:.2f}"),
            f"{call:.1f} {kind}",
        )


def time_search():
    """Print the table."""
    heads = ("problem", "states", "states/s", "twin", "ratio", "all ms", "planner ms")
    for row in [heads, *search_rows()]:
        print(
            "".join(
                str(cell).rjust(width) for cell, width in zip(row, (15, 9, 11, 8, 7, 10, 12), strict=True)
            )
        )


if __name__ == "__main__":
    time_reading()
    time_search()
    main(sys.argv[1:])
