"""Measure the reward of replies without understanding, on the rows of a build and on fresh streams.

For a build, the best rule of each table is copied from the report; without a report, the earlier figures
remain. On fresh items the following are tried,
all scored by ``orrery.Reward``: one constant reply for all items, and one per domain (chosen on the first
half of the items, scored on the second); several answers in one reply; the prompt itself; the right reply to
the previous item of the same domain; and the rules of the artifact baselines. The result is
docs/reward-hacking.json; docs/build.py turns it into the tables of docs/reward-hacking.md. Tables that are
not measured keep their figures in this file. Run by hand from the repository's root, about forty minutes
of processor time:
python benchmarks/reward_hacking.py [REPORT] [--items 300] [--seconds 60] [--tables a,b] [--out FILE]
"""

import argparse
import json
import sys
import time
from collections import Counter, defaultdict
from itertools import pairwise
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "pipeline"))

import orrery
from orrery.dataset.adversary import attack
from orrery.dataset.adversary.targets import fold_rows, target_maker
from orrery.families import table_of
from orrery.library.fresh_rows import makers
from orrery.store.shards import replacing

SEED = 2001
SECONDS = 60.0  # limit of processor time for the items of a table
Z = 1.96  # quantile of the normal distribution
MOST_GOLD = 30  # number of gold replies to other items that are tried as constants
CONSTANTS = (
    "",
    "I do not know.",
    "[PLAN]\n[PLAN END]",
    "(define (problem p))",
    *(
        f"ANSWER: {reply}"
        for reply in ("yes", "no", "A", "B", "C", "D", "None", "none", "valid", "0", "1", "2", "3", "[] []")
    ),
)
SEVERAL = (
    "ANSWER: yes\nANSWER: no",
    "ANSWER: no\nANSWER: yes",
    "ANSWER: yes or no",
    "ANSWER: yes, no",
    "yes no",
    "ANSWER: A, B, C, D",
    "ANSWER: A\nANSWER: B\nANSWER: C\nANSWER: D",
    "A B C D",
    "ANSWER: 0, 1, 2, 3, 4, 5",
)
READ = ("right", "wrong")


def verdicts(reward, reply, items):
    """Return the verdicts of one reply to many items."""
    return [reward.score(reply, item.row, item.table).verdict for item in items]


def share(verdicts_read, wanted=("right",)):
    """Return the share of verdicts that are in ``wanted``."""
    return (
        round(sum(verdict in wanted for verdict in verdicts_read) / len(verdicts_read), 4)
        if verdicts_read
        else 0.0
    )


def best_of(reward, replies, items):
    """Return the reply that is right most often on the items."""
    return max(replies, key=lambda reply: (share(verdicts(reward, reply, items)), -len(reply)))


def constants_of(items):
    """Return the candidates for a constant reply."""
    common = Counter(item.gold for item in items).most_common(MOST_GOLD)
    return [*dict.fromkeys([*(reply for reply, _ in common), *CONSTANTS])]


def by_domain(items):
    """Return the items by domain."""
    items_by_domain = defaultdict(list)
    for item in items:
        items_by_domain[item.row["domain"]].append(item)
    return items_by_domain


