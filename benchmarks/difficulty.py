"""Fit the difficulty of rows to published replies, and measure it on models that were held out.

The replies are those of PlanBench's plan generation in blocksworld (LLMs-Planning, MIT), in a folder with
`blocksworld_domain.pddl` and `planbench_blocksworld.jsonl.gz`. Our grader decides which are right. Run by
hand from the repository's root: python benchmarks/difficulty.py [FOLDER]; the default is `replies` in
$ORRERY_CASES. It prints areas under the curve and the content of templates/evals/difficulty.yaml.
"""

import gzip
import json
import os
import sys
from collections import Counter
from math import log1p
from pathlib import Path

import numpy as np
import yaml
from scipy.sparse import csr_array, hstack
from scipy.stats import spearmanr
from sklearn.metrics import roc_auc_score

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from orrery.evaluation.adaptive import AdaptiveTest, administer
from orrery.evaluation.difficulty import RowDifficulty, indicator, posterior_mode, structure_of
from orrery.grading import RIGHT, grade
from orrery.pddl.read import read_domain, read_problem
from orrery.planning.exhaustive import explore
from orrery.planning.grounding import ground
from tests.grading.test_real_replies import PHRASES

ABILITY_SD, FEATURE_SD = 2.5, 1.0  # wide priors of the fit
ROW_SDS = (0.3, 0.5, 0.7, 1.0, 1.4)  # candidates; the one with the largest area under the curve is taken
GROUP_SD = 1.0  # assumed: there are no published replies to several tables
FITTED = ("steps", "objects", "goal_literals")
SETS = {
    "plan length": ("steps",),
    "goal literals": ("goal_literals",),
    "landmarks": ("landmarks",),
    "plan length, objects, goal literals": FITTED,
    "the same and branching": (*FITTED, "branching"),
    "the same and landmarks": (*FITTED, "landmarks"),
    "the same, branching and landmarks": (*FITTED, "branching", "landmarks"),
}
RESAMPLES = 200


def features(domain, text):
    """The logarithms of 1 plus the features of a problem."""
    problem = read_problem(text, domain)
    task = ground(domain, problem)
    space = explore(task)
    row = {"h_star": len(space.optimal_plan()), "num_objects": len(problem.objects), "problem_pddl": text}
    branching = sum(
        not (action.positive & ~task.init or action.negative & task.init) for action in task.actions
    )
    landmarks = (space.landmarks() & ~task.init).bit_count()
    return structure_of(row) | {"branching": log1p(branching), "landmarks": log1p(landmarks)}


class Replies:
    """Graded replies as arrays: the run (model and prompt), the model and the problem of each."""

    def __init__(self, folder):
        domain_pddl = (folder / "blocksworld_domain.pddl").read_text(encoding="utf-8")
        with gzip.open(folder / "planbench_blocksworld.jsonl.gz", "rt", encoding="utf-8") as file:
            cases = [json.loads(line) for line in file]
        row = {"group": "plan_generation", "domain_pddl": domain_pddl, "nl_templates": PHRASES}
        verdicts = [
            grade(case["reply"], {**row, "problem_pddl": case["problem_pddl"]}).verdict for case in cases
        ]
        self.agreement = Counter(
            zip(verdicts, (case["val_on_their_extraction"] for case in cases), strict=True)
        )
        self.right = np.array([verdict == RIGHT for verdict in verdicts], float)
        self.runs = np.array([case["id"].rpartition("/")[0] for case in cases])
        self.models = np.array([name.partition("/")[0] for name in self.runs])
        self.problems = np.array([str(case["instance"]) for case in cases])
        domain = read_domain(domain_pddl)
        texts = dict(zip(self.problems, (case["problem_pddl"] for case in cases), strict=True))
        self.features = {problem: features(domain, text) for problem, text in texts.items()}

    def values(self, names):
        """The features of each reply's problem, and their means and scales over the replies."""
        values = np.array([[self.features[problem][name] for name in names] for problem in self.problems])
        return values, values.mean(axis=0), values.std(axis=0)


def fit(replies, names, row_sd, chosen):
    """The effects of runs, features and rows on the chosen replies, and each reply's difficulty."""
    runs, problems = sorted({*replies.runs}), sorted(replies.features) if row_sd else []
    values, means, scales = replies.values(names)
    of_runs = indicator(replies.runs, runs)
    harder = hstack(
        [csr_array((values - means) / scales), indicator(replies.problems, problems)], format="csr"
    )
    sds = np.repeat([ABILITY_SD, FEATURE_SD, row_sd], [len(runs), len(names), len(problems)])
    design = hstack([of_runs, -harder], format="csr")[chosen]
    none = np.zeros(chosen.sum())
    mode, _ = posterior_mode(design, sds, replies.right[chosen], none, none)
    abilities, weights = mode[: len(runs)], mode[len(runs) :]
    return abilities, weights[: len(names)], harder @ weights


def held_out(replies, names, row_sd):
    """The difficulty of each reply's problem, fitted without the replies of its model."""
    difficulty = np.zeros(len(replies.right))
    for model in {*replies.models}:
        is_out = replies.models == model
        difficulty[is_out] = fit(replies, names, row_sd, ~is_out)[2][is_out]
    return difficulty


