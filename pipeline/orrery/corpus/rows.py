"""The tables of the corpus and their rows: domains, verdicts of parsers, decided problems, statistics."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

from orrery.config import CorpusLimits
from orrery.corpus.deciding import QUICK, decide
from orrery.corpus.funnel import CorpusCandidate, Funnel, LeftOut
from orrery.corpus.synthesis import SynthesisedDomain, Task, synthesise
from orrery.families.modelling.generated_description import describe
from orrery.families.modelling.schemas import NOT_COMPOSED, PROBLEMS, measures
from orrery.language.tokenizer import without_comments
from orrery.model import OrreryError, Row
from orrery.pddl.adl import AdlDomain
from orrery.pddl.tolerant import read_adl
from orrery.pddl.write import write_domain, write_problem
from orrery.planning.external_parsers import verdicts
from orrery.seeds import stream
from orrery.store.kinds import BOOL, STRING, column, table

SYNTHESISED, LICENSE = "orrery-synthesised", "MIT"
PROBLEMS_EDITED = 3  # problems per edited domain
DRAWS = 8  # edits tried per domain of the table

VERDICTS = table(
    "verdicts",
    "What each parser says of each domain that was collected",
    column("item", STRING, "Source and path of the domain"),
    column("parser", STRING, "The parser"),
    column("accepted", BOOL, "Whether it reads the domain; missing: a limit ended it", nullable=True),
    column("error", STRING, "Class of the refusal; empty: none"),
    column("message", STRING, "What it says"),
    key=("item", "parser"),
)
DECIDED = table(
    "decided",
    "Problems that were decided",
    column("item", STRING, "Source and path of the domain"),
    column("problems", PROBLEMS, "As in the table of domains"),
    column("open", STRING, "Why the first of the others was not; empty: all were"),
    key=("item",),
)


def verdict_rows(chunk: Sequence[tuple[str, str]]) -> Mapping[str, Sequence[Row]]:
    """Return the verdicts of all parsers on a few domains, given by name and text."""
    answers = verdicts([text for _, text in chunk])
    rows = [
        {
            "item": name,
            "parser": parser,
            "accepted": verdict.accepted,
            "error": str(verdict.error or ""),
            "message": verdict.message,
        }
        for (name, _), answers_of_domain in zip(chunk, answers, strict=True)
        for parser, verdict in sorted(answers_of_domain.items())
        if verdict.installed
    ]
    return {"verdicts": rows}


def decided_rows(item: CorpusCandidate, limits: CorpusLimits) -> Mapping[str, Sequence[Row]]:
    """Return the decided problems of one domain."""
    decided = decide(
        item.raw.text,
        [(raw.path, raw.text) for raw in item.problems],
        wanted=limits.problems,
        attempts=limits.attempts,
        limits=replace(QUICK, seconds=float(limits.seconds)),
    )
    why = "; ".join(f"{name}: {reason}".removeprefix(": ") for name, reason in list(decided.open.items())[:1])
    return {"decided": [{"item": item.name, "problems": decided.rows, "open": why}]}


def domain_row(item: CorpusCandidate) -> Row:
    """Return the row of a domain; its id lacks the split."""
    text = without_comments(item.raw.text)
    problems = [dict(problem) for problem in item.decided]
    row_id = f"corpus/{item.name.removesuffix('.pddl')}"
    return _row(row_id, item.domain, text, problems, item.raw.license, item.raw.source)


def _row(
    row_id: str, domain: AdlDomain, text: str, problems: Sequence[Row], license: str, source: str
) -> Row:
    return {
        "id": row_id,
        "domain": domain.name,
        "description_abstract": "",  # a domain without words is not determined by its signatures
        "description_concrete": describe(domain),
        **measures(domain, text),
        "problems": problems,
        "license": license,
        "source": source,
        "style": "generated",
        **NOT_COMPOSED,
    }


def synthesised_rows(tasks: Mapping[str, Task], seed: int, number: int, rejects: list[LeftOut]) -> list[Row]:
    """Return up to ``number`` rows of domains that our edits produce.

    Args:
        tasks: our training domains by name, with problems, so that no test domain is used for training.
        seed: the seed of the whole build.
        number: the number of wanted rows.
        rejects: collects the edits without a solvable problem.

    Raises:
        OrreryError: rows are wanted, but there are no tasks.
    """
    if not number:
        return []
    if not tasks:
        raise OrreryError(
            "synthesised domains", "need a training domain of Orrery", "add a training domain to params.yaml"
        )
    rows: dict[str, Row] = {}
    for attempt in range(number * DRAWS):
        if len(rows) >= number:
            break
        synthesised = synthesise(tasks, stream(seed, SYNTHESISED, attempt))
        row = None if synthesised is None else _synthesised_row(synthesised, attempt, rejects)
        if row is not None:
            rows.setdefault(row["sha256"], row)
    return [{**row, "id": f"synthesised/{place:05}"} for place, row in enumerate(rows.values())]


def _synthesised_row(synthesised: SynthesisedDomain, attempt: int, rejects: list[LeftOut]) -> Row | None:
    """Return the row of an edited domain, or None if none of its problems has a plan."""
    domain = replace(synthesised.domain, name=f"{synthesised.domain.name}-{attempt}")
    text = write_domain(domain)
    problems = [(p.name, write_problem(replace(p, domain=domain.name))) for p in synthesised.problems]
    decided = decide(text, problems)
    if not any(row["plan"] for row in decided.rows):
        detail = "; ".join([synthesised.what, *decided.open.values()])
        rejects.append(LeftOut(domain.name, f"{SYNTHESISED}/{attempt}", "synthesised, not solvable", detail))
        return None
    return _row("", read_adl(text), text, decided.rows, LICENSE, SYNTHESISED)


def with_split(row: Row, split: str) -> Row:
    """Return the row with its split in its id, as in all tables: ``corpus/<split>/...``."""
    return {**row, "id": row["id"].replace("/", f"/{split}/", 1)}


def statistics(
    funnel: Funnel,
    parser_verdicts: Iterable[Row],
    collected: Sequence[CorpusCandidate],
    included: Sequence[CorpusCandidate],
) -> dict[str, Any]:
    """Return the report's figures on the corpus, as JSON values."""
    return {
        "funnel": [{"step": step, "domains": count} for step, count in funnel.counts.items()],
        "left_out": dict(sorted(funnel.reasons.items())),
        "parsers": _by_parser(parser_verdicts),
        "collected": requirements(item.domain for item in collected),
        "kept": requirements(item.domain for item in included),
    }


def _by_parser(verdicts: Iterable[Row]) -> dict[str, dict[str, int]]:
    """Return the number of domains that each parser accepts, and its rejections by class."""
    counts_by_parser: dict[str, Counter[str]] = {}
    for row in verdicts:
        verdict = row["error"] or ("accepted" if row["accepted"] else "no answer")
        counts_by_parser.setdefault(row["parser"], Counter())[verdict] += 1
    return {parser: dict(sorted(counts.items())) for parser, counts in sorted(counts_by_parser.items())}


def requirements(domains: Iterable[AdlDomain]) -> dict[str, Any]:
    """Return the number of domains with each requirement, and with each pair of requirements."""
    single: Counter[str] = Counter()
    pairs: Counter[tuple[str, str]] = Counter()
    number = 0
    for domain in domains:
        number += 1
        stated = sorted(set(domain.requirements))
        single.update(stated)
        pairs.update(combinations(stated, 2))
    together = [{"one": first, "other": second, "domains": n} for (first, second), n in sorted(pairs.items())]
    return {"domains": number, "stated": dict(sorted(single.items())), "together": together}
