"""Reading and grounding, and reading by the pddl package and unified-planning in the same run.

The problems are the published ones of ORRERY_CASES where that is set, otherwise drawn by our generators.
Run by hand from the repository's root: python benchmarks/grounding.py
"""

import json
import os
import sys
import time
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from orrery.catalog import Catalog
from orrery.pddl.interchange import PackageReader, read_with_unified_planning
from orrery.pddl.read import read_domain, read_problem
from orrery.pddl.write import write_domain, write_problem
from orrery.seeds import stream
from orrery.semantics.grounding import ground

ROOT = Path(__file__).resolve().parent.parent
EACH = 20
SLOW_SHARE = 8  # unified-planning reads every eighth text
TARGET = 3.0


def published():
    """The PDDL texts of the published questions, sorted (domain, problem) pairs."""
    path = Path(os.environ["ORRERY_CASES"]) / "acpbench_hard_dev.jsonl"
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    return sorted({(row["PDDL_domain"], row["PDDL_problem"]) for row in rows})


def generated():
    """Medium problems of every domain, as many of each."""
    catalog = Catalog(ROOT)
    texts = []
    for name in catalog.names:
        entry = catalog.entry(name)
        limits = entry.limits("medium")
        for number in range(EACH):
            rng = stream(0, "benchmark", name, number)
            task = entry.tasks[number % len(entry.tasks)]
            built = entry.generator.build(task, entry.generator.draw(task, limits, rng), rng)
            texts.append((write_domain(entry.domain), write_problem(built.problem)))
    return texts


def milliseconds(function, *arguments):
    """The time one call takes, and its result."""
    began = time.perf_counter()
    result = function(*arguments)
    return 1000 * (time.perf_counter() - began), result


def measure(texts):
    """Milliseconds by what was done; domain and problem are read together by everyone."""
    package = PackageReader()
    times = {}
    for number, (domain_text, problem_text) in enumerate(texts):
        read_d, domain = milliseconds(read_domain, domain_text)
        read_p, problem = milliseconds(read_problem, problem_text, domain)
        grounded, _ = milliseconds(ground, domain, problem)
        theirs_d, _ = milliseconds(package.domain, domain_text)
        theirs_p, _ = milliseconds(package.problem, problem_text)
        one = {
            "read the domain": read_d,
            "read the problem": read_p,
            "read both": read_d + read_p,
            "ground": grounded,
            "read both and ground": read_d + read_p + grounded,
            "pddl package reads both": theirs_d + theirs_p,
        }
        if number % SLOW_SHARE == 0:
            one["unified-planning reads both"] = milliseconds(
                read_with_unified_planning, domain_text, problem_text
            )[0]
        for what, spent in one.items():
            times.setdefault(what, []).append(spent)
    return times


def main():
    """Print the medians of reading and grounding, ours beside those of two other packages."""
    kind = "published" if os.environ.get("ORRERY_CASES") else "generated"
    texts = published() if kind == "published" else generated()
    measure(texts[:3])  # imports and warm-up
    times = measure(texts)
    ours = median(times["read both"])
    print(f"{len(texts)} {kind} problems, medians")
    for what, spent in times.items():
        ratio = f"  {median(spent) / ours:7.1f} times our reading" if "reads" in what else ""
        print(f"  {what:28} {median(spent):8.2f} ms{ratio}")
    within = median(times["read both and ground"]) <= TARGET
    print(f"  target {TARGET} ms to read and ground: {'met' if within else 'MISSED'}")


if __name__ == "__main__":
    main()