def area(replies, difficulty, chosen):
    """The area under the curve within runs, weighted by the pairs of a right and a wrong reply."""
    areas, pairs = [], []
    for run in {*replies.runs[chosen]}:
        of_run = chosen[replies.runs[chosen] == run]
        right = replies.right[of_run]
        if 0 < right.sum() < len(right):
            areas.append(roc_auc_score(right, -difficulty[of_run]))
            pairs.append(right.sum() * (1 - right).sum())
    return np.average(areas, weights=pairs) if areas else np.nan


def resampled(replies, difficulty):
    """The areas for problems drawn with replacement."""
    rng = np.random.default_rng(0)
    problems = sorted(replies.features)
    places = {problem: np.flatnonzero(replies.problems == problem) for problem in problems}
    for _ in range(RESAMPLES):
        drawn = rng.choice(problems, len(problems))
        yield area(replies, difficulty, np.concatenate([places[problem] for problem in drawn]))


def line(replies, title, difficulty):
    """A line of the table: the area with its interval, and the mean and range over models."""
    low, high = np.quantile([*resampled(replies, difficulty)], [0.025, 0.975])
    everything = np.arange(len(replies.right))
    by_model = [area(replies, difficulty, everything[replies.models == name]) for name in {*replies.models}]
    whole = area(replies, difficulty, everything)
    bounds = f"{np.nanmin(by_model):.2f} to {np.nanmax(by_model):.2f}"
    return f"| {title} | {whole:.3f} ({low:.3f}-{high:.3f}) | {np.nanmean(by_model):.3f} | {bounds} |"


def content(replies, row_sd):
    """The coefficients that are fitted to all replies."""
    everyone = np.full(len(replies.right), True)
    abilities, weights, _ = fit(replies, FITTED, row_sd, everyone)
    _, means, scales = replies.values(FITTED)
    columns = zip(FITTED, means, scales, weights, strict=True)
    return {
        "intercept": round(float(-abilities.mean()), 4),
        "features": {
            name: {
                "mean": round(float(mean), 4),
                "scale": round(float(scale), 4),
                "weight": round(float(w), 4),
            }
            for name, mean, scale, w in columns
        },
        "row_sd": row_sd,
        "ability_sd": round(float(abilities.std()), 2),
        "group_sd": GROUP_SD,
    }


def tested(replies, places, difficulty, model, standard_error):
    """The ability of a run by an adaptive test of its replies, and the number of rows."""
    verdicts = {("", str(place)): bool(replies.right[place]) for place in places}
    values = model["intercept"] + difficulty[places]
    rows = {row: RowDifficulty(b, model["row_sd"], 0.0) for row, b in zip(verdicts, values, strict=True)}
    test = AdaptiveTest(rows, model["ability_sd"], standard_error)
    asked = administer(test, lambda batch: {row: verdicts[row] for row in batch})
    return test.ability(asked).value, len(asked)


def order_of_runs(replies, difficulty, model, standard_error):
    """A line on the order of the runs by adaptive tests, and by the accuracy on as many random rows."""
    rng = np.random.default_rng(0)
    places = [np.flatnonzero(replies.runs == run) for run in sorted({*replies.runs})]
    accuracies = [replies.right[of_run].mean() for of_run in places]
    tests = [tested(replies, of_run, difficulty, model, standard_error) for of_run in places]
    draws = []
    for _ in range(RESAMPLES):
        drawn = [
            replies.right[rng.choice(of_run, count, replace=False)].mean()
            for of_run, (_, count) in zip(places, tests, strict=True)
        ]
        draws.append(spearmanr(accuracies, drawn).statistic)
    abilities, counts = zip(*tests, strict=True)
    order = spearmanr(accuracies, abilities).statistic
    rows = f"{np.mean(counts):.0f} of {np.mean([*map(len, places)]):.0f} rows"
    return f"standard error {standard_error}: {rows}, {order:.3f}; random rows {np.mean(draws):.3f}"


def main():
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(os.environ.get("ORRERY_CASES", "")) / "replies"
    if not (folder / "planbench_blocksworld.jsonl.gz").is_file():
        print(f"{folder} has no published replies; nothing to fit")
        return
    replies = Replies(folder)
    models = len({*replies.models})
    print(f"{len(replies.right)} replies of {models} models, {len({*replies.runs})} runs, ", end="")
    print(f"{len(replies.features)} problems; {int(replies.right.sum())} right")
    for (verdict, accepted), count in sorted(replies.agreement.items()):
        print(f"  {verdict}, {'accepted' if accepted else 'refused'} by VAL: {count}")
    print("\n| difficulty by | AUC within runs (95 %) | mean of models | models |\n|---|---|---|---|")
    print(line(replies, "constant", np.zeros(len(replies.right))))
    for title, names in SETS.items():
        print(line(replies, title, held_out(replies, names, 0)), flush=True)
    everything = np.arange(len(replies.right))
    by_sd = {sd: held_out(replies, FITTED, sd) for sd in ROW_SDS}
    row_sd = max(ROW_SDS, key=lambda sd: area(replies, by_sd[sd], everything))
    print(line(replies, f"structure, and other models' replies to the row (sd {row_sd})", by_sd[row_sd]))
    model = content(replies, row_sd)
    print("\nrank correlation of adaptive tests of the runs with the accuracy on all their replies")
    structure = held_out(replies, FITTED, 0)
    for standard_error in (0.3, 0.45):
        print(order_of_runs(replies, structure, model, standard_error))
    print(yaml.safe_dump({"model": model}, sort_keys=False))


if __name__ == "__main__":
    main()