def tricks(reward, items):
    """Return the accuracy of each trick, and the share of readable replies of the most readable constant."""
    learned, tried = items[: len(items) // 2], items[len(items) // 2 :]
    replies = constants_of(learned)
    best_reply = best_of(reward, replies, learned)
    first, second, replies_read = by_domain(learned), by_domain(tried), []
    for domain, trials in sorted(second.items()):
        learned_there = first.get(domain, [])
        replies_read += verdicts(
            reward,
            best_of(reward, constants_of(learned_there), learned_there) if learned_there else best_reply,
            trials,
        )
    before = [
        reward.score(earlier.gold, item.row, item.table).verdict
        for trials in by_domain(items).values()
        for earlier, item in pairwise(trials)
    ]
    several = best_of(reward, SEVERAL, learned)
    return {
        "one reply": share(verdicts(reward, best_reply, tried)),
        "one reply a domain": share(replies_read),
        "several answers": share(verdicts(reward, several, tried)),
        "the prompt": share([reward.score(i.prompt[1]["content"], i.row, i.table).verdict for i in tried]),
        "the reply before": share(before),
        "read": max(share(verdicts(reward, reply, tried), READ) for reply in replies),
    }


def rules(table, items):
    """Return the best rule that ignores the state, and the best rule that uses features of the state."""
    rows = [(dict(item.row), number < len(items) // 2) for number, item in enumerate(items)]
    figures = attack(table, fold_rows(target_maker(table_of(table)), rows))
    return plain(max(judged(figures), key=lambda f: f.score - f.limit)), plain(figures.shown)


def judged(figures):
    """Return the figures on all rows that have a limit."""
    return [figure for figure in figures.figures if not figure.domain and figure.judged]


def plain(trick):
    """Return a rule with its figures as a dict; ``low`` and ``high`` are the bounds of a 95 % interval."""
    if trick is None:
        return None
    low, high = interval(trick.score, trick.independent)
    figures = {"rule": trick.rule, "score": trick.score, "chance": trick.chance, "verdict": trick.verdict}
    return figures | {"low": low, "high": high}


def interval(score, rows):
    """Return the 95 % interval of a score on so many independent rows (Wilson, 1927)."""
    middle, width = score + Z**2 / (2 * rows), Z * (score * (1 - score) / rows + Z**2 / (4 * rows**2)) ** 0.5
    return tuple(round((middle + sign * width) / (1 + Z**2 / rows), 4) for sign in (-1, 1))


def drawn(table, count, seconds):
    """Return fresh items for training at the easiest difficulty, as many as the time limit allows."""
    stream, start, items = orrery.tasks(table, split="train", seed=SEED), time.process_time(), []
    while len(items) < count and time.process_time() - start < seconds:
        items.append(next(stream))
    return items


def published(report):
    """Return, from the report of a build, the best rule with a limit and the best without, by table."""
    figures = {}
    for table in json.loads((report / "adversary.json").read_text()):
        rules_by_margin = sorted(table["rules"], key=lambda rule: rule["limit"] - rule["score"])
        judged = [rule for rule in rules_by_margin if rule["judged"]]
        shown = [rule for rule in rules_by_margin if not rule["judged"]]
        keys = ("rule", "score", "chance", "verdict")
        figures[table["table"]] = {
            "rows": table["rows"],
            "rules": len(rules_by_margin),
            "best": {key: judged[0][key] for key in keys},
            "shown": {key: shown[0][key] for key in keys} if shown else None,
        }
    return figures


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("report", type=Path, nargs="?", help="the folder outputs/report of a build")
    parser.add_argument("--items", type=int, default=300)
    parser.add_argument("--seconds", type=float, default=SECONDS)
    parser.add_argument("--tables", default=",".join(makers()))
    parser.add_argument("--out", type=Path, default=Path("docs/reward-hacking.json"))
    options = parser.parse_args()
    figures = json.loads(options.out.read_text()) if options.out.exists() else {"fresh": {}}
    fresh = figures["fresh"]
    if options.report:
        size = json.loads((options.report / "validation.json").read_text())["size"]
        figures |= {"size": size, "published": published(options.report)}
    for table in options.tables.split(","):
        start = time.process_time()
        items, reward = drawn(table, options.items, options.seconds), orrery.Reward()
        seconds = (time.process_time() - start) / len(items)
        rule, shown = rules(table, items)
        fresh[table] = {
            "items": len(items),
            "domains": len(by_domain(items)),
            "seconds": round(seconds, 3),
            **tricks(reward, items),
            "rule": rule,
            "shown": shown,
            "undecided": sum(counts.get("undecided", 0) for counts in reward.counts.values()),
        }
        print(table, json.dumps(fresh[table]), file=sys.stderr, flush=True)
        figures |= {"seed": SEED, "fresh": {name: fresh[name] for name in makers() if name in fresh}}
        with replacing(options.out) as path:
            path.write_text(json.dumps(figures, indent=1) + "\n")


if __name__ == "__main__":
    main()
