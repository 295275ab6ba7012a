"""Stage ``validate``: every row checked by a route that did not make it; writes ``outputs/report``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache, partial
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from pipeline.catalog import Entry, entry_of
from pipeline.checks import agreement, answers, plans, retold, splits, states, tables, texts
from pipeline.checks.open_matters import UNDECIDED
from pipeline.engine import map_items
from pipeline.inversion import Inverter
from pipeline.model import OrreryError, ToolMissing
from pipeline.pddl.read import read_problem
from pipeline.pddl.write import parse_atom
from pipeline.seeds import stream
from pipeline.settings import Settings
from pipeline.stages.report import Finding, write_report
from pipeline.stages.summary import Summary
from pipeline.store.contents import content_hash
from pipeline.store.schemas import INTERMEDIATE, PUBLISHED
from pipeline.store.shards import read_rows, shards, split_of

STAGE = "validate"
NO_TEXT = MappingProxyType({"init_text": "", "goal_text": "", "mixture": "nothing that was rendered"})
EXPLICIT = "/explicit-explicit"
ORIGIN = "origin"  # the decided state that a question comes from


class Item(NamedTuple):
    """One row and the check that it has to pass."""

    check: str
    row: dict[str, Any]


def run(settings: Settings, jobs: int = 1) -> Summary:
    """Check everything; write the report; raise where a row fails, so that the build ends here."""
    items = list(_items(settings))
    judge = partial(_judge, settings.root, settings.size.seconds)
    findings = _whole(settings)
    for item, faults in zip(items, map_items(items, judge, jobs=jobs, label=STAGE), strict=True):
        findings.append(_finding(item, faults))
    failed = [finding for finding in findings if finding.faults]
    write_report(settings, findings, content_hash(settings.outputs / "dataset"))
    if failed:
        first = failed[0]
        raise OrreryError(
            f"{first.check}: {first.row}",
            first.faults[0],
            f"{len(failed)} rows failed; outputs/report/index.html lists them",
        )
    undecided = sum(bool(finding.undecided) for finding in findings)
    return Summary(
        STAGE,
        "",
        {"checks passed": len(findings) - undecided},
        {"not decided a second time within the limits": undecided},
    )


def _finding(item: Item, messages: list[str]) -> Finding:
    """What the check says of the row: its faults, and apart from them what stayed undecided."""
    faults = tuple(message for message in messages if not message.startswith(UNDECIDED))
    undecided = tuple(message for message in messages if message.startswith(UNDECIDED))
    return Finding(item.check, item.row["domain"], _name(item.row), faults, undecided)


def _name(row: dict[str, Any]) -> str:
    return str(row.get("id") or f"{row['problem_id']}/{row.get('mixture') or row['state_id']}")


def _whole(settings: Settings) -> list[Finding]:
    """The checks of whole tables: files, schemas, ids, duplicates, contradictions, leaks between splits."""
    dataset, findings = settings.outputs / "dataset", []
    for table, schema in PUBLISHED.items():
        faults = [f"{row}: {fault}" for row, fault in tables.check(dataset, table, schema)]
        findings.append(Finding("tables", "", table, tuple(faults)))
    problems = [(row, split) for split, row in _rows(dataset, "problems")]
    findings.append(Finding("references", "", "all tables", tuple(_dangling(settings, dataset))))
    by_id = {row["id"]: row for row, _ in problems}
    findings.append(Finding("agreement", "", "all tables", tuple(_contradicting(dataset, by_id))))
    for name in settings.domains:
        read = partial(read_problem, domain=entry_of(settings.root, name).domain)
        mine = [
            (row["id"], split, read(row["problem_pddl"])) for row, split in problems if row["domain"] == name
        ]
        faults = [f"{row} {fault}" for row, fault in splits.leaks(mine)]
        findings.append(Finding("splits", name, f"{len(mine)} problems", tuple(faults)))
    return findings


def _dangling(settings: Settings, dataset: Path) -> Iterator[str]:
    """Rows of problems that are not published, and problems without an explicit text."""
    ids = {table: [row["id"] for _, row in _rows(dataset, table, ["id"])] for table in PUBLISHED}
    problems = set(ids["problems"])
    asked = {
        f"{row['problem_id']}/states/{row['state_id']}" for row in _made(settings, "solutions", "states")
    }
    for name in sorted(asked.union(*ids.values())):
        if "/".join(name.split("/")[:3]) not in problems:
            yield f"{name}: its problem is not published"
    for name in sorted(problems - {text.removesuffix(EXPLICIT) for text in ids["text_to_pddl"]}):
        yield f"{name}: has no explicit text"


def _contradicting(dataset: Path, problems: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """Texts and questions that say something else of their problem than its own row."""
    landmarks = {
        row["problem_id"]: len(row["answer"]["yes"])
        for _, row in _rows(dataset, "acp_land_gen", ["problem_id", "state_source", "answer"])
        if row["state_source"] == "initial"
    }
    for table in sorted(PUBLISHED.keys() - {"problems"}):
        for _, row in _rows(dataset, table):
            name = row.get("problem_id") or _parts(row["id"])[0]
            if name in problems:  # one that lacks is a finding of its own
                faults = agreement.check(row, problems[name], landmarks.get(name))
                yield from (f"{row['id']}: {fault}" for fault in faults)


def _items(settings: Settings) -> Iterator[Item]:
    """Every row with its checks; a share of the problems is also solved from their PDDL text anew."""
    dataset = settings.outputs / "dataset"
    problems = {row["id"]: row for _, row in _rows(dataset, "problems")}
    for name, row in problems.items():
        yield Item("plans", row)
        if row["plan_optimal"]:
            yield Item("optimal", row)
        if row["num_states"] is not None:
            yield Item("size", row)
        if row["solvable"] is False or _drawn(settings, name):
            yield Item("retold", row)
    texts = {(row["problem_id"], row["mixture"]): row for row in _made(settings, "texts", "texts")}
    for _, row in _rows(dataset, "text_to_pddl"):
        yield Item("plans", row)
        yield Item("texts", {**NO_TEXT, **texts.get(_parts(row["id"]), {}), **row})
    states = list(_made(settings, "solutions", "states"))
    for row in states:
        if problem := problems.get(row["problem_id"]):  # one that lacks is a finding of its own
            yield Item(
                "states", {**row, "domain": problem["domain"], "problem_pddl": problem["problem_pddl"]}
            )
    origins = {(row["problem_id"], row["source"], row["step"]): row for row in states}
    questions = chain.from_iterable(_rows(dataset, table) for table in PUBLISHED if table.startswith("acp_"))
    for _, row in questions:
        origin = origins.get((row["problem_id"], row["state_source"], row["state_step"]))
        kept = origin and {name: origin[name] for name in ("state", *answers.OF_STATE)}
        yield Item("answers", {**row, ORIGIN: kept})


def _made(settings: Settings, stage: str, table: str) -> Iterator[dict[str, Any]]:
    """The rows of a table of a stage, of all domains."""
    for name in settings.domains:
        yield from read_rows(settings.outputs / stage / name / f"{table}.parquet", INTERMEDIATE[table])


def _parts(name: str) -> tuple[str, str]:
    """Problem and mixture of a text, by its id."""
    problem, _, mixture = name.rpartition("/")
    return problem, mixture


def _drawn(settings: Settings, name: str) -> bool:
    """Whether a row belongs to the sample; the first test problem of each domain always does."""
    first = name.endswith("/test/000000")
    return first or stream(settings.seed, STAGE, name).random() < settings.size.planner_share


def _rows(
    dataset: Path, table: str, columns: list[str] | None = None
) -> Iterable[tuple[str, dict[str, Any]]]:
    """The rows of a published table with their splits, all columns or those asked for."""
    for path in shards(dataset, table):
        yield from ((split_of(path), row) for row in read_rows(path, PUBLISHED[table], columns))


def _judge(root: Path, seconds: float, item: Item) -> list[str]:
    """The faults that the item's check finds; a row that cannot be read is one."""
    try:
        return _check(root, seconds, item)
    except ToolMissing:
        raise
    except OrreryError as error:
        return [str(error)]


def _check(root: Path, seconds: float, item: Item) -> list[str]:
    row = item.row
    if item.check == "answers":
        return answers.check(row, seconds) + answers.check_origin(row, row[ORIGIN])
    entry = entry_of(root, row["domain"])
    if item.check == "plans":
        return plans.check(entry.domain, row)
    if item.check == "retold":
        return retold.check(entry.domain, row, seconds)
    problem = read_problem(row["problem_pddl"], entry.domain)
    if item.check == "optimal":
        return states.check_optimal(entry.domain, problem, row["plan_cost"], seconds)
    if item.check == "size":
        return states.check_size(entry.domain, problem, row["num_states"])
    if item.check == "states":
        there = replace(problem, init=frozenset(map(parse_atom, row["state"])))
        return states.check(entry.domain, there, row, seconds)
    return texts.check(_inverter(entry), problem, row)


@cache
def _inverter_of(root: Path, name: str) -> Inverter:
    entry = entry_of(root, name)
    return Inverter(entry.words, entry.domain)


def _inverter(entry: Entry) -> Inverter:
    """The inverter of the domain, made once a process: its patterns are costly."""
    return _inverter_of(entry.root, entry.name)
