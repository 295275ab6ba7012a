"""Train a language model on one table's stream: first on gold replies, then with the reward alone.

python docs/recipe/train.py docs/recipe/cpu.yaml --out run --seeds 1 2 3
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from baselines import baselines
from curve import draw, percent, wholes
from problems import Pool, drawn
from settings import Settings, read_settings, with_composed

from orrery.model import OrreryError, ToolMissing
from orrery.store.shards import replacing

REQUIREMENTS = Path(__file__).resolve().parent / "requirements.txt"
Records = list[dict[str, Any]]


def results(
    settings: Settings, pool: Pool, runs: Mapping[int, Records], controls: Mapping[tuple[str, int], Records]
) -> dict[str, Any]:
    """Return what ``curve.json`` holds: settings, baselines, the records of each seed and of each control."""
    known = pool.gold or pool.reward
    return {
        "settings": settings.model_dump(mode="json"),
        "held_out": len(pool.held_out),
        "baselines": baselines(known, pool.held_out, settings.problems.seed),
        "controls": [
            {"control": name, "seed": seed, "records": records} for (name, seed), records in controls.items()
        ],
        "runs": [{"seed": seed, "records": records} for seed, records in runs.items()],
    }


def work(arguments: argparse.Namespace) -> None:
    """Run the configuration for each seed, then write ``curve.json`` and ``curve.svg``.

    Raises:
        OrreryError: the configuration is wrong, or a package is missing.
    """
    settings, out = read_settings(arguments.settings), arguments.out
    if arguments.composed is not None:
        settings = with_composed(settings, arguments.composed)
    try:
        from learning import CONTROL, Run, imitated, prepare, restore, train
    except ModuleNotFoundError as error:
        mend = f"pip install -r {REQUIREMENTS}"
        raise ToolMissing("this installation", f"lacks the package {error.name}", mend) from error
    prepare(settings)
    start = time.monotonic()
    pool = drawn(settings.problems, out / "problems.jsonl")
    counts = f"{len(pool.gold)} with gold, {len(pool.reward)} with reward, {len(pool.held_out)} held out"
    print(f"problems: {counts}; {time.monotonic() - start:.0f} seconds", file=sys.stderr)
    runs, controls = {}, {}
    for seed in arguments.seeds:
        run = Run(settings, pool, seed)
        restore(run, out / f"seed-{seed}.pt")
        train(run, out / f"seed-{seed}.pt")
        runs[seed] = run.records
        for number, name in enumerate(settings.controls, start=1):
            other, file = Run(settings, pool, seed, name), out / f"seed-{seed}-control-{number}.pt"
            restore(other, imitated(out / f"seed-{seed}.pt"))
            restore(other, file, control=name)
            train(other, file)
            controls[name, seed] = [each for each in other.records if each["phase"] == CONTROL]
    found = results(settings, pool, runs, controls)
    for name, text in (("curve.json", dumped(found)), ("curve.svg", draw(found))):
        with replacing(out / name) as new:
            new.write_text(text, encoding="utf-8")
    print(out / "curve.json")
    groups = {"": None, " in seen domains": settings.problems.seen, " in unseen": settings.problems.unseen}
    told = [(name, wholes(found, domains)) for name, domains in groups.items() if domains != []]
    for parts in zip(*(rows for _, rows in told), strict=True):
        shares = ", ".join(
            percent(right, asked) + name for (name, _), (*_, right, asked) in zip(told, parts, strict=True)
        )
        print(f"{parts[0][0]}, step {parts[0][1]}: {shares}")


def dumped(found: Mapping[str, Any]) -> str:
    """Return results as JSON, a record a line."""
    runs = [
        f'{{"seed": {run["seed"]}, "records": [\n' + ",\n".join(map(json.dumps, run["records"])) + "\n]}"
        for run in found["runs"]
    ]
    rest = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in found.items() if key != "runs"]
    return "{\n" + ",\n".join(rest) + ',\n"runs": [' + ", ".join(runs) + "]\n}\n"


def main() -> None:
    """Read the arguments; bad input ends with one line on stderr and the exit code of the error."""
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("settings", type=Path, help="a configuration, such as cpu.yaml")
    parser.add_argument("--out", type=Path, required=True, help="a folder; what is done there is kept")
    parser.add_argument(
        "--composed",
        type=int,
        metavar="N",
        help="composed domains in training, in place of problems.composed",
    )
    parser.add_argument("--seeds", type=int, nargs="+", default=[1], help="a run for each")
    try:
        work(parser.parse_args())
    except OrreryError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(error.code)


if __name__ == "__main__":
    main()
