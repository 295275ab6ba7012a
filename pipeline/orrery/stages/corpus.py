"""Stage ``corpus``: domains that others wrote, sifted step by step, to ``outputs/corpus``.

The acquisition orrery of Text2World (Hu et al., 2025, section 3) on material that anyone can install:
collect, parse, near-duplicates, limits, length, solvability, overlap. Each step counts what it keeps, and
what it leaves out is kept with the reason.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any

from orrery.config import CorpusLimits, Folder, Settings
from orrery.corpus import sources
from orrery.corpus import synthesis_rows as corpus_synthesis
from orrery.corpus.contamination import NgramIndex
from orrery.corpus.deciding import QUICK, decide
from orrery.corpus.duplicates import near_duplicates
from orrery.corpus.sources import Raw
from orrery.corpus.text_sources import texts_of
from orrery.engine import fingerprint, map_parts, resumable_map
from orrery.families.modelling.generated_description import describe
from orrery.families.modelling.measures import measures
from orrery.families.modelling.schemas import DOMAIN_MODELING, PROBLEMS
from orrery.families.problems.schemas import REJECTS
from orrery.language.tokenizer import TOKENIZER, symbols, without_comments
from orrery.pddl.adl import AdlDomain
from orrery.pddl.tolerant import read_adl
from orrery.planners.external_parsers import verdicts
from orrery.seeds import digest, stream
from orrery.stages.summary import StageSummary, by_reason, reject
from orrery.store.kinds import BOOL, STRING, column, table
from orrery.store.parts import Parts
from orrery.store.shards import SPLITS, replacing, write

STAGE = "corpus"
CHUNK = 12  # domains that one process of each parser reads
SHARES = {"train": 0.2, "validation": 0.2}  # of the domains; the rest is for testing
Row = dict[str, Any]

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
_DECIDED = table(
    "decided",
    "Problems that were decided",
    column("item", STRING, "Source and path of the domain"),
    column("problems", PROBLEMS, "As in the table of domains"),
    column("open", STRING, "Why the first of the others was not; empty: all were"),
    key=("item",),
)


@dataclass(frozen=True)
class CorpusCandidate:
    """A domain on its way: the file, what our reader makes of it, its problems, and those decided."""

    raw: Raw
    domain: AdlDomain
    problems: tuple[Raw, ...] = ()
    decided: tuple[Row, ...] = ()

    @property
    def name(self) -> str:
        """Source and path."""
        return self.raw.name


@dataclass
class Funnel:
    """Counts by step, and what each step left out."""

    counts: dict[str, int]
    rejects: list[Row]

    def sift(
        self,
        step: str,
        items: Iterable[CorpusCandidate],
        fault: Callable[[CorpusCandidate], tuple[str, str] | None],
    ) -> list[CorpusCandidate]:
        """The items without a ``fault`` (reason and detail); the others are noted."""
        kept = []
        for item in items:
            if (found := fault(item)) is None:
                kept.append(item)
            else:
                self.rejects.append(reject(STAGE, item.domain.name, item.name, *found))
        self.counts[step] = len(kept)
        return kept


def run(
    settings: Settings,
    jobs: int,
    folders: Sequence[Path] = (),
    against: Sequence[str] = (),
    synthesise: int | None = None,
) -> StageSummary:
    """Sift the domains of all sources and write those that are left; ``folders`` join those of params.yaml.

    Raises:
        ToolMissing: the archive of a package is not there.
    """
    wanted = settings.corpus
    wanted = wanted.model_copy(
        update={
            "folders": (*wanted.folders, *(Folder(path=str(path.absolute())) for path in folders)),
            "against": (*wanted.against, *against),
            "synthesised": wanted.synthesised if synthesise is None else synthesise,
        }
    )
    raws = collect(settings, wanted)
    names = {"seed": settings.seed, "settings": wanted.model_dump()}
    made_from = fingerprint([], **names, files=[[raw.name, raw.hash] for raw in raws])
    shelf = settings.unfinished / STAGE
    read_parts = Parts.under(shelf / "verdicts", made_from, (VERDICTS,))
    solved_parts = Parts.under(shelf / "decided", made_from, (_DECIDED,))
    funnel = Funnel({"files with a domain": 0}, [])
    made = corpus_synthesis.rows(settings, wanted.synthesised, funnel.rejects)
    candidates = _candidates(raws, wanted, settings.seed, funnel)
    said = _parsed(candidates, read_parts, jobs)
    kept = _sifted(candidates, said, wanted, funnel)
    kept = _solvable(kept, solved_parts, wanted, funnel, jobs)
    kept = funnel.sift("without overlap", kept, _overlaps(wanted.against, wanted))
    rows = [*map(_row, kept), *made]
    counts = _write(settings, rows, said, funnel, candidates, kept)
    for parts in (read_parts, solved_parts):
        parts.discard()
    return StageSummary(STAGE, "", {**funnel.counts, **counts}, by_reason(funnel.rejects))


def collect(settings: Settings, wanted: CorpusLimits) -> list[Raw]:
    """The files of all sources: packages in their order, then folders, each sorted by path."""
    pinned = [name for name in wanted.sources if name != sources.UNIFIED_PLANNING]
    found: list[Raw] = []
    if pinned:
        archives = sources.packaged(settings.root / "corpus.lock", Path(sys.prefix) / "corpus")
        found = [raw for name in pinned for raw in sources.archive(name, archives[name])]
    if sources.UNIFIED_PLANNING in wanted.sources:
        found += sources.unified_planning()
    for each in wanted.folders:
        found += sources.folder(settings.root / each.path, each.license)
    return found


def _candidates(
    raws: Sequence[Raw], wanted: CorpusLimits, seed: int, funnel: Funnel
) -> list[CorpusCandidate]:
    """The domains, each with its problems; a sample of them where one is asked for."""
    for raw in raws:
        if not raw.kind:
            why = raw.fault or "no (define (domain ...)) or (define (problem ...))"
            funnel.rejects.append(reject(STAGE, "", raw.name, "neither domain nor problem", why))
    domains = [raw for raw in raws if raw.kind == "domain"]
    if 0 < wanted.sample < len(domains):
        chosen = set(stream(seed, STAGE, "sample").sample(range(len(domains)), wanted.sample))
        domains = [raw for number, raw in enumerate(domains) if number in chosen]
    by_name: dict[tuple[str, str], list[Raw]] = {}
    for raw in raws:
        if raw.kind == "problem":
            by_name.setdefault((raw.source, raw.of), []).append(raw)
    found = []
    for raw in domains:
        domain = read_adl(raw.text, raw.path)
        own = sources.problems_of(raw, domain.name, by_name.get((raw.source, domain.name), ()))
        found.append(CorpusCandidate(raw, domain, tuple(own[: wanted.attempts])))
    funnel.counts["files with a domain"] = len(found)
    return found


def _parsed(candidates: Sequence[CorpusCandidate], parts: Parts, jobs: int) -> list[Row]:
    """The verdicts of all parsers on all candidates."""
    texts = [(item.name, item.raw.text) for item in candidates]
    chunks = [texts[at : at + CHUNK] for at in range(0, len(texts), CHUNK)]
    made = resumable_map(
        chunks, _verdicts, parts, size=1, jobs=jobs, label="parsing", describe=repr, warm_up=0.0
    )
    return [dict(row) for tables in made for row in tables.get("verdicts", ())]


def _verdicts(chunk: Sequence[tuple[str, str]]) -> Mapping[str, list[Row]]:
    """The verdicts on a few domains."""
    said = verdicts([text for _, text in chunk])
    rows = [
        {"item": name, "parser": parser, "accepted": v.accepted, "error": v.error or "", "message": v.message}
        for (name, _), found in zip(chunk, said, strict=True)
        for parser, v in sorted(found.items())
        if v.installed
    ]
    return {"verdicts": [{**row, "error": str(row["error"])} for row in rows]}


def _sifted(
    candidates: list[CorpusCandidate], said: Sequence[Row], wanted: CorpusLimits, funnel: Funnel
) -> list[CorpusCandidate]:
    """Those that some parser reads, without near-duplicates, within the limits."""
    by_item: dict[str, list[Row]] = {}
    for row in said:
        by_item.setdefault(row["item"], []).append(row)
    kept = funnel.sift("read by some parser", candidates, lambda item: _unread(item, by_item[item.name]))
    twins = near_duplicates([item.raw.text for item in kept], wanted.cosine)
    twin_of = {
        item.name: (kept[twin[0]].name, twin[1]) for item, twin in zip(kept, twins, strict=True) if twin
    }
    kept = funnel.sift("without near-duplicates", kept, lambda item: _twin(twin_of.get(item.name)))
    kept = funnel.sift("within the limits", kept, lambda item: _too_large(item.domain, wanted))
    return funnel.sift("short enough", kept, lambda item: _too_long(item, wanted.tokens))


def _unread(item: CorpusCandidate, said: Sequence[Row]) -> tuple[str, str] | None:
    if any(row["accepted"] for row in said):
        return None
    detail = "; ".join(f"{row['parser']}: {row['message']}" for row in said)
    if any(row["accepted"] is None for row in said):
        return "no parser reads it, one did not answer", detail
    return "no parser reads it", detail


def _twin(twin: tuple[str, float] | None) -> tuple[str, str] | None:
    return None if twin is None else ("near-duplicate", f"cosine {twin[1]:.3f} with {twin[0]}")


def _too_large(domain: AdlDomain, wanted: CorpusLimits) -> tuple[str, str] | None:
    if len(domain.predicates) > wanted.predicates:
        return "too many predicates", f"{len(domain.predicates)}, limit {wanted.predicates}"
    if len(domain.actions) > wanted.actions:
        return "too many actions", f"{len(domain.actions)}, limit {wanted.actions}"
    return None if domain.actions else ("no actions", "nothing to model")


def _too_long(item: CorpusCandidate, limit: int) -> tuple[str, str] | None:
    length = len(symbols(item.raw.text))
    return ("too long", f"{length} tokens ({TOKENIZER}), limit {limit}") if length > limit else None


def _solvable(
    items: list[CorpusCandidate], parts: Parts, wanted: CorpusLimits, funnel: Funnel, jobs: int
) -> list[CorpusCandidate]:
    """Those of which a problem is solved or proven unsolvable, with such problems."""
    names = map_parts(
        items,
        partial(_decided, wanted=wanted),
        parts,
        jobs=jobs,
        label="solving",
        describe=lambda item: item.name,
        warm_up=0.0,
    )
    rows = {row["item"]: row for name in names for row in parts.load(name)["decided"]}
    found = [replace(item, decided=tuple(rows[item.name]["problems"])) for item in items]

    def fault(item: CorpusCandidate) -> tuple[str, str] | None:
        if not item.problems:
            return "no problem comes with it", f"none names the domain '{item.domain.name}'"
        return None if item.decided else ("no problem is decided", rows[item.name]["open"])

    return funnel.sift("with a decided problem", found, fault)


def _decided(item: CorpusCandidate, wanted: CorpusLimits) -> Mapping[str, list[Row]]:
    """The decided problems of one domain."""
    limits = replace(QUICK, seconds=float(wanted.seconds))
    problems = [(raw.path, raw.text) for raw in item.problems]
    found = decide(item.raw.text, problems, wanted=wanted.problems, attempts=wanted.attempts, limits=limits)
    why = "; ".join(f"{name}: {reason}".removeprefix(": ") for name, reason in list(found.open.items())[:1])
    return {"decided": [{"item": item.name, "problems": found.rows, "open": why}]}


def _overlaps(
    against: Sequence[str], wanted: CorpusLimits
) -> Callable[[CorpusCandidate], tuple[str, str] | None]:
    """What says whether a domain stands in one of the benchmarks that the user points to."""
    others = {where: [text for _, text in texts_of(where)] for where in against}
    indexes = {where: NgramIndex(texts) for where, texts in others.items()}

    def fault(item: CorpusCandidate) -> tuple[str, str] | None:
        for where, texts in others.items():
            bare = without_comments(item.raw.text)
            twin = near_duplicates([*texts, bare], wanted.cosine, known=len(texts))[-1]
            share = indexes[where].look_up(bare).share or 0.0
            if twin or share > wanted.overlap:
                cosine = f", cosine {twin[1]:.3f}" if twin else ""
                return "overlaps another benchmark", f"{where}: {share:.2f} of its 10-grams{cosine}"
        return None

    return fault


def _row(item: CorpusCandidate) -> Row:
    """The row of a domain."""
    text = without_comments(item.raw.text)
    domain = item.domain
    abstract, concrete = describe(domain)
    return {
        "id": f"corpus/{item.name.removesuffix('.pddl')}",
        "domain": domain.name,
        "description_abstract": abstract,
        "description_concrete": concrete,
        **measures(domain, text),
        "problems": [dict(problem) for problem in item.decided],
        "license": item.raw.license,
        "source": item.raw.source,
        "style": "generated",
    }


def _named(row: Row, split: str) -> Row:
    """The row with its split in its id, as in all tables: ``corpus/<split>/...``."""
    return {**row, "id": row["id"].replace("/", f"/{split}/", 1)}


def splits_of(names: Iterable[str], seed: int) -> dict[str, str]:
    """The split of each domain by its name, so that all domains of one name are in one split."""
    ordered = sorted(set(names), key=lambda name: digest(seed, STAGE, "split", name))
    found: dict[str, str] = {}
    at = 0
    for split, share in SHARES.items():
        size = round(share * len(ordered))
        found.update(dict.fromkeys(ordered[at : at + size], split))
        at += size
    return {**found, **dict.fromkeys(ordered[at:], "test")}


def _write(
    settings: Settings,
    rows: list[Row],
    said: Sequence[Row],
    funnel: Funnel,
    candidates: Sequence[CorpusCandidate],
    kept: Sequence[CorpusCandidate],
) -> dict[str, int]:
    """Everything to ``outputs/corpus``, whole or not at all; rows by split."""
    made = {row["domain"] for row in rows if row["source"] == corpus_synthesis.SOURCE}
    splits = splits_of((row["domain"] for row in rows if row["domain"] not in made), settings.seed)
    splits.update(dict.fromkeys(sorted(made), "train"))
    counts = {}
    with replacing(settings.outputs / STAGE) as folder:
        folder.mkdir(parents=True)
        for split in SPLITS:
            mine = [_named(row, split) for row in rows if splits[row["domain"]] == split]
            mine.sort(key=lambda row: row["id"])
            counts[f"rows for {split}"] = write(
                folder / f"domain_modeling-{split}.parquet", DOMAIN_MODELING, mine
            )
        write(folder / "verdicts.parquet", VERDICTS, said)
        write(folder / "rejects.parquet", REJECTS, funnel.rejects)
        figures = {
            "funnel": [{"step": step, "domains": count} for step, count in funnel.counts.items()],
            "left_out": dict(sorted(by_reason(funnel.rejects).items())),
            "parsers": _by_parser(said),
            "collected": requirements(item.domain for item in candidates),
            "kept": requirements(item.domain for item in kept),
        }
        text = json.dumps(figures, indent=1) + "\n"
        (folder / "statistics.json").write_text(text, encoding="utf-8")
    return counts


def _by_parser(said: Iterable[Row]) -> dict[str, dict[str, int]]:
    """How many domains each parser reads, and its refusals by class."""
    found: dict[str, Counter[str]] = {}
    for row in said:
        verdict = row["error"] or ("accepted" if row["accepted"] else "no answer")
        found.setdefault(row["parser"], Counter())[verdict] += 1
    return {parser: dict(sorted(counts.items())) for parser, counts in sorted(found.items())}


def requirements(domains: Iterable[AdlDomain]) -> dict[str, Any]:
    """How many domains state each requirement, and each two of them together."""
    single: Counter[str] = Counter()
    pairs: Counter[tuple[str, str]] = Counter()
    number = 0
    for domain in domains:
        number += 1
        stated = sorted(set(domain.requirements))
        single.update(stated)
        pairs.update(combinations(stated, 2))
    together = [{"one": one, "other": other, "domains": n} for (one, other), n in sorted(pairs.items())]
    return {"domains": number, "stated": dict(sorted(single.items())), "together": together}
