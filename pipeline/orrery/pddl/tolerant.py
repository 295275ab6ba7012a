"""Tolerant reader of domains: it reads as much as possible and gives each fault a class and a place.

The domain is searched in any text, such as a model's reply with prose and fences. No text raises an
exception; time and memory grow linearly with the text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from html import unescape

from orrery.grading.thoughts import thoughts_in
from orrery.pddl.adl import AdlDomain
from orrery.pddl.corrections import change_below, is_elided
from orrery.pddl.faults import DomainErrorClass, FaultLog, SourceText
from orrery.pddl.recover import ACTIONS, CUT, KEYWORDS, SECTIONS, Recovered, recover
from orrery.pddl.reply_text import BEGINS, unwrapped
from orrery.pddl.sections import Sections
from orrery.pddl.soundness import check
from orrery.pddl.tree import Node, Tree

INVISIBLE = "\u200b\u200c\u200d\u2060\ufeff\u00ad"
LOOKALIKES = {
    **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe63\uff0d", "-"),
    **{"\uff08": "(", "\uff09": ")", "\uff1a": ":", "\uff1b": ";"},
}


_LETTERS = re.compile(r"[^\n]")
# One character each, so that offsets are unchanged.
_ODD = str.maketrans({**dict.fromkeys(INVISIBLE + "\u00a0", " "), **LOOKALIKES, "\uff1f": "?"})
MAX_REPLY = 1_000_000  # characters
MAX_CHARACTERS = 200_000  # of the reply without its thoughts
_MEND = "write (define (domain NAME) ...)"
_DECLARING = frozenset({":types", ":constants", ":predicates", ":functions", ":derived"})


@lru_cache(maxsize=64)
def read_adl(text: str, source: str = "<domain>") -> AdlDomain:
    """Return the domain in ``text`` with its faults; it is partial if the text is broken.

    Of several domains, the last one with actions is used, because drafts come first, with the actions below
    it. In a text without ``(define (domain ...))``, loose sections and actions are read. Text below that
    changes the domain otherwise is a fault.
    """
    log, recovered = _recovered(text, source)
    span = _find(recovered)
    if not span.name or not span.defined:
        problem = "'define' is missing before the domain" if span.name else "there is no domain with a name"
        log.add(DomainErrorClass.UNDEFINED_DOMAIN_NAME, span.begin, problem, _MEND)
    if span.stray:
        problem = f"'{span.stray}' stands between the sections"
        log.parentheses(span.begin, problem, "put it into a section")
    domain, places = _read(log, recovered, span, span.sections, ACTIONS | _DECLARING)
    check(log, domain, places)
    return replace(domain, faults=log.faults())


def read_actions(text: str, header: str, source: str = "<actions>") -> AdlDomain:
    """Return a domain with the declarations of ``header`` and the actions in ``text``.

    ``text`` may be a whole domain or only actions; its other declarations are ignored. The text
    and the faults of the result are those of the actions; ``joined`` combines both to a whole domain.
    """
    log, recovered = _recovered(text, source)
    span = _find(recovered)
    actions = [section for section in span.sections if section.head in ACTIONS]
    frame = read_adl(header, "<header>")
    read, places = _read(log, recovered, span, actions, ACTIONS)
    domain = replace(frame, actions=read.actions, text="\n".join(map(recovered.text_of, actions)))
    if not actions:
        log.parentheses(span.begin, "there is no action", "write (:action NAME ...)")
    check(log, domain, places)
    return replace(domain, faults=log.faults())


def _recovered(text: str, source: str) -> tuple[FaultLog, Recovered]:
    """Return the lists of a text, and a log of faults; a text that is too long is not read."""
    answer = answer_in(text) if len(text) <= MAX_REPLY else text
    long = len(answer.strip()) > MAX_CHARACTERS
    origin = SourceText("" if long else answer, source)
    log = FaultLog(origin)
    if long:
        log.parentheses(
            0, f"the text is longer than {MAX_CHARACTERS} characters", "write less around the domain"
        )
    return log, recover(origin)


def joined(header: str, actions: AdlDomain) -> str:
    """Return the text of the domain in ``header`` with the actions of another domain.

    Action stubs in the header are omitted.
    """
    frame = read_adl(header).text.rstrip()
    recovered = recover(SourceText(frame))
    stubs = [
        node.at
        for outer in recovered.lists
        for node in outer
        if isinstance(node, Node) and node.head in ACTIONS
    ]
    for at in reversed(stubs):
        frame = frame[:at] + frame[recovered.closed.get(at, at) :]
    return f"{frame.removesuffix(')')}\n{actions.text}\n)\n"


def answer_in(text: str) -> str:
    """Return a model's reply with its reasoning replaced by blanks, and without marks around its PDDL.

    Everything up to the end of the last closed block of reasoning is replaced, if PDDL follows it. A reply
    that ends within its reasoning has no answer.
    Characters that only look like those of PDDL are replaced. HTML escapes are decoded if the text has no
    definition otherwise.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if not text.isascii():
        text = text.translate(_ODD)
    if "&" in text and not BEGINS.search(text):
        text = unescape(text)
    thoughts = thoughts_in(text)
    if thoughts.is_open:
        return ""
    at = thoughts.end
    if at and BEGINS.search(text, at):
        text = _LETTERS.sub(" ", text[:at]) + text[at:]
    return unwrapped(text)


