"""``orrery doctor``: report extras and tools, and check that the folders fit together."""

from __future__ import annotations

import json
import platform
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain, product
from pathlib import Path

from orrery import __version__
from orrery.catalog import SPLITS, Catalog, Entry
from orrery.checks.reading.prose import prose_reader
from orrery.checks.reading.sentences import SentenceReader
from orrery.composition.compose import faults_of_files
from orrery.config import Settings, load
from orrery.installation import extras, install, lacking
from orrery.language.inflection import holders
from orrery.language.prose import ObjectOrder, ProseWriter
from orrery.language.words import Words, macro_name, names_by_type
from orrery.model import OBJECT, Literal, OrreryError, Problem, did_you_mean, suggest
from orrery.pddl.read import read_problem
from orrery.pictures.description_check import check_picture
from orrery.planning.probe import probe
from orrery.seeds import stream
from orrery.stages.sample import sample
from orrery.stages.unwritten import missing, placeholders
from orrery.workers import map_items
from orrery.worlds.sight_check import check_sight

TOOL_MISSING, DATA_FAILED = 4, 3
OF_ALL = ("all", "dev")  # extras that only combine others, and tools for the development of Orrery

FEW_FILES = 100  # with more problem files hardly any split is empty
TEXTS = 8  # sentences of one problem that are read back
_MISSING = "missing, and dvc.yaml names it; with problem files alone it is the one line 'TASKS = ()'"


@dataclass(frozen=True)
class Report:
    """Tools (name, version or None, detail), missing requirements of extras, and faults of the folders.

    ``unlisted`` are domains that are not built, because ``params.yaml`` does not list them. ``missing`` are
    optional parts that domains lack.
    """

    tools: tuple[tuple[str, str | None, str], ...]
    lacking: Mapping[str, Sequence[str]]
    faults: tuple[str, ...]
    unlisted: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()

    @property
    def code(self) -> int:
        """The exit code: 0, or the code for a tool that does not work or a fault in the folders.

        A missing extra is not a fault, and neither is a domain that is not built.
        """
        if any(version is None for _, version, _ in self.tools):
            return TOOL_MISSING
        return DATA_FAILED if self.faults else 0

    def as_json(self) -> str:
        """Return the report as JSON for scripts."""
        tools = [{"name": name, "version": version, "detail": detail} for name, version, detail in self.tools]
        faults = {"lacking": self.lacking, "faults": self.faults}
        faults |= {"unlisted": self.unlisted, "missing": self.missing}
        return json.dumps({"tools": tools, **faults}, indent=2)

    def rows(self) -> list[tuple[str, str, str, str]]:
        """Return the report as rows, one per finding: state, name, version, details."""
        lines = [("ok" if v else "BROKEN", name, v or "", detail) for name, v, detail in self.tools]
        for extra, names in self.lacking.items():
            lacks = f"lacks {', '.join(names)}: {install(extra)}" if names else ""
            lines.append(("absent" if names else "ok", f"extra {extra}", "", lacks))
        not_built = "is not built, for params.yaml does not list it under 'domains'"
        lines += [("absent", f"domain {name}", "", not_built) for name in self.unlisted]
        lines += [("absent", line, "", "") for line in self.missing]
        lines += [("FAULT", fault, "", "") for fault in self.faults]
        whole = "domains, generators, mechanics, themes and templates fit together"
        return lines if self.faults else [*lines, ("ok", whole, "", "")]


def run(root: Path, name: str = "", label: str = "") -> Report:
    """Check extras, try the planners, read every domain or one, and draw a problem and its picture.

    Without a ``label``, no progress is shown.

    Raises:
        UsageError: there is no domain ``name``.
    """
    names = (Catalog(root).entry(name).name,) if name else Catalog(root).names
    python = ("python", platform.python_version(), platform.platform())
    orrery = ("orrery", __version__, f"with the domains of {root.resolve()}")
    lacked = {extra: lacking(extra) for extra in extras() if extra not in OF_ALL}
    faults, unlisted = _check_folders(root, names, label)
    lines = tuple(_missing(root, names))
    return Report((python, orrery, *probe()), lacked, tuple(faults), tuple(unlisted), lines)


