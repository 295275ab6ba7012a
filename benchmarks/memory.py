"""Measure the peak memory of four stages against the number of rows.

The stages are assemble, validate, generate-questions and generate-plan-tasks. The tables of a built checkout
are repeated with other ids, keys and texts. Each stage runs on them in its own process. With ``--jobs``,
validate has workers, and the figure is that of the largest process. The last two stages run on the repeated
states of one domain. The figures are written to docs/memory.json; docs/build.py turns them into a table of
docs/scale.md. Run from the root of the repository:
python benchmarks/memory.py --base CHECKOUT [--times 30,100,300] [--questions ferry] [--plan-tasks ferry]
"""

import argparse
import json
import multiprocessing
import os
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import yaml

from orrery.store.shards import replacing, write_tables

ROOT = Path(__file__).resolve().parent.parent
READ = ("domains", "generators", "templates", "params.yaml")
OF_PROBLEMS = ("problems", "texts", "solutions", "questions", "plans", "worlds")
# By stage: its output folder, and the setting with the number of rows.
OF_STATES = {
    "generate-questions": ("questions", "ask", "questions"),
    "generate-plan-tasks": ("plans", "pose", "rows"),
}
OTHERS = ("descriptions", "corpus")
NAMES, KEYS, TEXTS = ("id", "problem_id"), ("strict_key", "loose_key"), ("natural_language",)
ONCE = ("cells.parquet", "rejects.parquet")


def repeated(rows, number):
    """Return the rows with other ids, keys and texts; unchanged for number 0."""
    if number == 0:
        return rows
    changes = {
        **{
            name: lambda c: pc.replace_substring_regex(c, "^([^/]*/[^/]*/)", rf"\1{number}x")
            for name in NAMES
        },
        **{name: lambda c: pc.binary_join_element_wise(f"{number:x}", c, "") for name in KEYS},
        **{name: lambda c: pc.binary_join_element_wise(c, f" ({number})", "") for name in TEXTS},
    }
    for name in changes.keys() & set(rows.column_names):
        place = rows.schema.get_field_index(name)
        rows = rows.set_column(place, rows.schema.field(name), changes[name](rows[name]))
    return rows


def checkout(base, folder, times, stages=OF_PROBLEMS, many=OF_PROBLEMS):
    """Write a checkout that contains the rows of ``base`` ``times`` times."""
    for name in READ:
        (folder / name).symlink_to(base / name)
    for stage in OTHERS:
        if (base / "outputs" / stage).exists():
            shutil.copytree(base / "outputs" / stage, folder / "outputs" / stage)
    for stage in stages:
        for path in sorted((base / "outputs" / stage).rglob("*.parquet")):
            new = folder / path.relative_to(base)
            new.parent.mkdir(parents=True, exist_ok=True)
            rows = pq.read_table(path, partitioning=None)
            if path.name in ONCE:
                shutil.copy(path, new)
                continue
            numbers = range(times if stage.split("/")[0] in many else 1)
            write_tables(new, rows.schema, (repeated(rows, number) for number in numbers))


def prepared(*arguments, **named):
    """Write a checkout in a new process, because later child processes inherit its peak memory."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as process:
        process.submit(checkout, *arguments, **named).result()


def measured(*command, accepted=(0,)):
    """Return the processor seconds and the peak memory in MiB; other exit codes end the benchmark."""
    start = time.monotonic()
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen([sys.executable, *map(str, command)], stdout=output, stderr=output)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        text = output.read().decode()
    if process.returncode not in accepted:
        sys.exit(f"{command} ended with {process.returncode}: {text[-2000:]}")
    print(command[:3], text.strip()[-300:], f"{time.monotonic() - start:.0f} s", file=sys.stderr, flush=True)
    return {
        "processor": round(used.ru_utime + used.ru_stime, 1),
        "mebibytes": round(used.ru_maxrss / 1024, 1),
    }


def run(base, times, many, jobs):
    """Return time and memory of each stage, with the rows of the stages ``many`` repeated ``times`` times."""
    with tempfile.TemporaryDirectory(prefix="orrery-") as name:
        folder = Path(name)
        prepared(base, folder, times, many=many)
        figures = {"assemble": measured("-m", "orrery", "assemble", "--jobs", jobs, "--root", folder)}
        data = folder / "outputs" / "dataset" / "data"
        rows = sum(pq.read_metadata(file).num_rows for file in data.rglob("*.parquet"))
        validating = ("-m", "orrery", "validate", "--jobs", jobs, "--root", folder)
        # Exit code 3: repeated rows fail checks.
        figures["validate" if jobs == 1 else f"validate, {jobs} workers"] = measured(
            *validating, accepted=(0, 3)
        )
    return {stage: took | {"rows": rows} for stage, took in figures.items()}


def of_states(base, stage, domain, times):
    """Return time, memory and rows of one stage in a domain with its states repeated ``times`` times."""
    stage_made, group, counted = OF_STATES[stage]
    with tempfile.TemporaryDirectory(prefix="orrery-") as name:
        folder = Path(name)
        prepared(
            base, folder, times, [f"{stage_folder}/{domain}" for stage_folder in ("problems", "solutions")]
        )
        params = yaml.safe_load((base / "params.yaml").read_text(encoding="utf-8"))
        params["sizes"][params["size"]][group][counted] *= times
        (folder / "params.yaml").unlink()
        (folder / "params.yaml").write_text(yaml.safe_dump(params, sort_keys=False), encoding="utf-8")
        took = measured("-m", "orrery", stage, domain, "--jobs", "1", "--root", folder)
        files = (folder / "outputs" / stage_made / domain).glob("*_*.parquet")
        rows = sum(pq.read_metadata(file).num_rows for file in files)
    return {f"{stage}, of one domain ({domain})": took | {"rows": rows}}


def main():
    """Repeat the rows of a build and measure the stages."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--base", type=Path)
    parser.add_argument("--times", default="30,100,300")
    parser.add_argument("--many", default=",".join(OF_PROBLEMS), help="stages whose rows are repeated")
    parser.add_argument("--questions", help="a domain")
    parser.add_argument("--plan-tasks", help="a domain")
    parser.add_argument("--jobs", type=int, default=1, help="workers of validate")
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "memory.json")
    options = parser.parse_args()
    pa.set_memory_pool(pa.system_memory_pool())
    base = options.base.resolve()
    before = json.loads(options.out.read_text(encoding="utf-8")) if options.out.exists() else {}
    found = {}
    for times in map(int, options.times.split(",")):
        domains = {"generate-questions": options.questions, "generate-plan-tasks": options.plan_tasks}
        domains_chosen = {stage: domain for stage, domain in domains.items() if domain}
        took = {}
        for stage, domain in domains_chosen.items():
            took |= of_states(base, stage, domain, times)
        if not domains_chosen:
            took = run(base, times, options.many.split(","), options.jobs)
        for stage, figures in took.items():
            found.setdefault(stage, []).append(figures)
        with replacing(options.out) as path:  # after each factor, because the next one takes longer
            path.write_text(json.dumps(before | found, indent=1) + "\n")


if __name__ == "__main__":
    main()
