"""Check rows that ask for actions and domains against the domain's own file, their twins and their texts.

Domains are read by ``statements``, not by the reader of the pipeline. Each line of a text must be a wording
of the statements of the domain's own file that belong there. Composed domains have no file of their own:
their statements follow from the fragments that their rows name.

Not decided again: whether a problem of another author without a plan has none, if our semantics does not
cover its domain; and the gold domain of a synthesised row, which has no file, beyond its descriptions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache, cached_property, partial
from hashlib import sha256
from typing import Any

import pyarrow.parquet as pq

from orrery.catalog import Entry, entry_of
from orrery.checks import FamilyChecks, external_planner
from orrery.checks.composed_domains import gold_faults, reader_of, text_faults
from orrery.checks.composed_problems import composed_problem_faults
from orrery.checks.composed_splits import COMPOSED_SOURCE, ComposedRows, themes_for_testing, twin_faults
from orrery.checks.execution import fault_of_plan
from orrery.checks.external_planner import StatedPlan
from orrery.checks.inputs import CheckInputs, SourceFile, split_of
from orrery.checks.reading.cursor import UnreadableText
from orrery.checks.reading.domain_texts import DomainTextReader
from orrery.checks.reading.generated_descriptions import read_description
from orrery.checks.sql import files_of, select
from orrery.checks.statements import Statement, compared, statements, symbols_of
from orrery.checks.verdicts import MALFORMED, Verdicts, differing, undecided
from orrery.families import families
from orrery.model import Domain, OrreryError, Row
from orrery.pddl.read import PddlError, read_domain, read_problem, text_of
from orrery.pddl.write import parse_atom

OURS = "orrery"  # the source of rows on our domains
TOKENIZER = "pddl-symbols"
DECLARED = frozenset({"type", "constant", "predicate", "action"})
BODIES = frozenset({"needs", "makes"})
GENERATED = DECLARED | BODIES | {"function", "rule"}
BATCH = 40  # rows held in memory at a time
SYNTHESISED = "orrery-synthesised"  # a source of rows
ENDINGS = ("actions", "domain")  # of ids of rows on our domains
PROBLEMS = 4  # maximum number of problems of a row on one of our domains
# What rows on other than composed domains have in the columns on composition.
NOT_COMPOSED: Row = {
    **{"explicitness": "", "theme": "", "seen": ""},
    **{"told": [], "mechanics": [], "attachments": []},
}
TWIN_COLUMNS = ("source", "license", "gold_domain", "problems")
PROBLEM_COLUMNS = ("name", "pddl", "solvable", "plan", "optimal_cost")
DECIDED = "FROM problems WHERE solvable IS NOT NULL"
COUNTED = f"SELECT domain, split_part(id, '/', 2), count(*) {DECIDED} GROUP BY ALL"
NAMED = f"""
    SELECT id, problem_pddl, solvable, plan, CASE WHEN plan_optimal THEN plan_cost END
    {DECIDED} AND id IN ({{names}})
