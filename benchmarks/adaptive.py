"""Measure how well adaptive tests order simulated takers, beside tests of as many random rows.

Takers have normal abilities, rows normal difficulties with mean 1 and standard deviation 1 (in logits). Run
by hand from the repository's root: python benchmarks/adaptive.py [TAKERS] (default: 1000).
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np

from orrery.evaluation.difficulty import difficulty_model
from tests.evaluation.takers import Simulation
from tests.every_domain import ROOT

HEAD = "| simulation | rows | most rows | adaptive | random rows | in the 95 % interval |"


def line(title, simulation):
    rows = [len(verdicts) for verdicts in simulation.tests]
    orders = [simulation.order(estimates) for estimates in (simulation.estimates, simulation.by_random_rows)]
    figures = f"{np.mean(rows):.0f} | {max(rows)} | {orders[0]:.3f} | {orders[1]:.3f}"
    return f"| {title} | {figures} | {simulation.coverage():.2f} |"


def main():
    takers, model = int(sys.argv[1]) if len(sys.argv) > 1 else 1000, difficulty_model(ROOT)
    sd, error = model.ability_sd, model.row_sd
    print(f"{HEAD}\n|---|---|---|---|---|---|")
    cases = {
        "difficulties known": {"ability_sd": sd},
        f"difficulties with error {error}": {"ability_sd": sd, "error": error},
        f"with error {error}, standard error 0.25": {
            "ability_sd": sd,
            "error": error,
            "standard_error": 0.25,
        },
        f"with error {error}, standard error 0.5": {"ability_sd": sd, "error": error, "standard_error": 0.5},
        f"with error {error}, abilities with standard deviation 1": {"ability_sd": 1.0, "error": error},
        f"with error {error}, yes/no questions": {"ability_sd": sd, "error": error, "guess": 0.5},
    }
    for title, options in cases.items():
        print(line(title, Simulation(takers, **options)), flush=True)


if __name__ == "__main__":
    main()