def _missing(root: Path, names: Sequence[str]) -> Iterator[str]:
    """Yield what domains that can be read lack."""
    for name in names:
        with suppress(OrreryError):
            entry = Catalog(root).entry(name)
            yield from missing(entry)
            if not lacking("data"):
                yield from _empty_splits(entry, load(root))


def _empty_splits(entry: Entry, settings: Settings) -> Iterator[str]:
    """Yield a line if the problem files of a domain without a generator leave a split empty."""
    from orrery.problems.candidates import candidates_from_files
    from orrery.problems.quotas import FROM_FILE, is_held_out, split_of

    size, files = settings.size, entry.problem_files
    held_out = is_held_out(entry, FROM_FILE, size, settings.held_out)
    if entry.tasks or held_out or len(files) > FEW_FILES:
        return
    keys = [candidate.record.loose_key for candidate in candidates_from_files(entry) if candidate.record]
    splits = {split_of(entry, size, key) for key in keys}
    shares = size.draw.split or entry.description.split
    if empty := [split for split in SPLITS if getattr(shares, split) and split not in splits]:
        place, put = entry.folder / "problems", "{test: 1.0} in domain.yaml puts all in test"
        yield f"{place}: no problem of {len(files)} is in {' or '.join(empty)}; split: {put}"


def _check_folders(root: Path, names: Sequence[str] = (), label: str = "") -> tuple[list[str], list[str]]:
    """Return a line for each fault that would fail a stage, and the unlisted domains, of ``names`` or all."""
    catalog = Catalog(root)
    try:
        settings = load(root)
    except OrreryError as error:
        return [str(error)], []
    domains = settings.domains
    absent = [
        f"params.yaml: domains names '{name}', which has no folder"
        for name in domains
        if name not in catalog.names
    ]
    # A build needs these extras in any case.
    builds = not lacking("data")
    misfits = _misfits(settings) if builds else []
    fitting = settings if builds and not misfits else None
    entries = [catalog.entry(name) for name in names or catalog.names]
    of_files = map_items(lambda entry: _faults_of(entry, fitting), entries, label=label and f"{label}: files")
    listed = chain.from_iterable(of_files)
    faults = [*absent, *listed, *map(str, faults_of_files(root))] or misfits
    if fitting and not faults:
        of_texts = map_items(_faults_of_texts, entries, label=label and f"{label}: texts")
        faults = list(chain.from_iterable(of_texts))
    return faults, [entry.name for entry in entries if entry.name not in domains]


def _misfits(settings: Settings) -> list[str]:
    """Return the mismatches between params.yaml and the domains that it lists."""
    from orrery.problems.quotas import check

    try:
        check(settings)
    except OrreryError as error:
        return [str(error)]
    return []


def _faults_of(entry: Entry, settings: Settings | None) -> list[str]:
    """Return the faults of one domain, by itself and, if given, for the settings."""
    words = Words(entry.name, entry.root / "templates")
    unwritten: list[str] = []
    try:
        _ = entry.description
        if entry.generator is None:
            return [f"{entry.generator_file}: {_MISSING}"]
        if not entry.tasks and not entry.problem_files:
            return [f"{entry.generator_file}: offers no task, and there are no problem files"]
        check_picture(entry.description.picture, entry.domain)
        _check_description(entry)
        if stubs := words.missing(entry.domain):
            return [f"{words.path}: lacks {stub}" for stub in stubs]
        unwritten = placeholders(entry)
        words.intro()
        if unused := _unused(words, entry):
            return unused
        if settings and entry.name in settings.domains:
            _ask_for_problems(entry, settings)
        # A problem that does not fit the domain, or a picture that fails.
        problems = [entry.problem_of(path) for path in entry.problem_files]
        if entry.tasks:
            problems.append(read_problem(sample(entry.root, entry.name).problem_pddl, entry.domain))
        if unclear := _unclear(words, entry, problems):
            return unclear
        _read_back(words, entry, problems[-1])
    except OrreryError as error:
        return [*unwritten, str(error)]
    return unwritten


def _faults_of_texts(entry: Entry) -> list[str]:
    """Return a line on an abstract text that is ungrammatical or fits problems that differ."""
    from orrery.stages.shared_texts import fault_of_texts

    try:
        return fault_of_texts(entry)
    except OrreryError as error:
        return [str(error)]