@dataclass(frozen=True, slots=True)
class _DomainSpan:
    """The sections, name and span of the chosen domain, and a stray word in it."""

    name: str
    sections: Sequence[Node]
    begin: int
    end: int
    defined: bool
    stray: str = ""


def _find(recovered: Recovered) -> _DomainSpan:
    """Return the last ``(define (domain ...) ...)``, if possible with actions, and the loose actions below.

    A domain without actions is joined with all loose actions; in a text without a domain, loose sections
    count. Of several loose actions with the same name, the last one counts, in place of one in the domain.
    """
    lists = list(zip(recovered.lists, recovered.ends, strict=True))
    domains = [(node, end) for node, end in lists if node.head == "define" and not _is_problem(node)]
    full = [(node, end) for node, end in domains if any(_head(item) in ACTIONS for item in node)]
    domain, end = (full or domains or [(Node(0), 0)])[-1]
    heads, first = ACTIONS if domains else SECTIONS | {"domain"}, domain.at if full else 0
    below = [(node, end) for node, end in lists if node.head in heads and node.at >= first]
    loose = [(node, end) for node, end in below if not _is_mentioned(node, recovered)]
    last = {_name(node): node for node, _ in loose if node.head in ACTIONS}
    found = [item for item in (*domain, *(node for node, _ in loose)) if isinstance(item, Node)]
    kept = [node for node in found if node.head not in ACTIONS or last.get(_name(node), node) is node]
    spans = [(domain, end), *loose] if domains else loose or [(domain, end)]
    return _DomainSpan(
        next((_name(node) for node in found if node.head == "domain"), ""),
        [node for node in kept if node.head != "domain"],
        min(node.at for node, _ in spans),
        max(end for _, end in spans),
        bool(domains),
        next((item for item in domain[1:] if isinstance(item, str)), ""),
    )


def _is_mentioned(node: Node, recovered: Recovered) -> bool:
    """Return whether an action is only mentioned, such as ``(:action move ...)``."""
    text = recovered.text_of(node) if node.head in ACTIONS else ""
    is_empty = KEYWORDS.isdisjoint(item for item in node if isinstance(item, str))
    return (is_empty and text.endswith(")")) or is_elided(text)


def _is_problem(node: Node) -> bool:
    return len(node) > 1 and _head(node[1]) == "problem"


def _head(item: Tree) -> str:
    return item.head if isinstance(item, Node) else ""


def _name(node: Node) -> str:
    """Return the name in ``(domain NAME)``, or the empty string."""
    return node[1] if len(node) > 1 and isinstance(node[1], str) else ""


def _read(
    log: FaultLog, recovered: Recovered, span: _DomainSpan, sections: Sequence[Node], heads: frozenset[str]
) -> tuple[AdlDomain, Mapping[str, int]]:
    """Return the sections as an unchecked domain, and the place of each section.

    Text below that changes a section with one of the heads is a fault.
    """
    for at, message in recovered.mended:
        if span.begin <= at <= span.end:
            log.parentheses(at, message, lost=message == CUT)
    text, following = recovered.text[span.begin : span.end], recovered.text[span.end :]
    if sections and (change := change_below(text, following, heads)):
        problem = f"{change!r} below changes the domain"
        log.add(DomainErrorClass.DUPLICATE_DEFINITION, span.end, problem, "write it once", lost=True)
    read = Sections(log)
    for section in sections:
        read.read(section)
    return read.domain(span.name, text), read.places