"""


def check_rows(inputs: CheckInputs) -> Verdicts:
    """Check all rows, and compare those of the two tables on the same domain."""
    verdicts, check = Verdicts(), RowCheck(inputs)
    twins: dict[str, list[Row]] = {}
    composed = ComposedRows(inputs.seed, themes_for_testing(inputs.root))
    for table in families()["modelling"].tables:
        for path in files_of(inputs.dataset, table.name):
            for batch in pq.ParquetFile(path).iter_batches(BATCH, use_threads=False):
                for row in batch.to_pylist():
                    verdicts.judge("descriptions", row, partial(check.faults, row))
                    composed.add(row)
                    if is_ours(row):
                        compared_columns = {name: row[name] for name in ("id", "domain", *TWIN_COLUMNS)}
                        twins.setdefault(row["domain"], []).append(compared_columns)
    for rows in twins.values():
        faults = list(twin_faults(rows, ENDINGS, TWIN_COLUMNS))
        verdicts.enter("twins", rows[-1]["domain"], rows[-1]["id"], faults)
    for domain, name, faults in composed.faults():
        verdicts.enter("composed", domain, name, faults)
    verdicts.add(external_planner.check_plans("external", check.plans, inputs.seconds))
    return verdicts


def is_ours(row: Row) -> bool:
    """Return whether a row is on one of our domains, by its id: ``<domain>/<split>/actions`` (or domain)."""
    parts = row["id"].split("/")
    return len(parts) == len(("domain", "split", "ending")) and parts[-1] in ENDINGS


class RowCheck:
    """The checks of single rows; ``plans`` are those that only another tool can execute."""

    def __init__(self, inputs: CheckInputs) -> None:
        """Prepare to check rows of a dataset."""
        self.inputs = inputs
        self.plans: list[StatedPlan] = []
        self.readers = cache(_reader_of)

    def faults(self, row: Row) -> list[str]:
        """Return the faults of a row of either table."""
        if row["source"] == COMPOSED_SOURCE:
            return list(self.composed_faults(row))
        faults = differing({name: value for name, value in NOT_COMPOSED.items() if name in row}, row)
        if not is_ours(row):
            return faults + self.foreign_faults(row)
        if row["domain"] not in self.inputs.domains:
            return [f"the build has no domain {row['domain']}"]
        entry = entry_of(self.inputs.root, row["domain"])
        faults += own_faults(entry, self.readers(entry), row)
        return [*faults, *self._problem_faults(entry.domain, row)]

    @cached_property
    def numbers_decided(self) -> Counter[tuple[str, str]]:
        """The number of decided problems of our domains, by domain and split."""
        return Counter({(domain, split): number for domain, split, number in self._select(COUNTED)})

    def _select(self, statement: str) -> list[tuple[Any, ...]]:
        return select(statement, {"problems": files_of(self.inputs.dataset, "problems")})

    def _problem_faults(self, domain: Domain, row: Row) -> Iterator[str]:
        """Yield where the problems of a row differ from those of the table of problems, which are checked."""
        numbers, split = self.numbers_decided, split_of(row["id"])
        of_split = numbers[row["domain"], split]
        of_domain = sum(number for (name, _), number in numbers.items() if name == row["domain"])
        names = [problem["name"] for problem in row["problems"]]
        number = min(PROBLEMS, of_split or of_domain)
        if len(names) != number or len({*names}) != number:
            yield f"has the problems {names}, should have {number} different ones"
        start = f"{row['domain']}/{split}/" if of_split else f"{row['domain']}/"
        quoted = ", ".join("'{}'".format(name.replace("'", "''")) for name in ("", *names))
        published = {columns[0]: columns for columns in self._select(NAMED.format(names=quoted))}
        for problem in row["problems"]:
            if problem["name"] not in published or not problem["name"].startswith(start):
                yield f"{problem['name']} is no decided problem of its domain and split"
                continue
            expected = dict(zip(PROBLEM_COLUMNS, published[problem["name"]], strict=True))
            yield from (f"{problem['name']}: {fault}" for fault in differing(expected, problem))
            yield from plan_faults(domain, problem)

    def composed_faults(self, row: Row) -> Iterator[str]:
        """Yield the faults of a row on a composed domain; all rows of a domain have the same problems."""
        reader = reader_of(self.inputs.root, row)
        yield from gold_faults(reader.fragments, row)
        yield from text_faults(reader, row)
        if "texts" in row:
            return
        yield from measure_faults(statements(row["gold_domain"]), row)
        domain = read_domain(row["gold_domain"], row["id"])
        for problem in row["problems"]:
            yield from plan_faults(domain, problem)
        yield from composed_problem_faults(domain, row, self.inputs.seed, self.inputs.seconds)

    def foreign_faults(self, row: Row) -> list[str]:
        """Return the faults of a row on a domain by another author, which may use full PDDL."""
        first, _, *path = row["id"].split("/")
        source = SYNTHESISED if first == "synthesised" else path[0]
        faults = differing({"source": source, "style": "generated"}, row) + self._of_file(row, path)
        try:
            gold = statements(row["gold_domain"])
        except MALFORMED as error:
            if source == SYNTHESISED:
                raise
            return [*faults, undecided(f"what the descriptions should say: gold_domain is no list: {error}")]
        return [
            *faults,
            *measure_faults(gold, row),
            *generated_faults(gold, row),
            *self._foreign_problem_faults(row),
        ]

    @cached_property
    def _corpus(self) -> tuple[Mapping[str, SourceFile], str]:
        """The files of the corpus by source and path, and why there are none; empty if there are some."""
        try:
            return {file.name: file for file in self.inputs.corpus()}, ""
        except OrreryError as error:
            return {}, f": {error}"

    def _of_file(self, row: Row, path: Sequence[str]) -> list[str]:
        """Compare a row with the file that it comes from; a synthesised domain has none."""
        if row["source"] == SYNTHESISED:
            return differing({"license": "MIT"}, row)
        name, (files, reason) = "/".join(path), self._corpus
        file = files.get(name) or files.get(f"{name}.pddl")
        if file is None:
            return [undecided(f"whether gold_domain is that of its file: {name}.pddl is not at hand{reason}")]
        faults = differing({"license": file.license}, row)
        if symbols_of(row["gold_domain"]) != symbols_of(file.text):
            faults.append(f"gold_domain is not that of {file.name}")
        return faults

    def _foreign_problem_faults(self, row: Row) -> Iterator[str]:
        texts = [problem["pddl"] for problem in row["problems"]]  # names may occur twice in synthesised rows
        if not texts or len({*texts}) < len(texts):
            yield "has no problems, or one twice"
        domain = None
        with suppress(PddlError):
            domain = read_domain(row["gold_domain"], row["id"])
        for problem in row["problems"]:
            file = self._corpus[0].get(f"{row['source']}/{problem['name']}")
            if file and symbols_of(file.text) != symbols_of(problem["pddl"]):
                yield f"{problem['name']}: pddl is not that of its file"
            if domain is None:
                yield from self._wide_problem_faults(row, problem)
                continue
            yield from plan_faults(domain, problem)
            if not problem["solvable"]:
                stated = {
                    "domain_pddl": row["gold_domain"],
                    "problem_pddl": problem["pddl"],
                    "solvable": False,
                }
                yield from external_planner.check(domain, {**stated, "id": row["id"]}, self.inputs.seconds)

    def _wide_problem_faults(self, row: Row, problem: Row) -> Iterator[str]:
        """Yield the faults of a problem beyond our semantics; leave its plan to another tool."""
        if problem["solvable"]:
            plan = StatedPlan(
                row["domain"], row["gold_domain"], row["id"], problem["pddl"], problem["plan"], True
            )
            self.plans.append(plan)
        else:
            yield undecided(f"whether {problem['name']} has no plan")
        yield from _contradictions(problem)


def plan_faults(domain: Domain, problem: Row) -> Iterator[str]:
    """Yield the faults of a plan, which is valid, or empty if the problem has none."""
    read = read_problem(problem["pddl"], domain, problem["name"])
    steps = list(map(parse_atom, problem["plan"]))
    if problem["solvable"] and (fault := fault_of_plan(domain, read, steps)):
        yield f"{problem['name']}: invalid plan: {fault}"
    yield from _contradictions(problem)


def _contradictions(problem: Row) -> Iterator[str]:
    """Yield where the plan, its cost and the statement that there is one contradict each other."""
    if problem["solvable"]:
        if problem["optimal_cost"] not in (None, len(problem["plan"])):
            yield f"{problem['name']}: optimal_cost is {problem['optimal_cost']}, not its plan's"
    elif problem["plan"] or problem["optimal_cost"] is not None:
        yield f"{problem['name']}: a plan or its cost stands where none should exist"


def _reader_of(entry: Entry) -> DomainTextReader:
    own = statements(text_of(entry.folder / "domain.pddl"))
    return DomainTextReader(entry.words, list(own.elements()))


def own_faults(entry: Entry, reader: DomainTextReader, row: Row) -> Iterator[str]:
    """Yield the faults of a row on one of our domains, other than those of its problems.

    The columns other than texts come first, as nothing is read behind a sentence that cannot be read.
    """
    own = Counter(reader.own)
    yield from compared("gold_domain", statements(row["gold_domain"]), own)
    yield from differing({"source": OURS, "license": entry.description.license}, row)
    if not row["license"]:
        yield "has no licence"
    try:
        if "texts" in row:
            yield from _action_faults(reader, row)
        else:
            yield from differing({"style": "words"}, row)
            yield from measure_faults(own, row)
            yield from _description_faults(reader, entry.description.title or entry.name, row)
    except UnreadableText as error:
        yield f"a text {error}"


def _chosen(truth: Counter[Statement], kinds: Collection[str]) -> Counter[Statement]:
    """Return the statements of some kinds, as texts make them.

    A fact that an action deletes and adds is added; variables of a derived predicate have no types.
    """
    return Counter(
        {
            one[:4] if one[0] == "rule" else one: number
            for one, number in truth.items()
            if one[0] in kinds and not _is_overridden(one, truth)
        }
    )


def _is_overridden(one: Statement, truth: Counter[Statement]) -> bool:
    return one[0] == "makes" and one[2][0] == "not" and ("makes", one[1], one[2][1]) in truth


def _action_faults(reader: DomainTextReader, row: Row) -> Iterator[str]:
    own = Counter(reader.own)
    header = Counter({one: number for one, number in own.items() if one[0] not in {"action", *BODIES}})
    yield from compared("header", statements(row["header"]), header)
    yield from differing({"action_names": [one[2] for one in own if one[0] == "action"]}, row)
    texts = row["texts"]
    if texts["none"]:
        yield "the text condition none says something"
    if not reader.is_introduction(reader.check_texts(texts)):
        yield "the procedure does not begin with an introduction to the domain"


def _description_faults(reader: DomainTextReader, title: str, row: Row) -> Iterator[str]:
    general = reader.check_description(row["description_abstract"], title, details=False)
    introduction = reader.check_description(row["description_concrete"], title, details=True)
    if not reader.is_introduction(introduction):
        yield "description_concrete does not begin with an introduction to the domain"
    if general != introduction:
        yield "description_abstract does not begin with the introduction of description_concrete"


def measure_faults(truth: Counter[Statement], row: Row) -> list[str]:
    """Return where the columns derived from a domain differ from its statements."""
    kinds = Counter(one[0] for one in truth)
    text = row["gold_domain"]
    expected = {
        "num_actions": kinds["action"],
        "num_predicates": kinds["predicate"],
        "num_types": kinds["type"],
        "requirements": [name for kind, name, *_ in truth if kind == "requirement"],
        "tokens": len(symbols_of(text)),
        "tokenizer": TOKENIZER,
        "sha256": sha256(text.encode()).hexdigest(),
    }
    return differing(expected, row)


def generated_faults(gold: Counter[Statement], row: Row) -> list[str]:
    """Return where the description that a generic grammar made differs from the gold domain.

    There is no abstract one: without conditions and effects it would not determine the domain.
    """
    stated = {one[0]: one[1] for one in gold if one[0] == "domain"}
    requirements = [one[1] for one in gold if one[0] == "requirement"]
    faults = differing({**stated, "description_abstract": ""}, row)
    counts = {name: sum(one[0] == name for one in gold) for name in ("type", "predicate", "action")}
    name = "description_concrete"
    try:
        read = read_description(row[name])
    except UnreadableText as error:
        return [*faults, f"{name} {error}"]
    faults += compared(name, read.statements, _chosen(gold, GENERATED))
    if (read.name, read.counts) != (stated["domain"], counts):
        faults.append(f"{name} tells another name of the domain, or other numbers")
    # A domain may state no requirements; then the description tells those that it uses.
    are_names = all(requirement.startswith(":") for requirement in read.requirements)
    if read.requirements != requirements if requirements else not are_names:
        faults.append(f"{name} tells other requirements")
    return faults


CHECKS = FamilyChecks(
    columns={
        "tables": ("id",),
        "twins": TWIN_COLUMNS,
        "descriptions": (
            "domain", "source", "license", "header", "action_names", "texts", "gold_domain", "problems",
            "description_abstract", "description_concrete", "num_actions", "num_predicates", "num_types",
            "requirements", "tokens", "tokenizer", "sha256", "style",
        ),
        "composed": ("explicitness", "told", "mechanics", "attachments", "theme", "seen"),
    },
    rows=check_rows,
)  # fmt: skip
