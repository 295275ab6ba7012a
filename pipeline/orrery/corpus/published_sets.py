"""Rows of our schemas from the published folders of Proc2PDDL and the published file of Text2World.

PDDL comments are removed, because they may name people. Article text is included only on request. Such a row
has no licence, and neither has any row of Text2World. Rows without a licence are never published. ``tell`` is
called with the place and the problem of each deviation from the published layout.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from pydantic import BaseModel

from orrery.corpus.deciding import DecidedProblem, decide
from orrery.corpus.released_files import Tell, UnixText, attempt, released_rows, released_text, row_of
from orrery.corpus.repairs import mend_domain, mend_problem, objects_of, repair, repair_problem
from orrery.families.modelling.schemas import LEFT_OUT, NOT_COMPOSED, PROBLEM_FOLDER, measures
from orrery.language.tokenizer import without_comments
from orrery.model import OrreryError, Row, UsageError
from orrery.pddl.adl import AdlDomain
from orrery.pddl.tolerant import read_adl

PROC2PDDL, TEXT2WORLD = "proc2pddl", "text2world"
NO_LICENSE = ""
_LICENSE = "MIT"  # of Proc2PDDL's PDDL, summaries and step numbers; not of the articles
MEND_FOLDER = (
    "name the published folder: pddl_data/<id>/{domain.pddl, actions.txt, action_step_map.txt, problems/}"
)
MEND_LIST = "name the published file, a JSON list of domains with `pddl_domain` and `corrected_description`"
_ENTRY = re.compile(r"^\s*\(?\s*(?::action\s)?\s*([\w-]+)\s*(?:;(.*)|\)?\s*)$")
_STEP = re.compile(r"^\(?(\d{1,9})\s*[).:;](?:\s+(.*))?$")
_NUMBERS = re.compile(r"(?<!\d)\d{1,9}(?!\d)")


@dataclass(frozen=True)
class Imported:
    """One row, a log of repairs and omissions as pairs of item and message, and the domain as released.

    ``repairs`` are the messages on the domain. ``file`` and ``number`` are the place of the published row.
    """

    row: Row
    log: tuple[tuple[str, str], ...]
    released: str
    repairs: tuple[str, ...]
    file: str
    number: int


def proc2pddl_folders(folder: Path, tell: Tell) -> list[Path]:
    """Return the folders with a ``domain.pddl``, of ``folder`` or of its ``pddl_data``, sorted.

    Raises:
        UsageError: there is no such folder.
    """
    base = folder / "pddl_data" if (folder / "pddl_data").is_dir() else folder
    folders = sorted(path.parent for path in base.glob("*/domain.pddl")) if base.is_dir() else []
    if not folders:
        raise UsageError(str(folder), "has no folder with a domain.pddl", MEND_FOLDER)
    for path in sorted({file.parent for file in base.glob("*/actions.txt")} - {*folders}):
        tell(str(path), "has no domain.pddl")
    return folders


def proc2pddl(folder: Path, tell: Tell, *, with_articles: bool = False) -> Imported:
    """Return the row of ``action_modeling`` of one published folder.

    Raises:
        OrreryError: the domain cannot be read, or has no actions.
    """
    path = folder / "domain.pddl"
    released = without_comments(released_text(path, tell, MEND_FOLDER))
    texts_by_problem = _problems(folder, tell)
    problems = [(path, text) for path, text in texts_by_problem.items() if text is not None]
    mended, mendings = mend_domain(released)
    gold, repairs = repair(mended, [typed for _, text in problems for typed in objects_of(text)])
    domain = read_adl(gold, str(path))
    if not domain.name or not domain.actions:
        raise OrreryError(str(path), "has no domain with actions", MEND_FOLDER)
    log = [("domain.pddl", f"{kind}: {written}") for kind, written in mendings]
    log += [("domain.pddl", str(typed)) for typed in repairs]
    changes = tuple(message for _, message in log)
    decided = _decided(problems, gold, domain, log)
    unread = [path.name for path, text in texts_by_problem.items() if text is None]
    log += [(f"{PROBLEM_FOLDER}{name}", f"{LEFT_OUT}: cannot be read") for name in unread]
    texts = _texts(folder, domain, log, with_articles, tell)
    row = {
        "id": f"{PROC2PDDL}/{folder.name}",
        "domain": domain.name,
        "source": PROC2PDDL,
        "license": NO_LICENSE if with_articles else _LICENSE,
        "header": _header(gold, domain),
        "action_names": list(domain.action_named),
        "texts": texts,
        "gold_domain": gold,
        "problems": decided.rows,
        "explicitness": "",
        **NOT_COMPOSED,
    }
    return Imported(row, tuple(log), released, changes, f"{folder.name}/{path.name}", 0)


def _problems(folder: Path, tell: Tell) -> dict[Path, str | None]:
    """Return the problems of a folder without comments, by their paths; None for an unreadable one."""
    texts = {path: _text(path, tell) for path in sorted((folder / PROBLEM_FOLDER).glob("*.pddl"))}
    if not texts:
        tell(str(folder), "has no problems")
    return {path: None if text is None else without_comments(text) for path, text in texts.items()}


def _text(path: Path, tell: Tell) -> str | None:
    return attempt(partial(released_text, path, tell), tell)


def _header(gold: str, domain: AdlDomain) -> str:
    """Return the text of the domain without its actions."""
    first = min(action.at for action in domain.actions)
    return domain.text[:first].rstrip() + "\n)\n" if domain.text else gold


def _decided(
    released: Sequence[tuple[Path, str]],
    gold: str,
    domain: AdlDomain,
    log: list[tuple[str, str]],
) -> DecidedProblem:
    """Return the problems of the folder, repaired and decided."""
    problems = []
    for path, written in released:
        repaired, repairs = repair_problem(written, domain)
        text, mendings = mend_problem(repaired, domain)
        log += [(f"problems/{path.name}", str(entry)) for entry in repairs]
        log += [(f"problems/{path.name}", f"{kind}: {added}") for kind, added in mendings]
        problems.append((path.stem, text))
    decided = decide(gold, problems, wanted=len(problems), attempts=len(problems))
    whole = decided.open.get("")  # a domain that cannot be executed
    reasons = {name: whole for name, _ in problems} if whole else decided.open
    log += [(f"{PROBLEM_FOLDER}{name}.pddl", f"{LEFT_OUT}: {why}") for name, why in reasons.items()]
    return decided


def _texts(
    folder: Path, domain: AdlDomain, log: list[tuple[str, str]], with_articles: bool, tell: Tell
) -> dict[str, str]:
    """Return the available texts of the five text conditions; missing ones are logged."""
    summaries = dict(_entries(folder / "actions.txt", tell))
    entries = _entries(folder / "action_step_map.txt", tell)
    mapped = {name: _NUMBERS.findall(steps) for name, steps in entries}
    for name in domain.action_named:
        log += [("actions.txt", f"no summary of '{name}'")] if not summaries.get(name) else []
        log += [("action_step_map.txt", f"no step mapped to '{name}'")] if not mapped.get(name) else []
    article = _article(folder, tell) if with_articles else {}
    steps = sorted({number for numbers in mapped.values() for number in numbers}, key=int)
    return {
        "none": "",
        "sum": "\n".join(f"{name}: {text}".rstrip() for name, text in summaries.items()),
        "map": "\n".join(
            f"{name}: {_text_of_steps(numbers, article)}".rstrip() for name, numbers in mapped.items()
        ),
        "rel": _text_of_steps(steps, article, "\n"),
        "all": "\n".join(f"({number}) {text}" for number, text in article.items()),
    }


def _text_of_steps(numbers: list[str], article: Mapping[str, str], between: str = " ") -> str:
    """Return the steps by number, with their text if it is available."""
    return between.join(f"({number}) {article.get(number, '')}".rstrip() for number in numbers)


def _entries(path: Path, tell: Tell) -> Iterator[tuple[str, str]]:
    """Yield the lines ``(:action name ; text`` of a published file; other lines are reported.

    Many lines end after the name. Such an action has no text.
    """
    for number, line in enumerate((_text(path, tell) or "").splitlines(), 1):
        if match := _ENTRY.match(line):
            yield match[1].lower(), (match[2] or "").strip()
        elif line.strip():
            tell(f"{path}:{number}", f"is not an entry 'name ; text': {line.strip()[:60]}")


def _article(folder: Path, tell: Tell) -> dict[str, str]:
    """Return the steps of the article by number, each on one line; without numbers, lines are counted.

    A step goes from its number, which may be alone on its line, to the next higher number.
    """
    texts = [_text(path, tell) or "" for path in sorted(folder.glob("wikihow-*.txt"))]
    lines = [line.strip() for text in texts for line in text.splitlines() if line.strip()]
    if not lines or not _STEP.match(lines[0]):
        return {str(number): line for number, line in enumerate(lines, 1)}
    steps: dict[int, list[str]] = {}
    last = -1
    for line in lines:
        match = _STEP.match(line)
        if match and int(match[1]) > last:
            last = int(match[1])
            line = match[2] or ""
        steps.setdefault(last, []).extend([line] if line else [])
    return {str(number): " ".join(lines) for number, lines in steps.items()}


class _World(BaseModel):
    """A domain of the published file."""

    pddl_domain: UnixText
    corrected_description: UnixText


def text2world(path: Path, tell: Tell) -> list[Imported]:
    """Return the rows of ``domain_modeling`` of the published file, marked as having no licence.

    Values that are not objects with the published keys are reported.
    """
    entries = [
        (number, row_of(_World, content, f"{path}: row {number}", tell))
        for number, content in released_rows(path, tell)
    ]
    return [_world(path, number, entry) for number, entry in entries if entry is not None]


def _world(path: Path, number: int, entry: _World) -> Imported:
    released = without_comments(entry.pddl_domain)
    gold, repairs = repair(released)
    domain = read_adl(gold)
    row = {
        "id": f"{TEXT2WORLD}/{number + 1:03}",
        "domain": domain.name,
        "description_abstract": entry.corrected_description,
        "description_concrete": "",
        **measures(domain, gold),
        "problems": [],
        "license": NO_LICENSE,
        "source": TEXT2WORLD,
        "style": "published",
        **NOT_COMPOSED,
    }
    log = [(f"entry {number + 1}", str(applied)) for applied in repairs]
    log += [(f"entry {number + 1}", f"{fault.kind}: {fault.message}") for fault in domain.faults]
    return Imported(row, tuple(log), released, tuple(message for _, message in log), path.name, number)
