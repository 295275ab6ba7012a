"""Measure the rows per second of `orrery eval` with a local server without delay, and the time by package.

The server is the demo model in its own process, which knows the rows by their prompts. The rows come from a
stream and are generated beforehand. Start-up (mainly Inspect's import) is reported separately. Run by hand
from the repository's root: python benchmarks/evaluation.py [--rows 1000] [--table acp_val_bool]
[--connections 20] [--turns 0] [--profile]
"""

import argparse
import cProfile
import os
import pstats
import subprocess
import sys
import tempfile
import time
from importlib import import_module
from itertools import islice
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "pipeline"))

import orrery
from orrery.evaluation.asked import AskedTable
from orrery.evaluation.asker import Asker
from orrery.stages.evaluate import EvaluationRequest, model_arguments, run

ROOT = Path(__file__).resolve().parent.parent
GOAL = 60.0  # seconds for 1,000 rows, start-up included
SERVER = "from orrery.cli.main import app; app()"
PARTS = ("inspect_ai", "openai", "httpx2", "httpcore2", "orrery", "pydantic", "anyio", "asyncio")


def served(arguments):
    """Yield the server's process and its URL once it is ready."""
    command = [
        sys.executable,
        "-c",
        SERVER,
        "demo-model",
        "--port",
        "0",
        "--fresh",
        "1",
        "--tables",
        arguments.table,
    ]
    command += ["--limit", str(arguments.rows), "--right", "0.7"]
    environment = os.environ | {"PYTHONPATH": str(ROOT / "pipeline")}
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment
    )
    return process, process.stdout.readline().strip()


def by_part(profile):
    """Return the seconds spent in the code of each package, largest first; `other` is the rest."""
    seconds = dict.fromkeys(PARTS, 0.0) | {"other": 0.0}
    for (file, _, _), (_, _, seconds_inside, _, _) in pstats.Stats(profile).stats.items():
        seconds[next((part for part in PARTS if f"/{part}/" in file), "other")] += seconds_inside
    return sorted(seconds.items(), key=lambda part: -part[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1000)
    parser.add_argument("--table", default="acp_val_bool")
    parser.add_argument("--connections", type=int, default=20)
    parser.add_argument("--turns", type=int, default=0)
    parser.add_argument("--profile", action="store_true")
    arguments = parser.parse_args()
    os.environ["DEMO_API_KEY"] = "any"
    items = list(islice(orrery.tasks(arguments.table, seed=1), arguments.rows))
    process, url = served(arguments)
    table_asked = AskedTable(arguments.table, items, "fresh", arguments.turns)
    asker = Asker("openai-api/demo/demo", url, max_connections=arguments.connections)
    plan = EvaluationRequest(
        (table_asked,), {**model_arguments(asker), "data": "stream 1", "turns": arguments.turns}
    )
    profile = cProfile.Profile()
    try:
        with tempfile.TemporaryDirectory() as folder:
            start, cpu = time.monotonic(), time.process_time()
            import_module("orrery.evaluation.asking")  # modules that take time before the first request
            loaded, loaded_cpu = time.monotonic() - start, time.process_time() - cpu
            if arguments.profile:
                profile.enable()
            result = run(plan, asker, Path(folder) / "run", lambda line: print(f"  {line}"))
            profile.disable()
            wall, used = time.monotonic() - start - loaded, time.process_time() - cpu - loaded_cpu
            start = time.monotonic()
            again = run(plan, asker, Path(folder) / "run", lambda _: None)
            resumed = time.monotonic() - start
    finally:
        process.kill()
    assert result.complete
    assert again.complete
    share = sum(result.run.scores["value"].to_pylist()) / arguments.rows
    print(f"import {loaded:.1f} s; {arguments.rows} rows in {wall:.1f} s: {arguments.rows / wall:.0f} rows/s")
    print(f"processor of the client: {1000 * used / arguments.rows:.1f} ms a row; {share:.3f} right")
    print(f"a complete run again: {resumed:.1f} s")
    scaled = loaded + wall * 1000 / arguments.rows
    verdict = "met" if scaled < GOAL else "MISSED"
    print(f"{verdict}: 1,000 rows in {scaled:.0f} s with start-up, goal {GOAL:.0f} s")
    if arguments.profile:
        seconds_by_part = by_part(profile)
        total = sum(seconds for _, seconds in seconds_by_part)
        print(
            "; ".join(f"{part} {seconds / total:.0%}" for part, seconds in seconds_by_part),
            f"of {total:.1f} s profiled",
        )


if __name__ == "__main__":
    main()
