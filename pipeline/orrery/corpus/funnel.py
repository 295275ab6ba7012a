"""Filters of third-party domains: each counts the accepted domains and records why others are rejected.

Near-duplicates are texts with similar TF-IDF vectors of tokens (cosine above a threshold).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from orrery.config import CorpusLimits
from orrery.corpus.contamination import NgramIndex
from orrery.corpus.sources import Raw, problems_of
from orrery.language.tokenizer import TOKENIZER, symbols, without_comments
from orrery.model import Row
from orrery.pddl.adl import AdlDomain
from orrery.pddl.tolerant import read_adl
from orrery.seeds import stream

Fault: TypeAlias = tuple[str, str] | None  # a reason and its detail


class LeftOut(NamedTuple):
    """An omitted item and the reason."""

    domain: str
    item: str
    reason: str
    detail: str


@dataclass(frozen=True)
class CorpusCandidate:
    """A candidate domain: its file, its parsed domain, its problems, and the decided problems."""

    raw: Raw
    domain: AdlDomain
    problems: tuple[Raw, ...] = ()
    decided: tuple[Row, ...] = ()

    @property
    def name(self) -> str:
        """Source and path, which identify the domain."""
        return self.raw.name


@dataclass
class Funnel:
    """The numbers of accepted domains by step, and the domains rejected at each step."""

    counts: dict[str, int] = field(default_factory=lambda: {"files with a domain": 0})
    rejects: list[LeftOut] = field(default_factory=list)

    @property
    def reasons(self) -> dict[str, int]:
        """The number of omitted items, by reason."""
        return dict(Counter(reject.reason for reject in self.rejects))

    def gather(self, raws: Sequence[Raw], limits: CorpusLimits, seed: int) -> list[CorpusCandidate]:
        """Collect the domains, each with its problems; only a sample if the settings request it."""
        for raw in raws:
            if not raw.kind:
                why = raw.fault or "no (define (domain ...)) or (define (problem ...))"
                self.rejects.append(LeftOut("", raw.name, "neither domain nor problem", why))
        domains = [raw for raw in raws if raw.kind == "domain"]
        if 0 < limits.sample < len(domains):
            chosen = set(stream(seed, "corpus", "sample").sample(range(len(domains)), limits.sample))
            domains = [raw for number, raw in enumerate(domains) if number in chosen]
        by_name: dict[tuple[str, str], list[Raw]] = {}
        for raw in raws:
            if raw.kind == "problem":
                by_name.setdefault((raw.source, raw.of), []).append(raw)
        candidates = []
        for raw in domains:
            domain = read_adl(raw.text, raw.path)
            problems = problems_of(raw, domain.name, by_name.get((raw.source, domain.name), ()))
            candidates.append(CorpusCandidate(raw, domain, tuple(problems[: limits.attempts])))
        self.counts["files with a domain"] = len(candidates)
        return candidates

    def sift(
        self, step: str, items: Iterable[CorpusCandidate], fault: Callable[[CorpusCandidate], Fault]
    ) -> list[CorpusCandidate]:
        """Keep the items without a ``fault``; record the others."""
        passed = []
        for item in items:
            if (reason := fault(item)) is None:
                passed.append(item)
            else:
                self.rejects.append(LeftOut(item.domain.name, item.name, *reason))
        self.counts[step] = len(passed)
        return passed

    def sift_texts(
        self, candidates: Sequence[CorpusCandidate], verdicts: Iterable[Row], limits: CorpusLimits
    ) -> list[CorpusCandidate]:
        """Keep domains accepted by some parser, without near-duplicates, and within the limits.

        ``verdicts`` are the verdicts of all parsers on all candidates.
        """
        by_item: dict[str, list[Row]] = {}
        for row in verdicts:
            by_item.setdefault(row["item"], []).append(row)
        passed = self.sift("read by some parser", candidates, lambda item: _unread(by_item[item.name]))
        twins = near_duplicates([item.raw.text for item in passed], limits.cosine)
        pairs = zip(passed, twins, strict=True)
        twin_of = {item.name: (passed[twin[0]].name, twin[1]) for item, twin in pairs if twin}
        passed = self.sift("without near-duplicates", passed, lambda item: _twin(twin_of.get(item.name)))
        passed = self.sift("within the limits", passed, lambda item: _too_large(item.domain, limits))
        return self.sift("short enough", passed, lambda item: _too_long(item, limits.tokens))

    def sift_undecided(
        self, items: Iterable[CorpusCandidate], why: Mapping[str, str]
    ) -> list[CorpusCandidate]:
        """Keep the items with a decided problem; ``why`` gives the reason of the others by item."""

        def fault(item: CorpusCandidate) -> Fault:
            """Return why the item has no decided problem."""
            if not item.problems:
                return "no problem comes with it", f"none names the domain '{item.domain.name}'"
            return None if item.decided else ("no problem is decided", why[item.name])

        return self.sift("with a decided problem", items, fault)

    def sift_overlaps(
        self, items: Iterable[CorpusCandidate], benchmarks: Mapping[str, Sequence[str]], limits: CorpusLimits
    ) -> list[CorpusCandidate]:
        """Keep the items that do not overlap the user's benchmarks, given as texts by name."""
        indexes = {benchmark: NgramIndex(texts) for benchmark, texts in benchmarks.items()}

        def fault(item: CorpusCandidate) -> Fault:
            """Return the benchmark that the item overlaps with."""
            bare = without_comments(item.raw.text)
            for benchmark, texts in benchmarks.items():
                twin = near_duplicates([*texts, bare], limits.cosine, references=len(texts))[-1]
                share = indexes[benchmark].look_up(bare).share or 0.0
                if twin or share > limits.overlap:
                    cosine = f", cosine {twin[1]:.3f}" if twin else ""
                    return "overlaps another benchmark", f"{benchmark}: {share:.2f} of its 10-grams{cosine}"
            return None

        return self.sift("without overlap", items, fault)


