"""Extract the problem from a model's output.

An output may contain prose, code fences, reasoning, the domain, and several problems. The rule:

1. The text after the last closed block of reasoning (``</think>`` and the like) is the answer. If no
   problem begins there, the reasoning is searched too. An output that ends within it has no answer.
2. A *candidate* begins at ``(define (problem`` outside of comments, and ends at its matching parenthesis,
   which must come before the next ``(define``, the end of the code fence, or a closing tag.
3. The problem is the last closed candidate with ``:init`` and ``:goal``; if there is none, the last closed
candidate;
   if there is none, the parentheses are incorrect. An unclosed problem is not repaired, because it cannot be
   distinguished from an answer that was cut off within its goals. A *template*, which contains text that is
   impossible in a problem (``...``, ``<name>``, ``[objects]``) or an empty goal, is skipped if an answer
   precedes it. Text below that changes the problem, such as another goal, makes the output unreadable.
4. If a candidate begins on a line quoted as in mail or Markdown (``> ``), the quotation marks are removed.
   So are numbers and bullets of lines, comments of other languages, and code fences within it. Lines count as
   numbered if all have ascending consecutive numbers.

ASCII letters are converted to lower case first. No step recurses, and each takes time linear in the output,
whose length is limited.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from string import ascii_uppercase

from orrery.grading.thoughts import thoughts_in
from orrery.pddl.corrections import change_below, is_elided
from orrery.pddl.faults import SyntaxFault
from orrery.pddl.reply_text import QUOTE, without_comments, without_line_numbers, without_numbers
from orrery.pddl.tolerant import INVISIBLE, LOOKALIKES

LONGEST_OUTPUT = 1_000_000
LONGEST_PROBLEM = 300_000
LOOK_BACK = 100
MOST_CANDIDATES = 100  # counted from the end
_PARTS = frozenset({":objects", ":init", ":goal"})

_DEFINE = re.compile(r"define\s*\(\s*(problem|domain)(?![^\s()])")
_BOUND = re.compile(r"```|~~~|</[a-z]")
_COMMENT = re.compile(r";[^\n]*")
_PARENTHESIS = re.compile(r";[^\n]*|[()]")
_COMMENTED = re.compile(r"(?:[ \t\r\f\v]|>|&gt;)*+(?:;|//|#+[ \t]*\()")
_EMPTY_GOAL = re.compile(r"\(\s*:goal\s*\)")
_FENCE = re.compile(r"```|~~~")
_MARKUP = re.compile(r"(?:```|~~~)[a-z]*|</?[a-z]+>")
_WORD = re.compile(r"\w")

# Marks that models add to lines. None can be part of a problem: a hyphen before a parenthesis occurs only in
# ``- (either``.
_BULLET = re.compile(r"^[ \t]*+(?:[-*+•◦▪]|\d{1,5}[.)])[ \t]++(?=\()(?!\(\s*either)", re.MULTILINE)
_SECTION_TOKEN = re.compile(r";[^\n]*|[()]|[^\s();]+")
_SECTION = re.compile(r"\(\s*(?::[a-z]|problem(?![^\s()]))")
_MARKED_FENCE = re.compile(r"(?:```|~~~)[a-z]*")

_ENTITIES = {
    "&": ("&amp;",),
    "(": ("&#40;", "&#x28;", "&lpar;"),
    ")": ("&#41;", "&#x29;", "&rpar;"),
    "-": ("&#45;", "&#x2d;", "&hyphen;", "&dash;", "&#8211;", "&ndash;"),
    "_": ("&#95;", "&#x5f;", "&lowbar;"),
    " ": ("&nbsp;", "&#160;", "&#xa0;", "&#32;", "&#x20;", "&#9;", "&tab;"),
    "\n": ("&#10;", "&#xa;", "&newline;", "<br>", "<br/>", "<br />"),
    ":": ("&#58;", "&#x3a;", "&colon;"),
    "?": ("&#63;", "&#x3f;", "&quest;"),
}
_SPACES = {"n": "\n", "r": "\n", "t": " "}
_BACKSLASHES = re.compile(r"\\([nrt_()*:?.-])")
_ODD = str.maketrans({**dict.fromkeys(INVISIBLE, ""), **LOOKALIKES})


class ReplyErrorClass(StrEnum):
    """Reasons why no problem can be read, other than faults of its PDDL."""

    EMPTY_OUTPUT = "empty-output"
    NOT_TEXT = "not-text"
    TOO_LONG = "too-long"
    NO_PROBLEM_FOUND = "no-problem-found"
    UNFINISHED_REASONING = "unfinished-reasoning"
    CORRECTED = "corrected"  # text below the problem changes it


class Tolerance(StrEnum):
    """Tolerated deviations. None of them changes the meaning of the problem."""

    SURROUNDING_TEXT = "surrounding-text"
    CODE_FENCE = "code-fence"
    REASONING = "reasoning"  # a closed block of reasoning before the answer
    ANSWER_IN_REASONING = "answer-in-reasoning"  # none after it
    DOMAIN_GIVEN = "domain-given"
    SEVERAL_PROBLEMS = "several-problems"
    UNFINISHED_PROBLEM = "unfinished-problem"  # a later, unclosed problem
    STRAY_PARENTHESES = "stray-parentheses"
    PROBLEM_NAME = "problem-name"
    CAPITALS = "capitals"
    COMMENTS = "comments"
    QUOTE_MARKS = "quote-marks"
    HTML_ESCAPES = "html-escapes"
    BACKSLASH_ESCAPES = "backslash-escapes"
    ODD_CHARACTERS = "odd-characters"
    TEMPLATE = "template"  # an unfilled template after the answer
    LINE_NUMBERS = "line-numbers"
    BULLETS = "bullets"
    FOREIGN_COMMENTS = "foreign-comments"  # of other languages: // and #
    INNER_FENCES = "inner-fences"
    TOTAL_COST = "total-cost"  # (= (total-cost) 0), or a metric of it, although the domain has no costs
    REQUIREMENTS = "requirements"
    OBJECT_TYPE = "object-type"
    NEGATIVE_INIT = "negative-init"
    ADDED_TYPES = "added-types"


class Unreadable(Exception):
    """No problem can be read; used only within this package."""

    def __init__(self, error: ReplyErrorClass | SyntaxFault, detail: str = "") -> None:
        """Create the error with its class and message."""
        self.error, self.detail = error, detail
        super().__init__(detail)


@dataclass(frozen=True, slots=True)
class Extract:
    """The text of the problem, in lower case and without comments, and the tolerated deviations."""

    text: str
    tolerated: frozenset[Tolerance]


@dataclass(frozen=True, slots=True)
class _Candidate:
    """Text from ``(define (problem`` to its matching parenthesis (``closed``) or to its latest end.

    ``start`` is its offset, ``rest`` the text after it.
    """

    start: int
    text: str
    rest: str
    closed: bool
    mended: frozenset[Tolerance]

    @property
    def complete(self) -> bool:
        """Whether it is closed and has an initial state and a goal."""
        return self.closed and ":init" in self.text and ":goal" in self.text

    @property
    def template(self) -> bool:
        """Whether it is an unfilled template."""
        _, _, sections = _COMMENT.sub("", self.text).partition(")")  # the name is ignored
        return is_elided(sections) or _EMPTY_GOAL.search(sections) is not None


@dataclass(frozen=True, slots=True)
class _ProblemSpan:
    """The span from ``(define (problem`` or ``(define (domain`` to the place where it must have ended."""

    start: int
    bound: int
    kind: str


def extract(output: str) -> Extract:
    """Return the problem within ``output``.

    Raises:
        Unreadable: there is no problem, it is never closed, or the output is not text.
    """
    output = output.replace("\r\n", "\n").replace("\r", "\n")
    text, places, tolerated = _located(_lowered(output))
    thoughts = thoughts_in(text)
    if thoughts.is_open:
        raise Unreadable(ReplyErrorClass.UNFINISHED_REASONING)
    if at := thoughts.end:
        tolerated.add(Tolerance.REASONING)
    answer = [place for place in places if place.start >= at]
    if _problems(answer):
        places = answer
    else:
        at = 0
        tolerated.add(Tolerance.ANSWER_IN_REASONING)
    chosen = _chosen(text, _problems(places), tolerated)
    if any(place.kind == "domain" for place in places):
        tolerated.add(Tolerance.DOMAIN_GIVEN)
    before = text[at : places[0].start]
    if Tolerance.LINE_NUMBERS in chosen.mended | tolerated:
        before = before.rpartition("\n")[0]
    tolerated |= chosen.mended | _around(before, chosen.rest)
    moved = len(text) != len(output) or Tolerance.HTML_ESCAPES in tolerated
    if not moved and _has_capitals(output, chosen):
        tolerated.add(Tolerance.CAPITALS)
    if ";" not in chosen.text:
        return Extract(chosen.text, frozenset(tolerated))
    return Extract(_COMMENT.sub("", chosen.text), frozenset(tolerated | {Tolerance.COMMENTS}))


def _located(text: str) -> tuple[str, list[_ProblemSpan], set[Tolerance]]:
    """Return the text, its definitions, and the deviations that were repaired to find a problem."""
    if _problems(places := _places(text)):
        return text, places, set()
    text, mended = _clean(text, quoted=True)
    if _problems(places := _places(text)):
        return text, places, set(mended)
    bare = without_line_numbers(text)
    if _problems(places := _places(bare)):
        return bare, places, {*mended, Tolerance.LINE_NUMBERS}
    raise _absent(text)


def _has_capitals(output: str, chosen: _Candidate) -> bool:
    """Return whether the problem has capital letters outside of comments."""
    source = output[chosen.start : chosen.start + LONGEST_PROBLEM]
    if Tolerance.QUOTE_MARKS in chosen.mended:
        source = QUOTE.sub("", source)
    if Tolerance.FOREIGN_COMMENTS in chosen.mended:
        source, _ = _unmarked(source, "")
    written = _COMMENT.sub("", source[: len(chosen.text)])
    return any(capital in written for capital in ascii_uppercase)


def _lowered(output: str) -> str:
    """Return the output with ASCII letters in lower case. Raise Unreadable if there is nothing to read."""
    if len(output) > LONGEST_OUTPUT:
        raise Unreadable(
            ReplyErrorClass.TOO_LONG, f"{len(output)} characters, at most {LONGEST_OUTPUT} are read"
        )
    if "\0" in output:
        raise Unreadable(ReplyErrorClass.NOT_TEXT, f"a NUL character at offset {output.index(chr(0))}")
    if not output or output.isspace():
        raise Unreadable(ReplyErrorClass.EMPTY_OUTPUT)
    try:
        return output.lower() if output.isascii() else output.encode().lower().decode()
    except UnicodeEncodeError as error:
        raise Unreadable(ReplyErrorClass.NOT_TEXT, f"half a character at offset {error.start}") from error


def _problems(places: list[_ProblemSpan]) -> list[_ProblemSpan]:
    return [place for place in places if place.kind == "problem"]


def _places(text: str) -> list[_ProblemSpan]:
    """Return the definitions of a text in order, without those on commented lines."""
    starts: list[tuple[int, str]] = []
    seen, commented = 0, _is_comment(text, 0)
    for match in _DEFINE.finditer(text):
        start = match.start() - 1
        while start >= seen and text[start].isspace():
            start -= 1
        line = text.rfind("\n", seen, match.start())
        if line >= 0:
            commented = _is_comment(text, line + 1)
        if start >= seen and text[start] == "(" and not commented:
            starts.append((start, match[1]))
        seen = match.end()
    ends = [start for start, _ in starts[1:]] + [len(text)]
    return [_ProblemSpan(start, end, kind) for (start, kind), end in zip(starts, ends, strict=False)]


def _is_comment(text: str, line: int) -> bool:
    """Return whether the line that begins at ``line`` is only a comment."""
    return _COMMENTED.match(text, line) is not None


def _absent(text: str) -> Unreadable:
    """Return the error for a text without a problem."""
    begun = [match.start() for match in _DEFINE.finditer(text) if match[1] == "problem"]
    if any(text[max(0, at - LOOK_BACK) : at].rstrip()[-1:] != "(" for at in begun):
        return Unreadable(SyntaxFault.PARENTHESES, "no '(' before 'define (problem'")
    return Unreadable(ReplyErrorClass.NO_PROBLEM_FOUND, "nowhere does '(define (problem' stand")


def _chosen(text: str, places: list[_ProblemSpan], tolerated: set[Tolerance]) -> _Candidate:
    """Return the candidate selected by the rule."""
    closed: _Candidate | None = None
    templates: list[_Candidate] = []
    for number, place in enumerate(reversed(places[-MOST_CANDIDATES:])):
        candidate = _candidate(text, place)
        if candidate.complete and candidate.template:
            templates.append(candidate)
        elif candidate.complete:
            tolerated |= {Tolerance.TEMPLATE} if templates else set()
            unfinished_count = number - len(templates)
            several = len(places) - len(templates) > 1
            return _accepted(candidate, tolerated, unfinished=unfinished_count > 0, several=several)
        closed = closed or (candidate if candidate.closed else None)
    if templates:
        return _accepted(templates[0], tolerated, unfinished=False, several=len(places) > 1)
    if closed is None:
        place = places[-1]
        if place.bound - place.start > LONGEST_PROBLEM:
            raise Unreadable(ReplyErrorClass.TOO_LONG, f"a problem of more than {LONGEST_PROBLEM} characters")
        raise Unreadable(SyntaxFault.PARENTHESES, "the '(' before 'define (problem' is never closed")
    return _accepted(closed, tolerated, unfinished=False, several=len(places) > 1)


def _accepted(
    candidate: _Candidate, tolerated: set[Tolerance], *, unfinished: bool, several: bool
) -> _Candidate:
    """Return the candidate, unless the text after it shows that it is closed too early."""
    following = candidate.rest.lstrip()
    if following.startswith("(:") or (not candidate.complete and following.startswith(")")):
        raise Unreadable(SyntaxFault.PARENTHESES, "the problem is closed before its end")
    below = "\n".join(line for line in candidate.rest.split("\n") if not _COMMENTED.match(line))
    if change := change_below(candidate.text, below, _PARTS):
        raise Unreadable(ReplyErrorClass.CORRECTED, f"below the problem stands {change!r}")
    if following.startswith(")"):
        tolerated.add(Tolerance.STRAY_PARENTHESES)
    if several:
        tolerated.add(Tolerance.UNFINISHED_PROBLEM if unfinished else Tolerance.SEVERAL_PROBLEMS)
    return candidate


def _candidate(text: str, place: _ProblemSpan) -> _Candidate:
    """Return the text of one candidate, up to its matching parenthesis if there is one."""
    border = _BOUND.search(text, place.start, place.bound)
    bound = min(border.start() if border else place.bound, place.start + LONGEST_PROBLEM)
    line = text[text.rfind("\n", 0, place.start) + 1 : place.start]
    quote = QUOTE.match(line)
    before = line[quote.end() :] if quote else line
    segment, mended = _clean(text[place.start : bound], quoted=quote is not None)
    bare, _ = _unmarked(segment, before)
    end = _end(bare)
    if end is not None:
        part, following = _divided(segment, bare, end)
        marks = _unmarked(part, before)[1] if bare != segment else frozenset[Tolerance]()
        after = text[bound : bound + LONGEST_PROBLEM]
        return _Candidate(place.start, bare[:end], following + after, True, mended | marks)
    if border:
        bound = min(place.bound, place.start + LONGEST_PROBLEM)
        whole, mended = _clean(text[place.start : bound], quoted=quote is not None)
        bare = _MARKED_FENCE.sub("", _unmarked(whole, before)[0])
        if (end := _end_of_sections(bare)) is not None:
            part, following = _divided(whole, bare, end)
            mended |= _unmarked(part, before)[1] | {Tolerance.INNER_FENCES}
            return _Candidate(place.start, bare[:end], following, True, mended)
    return _Candidate(place.start, bare, "", False, mended)


def _divided(segment: str, bare: str, end: int) -> tuple[str, str]:
    """Return the lines of ``segment`` with the problem, which ends at ``end`` of ``bare``, and the rest."""
    lines = segment.split("\n")
    last = bare.count("\n", 0, end) + 1  # marks are removed from lines; lines are never removed
    return "\n".join(lines[:last]), "\n".join([bare[end:].partition("\n")[0], *lines[last:]])


def _end(segment: str) -> int | None:
    """Return the end of the list at the beginning of ``segment``; None if it is not closed."""
    depth = 0
    for match in _PARENTHESIS.finditer(segment):
        depth += {"(": 1, ")": -1}.get(match[0], 0)
        if depth == 0 and match[0] == ")":
            return match.end()
    return None


def _clean(segment: str, *, quoted: bool) -> tuple[str, frozenset[Tolerance]]:
    """Return the text with escapes decoded and similar characters replaced, and the repaired deviations.

    ``quoted``: remove the quotation marks at the beginning of lines.
    """
    mended: set[Tolerance] = set()
    if quoted:
        segment, marks = QUOTE.subn("", segment)
        mended.update([Tolerance.QUOTE_MARKS] if marks else [])
    if (decoded := _decoded(segment)) != segment:
        mended.add(Tolerance.HTML_ESCAPES)
    unescaped = decoded
    if "\\" in decoded:
        unescaped = _BACKSLASHES.sub(lambda match: _SPACES.get(match[1], match[1]), decoded)
        if unescaped != decoded:
            mended.add(Tolerance.BACKSLASH_ESCAPES)
    plain = unescaped
    if not unescaped.isascii():
        plain = unescaped.translate(_ODD)
        if plain != unescaped:
            mended.add(Tolerance.ODD_CHARACTERS)
    return plain, frozenset(mended)


def _decoded(text: str) -> str:
    """Return the text with decoded HTML escapes of PDDL characters."""
    if "&" in text or "<br" in text:
        for character, escapes in _ENTITIES.items():
            for escape in escapes:
                text = text.replace(escape, character)
    return text


def _around(before: str, after: str) -> set[Tolerance]:
    """Return the deviations around the problem."""
    tolerances = {Tolerance.CODE_FENCE} if _FENCE.search(before) or _FENCE.search(after) else set()
    if any(_WORD.search(_MARKUP.sub("", part)) for part in (before, after)):
        tolerances.add(Tolerance.SURROUNDING_TEXT)
    return tolerances


def _unmarked(text: str, before: str) -> tuple[str, frozenset[Tolerance]]:
    """Return a problem without marks, and the kinds of marks; ``before`` precedes it in its line."""
    tolerances: set[Tolerance] = set()
    numbered = without_numbers(text, before)
    if numbered is not None:
        text = numbered
        tolerances.add(Tolerance.LINE_NUMBERS)
    text, bullets = _BULLET.subn("", text)
    if bullets:
        tolerances.add(Tolerance.BULLETS)
    if (bare := without_comments(text)) != text:
        tolerances.add(Tolerance.FOREIGN_COMMENTS)
    return bare, frozenset(tolerances)


def _end_of_sections(text: str) -> int | None:
    """Return the end of the problem at the beginning of ``text``; None if it is not closed.

    The result is also None if it contains other text than sections: a problem that is not closed before its
    fence is not closed by a parenthesis in the prose after it.
    """
    depth = 0
    for match in _SECTION_TOKEN.finditer(text):
        token = match[0]
        if token == "(":
            if depth == 1 and not _SECTION.match(text, match.start()):
                return None
            depth += 1
        elif token == ")":
            depth -= 1
            if depth == 0:
                return match.end()
        elif depth == 1 and token[0] != ";" and token != "define":
            return None
    return None
