"""Measure the processor time and memory of each stage against the number of rows, with start-up and writing.

A checkout of a few domains is built several times, each time with a multiple of the rows of the size
`smallest`. Every stage runs in its own process. Its processor time is the sum over all its processes; its
memory is that of the largest one. The last build is repeated with two workers. The result is docs/scale.json;
docs/build.py turns it into the tables of docs/scale.md. Run by hand from the repository's root:
python benchmarks/scale.py [--domains blocksworld,ferry] [--scales 1,4,16] [--out docs/scale.json]
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path

import pyarrow.parquet as pq
import yaml

from orrery.store.shards import replacing

ROOT = Path(__file__).resolve().parent.parent
OF_A_DOMAIN = ("generate", "solve", "render", "generate-questions", "generate-plan-tasks", "generate-worlds")
OF_ALL = ("describe-domains", "assemble", "validate")
SIZE = "smallest"


def checkout(folder, domains, scale):
    """Write a folder with the inputs of a build for the domains, with ``scale`` times the rows."""
    for name in ("domains", "generators", "templates"):
        shutil.copytree(ROOT / name, folder / name)
    params = yaml.safe_load((ROOT / "params.yaml").read_text(encoding="utf-8"))
    params |= {"domains": domains, "size": SIZE}
    for size in params["sizes"].values():
        size["by_domain"] = {name: size["by_domain"][name] for name in domains if name in size["by_domain"]}
        tasks = size["draw"].get("tasks", {})
        size["draw"]["tasks"] = {name: tasks[name] for name in domains if name in tasks}
    params["sizes"][SIZE]["scale"] = scale
    (folder / "params.yaml").write_text(yaml.safe_dump(params, sort_keys=False), encoding="utf-8")


def stage(folder, name, *domains, jobs=1):
    """Run one stage; return elapsed and processor seconds, and the memory of its largest process."""
    options = () if name == "describe-domains" else ("--jobs", str(jobs))
    command = [sys.executable, "-m", "orrery", name, *domains, *options, "--root", str(folder)]
    start = time.monotonic()
    with open(os.devnull, "wb") as nothing:
        process = subprocess.Popen(command, stdout=nothing, stderr=subprocess.PIPE)
        errors = process.stderr.read()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    # 3: a check over few domains fails that passes over all domains; 5: fewer rows than requested.
    if process.returncode not in (0, 3, 5):
        sys.exit(f"{' '.join(command)} ended with {process.returncode}: {errors.decode()[-2000:]}")
    return {
        "clock": time.monotonic() - start,
        "processor": used.ru_utime + used.ru_stime,
        "mebibytes": used.ru_maxrss / 1024,
    }


def built(domains, scale, jobs=1):
    """Run a whole build; return time and memory by stage, and its rows."""
    with tempfile.TemporaryDirectory(prefix="orrery-") as name:
        folder = Path(name)
        checkout(folder, domains, scale)
        figures_by_stage = defaultdict(lambda: {"clock": 0.0, "processor": 0.0, "mebibytes": 0.0})
        for step in (*OF_A_DOMAIN, *OF_ALL):
            for domain in domains if step in OF_A_DOMAIN else ("",):
                took = stage(folder, step, *filter(None, [domain]), jobs=jobs)
                for key, value in took.items():
                    figures_by_stage[step][key] = (
                        max(figures_by_stage[step][key], value)
                        if key == "mebibytes"
                        else figures_by_stage[step][key] + value
                    )
            print(f"{scale}, {step}: {figures_by_stage[step]}", file=sys.stderr, flush=True)
        data = folder / "outputs" / "dataset" / "data"
        rows = {
            table.name: sum(pq.read_metadata(file).num_rows for file in table.glob("*.parquet"))
            for table in sorted(data.iterdir())
        }
        size = sum(file.stat().st_size for file in data.rglob("*.parquet"))
    for step, took in figures_by_stage.items():
        rate = sum(rows.values()) / max(took["processor"], 0.01)
        print(f"{scale} x, {jobs} workers, {step:10} {rate:9.0f} published rows a processor-second")
    rounded = {
        step: {key: round(value, 2) for key, value in took.items()} for step, took in figures_by_stage.items()
    }
    return {"scale": scale, "jobs": jobs, "rows": rows, "bytes": size, "stages": rounded}


def main():
    """Build at each scale, and write the measurements."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--domains", default="blocksworld,ferry")
    parser.add_argument("--scales", default="1,4,16")
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "scale.json")
    arguments = parser.parse_args()
    domains, scales = arguments.domains.split(","), [int(scale) for scale in arguments.scales.split(",")]
    runs = [built(domains, scale) for scale in scales] + [built(domains, scales[-1], jobs=2)]
    with replacing(arguments.out) as path:
        path.write_text(json.dumps({"size": SIZE, "domains": domains, "runs": runs}, indent=1) + "\n")


if __name__ == "__main__":
    main()
