"""Stage ``corpus``: domains by other authors, filtered step by step, to ``outputs/corpus``.

It applies the acquisition pipeline of Text2World (Hu et al., 2025, section 3) to installable packages:
collect, parse, near-duplicates, limits, length, solvability, overlap. Each step counts the accepted domains,
and stores the rejected ones with reasons.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from orrery.catalog import entry_of
from orrery.config import CorpusLimits, Folder, Settings
from orrery.corpus.funnel import CorpusCandidate, Funnel
from orrery.corpus.rows import (
    DECIDED,
    PROBLEMS_EDITED,
    SYNTHESISED,
    VERDICTS,
    decided_rows,
    domain_row,
    statistics,
    synthesised_rows,
    verdict_rows,
    with_split,
)
from orrery.corpus.sources import collect, texts_of
from orrery.corpus.synthesis import Task
from orrery.families.modelling import split_of_domain, splits_of_domains
from orrery.families.modelling.schemas import DOMAIN_MODELING
from orrery.model import OrreryError, Row
from orrery.parts import Parts, fingerprint, map_parts, package_fingerprint
from orrery.pddl.read import read_problem
from orrery.problems.schemas import GENERATED_PROBLEMS, REJECTS, reject
from orrery.stages.summary import StageSummary
from orrery.store.files import replacing
from orrery.store.shards import SPLITS, read_rows, write
from orrery.workers import Workers

STAGE = "corpus"
CHUNK = 12  # domains per process of each parser


def run(
    settings: Settings,
    workers: Workers,
    folders: Sequence[Path] = (),
    against: Sequence[str] = (),
    synthesise: int | None = None,
) -> StageSummary:
    """Filter the domains of all sources; ``folders`` are added to those of params.yaml.

    Raises:
        ToolMissing: the archive of a package is missing.
    """
    limits = settings.corpus
    limits = limits.model_copy(
        update={
            "folders": (*limits.folders, *(Folder(path=str(path.absolute())) for path in folders)),
            "against": (*limits.against, *against),
            "synthesised": limits.synthesised if synthesise is None else synthesise,
        }
    )
    raws = collect(settings.root, limits)
    names = {"seed": settings.seed, "settings": limits.model_dump()}
    files = [[raw.name, raw.hash] for raw in raws]
    made_from = fingerprint([], **names, files=files, package=package_fingerprint())
    shelf = settings.unfinished / STAGE
    read_parts = Parts(shelf / "verdicts", (VERDICTS,), made_from)
    solved_parts = Parts(shelf / "decided", (DECIDED,), made_from)
    funnel = Funnel()
    synthesised = synthesised_rows(
        _tasks(settings) if limits.synthesised else {}, settings.seed, limits.synthesised, funnel.rejects
    )
    candidates = funnel.gather(raws, limits, settings.seed)
    verdicts = _parsed(candidates, read_parts, workers)
    candidates_left = funnel.sift_texts(candidates, verdicts, limits)
    candidates_left = _solvable(candidates_left, solved_parts, limits, funnel, workers)
    texts_by_source = {source: [text for _, text in texts_of(source)] for source in limits.against}
    candidates_left = funnel.sift_overlaps(candidates_left, texts_by_source, limits)
    rows = [*map(domain_row, candidates_left), *synthesised]
    counts = _write(settings, rows, verdicts, funnel, candidates, candidates_left)
    for parts in (read_parts, solved_parts):
        parts.discard()
    return StageSummary(STAGE, "", {**funnel.counts, **counts}, funnel.reasons)


def _tasks(settings: Settings) -> dict[str, Task]:
    """Return our training domains, each with its smallest problems."""
    splits = splits_of_domains(settings)
    return {name: _task(settings, name) for name in sorted(settings.domains) if splits[name] == "train"}


def _task(settings: Settings, name: str) -> Task:
    domain = entry_of(settings.root, name).domain
    path = settings.outputs / "problems" / name / "problems.parquet"
    if not path.is_file():
        problem = "synthesised domains need problems of ours"
        raise OrreryError(str(path), problem, f"run `orrery generate {name}`")
    rows = sorted(
        read_rows(path, GENERATED_PROBLEMS), key=lambda row: (row["num_objects"], row["problem_id"])
    )
    return domain, [read_problem(row["problem_pddl"], domain) for row in rows[:PROBLEMS_EDITED]]


def _parsed(candidates: Sequence[CorpusCandidate], parts: Parts, workers: Workers) -> list[Row]:
    """Return the verdicts of all parsers on all candidates."""
    texts = [(item.name, item.raw.text) for item in candidates]
    chunks = [texts[at : at + CHUNK] for at in range(0, len(texts), CHUNK)]
    names = map_parts(verdict_rows, chunks, parts, workers, label="parsing")
    return [row for table in parts.tables(names, "verdicts") for row in table.to_pylist()]


def _solvable(
    items: Sequence[CorpusCandidate], parts: Parts, limits: CorpusLimits, funnel: Funnel, workers: Workers
) -> list[CorpusCandidate]:
    """Return the candidates with a problem that is solved or proven unsolvable, with these problems."""
    names = map_parts(
        partial(decided_rows, limits=limits),
        items,
        parts,
        workers,
        label="solving",
        describe=lambda item: item.name,
    )
    rows = {row["item"]: row for table in parts.tables(names, "decided") for row in table.to_pylist()}
    decided_candidates = [replace(item, decided=tuple(rows[item.name]["problems"])) for item in items]
    return funnel.sift_undecided(decided_candidates, {name: row["open"] for name, row in rows.items()})


def _write(
    settings: Settings,
    rows: Iterable[Row],
    verdicts: Sequence[Row],
    funnel: Funnel,
    candidates: Sequence[CorpusCandidate],
    sifted: Sequence[CorpusCandidate],
) -> dict[str, int]:
    """Write all outputs to ``outputs/corpus`` atomically, rows by split."""
    rows = list(rows)
    splits = {row["domain"]: split_of_domain(row["domain"], settings.seed) for row in rows}
    splits |= splits_of_domains(settings)  # a domain with the name of one of ours is in its split
    splits |= {row["domain"]: "train" for row in rows if row["source"] == SYNTHESISED}
    counts = {}
    with replacing(settings.outputs / STAGE) as folder:
        folder.mkdir(parents=True)
        for split in SPLITS:
            mine = [with_split(row, split) for row in rows if splits[row["domain"]] == split]
            mine.sort(key=lambda row: row["id"])
            path = folder / f"domain_modeling-{split}.parquet"
            counts[f"rows for {split}"] = write(path, DOMAIN_MODELING, mine)
        write(folder / "verdicts.parquet", VERDICTS, verdicts)
        write(folder / "rejects.parquet", REJECTS, [reject(STAGE, *rejected) for rejected in funnel.rejects])
        text = json.dumps(statistics(funnel, verdicts, candidates, sifted), indent=1) + "\n"
        (folder / "statistics.json").write_text(text, encoding="utf-8")
    return counts
