"""States a second of the compiled search against its plain twin, and the time of one planner call.

Run by hand from the repository's root: python benchmarks/exhaustive_search.py
"""

import statistics
import sys
import time
from itertools import pairwise
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from orrery.pddl.read import read_domain, read_problem
from orrery.planners import exhaustive, exhaustive_python, fast_downward
from orrery.semantics.grounding import ground

ROOT = Path(__file__).resolve().parent.parent
LIMIT = 2_000_000
REPEATS = 3


def blocksworld(n):
    """The task of so many blocks in a random arrangement."""
    blocks = [f"b{i}" for i in range(n)]
    init = "(arm-empty)" + "".join(f"(on-table {b})(clear {b})" for b in blocks)
    goal = "".join(f"(on {a} {b})" for a, b in pairwise(blocks))
    return problem("blocksworld", " ".join(blocks), init, goal)


def gripper(n):
    """The task of carrying so many balls to the other room."""
    rooms, balls = ("left", "right"), [f"b{i}" for i in range(n)]
    kinds = "".join(f"(room {r})" for r in rooms) + "".join(f"(ball {b})" for b in balls)
    init = kinds + "(gripper g1)(gripper g2)(free g1)(free g2)(at-robby left)"
    init += "".join(f"(at {b} left)" for b in balls)
    goal = "".join(f"(at {b} right)" for b in balls)
    return problem("gripper", " ".join([*rooms, *balls, "g1", "g2"]), init, goal)


def visitall(n):
    """The task of visiting every place of an n by n grid."""
    places = {(x, y): f"p{x}-{y}" for x in range(n) for y in range(n)}
    steps = [(1, 0), (-1, 0), (0, 1), (0, -1)]
    links = [(p, places.get((x + dx, y + dy))) for (x, y), p in places.items() for dx, dy in steps]
    init = "(at-robot p0-0)(visited p0-0)" + "".join(f"(connected {a} {b})" for a, b in links if b)
    goal = "".join(f"(visited {p})" for p in places.values())
    return problem("visitall", " ".join(places.values()) + " - place", init, goal)


def problem(domain, objects, init, goal):
    """A problem in PDDL."""
    text = f"(define (problem p) (:domain {domain}) (:objects {objects}) (:init {init}) (:goal (and {goal})))"
    return domain, text


def task_of(domain, text):
    """The planning task of PDDL texts."""
    read = read_domain((ROOT / "domains" / domain / "domain.pddl").read_text())
    return ground(read, read_problem(text, read))


def best(function):
    """The shortest of some runs in seconds, and what the function returns."""
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        result = function()
        times.append(time.perf_counter() - start)
    return min(times), result


def median_call(task, optimal):
    """The median time of a Fast Downward call, in milliseconds."""
    times = []
    for _ in range(4 * REPEATS):
        start = time.perf_counter()
        fast_downward.solve(task, optimal=optimal)
        times.append(time.perf_counter() - start)
    return 1000 * statistics.median(times)


def analysis(explorer):
    """Exhaustive search, distances and exact landmarks."""
    space = explorer.explore(limit=LIMIT, linked=True)
    space.h_star()
    return space.landmarks()


def rows():
    """A line of figures for each task."""
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
        explorer = exhaustive.Explorer(task)
        analysis(explorer)  # loads or compiles the loops
        seconds, space = best(lambda explorer=explorer: explorer.explore(limit=LIMIT))
        slow, reached = best(lambda task=task: exhaustive_python.reachable(task, limit=LIMIT))
        everything, _ = best(lambda explorer=explorer: analysis(explorer))
        fast, plain = len(space) / seconds, len(reached.depth) / slow
        call, kind = median_call(task, optimal), "A*" if optimal else "LAMA"
        yield (
            name,
            len(space),
            f"{fast / 1e6:.2f} M",
            f"{plain / 1e3:.0f} k",
            f"{fast / plain:.0f}",
            (f"{1000 * everything:.2f}"),
            f"{call:.1f} {kind}",
        )


def main():
    """Print the table."""
    heads = ("problem", "states", "states/s", "twin", "ratio", "all ms", "planner ms")
    for row in [heads, *rows()]:
        print(
            "".join(
                str(cell).rjust(width) for cell, width in zip(row, (15, 9, 11, 8, 7, 10, 12), strict=True)
            )
        )


if __name__ == "__main__":
    main()
