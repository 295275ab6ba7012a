"""``orrery import planetarium``: the rows of Planetarium, each decided by our planner and our grader."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple
from functools import partial
from itertools import islice
from pathlib import Path

import pyarrow.compute as pc

from orrery.catalog import Entry, entry_of
from orrery.corpus.acpbench import RIGHT, UNDECIDED, WRONG
from orrery.corpus.planetarium import MEND, NAME, PUBLISHED_TEXTS, ReleasedTexts, released_files
from orrery.equivalence.embedding import goal_holds_permuted
from orrery.equivalence.graph import Undecided
from orrery.equivalence.keys import keys
from orrery.families.modelling.schemas import LOG
from orrery.families.text_to_pddl.rows import size_fold
from orrery.library.judging import score
from orrery.model import Domain, OrreryError, Problem, Row
from orrery.parts import Parts, fingerprint, map_parts, package_fingerprint
from orrery.pddl.faults import PddlError
from orrery.pddl.read import read_problem
from orrery.pddl.write import write_atom, write_domain
from orrery.scoring.problems.pairs import DomainKnowledge, known_of
from orrery.scoring.problems.solvability import ProofLimits
from orrery.stages.imports import SPLIT, STAGE, ImportLog, by_verdict, imported_schema, left_out, write_import
from orrery.stages.summary import StageSummary
from orrery.store.columns import Table
from orrery.store.kinds import INT, STRING, as_json, column, table_name
from orrery.store.shards import read_rows, write
from orrery.workers import ALONE, Workers

TABLE = "text_to_pddl"
BLOCK = 500  # rows decided together: a few seconds of work
SPLITS = ("train", "test")
UNKNOWN_DOMAIN, NO_PROBLEM = "domain is unknown", "PDDL cannot be read"
REPEATED = "rows that another file has, too"
COUNTED = ("domain", "published_verdict", "published_grade", "goal_holds_initially", "problem_id")
SCHEMA = imported_schema(
    TABLE,
    *("id", "name", "domain", "init", "goal", "num_objects", "problem_pddl", "natural_language"),
    *("init_is_abstract", "init_num_propositions", "goal_is_abstract", "goal_num_propositions"),
    *("is_placeholder", "num_propositions", "fold_size", "fold_mixture", "domain_pddl", "plan", "plan_cost"),
    *("solvable", "task"),
    own=[
        column("problem_id", STRING, "The problem; rows with the same `strict_key` share it"),
        column(
            "strict_key",
            STRING,
            "Equal for problems that are equal up to names; null: undecided",
            nullable=True,
        ),
        column(
            "loose_key", STRING, "Equal if goal objects may be exchanged, too; null: undecided", nullable=True
        ),
        column(
            "goal_holds_initially",
            INT,
            "1 if the goal holds at the start, in placeholder rows with some exchange; null: undecided",
            nullable=True,
        ),
    ],
)


def run(
    folder: Path, out: Path, root: Path, *, workers: Workers = ALONE, seconds: float = 5.0
) -> StageSummary:
    """Write the rows of all files below ``folder`` as a dataset, each row once, with our verdicts.

    Rows are decided in blocks, which are stored next to ``out``. A repeated call continues an interrupted
    run.

    Args:
        folder: the published folder.
        out: the folder of the dataset.
        root: the folder with domains and generators.
        workers: the processes that decide rows.
        seconds: limit of one planner call; solvability is undecided beyond it.

    Raises:
        OrreryError: there is no Parquet file, or none has a row that can be graded; nothing is written.
    """
    files, log = released_files(folder), ImportLog()
    folders = [path for name in ("domains", "generators") if (path := root / name).is_dir()]
    made_from = fingerprint([*files, *folders], seconds=seconds, package=package_fingerprint())
    parts = Parts(out.with_name(f".parts-of-{out.name}"), (SCHEMA.append(SPLIT), LOG), made_from)
    texts = ReleasedTexts(folder, files, log.tell)
    blocks = list(_blocks(texts, parts.folder / "blocks"))
    decide, label = partial(_decided, root, seconds), f"{STAGE} {NAME}"
    names = map_parts(decide, blocks, parts, workers, label=label, describe=lambda path: path.name)
    log.add_rows(entry for table in parts.tables(names, table_name(LOG)) for entry in table.to_pylist())
    counted = [row for table in parts.tables(names, TABLE, COUNTED) for row in table.to_pylist()]
    if not counted:
        parts.discard()
        raise log.first_error(folder, MEND)
    tables = [(SCHEMA, split, _of_split(parts.tables(names, TABLE), split)) for split in SPLITS]
    write_import(NAME, out, tables, log)
    parts.discard()
    return _summary(counted, log, texts.repeated)


def _blocks(texts: ReleasedTexts, folder: Path) -> Iterator[Path]:
    """Write the rows to files of BLOCK rows and yield their paths, so that one block is in memory."""
    rows, number = iter(texts), 0
    while block := list(islice(rows, BLOCK)):
        path = folder / f"{number:05}.parquet"
        write(path, PUBLISHED_TEXTS, block)
        yield path
        number += 1


def _of_split(tables: Iterator[Table], split: str) -> Iterator[Table]:
    for table in tables:
        yield table.filter(pc.equal(table["split"], split)).drop_columns(["split"])


def _decided(root: Path, seconds: float, block: Path) -> dict[str, list[Row]]:
    """Return the rows of a block, and entries of the log for rows that are left out."""
    rows: dict[str, list[Row]] = {TABLE: [], table_name(LOG): []}
    for published in read_rows(block, PUBLISHED_TEXTS):
        for table, listed in _decided_row(published, root, seconds).items():
            rows[table] += listed
    return rows


def _decided_row(published: Row, root: Path, seconds: float) -> dict[str, list[Row]]:
    """Return the row with our verdicts; an entry of the log if no reply to it can be graded."""
    place = f"{published['file']}, row {published['number']}"
    known = known_of(root, published["domain"], None)
    if known is None:
        return left_out(published["id"], place, f"{UNKNOWN_DOMAIN}: {published['domain']}")
    try:
        problem = read_problem(published["problem_pddl"], known.domain, published["id"])
    except PddlError as error:
        return left_out(published["id"], place, f"{NO_PROBLEM}: {error.problem}")
    entry = entry_of(root, published["domain"])
    solved = known.prover.solve(problem, ProofLimits(seconds=seconds))
    row = {
        **published,
        **_views(published, problem, entry),
        **_keys(known, problem, published),
        "goal_holds_initially": _holds_initially(known.domain, problem, bool(published["is_placeholder"])),
        "domain_pddl": write_domain(known.domain),
        "plan": [write_atom(step) for step in solved.plan or ()],
        "plan_cost": None if solved.plan is None else len(solved.plan),
        "solvable": solved.solvable,
        "published_answer": as_json(published["problem_pddl"]),
        **_verdict(published, _counts(problem), entry, solved.solvable),
    }
    row["published_grade"] = score(published["problem_pddl"], row, TABLE, root=root).verdict
    return {TABLE: [{name: row[name] for name in (*SCHEMA.names, "split")}]}


def _counts(problem: Problem) -> dict[str, int]:
    return {
        "num_objects": len(problem.objects),
        "init_num_propositions": len(problem.init),
        "goal_num_propositions": len(problem.goal),
    }


def _verdict(published: Row, counts: Mapping[str, int], entry: Entry, solvable: bool | None) -> Row:
    """Return whether the problem has a plan and is as the row states."""
    faults = [*_wrong_counts(published, counts), *_wrong_placeholder(published, entry)]
    faults += ["no plan exists"] if solvable is False else []
    unknown = ["solvability is undecided"] if solvable is None else []
    return {
        "published_verdict": WRONG if faults else UNDECIDED if unknown else RIGHT,
        "published_detail": "; ".join([*faults, *unknown]),
    }


def _wrong_counts(published: Row, counts: Mapping[str, int]) -> Iterator[str]:
    """Yield the counts of the row that are not those of its problem."""
    for name, count in counts.items():
        if published[name] not in (None, count):
            yield f"{name} is {count}, not {published[name]}"


def _wrong_placeholder(published: Row, entry: Entry) -> Iterator[str]:
    """Yield a fault if the row is a placeholder row against the published rule.

    It applies to tasks that we know: a placeholder row has an abstract side, and its task is neither tied nor
    strict.
    """
    known = [task for task in entry.tasks if (task.init, task.goal) == (published["init"], published["goal"])]
    is_abstract = bool(published["init_is_abstract"] or published["goal_is_abstract"])
    expected = {int(task.interchangeable and is_abstract) for task in known}
    if expected and published["is_placeholder"] not in expected:
        yield f"is_placeholder is {published['is_placeholder']}, against its rule"


def _views(published: Row, problem: Problem, entry: Entry) -> Row:
    """Return the columns that follow from the configurations and the size of the problem."""
    sides = ("abstract" if published[f"{side}_is_abstract"] else "explicit" for side in ("init", "goal"))
    task = f"{published['init']}-to-{published['goal']}"
    is_test = entry.description.test_only or task in entry.description.test_tasks
    propositions = len(problem.init) + len(problem.goal)
    return {
        **_counts(problem),
        "num_propositions": propositions,
        "fold_size": size_fold(propositions),
        "fold_mixture": "-".join(sides),
        "task": task,
        "split": "test" if is_test else "train",
    }


def _keys(known: DomainKnowledge, problem: Problem, published: Row) -> Row:
    """Return the keys and the id of the problem; without a key, each row has its own problem."""
    try:
        strict, loose = astuple(keys(known.domain, problem, known.rule))
    except (Undecided, OrreryError):  # the domain's rule may not support an odd problem
        return {"problem_id": published["id"], "strict_key": None, "loose_key": None}
    name = f"{NAME}/{published['domain']}/{strict[:16]}"
    return {"problem_id": name, "strict_key": strict, "loose_key": loose}


def _holds_initially(domain: Domain, problem: Problem, is_placeholder: bool) -> int | None:
    if problem.satisfied(problem.init) or not is_placeholder:
        return int(problem.satisfied(problem.init))
    try:
        return int(goal_holds_permuted(domain, problem))
    except Undecided:
        return None


def _summary(rows: Sequence[Row], log: ImportLog, repeated: int) -> StageSummary:
    """Return the numbers of rows by domain and verdict, and of omitted rows by reason."""
    counts = Counter(f"{row['domain']} {row['published_verdict']}" for row in rows)
    made = {
        "rows": len(rows),
        "problems": len({row["problem_id"] for row in rows}),
        **dict(sorted(counts.items())),
        "with nothing to plan": sum(row["goal_holds_initially"] == 1 for row in rows),
    }
    omitted = {**log.num_left_out(), REPEATED: repeated}
    return StageSummary(STAGE, NAME, made, omitted, warnings=(*by_verdict({TABLE: rows}), *log.warnings))