def _unread(verdicts: Sequence[Row]) -> Fault:
    if any(row["accepted"] for row in verdicts):
        return None
    detail = "; ".join(f"{row['parser']}: {row['message']}" for row in verdicts)
    if any(row["accepted"] is None for row in verdicts):
        return "no parser reads it, one did not answer", detail
    return "no parser reads it", detail


def _twin(twin: tuple[str, float] | None) -> Fault:
    return None if twin is None else ("near-duplicate", f"cosine {twin[1]:.3f} with {twin[0]}")


def _too_large(domain: AdlDomain, limits: CorpusLimits) -> Fault:
    if len(domain.predicates) > limits.predicates:
        return "too many predicates", f"{len(domain.predicates)}, limit {limits.predicates}"
    if len(domain.actions) > limits.actions:
        return "too many actions", f"{len(domain.actions)}, limit {limits.actions}"
    return None if domain.actions else ("no actions", "nothing to model")


def _too_long(item: CorpusCandidate, limit: int) -> Fault:
    length = len(symbols(item.raw.text))
    return ("too long", f"{length} tokens ({TOKENIZER}), limit {limit}") if length > limit else None


THRESHOLD = 0.9


def near_duplicates(
    texts: Sequence[str], threshold: float = THRESHOLD, references: int = 0
) -> list[tuple[int, float] | None]:
    """Return, for each text, its nearest earlier kept text and their cosine if above ``threshold``.

    A text is kept, and gets None, unless it duplicates an earlier kept text. The first ``references`` texts
    are always kept. Tokens are weighted by term frequency times ``ln((1 + n) / (1 + df)) + 1`` (Salton and
    Buckley, 1988).
    """
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.metrics.pairwise import linear_kernel

    if not any(map(_words, texts)):
        return [None] * len(texts)
    vectors = TfidfVectorizer(analyzer=_words).fit_transform(texts)
    kept_rows: list[int] = []
    duplicates: list[tuple[int, float] | None] = []
    for row in range(len(texts)):
        duplicate = None
        if row >= references and kept_rows:
            cosines = linear_kernel(vectors[row], vectors[kept_rows]).ravel()
            nearest = int(cosines.argmax())
            if cosines[nearest] > threshold:
                duplicate = kept_rows[nearest], float(cosines[nearest])
        duplicates.append(duplicate)
        if duplicate is None:
            kept_rows.append(row)
    return duplicates


def _words(text: str) -> list[str]:
    """Return the tokens of PDDL without parentheses."""
    return [token for token in symbols(text) if token not in "()"]
