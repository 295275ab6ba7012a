"""Measure how many tasks per second of processor time the library produces and scores, by table.

Fresh: generated, verbalised and solved at the easiest difficulty, with the prompt. Loaded: from a dataset
folder, with the prompt. Scored: the gold reply and that of the next item. The time to load code and compiled
loops is excluded and reported separately, as the time of the first item. Run by hand from the repository's
root: python benchmarks/library.py [--tables a,b] [--domain d] [--items 100]
"""

import argparse
import sys
import tempfile
import time
from itertools import islice, pairwise
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "pipeline"))

import orrery
from orrery.families import tables
from orrery.library.fresh_rows import makers
from orrery.store.columns import from_rows
from orrery.store.shards import write_table_shards

# Target by table and domain ("": all domains in turn): fresh items per second and core.
TARGETS = {("text_to_pddl", "blocksworld"): 200, ("acp_app_gen", ""): 50}
LOADED = 2_000
HEADINGS = ("fresh/s", "loaded/s", "scores/s", "first s", "tries")
WARM = 10  # items before timing begins
SECONDS = 10.0  # time limit for a slow table


def rate(work, most=SECONDS):
    """Return results per second of processor time, and the results."""
    start, items = time.process_time(), []
    for item in work:
        items.append(item)
        if time.process_time() - start > most:
            break
    return len(items) / max(1e-9, time.process_time() - start), items


def prompted(items):
    """Yield the items after their prompts are generated."""
    for item in items:
        _ = item.prompt
        yield item


def scored(items):
    """Yield two scores of each item: for its gold reply and for the next item's gold reply."""
    for item, following in pairwise(items):
        for reply in (item.gold, following.gold):
            yield item.score(reply)


def stored(folder, table, items):
    """Write a dataset folder with repeated items; return the folder."""
    rows = [dict(item.row) for item in items]
    again = [{**row, "id": f"{row['id']}/{n}"} for n in range(-(-LOADED // len(rows))) for row in rows]
    schema = tables()[table].schema
    write_table_shards(folder, schema, "test", [from_rows(schema, again)])
    return folder


def measured(table, domain, count):
    """Return the rates of a table (fresh, loaded, scored), seconds of the first item, and tries per item."""
    stream = orrery.tasks(table, domain or None)
    start = time.process_time()
    first = prompted(stream)
    next(first)
    first_seconds = time.process_time() - start
    list(islice(first, WARM))
    before = stream.skipped.total()
    fresh, items = rate(islice(first, count))
    tries = 1 + (stream.skipped.total() - before) / len(items)
    with tempfile.TemporaryDirectory() as folder:
        dataset = stored(Path(folder), table, items)
        start = time.process_time()
        loaded = len(list(prompted(orrery.load(dataset, table)))) / (time.process_time() - start)
    list(scored(items[:WARM]))
    return fresh, loaded, rate(scored(items))[0], first_seconds, tries


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tables", default=",".join(makers()))
    parser.add_argument("--domain", default="")
    parser.add_argument("--items", type=int, default=100)
    options = parser.parse_args()
    tables_asked = [(table, options.domain) for table in options.tables.split(",")]
    tables_asked += [
        cell
        for cell in TARGETS
        if cell not in tables_asked and cell[0] in options.tables and not options.domain
    ]
    print(f"{'table':20} {'domain':12}", *(f"{heading:>9}" for heading in HEADINGS))
    slow = []
    for table, domain in tables_asked:
        fresh, loaded, scores, first, tries = measured(table, domain, options.items)
        figures = (f"{fresh:9.1f}", f"{loaded:9.0f}", f"{scores:9.0f}", f"{first:9.2f}", f"{tries:9.1f}")
        print(f"{table:20} {domain or 'all':12}", *figures)
        if fresh < TARGETS.get((table, domain), 0) or loaded < LOADED:
            slow.append(table)
    print(f"targets: {'missed by ' + ', '.join(slow) if slow else 'met'}")


if __name__ == "__main__":
    main()
