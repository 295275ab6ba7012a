"""Verdicts of third-party PDDL parsers on domains, and of one on plans, each in a separate process.

A single parser as the judge of executability (Text2World uses tarski) confuses faults of a text with limits
of the parser: of 101 published gold domains, four parsers refuse between 1 and 20. They also accept domains
that are not sound: Fast Downward's translator takes undeclared types and requirements and names that are
declared twice. So several parsers can be used, and each verdict has its message and a class.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from orrery.installation import install
from orrery.model import ToolMissing, UsageError, suggest
from orrery.pddl.adl import AdlDomain
from orrery.pddl.faults import GRAVITY, DomainErrorClass
from orrery.pddl.tolerant import read_adl
from orrery.planning.external_parser_worker import NO_MEMORY
from orrery.planning.process import ProcessResult, run
from orrery.planning.translator import installed

PDDL, UNIFIED_PLANNING, TRANSLATOR, TARSKI = "pddl", "unified-planning", "fast-downward", "tarski"
_PLANS = "plans"  # parser of the worker that validates plans with unified-planning
PARSERS = (PDDL, UNIFIED_PLANNING, TRANSLATOR, TARSKI)
TARSKI_VARIABLE = "ORRERY_TARSKI"
LONGEST = 500_000  # characters; longer texts are undecided without reading
_WORKER = Path(__file__).with_name("external_parser_worker.py")
_START = 15.0  # seconds for loading a reader
_MEGABYTES = 4096
_BATCH = 20
_SHOWN = 500
_NOT_INSTALLED = "is not installed"
# The exception of Python, and the messages of the system's loader when a library does not fit into memory.
_SIGNS_OF_NO_MEMORY = ("MemoryError", "failed to map segment", "annot allocate memory")

# Reliable patterns of messages, more specific ones first.
_SIGNS: Sequence[tuple[re.Pattern[str], DomainErrorClass]] = tuple(
    (re.compile(pattern, re.I), kind)
    for pattern, kind in (
        (r"missing (pddl )?requirement", DomainErrorClass.MISSING_REQUIREMENTS),
        (
            r"expected 'domain'|following words: domain|expecting 'domain'",
            DomainErrorClass.UNDEFINED_DOMAIN_NAME,
        ),
        (r"\beither\b|Unsupported", DomainErrorClass.UNSUPPORTED_FEATURE),
        (r"cycle detected|UndefinedSort|parameter's type|available types", DomainErrorClass.UNDEFINED_TYPE),
        (r"Undefined ?Variable|Undefined name", DomainErrorClass.UNDEFINED_VARIABLE),
        (r"already defined|Duplicate|declared twice|defined twice", DomainErrorClass.DUPLICATE_DEFINITION),
        (r"Undefined ?(Constant|object|Predicate|Function)", DomainErrorClass.UNDEFINED_CONSTANT),
        (r"Constant '.*' not defined|predicate name", DomainErrorClass.UNDEFINED_CONSTANT),
        (r"(Sort|Arity) ?Mismatch|of arity|has arity|not well-formed", DomainErrorClass.TYPE_MISMATCH),
    )
)
_REQUIREMENTS = re.compile(r"\(\s*:requirements([^()]*)\)?", re.I)
_INVALID = re.compile(r"invalid requirement|unknown requirement|REQUIRE_KEY", re.I)
_PLACE = re.compile(r"line[ :]*(\d+)(?::|, col(?:umn)?[: ]+| col )(\d+)")
_SYNTAX = re.compile(r"Unexpected|Expected|mismatched|extraneous|no viable|Missing '\)'|end of text", re.I)


@dataclass(frozen=True, slots=True)
class ParserVerdict:
    """The verdict of one parser on one domain.

    ``accepted`` is None if undecided: the limit was exceeded, or the parser is not ``installed``. ``error``
    is the class of a refusal.
    """

    parser: str
    accepted: bool | None
    message: str = ""
    error: DomainErrorClass | None = None
    installed: bool = True


def verdicts(
    texts: Sequence[str], parsers: Sequence[str] = PARSERS, *, seconds: float = 10.0
) -> list[dict[str, ParserVerdict]]:
    """Return, for every domain in PDDL, the verdict of each parser by name. Parsers run in parallel.

    Args:
        texts: domains, without prose around them.
        parsers: names from ``PARSERS``. Fast Downward's translator reads the domain with a minimal problem
            (an object of each type). tarski needs its own environment, because it requires another version
            of a library than DVC does: the variable ORRERY_TARSKI names a Python with tarski.
        seconds: limit for one parser and one text.

    Raises:
        UsageError: an unknown parser.
    """
    if unknown := sorted(set(parsers) - set(PARSERS)):
        raise UsageError(f"parser '{unknown[0]}'", "is not known", suggest(unknown[0], "there are", PARSERS))
    domains = [read_adl(text) if len(text) <= LONGEST else AdlDomain() for text in texts]
    with ThreadPoolExecutor(max_workers=max(1, len(parsers))) as readers:
        futures = [
            (parser, readers.submit(_verdicts_of_parser, parser, texts, domains, seconds))
            for parser in parsers
        ]
        by_parser = {parser: answers.result() for parser, answers in futures}
    return [
        {
            parser: _verdict(parser, *answers[number], domain, texts[number])
            for parser, answers in by_parser.items()
        }
        for number, domain in enumerate(domains)
    ]


def accepted_by_some(verdicts_by_parser: Mapping[str, ParserVerdict]) -> bool | None:
    """Return whether some installed parser accepts the domain; None if none does and one is undecided."""
    answers = [verdict.accepted for verdict in verdicts_by_parser.values() if verdict.installed]
    return True if True in answers else None if None in answers or not answers else False


class PlannedProblem(NamedTuple):
    """A domain, a problem of it and a plan as PDDL, with one step per line."""

    domain: str
    problem: str
    plan: str


Answer = tuple[bool | None, str]
"""Whether a text is accepted (None: undecided within a limit), and the message."""


def validate_plans(problems: Sequence[PlannedProblem], *, seconds: float = 5.0) -> list[Answer]:
    """Return whether unified-planning accepts each plan, as an independent check of PDDL and plans.

    Action costs are ignored. The message on an invalid plan is ``INVALID``; if a text cannot be read, or the
    validator crashes, it is the error in one line, and the plan is not accepted. Only limits of time and
    memory leave a plan undecided. A plan takes about 0.1 s, after 0.5 s of loading for all; ``seconds``
    limits the processor time of each.

    Raises:
        ToolMissing: unified-planning is not installed.
    """
    if importlib.util.find_spec("unified_planning") is None:
        raise ToolMissing(UNIFIED_PLANNING, _NOT_INSTALLED, install("planners"))
    answers = _read(_PLANS, [json.dumps(planned) for planned in problems], seconds, after_crash=False)
    return [(accepted, " ".join(message.split())) for accepted, message in answers]


def _verdicts_of_parser(
    parser: str, texts: Sequence[str], domains: Sequence[AdlDomain], seconds: float
) -> list[Answer]:
    """Return the verdict of a parser on each text."""
    all_answers: list[Answer] = [(None, f"longer than {LONGEST} characters") for _ in texts]
    short = [number for number, text in enumerate(texts) if len(text) <= LONGEST]
    inputs, answers = [_shown(parser, texts[n], domains[n]) for n in short], []
    batch = 1 if parser == TARSKI else _BATCH  # tarski may keep state of earlier texts
    for at in range(0, len(short), batch):
        answers += _read(parser, inputs[at : at + batch], seconds)
    for number, answer in zip(short, answers, strict=True):
        all_answers[number] = answer
    return all_answers


def _shown(parser: str, text: str, domain: AdlDomain) -> str:
    """Return the input of a parser; for the translator it includes a problem."""
    return json.dumps([text, minimal_problem(domain)]) if parser == TRANSLATOR else text


def minimal_problem(domain: AdlDomain) -> str:
    """Return a problem with one object of each type, no facts and an empty goal."""
    objects = " ".join(f"orrery-{typed.name} - {typed.name}" for typed in domain.types) or "orrery-object"
    return (
        f"(define (problem minimal) (:domain {domain.name or 'unnamed'})\n"
        f" (:objects {objects}) (:init) (:goal (and)))"
    )


def _read(
    parser: str, texts: Sequence[str], seconds: float, *, after_crash: bool | None = None
) -> list[Answer]:
    """Run a parser that is a Python package; restart it after a text that crashed it.

    ``after_crash`` is the verdict on such a text.
    """
    python = _python(parser)
    if python is None:
        mend = f"set {TARSKI_VARIABLE}" if parser == TARSKI else install("planners")
        return [(None, f"{parser} {_NOT_INSTALLED}: {mend}") for _ in texts]
    read: list[Answer] = []
    while len(read) < len(texts):
        unread = texts[len(read) :]
        ended = _process(python, parser, unread, seconds)
        answers = [tuple(json.loads(line)) for line in ended.output.splitlines() if line.endswith("]")]
        read += answers[: len(unread)]
        if len(answers) < len(unread):
            read.append((None if _is_limited(ended) else after_crash, _death(ended)))
    if len(texts) > 1:  # earlier texts may have used the memory
        full = [number for number, answer in enumerate(read) if answer == (None, NO_MEMORY)]
        read = [
            _read(parser, [texts[number]], seconds, after_crash=after_crash)[0] if number in full else answer
            for number, answer in enumerate(read)
        ]
    return read


def _process(python: str, parser: str, texts: Sequence[str], seconds: float) -> ProcessResult:
    path = [str(Path(__file__).parents[2])] if python == sys.executable else []
    limit = _START + seconds * len(texts)
    request = {"path": path, "parser": parser, "texts": texts, "seconds": seconds}
    command = [python, "-P", str(_WORKER)] if python == sys.executable else [python, str(_WORKER)]
    return run(command, feed=json.dumps(request), seconds=limit, megabytes=_MEGABYTES)


def _is_limited(ended: ProcessResult) -> bool:
    """Return whether the time or memory limit ended a reader's process."""
    return ended.timed_out or any(sign in _last_line(ended) for sign in _SIGNS_OF_NO_MEMORY)