def _check_description(entry: Entry) -> None:
    """Raise an error if ``domain.yaml`` names predicates that the domain does not have, or no tables."""
    path, known = entry.folder / "domain.yaml", entry.domain.predicate_named
    if entry.description.sight is not None:
        check_sight(entry.description.sight, entry.domain, path)
    if unknown := set(entry.description.barriers).difference(known):
        problem = f"names '{min(unknown)}', which is no predicate"
        raise OrreryError(f"{path}: barriers", problem, suggest(min(unknown), "predicates", sorted(known)))
    if entry.description.no_tasks and not lacking("data"):
        from orrery.families import tables

        if unknown := set(entry.description.no_tasks).difference(tables()):
            problem = f"names '{min(unknown)}', which is no table"
            raise OrreryError(f"{path}: no_tasks", problem, suggest(min(unknown), "tables", list(tables())))


def _ask_for_problems(entry: Entry, settings: Settings) -> None:
    """Refuse limits and tasks in the settings that the domain does not have.

    Raises:
        OrreryError: there are some.
    """
    from orrery.problems.quotas import quotas

    quotas(entry, settings.size, settings.held_out)


def _unused(words: Words, entry: Entry) -> list[str]:
    """Return a line for each macro whose name follows a convention but matches nothing.

    Otherwise a misspelt passage would be ignored, and all texts would be explicit.
    """
    domain, tasks = entry.domain, entry.tasks
    predicates = [predicate.name for predicate in domain.predicates]
    names_by_kind = {
        "fact": predicates,
        "complete": predicates,
        "action": [action.name for action in domain.actions],
        "type": [*(kind.name for kind in domain.types), OBJECT, *predicates],
    }
    if tasks:  # otherwise the templates may belong to a generator that is missing now
        names_by_kind |= {"init": [task.init for task in tasks], "goal": [task.goal for task in tasks]}
    names = {macro_name(kind, name) for kind, listed in names_by_kind.items() for name in listed}
    unused = [name for name in words.macros if name.partition("_")[0] in names_by_kind and name not in names]
    faults = []
    for symbol in sorted(unused):
        kind = symbol.partition("_")[0]
        near = did_you_mean(symbol, [name for name in sorted(names) if name.startswith(f"{kind}_")])
        mend = near or f"begin it with another word than '{kind}', or drop it"
        faults.append(f"{words.path}: macro {symbol} stands for nothing in the domain ({mend})")
    return faults


def _unclear(words: Words, entry: Entry, problems: Sequence[Problem]) -> list[str]:
    """Return a line for each pair of predicates with a common wording, and each word that names an object.

    Raises:
        OrreryError: a wording can be read as another predicate of some object.
    """
    domain, reader = entry.domain, SentenceReader(words, entry.domain)
    faults = [f"{first} and {second} share a wording; reword one" for first, second in reader.shared()]
    objects = [typed for problem in problems for typed in (*problem.objects, *domain.constants)]
    names = {typed.name for typed in objects}
    for predicate in domain.predicates if not faults else ():
        text = " ".join(words.sentences(Literal((predicate.name, *holders(predicate.arity)))))
        reader.read(text)
        faults += [
            f"a wording of {predicate.name} has the word '{word}', the name of an object; use another word"
            for word in sorted(names.intersection(re.findall(r"[\w-]+", text.lower())))
        ]
    return [f"{words.path}: {fault}" for fault in faults]


def _read_back(words: Words, entry: Entry, problem: Problem) -> None:
    """Refuse templates whose sentences become ambiguous in lists or shared sentences, as ``validate`` would.

    Raises:
        OrreryError: a sentence of a text on ``problem`` does not state exactly its facts.
    """
    domain, names = entry.domain, names_by_type(problem, entry.domain)
    writer, reader = ProseWriter(words, domain), prose_reader(words, domain)
    init = {Literal(fact) for fact in problem.init if fact[0] in domain.fluents}
    for literals, number in product((init, {*problem.goal}), range(TEXTS)):
        rng = stream(number, "doctor", entry.name)
        text = " ".join(writer.prose(sorted(literals), ObjectOrder.of(names), rng).sentences)
        source, mend = str(words.path), "reword the facts that it is put together from"
        try:
            read = {*reader.literals(text, names)}
        except OrreryError as error:
            raise OrreryError(source, f"{error.where} {error.problem}", mend) from error
        if read != literals:
            raise OrreryError(
                source, f"the text {text:.200!r} does not state the facts that it was generated from", mend
            )
