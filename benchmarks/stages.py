"""Rows per second of each stage, on one process, beside the published generator's figure.

Run by hand: ``python benchmarks/stages.py [SIZE]``. Works in a temporary copy of the checkout.
Reference: Planetarium's generator, 2,100 rows of text and PDDL a processor-second, nothing solved.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from orrery.config import Settings, choose
from orrery.stages import ask, generate, render, solve
from orrery.stages.summary import StageSummary
from orrery.store.shards import read

ROOT = Path(__file__).resolve().parent.parent
PUBLISHED_ROWS_A_SECOND = 2_100
STAGES: tuple[tuple[str, Callable[[Settings, str, int], StageSummary], str], ...] = (
    ("generate", generate.run, "problems/{}/problems.parquet"),
    ("render", render.run, "texts/{}/texts.parquet"),
    ("solve", solve.run, "solutions/{}/solutions.parquet"),
    ("ask", ask.run, "questions/{}/acp_*_gen.parquet"),
)


def main(size: str) -> None:
    """Build every domain stage by stage and print a line a stage and domain, then the totals."""
    with tempfile.TemporaryDirectory() as folder:
        for name in ("domains", "generators", "templates"):
            shutil.copytree(ROOT / name, Path(folder) / name)
        shutil.copy(ROOT / "params.yaml", folder)
        settings = choose(Path(folder), size)
        print(f"{'stage':10}{'domain':14}{'rows':>8}{'seconds':>10}{'rows/s':>10}")
        totals = {}
        for stage, run, written in STAGES:
            rows, seconds = zip(
                *(timed(settings, run, written, name) for name in settings.domains), strict=True
            )
            totals[stage] = (sum(rows), sum(seconds))
            for name, n, spent in zip(settings.domains, rows, seconds, strict=True):
                print(f"{stage:10}{name:14}{n:8}{spent:10.2f}{n / spent:10.0f}")
    for stage, (n, spent) in totals.items():
        print(f"{stage:10}{'all':14}{n:8}{spent:10.2f}{n / spent:10.0f}")
    texts = totals["render"][0]
    both = totals["generate"][1] + totals["render"][1]
    print(
        f"\ngenerate (keys included) + render: {texts / both:.0f} rows/s, "
        f"{texts / both / PUBLISHED_ROWS_A_SECOND:.2f} x the published generator's {PUBLISHED_ROWS_A_SECOND}"
    )


def timed(
    settings: Settings, run: Callable[[Settings, str, int], StageSummary], written: str, name: str
) -> tuple[int, float]:
    """Rows written and seconds spent."""
    start = time.perf_counter()
    run(settings, name, 1)
    spent = time.perf_counter() - start
    return sum(read(path).num_rows for path in settings.outputs.glob(written.format(name))), spent


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "smallest")