def _last_line(ended: ProcessResult) -> str:
    return "".join(ended.errors.strip().splitlines()[-1:])


def _death(ended: ProcessResult) -> str:
    """Return why a reader's process gave no verdict."""
    if ended.timed_out:
        return "stopped by the time limit"
    return "; ".join(filter(None, [f"ended with code {ended.code}", _last_line(ended)]))


def _python(parser: str) -> str | None:
    """Return the Python interpreter with the reader, or None."""
    if parser != TARSKI:
        return None if parser == TRANSLATOR and not installed() else sys.executable
    if named := os.environ.get(TARSKI_VARIABLE):
        return named
    return sys.executable if importlib.util.find_spec("tarski") else None


def _verdict(parser: str, accepted: bool | None, message: str, domain: AdlDomain, text: str) -> ParserVerdict:
    short = message if len(message) <= _SHOWN else message[: _SHOWN - 1] + "…"
    kind = classify(message, domain, text) if accepted is False else None
    return ParserVerdict(parser, accepted, short, kind, installed=_NOT_INSTALLED not in message)


def classify(message: str, domain: AdlDomain, text: str = "") -> DomainErrorClass:
    """Return the class of a refusal: that implied by its message, or else the most severe fault we find.

    A refusal within the requirements of ``text`` is about an unsupported feature, even if the parser
    reports an unexpected token.
    """
    for sign, kind in _SIGNS:
        if sign.search(message):
            return kind
    if domain.requirements and _is_among_requirements(message, text):
        return DomainErrorClass.UNSUPPORTED_FEATURE
    faults = [
        fault.kind for fault in domain.faults if fault.kind is not DomainErrorClass.MISSING_REQUIREMENTS
    ]
    if faults:
        return min(faults, key=GRAVITY.__getitem__)
    if domain.faults:
        return DomainErrorClass.MISSING_REQUIREMENTS
    return (
        DomainErrorClass.INCORRECT_PARENTHESES
        if _SYNTAX.search(message)
        else DomainErrorClass.UNSUPPORTED_FEATURE
    )


def _is_among_requirements(message: str, text: str) -> bool:
    """Return whether a message is about a requirement, or about a place in the list of requirements."""
    if _INVALID.search(message):
        return True
    place, listed = _PLACE.search(message), _REQUIREMENTS.search(text)
    if place is None or listed is None:
        return False
    line, column = map(int, place.groups())
    at = sum(len(text_line) + 1 for text_line in text.split("\n")[: line - 1]) + column
    is_whole_list = "Expected ')', found '('" in message  # unified-planning reports the beginning of the list
    return listed.start(1) < at <= listed.end() or (is_whole_list and at == listed.start() + 1)
