"""Measure the page of runs and the tables of the papers: seconds, size and memory.

The runs are made up: each model answers as many rows of every table. The page and the tables are written by
processes of their own, start-up included. Run from the repository's root:
python benchmarks/runs.py [--models 30] [--rows 30]
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from orrery.evaluation.results.page import PAGE
from orrery.evaluation.results.runs import EVALS, write_run
from orrery.families import tables
from tests.evaluation.results.samples import ABOUT, row

ROOT = Path(__file__).resolve().parent.parent
PAGES = "import sys; from pathlib import Path; from orrery.evaluation.results.page import write_pages\n"
PAGES += "write_pages(Path(sys.argv[1]), Path(sys.argv[2]))"
TABLES = "from orrery.cli.main import app; app()"
GOALS = "goals: 20 s and 5 MB for the page of 30 models; 3 s for tables; 1 GiB for a million rows"


def scores(model, names, count):
    """The scores of a model: every second answer is right, five rows have one problem."""
    for name in names:
        kind, form = [*name.split("_")[1:], ""][:2]
        for n in range(count):
            yield row(
                f"{name}/{n}",
                name,
                ("right", "wrong")[(n + model) % 2],
                kind=kind,
                format=form,
                domain=f"domain {n % 10}",
                problem_id=str(n // 5),
                plan_length=n % 60,
                model=f"model {model}",
                reply="I think about it. " * 20,
            )


def measured(*arguments):
    """The seconds and the peak MiB of a Python process."""
    start = time.perf_counter()
    process = subprocess.Popen([sys.executable, "-c", *arguments], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    assert status == 0, arguments
    return f"{time.perf_counter() - start:.1f} s, {usage.ru_maxrss / 1024:,.0f} MiB"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--models", type=int, default=30)
    parser.add_argument("--rows", type=int, default=30, help="rows of a model in each table")
    chosen = parser.parse_args()
    names = [name for name, table in tables().items() if table.scorer]
    with tempfile.TemporaryDirectory() as folder:
        checkout = Path(folder)
        evals = checkout / "outputs" / EVALS
        for path in ("templates", "params.yaml", "dvc.yaml", "domains"):
            (checkout / path).symlink_to(ROOT / path)
        for model in range(chosen.models):
            write_run(
                evals / f"run{model}",
                scores(model, names, chosen.rows),
                {**ABOUT, "model": f"model {model}", "arguments": {"turns": 0}},
            )
        print(f"{chosen.models} runs of {len(names) * chosen.rows:,} rows in {len(names)} tables")
        print("page:", measured(PAGES, str(evals), str(ROOT)), end=", ")
        print(f"{(evals / PAGE).stat().st_size / 1e6:.2f} MB")
        for layout in ("acpbench", "planbench"):
            arguments = (TABLES, "tables", "--layout", layout, "--root", str(checkout))
            print(f"tables of {layout}:", measured(*arguments))
        print(GOALS)


if __name__ == "__main__":
    main()
