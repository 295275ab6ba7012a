"""Compare sealed builds with the public build: shared problems, and the distributions of what solve proves.

Run by hand: ``python benchmarks/seals.py [SEALS] [DOMAIN ...]``; the default is 20 seals of three domains.
Only the stages generate and solve run, at size ``smallest``. Builds with another seed alone are compared with
seals, which keep apart from the public build, and with seals that keep apart from all earlier seals as well.
Loose keys are compared, so names do not matter. The p values are those of the Kolmogorov-Smirnov test of each
build against the public one, and the least one after Bonferroni over the builds.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from scipy.stats import ks_2samp

from orrery.catalog import entry_of
from orrery.config import Settings, choose, load
from orrery.dataset.commitment import sealed_seed
from orrery.model import OrreryError
from orrery.pddl.write import parse_problem
from orrery.planning.grounding import ground
from orrery.planning.task import applicable
from orrery.stages import generate, seal, solve
from orrery.store.shards import read_rows

ROOT = Path(__file__).resolve().parent.parent
SIZE = "smallest"
SEALS = 20
DOMAINS = ("blocksworld", "ferry", "gripper")
MEASURES = ("plan length", "objects", "branching")


class Problems(NamedTuple):
    """The loose keys of a build on one domain, and the values of each measure."""

    keys: frozenset[str]
    values: tuple[tuple[int, ...], ...]


def main() -> None:
    """Print the figures of each domain."""
    seals = int(sys.argv[1]) if len(sys.argv) > 1 else SEALS
    domains = sys.argv[2:] or DOMAINS
    with TemporaryDirectory() as folder:
        public = checkout(Path(folder) / "public", load(ROOT).seed, {})
        for name in domains:
            theirs = problems(public, name)
            plain = list(sealed(Path(folder) / "plain", seals, name, frozenset()))
            apart = list(sealed(Path(folder) / "apart", seals, name, theirs.keys))
            chain = list(sealed(Path(folder) / "chain", seals, name, theirs.keys, one_after_another=True))
            print(f"{name}, another seed alone: {compared(theirs, plain)}")
            print(f"{name}, apart from public: {compared(theirs, apart)}; {pooled(plain, apart)}")
            print(
                f"{name}, and from earlier seals: {compared(theirs, chain)}; {pooled(plain, chain)}",
                flush=True,
            )


def sealed(
    folder: Path, seals: int, name: str, excluded: frozenset[str], *, one_after_another: bool = False
) -> Iterator[Problems]:
    """Yield the problems of builds with different keys, if so wanted each apart from all earlier ones."""
    for number in range(seals):
        seed = sealed_seed(bytes([number]) * 32, load(ROOT).seed)
        lines = {name: "".join(f"{key}\n" for key in sorted(excluded))}
        try:
            drawn = problems(checkout(folder / name / str(number), seed, lines), name)
        except OrreryError as error:
            if not one_after_another:
                raise
            print(f"{name}: seal {number + 1}: {error.problem}")  # all problems of the domain are drawn
            return
        excluded |= drawn.keys if one_after_another else frozenset()
        yield drawn


def pooled(builds: list[Problems], seals: list[Problems]) -> str:
    """Return the p values of all seals together against all builds that exclude nothing."""
    texts = []
    for place, measure in enumerate(MEASURES):
        one, other = ([value for build in both for value in build.values[place]] for both in (builds, seals))
        texts.append(f"{measure} {ks_2samp(one, other).pvalue:.3f}")
    return f"pooled against the first line: p {', '.join(texts)}"


def checkout(folder: Path, seed: int, excluded: dict[str, str]) -> Settings:
    """Return the settings of a private checkout at the size."""
    seal.prepare(load(ROOT), seed, folder, excluded)
    return choose(folder, SIZE)


def problems(settings: Settings, name: str) -> Problems:
    """Generate and solve the problems of a domain."""
    generate.run(settings, name)
    solve.run(settings, name)
    outputs, domain = settings.outputs, entry_of(settings.root, name).domain
    rows = list(read_rows(outputs / "problems" / name / "problems.parquet"))
    solutions = read_rows(outputs / "solutions" / name / "solutions.parquet")
    lengths = tuple(row["plan_cost"] for row in solutions if row["plan_cost"] is not None)
    tasks = (ground(domain, parse_problem(row["problem_pddl"])) for row in rows)
    branching = tuple(len(applicable(task, task.init)) for task in tasks)
    objects = tuple(row["num_objects"] for row in rows)
    return Problems(frozenset(row["loose_key"] for row in rows), (lengths, objects, branching))


def compared(public: Problems, seals: list[Problems]) -> str:
    """Return the shared problems and the p values as text."""
    with_public = [len(public.keys & one.keys) for one in seals]
    with_others = [len(one.keys & other.keys) for one, other in combinations(seals, 2)]
    sizes = [len(one.keys) for one in seals]
    parts = [
        f"{min(sizes)} to {max(sizes)} problems, public {len(public.keys)}",
        f"shared with public {sum(with_public)} in {len(seals)} builds, most {max(with_public)}",
        f"shared by two seals {sum(with_others) / max(1, len(with_others)):.1f} on average",
    ]
    for place, measure in enumerate(MEASURES):
        p = sorted(ks_2samp(public.values[place], one.values[place]).pvalue for one in seals)
        parts.append(
            f"{measure}: p from {p[0]:.3f}, median {p[len(p) // 2]:.3f}, adjusted {min(1, len(p) * p[0]):.3f}"
        )
    return "; ".join(parts)


if __name__ == "__main__":
    main()
