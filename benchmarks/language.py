"""Measure how varied the language of a dataset is, and how many rows regular expressions can invert.

For text_to_pddl, by domain and mixture: masked skeletons (names and numbers replaced) per 1,000 rows, as full
texts and as sets of sentences, and the largest share of one skeleton in a configuration. For contexts of
questions and plans: characters and skeletons. Then a reader of regular expressions: from training rows it
learns which fact each sentence with masked names states, and inverts the explicit test rows.
Run by hand from the repository's root: python benchmarks/language.py outputs/dataset [--learn 200]
"""

import argparse
import re
import sys
from collections import Counter, defaultdict
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from orrery.catalog import entry_of
from orrery.language.words import NUMBERS
from orrery.model import literals
from orrery.pddl.read import read_problem
from orrery.store.shards import read_rows, shards

ROOT = Path(__file__).resolve().parent.parent
COUNTED = re.compile(rf"\b(?:{'|'.join(NUMBERS)}|\d+)\b", re.IGNORECASE)
SENTENCE = re.compile(r"[^.?!]+[.?!]")
ENOUGH = 20  # minimum rows for a share
NAME = r"[\w-]+"


def names_of(row):
    """Return the objects of a row's problem."""
    declared = re.search(r"\(:objects([^)]*)\)", row["problem_pddl"])
    words = declared[1].split() if declared else []
    sentences, kind = [], False
    for word in words:
        kind, skip = word == "-", kind
        if not (skip or kind):
            sentences.append(word)
    return sentences


def masked(text, names):
    """Return the text with names replaced by N and numbers by 0."""
    pattern = "|".join(sorted(map(re.escape, names), key=len, reverse=True))
    named = re.sub(rf"(?<![\w-])(?:{pattern})(?![\w-])", "N", text, flags=re.IGNORECASE) if pattern else text
    return COUNTED.sub("0", re.sub(r"N(?:, N)* and N", "N", named))


def count(dataset):
    """Print the skeletons of text_to_pddl."""
    by_part, by_configuration = defaultdict(list), defaultdict(list)
    for path in shards(dataset, "text_to_pddl"):
        for row in read_rows(path):
            if row["vocabulary"] == "plain":
                mixture = row["fold_mixture"]
                texts = masked(row["natural_language"], names_of(row))
                by_part[row["domain"], mixture].append(texts)
                by_configuration[row["domain"], mixture, row["init"], row["goal"]].append(texts)
    print(f"{'domain':14} {'mixture':20} {'rows':>6} {'/1,000':>7} {'as sets':>8} {'largest share':>14}")
    for (domain, mixture), texts in sorted(by_part.items()):
        sets = {frozenset(SENTENCE.findall(text)) for text in texts}
        shares = [
            Counter(texts_of).most_common(1)[0][1] / len(texts_of)
            for (first, second, *_), texts_of in by_configuration.items()
            if (first, second) == (domain, mixture) and len(texts_of) >= ENOUGH
        ]
        largest = f"{max(shares):13.1%}" if shares else "too few"
        per = [1000 * len(words_each) / len(texts) for words_each in (set(texts), sets)]
        print(f"{domain:14} {mixture:20} {len(texts):6} {per[0]:7.0f} {per[1]:8.0f} {largest:>14}")


def contexts(dataset):
    """Print the lengths of contexts and their numbers of skeletons."""
    print(f"\n{'table':26} {'style':10} {'rows':>6} {'characters':>11}")
    rows_by_table = defaultdict(list)
    for table in ("questions", "questions_bool", "questions_mcq", "plan_generation", "plan_verification"):
        for path in shards(dataset, table):
            for row in read_rows(path):
                if "context" in row:
                    rows_by_table[table, row.get("style", "-")].append(len(row["context"]))
    for (table, style), lengths in sorted(rows_by_table.items()):
        print(f"{table:26} {style:10} {len(lengths):6} {median(lengths):11.0f}")


def facts_of(row, domain):
    """Return the literals that an explicit row states."""
    problem = read_problem(row["problem_pddl"], domain)
    return [*literals(problem.init), *problem.goal]


def learned(rows, domain):
    """Count, over training rows, the predicate and the order of names that each masked sentence states."""
    votes = defaultdict(Counter)
    for row in rows:
        names = names_of(row)
        name_pattern = re.compile(
            rf"(?<![\w-])(?:{'|'.join(sorted(map(re.escape, names), key=len, reverse=True))})(?![\w-])"
        )
        facts = defaultdict(set)
        for literal in facts_of(row, domain):
            facts[frozenset(literal.atom[1:])].add(literal)
        for sentence in SENTENCE.findall(row["natural_language"].lower()):
            names_here = name_pattern.findall(sentence)
            for literal in facts[frozenset(names_here)]:
                if len(names_here) == len(literal.atom) - 1:
                    order = tuple(names_here.index(name) for name in literal.atom[1:])
                    votes[name_pattern.sub("N", sentence).strip()][
                        literal.atom[0], literal.positive, order
                    ] += 1
    return {vote: votes[vote].most_common(1)[0][0] for vote in votes}


def invert(dataset, learn):
    """Print the share of explicit test rows that regular expressions invert."""
    rows = defaultdict(lambda: defaultdict(list))
    for path in shards(dataset, "text_to_pddl"):
        for row in read_rows(path):
            if row["fold_mixture"] == "explicit-explicit" and row["vocabulary"] == "plain":
                rows[row["domain"]]["test" if "/test/" in row["id"] else "train"].append(row)
    print(f"\n{'domain':14} {'learned from':>12} {'rules':>6} {'facts found':>12} {'rows inverted':>14}")
    for name, split in sorted(rows.items()):
        domain, table = entry_of(ROOT, name).domain, {}
        table = learned(split["train"][:learn], domain)
        test_rows, whole = [], []
        for row in split["test"]:
            names = names_of(row)
            name_pattern = re.compile(
                rf"(?<![\w-])(?:{'|'.join(sorted(map(re.escape, names), key=len, reverse=True))})(?![\w-])"
            )
            sentences = set()
            for sentence in SENTENCE.findall(row["natural_language"].lower()):
                names_here = name_pattern.findall(sentence)
                if rule := table.get(name_pattern.sub("N", sentence).strip()):
                    sentences.add((rule[0], *(names_here[place] for place in rule[2])))
            stated = {literal.atom for literal in facts_of(row, domain)}
            # The reader gets the types and inequalities, which the list of objects states.
            wanted = {atom for atom in stated if atom[0] in domain.fluents}
            test_rows.append(len(sentences & wanted) / len(wanted))
            whole.append(wanted <= sentences <= stated)
        if whole:
            print(
                f"{name:14} {min(learn, len(split['train'])):12} {len(table):6} "
                f"{sum(test_rows) / len(test_rows):12.1%} {sum(whole) / len(whole):14.1%}"
            )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("dataset", type=Path)
    parser.add_argument("--learn", type=int, default=200)
    options = parser.parse_args()
    count(options.dataset)
    contexts(options.dataset)
    invert(options.dataset, options.learn)
