"""Read a line of a reply as entries: the steps of a plan, or literals.

A line may have a number, several entries, and a remark at its end. A line that doubts or denies its entries
is not an entry line.

Nothing that may belong to an entry is dropped. A remark is set apart by a mark (``;``, ``-``, brackets), or
begins with a word such as "so" or "this", or names no objects but those of the entries before it. It may tell
the entries before it again, also in parentheses or in the next line. Any other text with an object and with a
word of an action is *unread*; what has the form of an entry with a made-up name is *misread*.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import takewhile
from typing import NamedTuple, TypeGuard

from ..row import Atom
from ..symbols import Symbols
from ..words import ARTICLES, DOUBTS, FILLERS, HEDGED_BY, SUMS, stem, word_set
from .entries import CLOSING, JOINING, OPENING, SEPARATING, EntryReader, ReplyEntry
from .wordings import Token, tokens_of

ENTRIES, PROSE, UNREAD, DOUBTED, BLANK = "entries", "prose", "unread", "doubted", "blank"
REMARK = "remark"  # tells the entries of the line above again, in words
MISREAD = "misread"  # has the form of an entry, but is none: "(noop)", "fly x y"

_NUMBERING = re.compile(
    r"[\s>|+\u2705\u2714\u2713\u2611\u25b6\u27a1-]*(?:#{1,6}[ ](?=step|action|\d))?"
    r"(?:(?:step|action|move|fact|no|time(?:[ ]?step)?|t[ ]?=)?[ .]?[#(\[]?[ ]?(\d{1,9})(?:\.(\d{1,9}))?"
    r"[ ]?[\])]?"
    r"[.:)\]|-]*(?=[ (a-z\[|]|$))?"
    r"[\s>|:+-]*(?:\[[ x]\][ ](?=\S))?"  # a check box
)
_LABELS = word_set(
    "the a an my here is are final optimal shortest valid complete full following plan steps step"
    " actions action sequence solution answer of to do one possible new revised so then therefore thus"
    " this as follows below these would be i state facts after afterwards resulting missing literals"
    " preconditions unmet and hold true first second third fourth fifth sixth seventh eighth ninth"
    " tenth next two three four five six seven eight nine ten yes there exists solvable"
)
# Words of a heading above a step, besides its number.
_HEADING = word_set(
    "step action move state fact next then finally last first second third fourth fifth sixth seventh eighth"
    " ninth tenth"
)
_HEADING_MARKS = frozenset(".:#-*)")
_LABEL_MARKS = frozenset("[{,(:")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_NUMBER_MARKS = frozenset(".):|")
_REMARKING = frozenset("-:=[/|!{\u2192\u21d2\u2713\u2714\u2705")
_COMMENTING = frozenset(";#")
_ARROWS = frozenset("\u2193\u2192\u21d2:")  # in a line without other words, they lead to the next entry
# Words that begin a remark, after a comma or directly after an entry.
_REMARK_WORDS = word_set("so which because since while as making leaving where whereupon cost thus")
# Words that begin a sentence about a state or a plan, not a step.
_STATING = _REMARK_WORDS | word_set(
    "the a an this that these those it its now here note your our my all both each in after before once when"
    " if with result results effect effects precondition preconditions postcondition postconditions state"
    " goal initial initially current currently explanation reason reasoning why finally hence therefore is"
    " are was were has have had been can could done end finished complete success"
)
# Words that begin a remark on the line above: "this step picks up block b", "here we pick up block b".
_REFERRING = word_set("this it here")
_REFERRED = word_set("step action move fact means says states shows is will we i you")
_PRONOUNS = word_set("it them that this")
# Words of a sentence about why or when something is possible, or about what it brings about.
_EXPLAINING = word_set(
    "because since so as which while if when where can could possible allows allow allowing lets able ready"
    " needs need needed necessary required precondition preconditions requires ensures ensure goal result"
    " results effect effects state plan sequence already still not only final order"
)
_BETWEEN = _REMARKING | OPENING | SEPARATING | JOINING | FILLERS
_COPULAS = word_set("is are was were has have now holds")
_STATED = _EXPLAINING | _COPULAS | _REMARK_WORDS  # words of a statement, which is no entry
_NAME_ALONE = re.compile(r"[a-z][a-z0-9]*")
_REMARKED = re.compile(
    r"\(([^()]*)\)[ ]?[.,]?(?:[;#\["
    r"](?![ ]?(?:or|not|instead|maybe|perhaps|wrong|cannot|then|and|next|removed)\b)[^?()]*)?"
)
_FALSE = word_set("false untrue longer deleted removed")
_NEXT = word_set("then next followed")
_SUMMING = word_set("plan overall minimum minimal optimal")  # they may precede "cost" in a sum
_AND_SO_ON = ("and so on", "and so forth", "etc")
_LEADING_ON = JOINING | _PRONOUNS | _FALSE  # words that lead on to another fact
_LONGEST_LABEL = 200  # characters
_LINES_KEPT = 256


class Line(NamedTuple):  # a NamedTuple is three times as fast
    """A line of text with its kind, its entries, its list number if it has one, and its place in a reply."""

    kind: str
    text: str
    entries: tuple[ReplyEntry, ...] = ()
    number: int | None = None
    position: int = 0
    listed: bool = False  # it has a number or a bullet


@lru_cache(maxsize=_LINES_KEPT)
def read_line(text: str, symbols: Symbols, strict: bool) -> Line:
    """Parse a line in lower case. Plans for one problem have many lines in common.

    Args:
        text: The line.
        symbols: The symbols that begin entries.
        strict: Whether the line belongs to a marked answer. Then everything that looks like an entry is one.
    """
    text = symbols.spelled(text.strip())
    if not text:
        return Line(BLANK, "")
    text = " ".join(text.split())
    lead = _NUMBERING.match(text)
    assert lead is not None
    number = int(lead[1]) if lead[1] and not (lead[2] or "").strip("0") else None  # "0.5:" is a time
    listed = lead.end() > 0
    if lead.end() == len(text):
        return Line(PROSE, text, (), number)
    if listed and (atom := _atom_of(_REMARKED.fullmatch(text, lead.end()), symbols)):
        return Line(ENTRIES, text, (ReplyEntry(atom),), number, 0, True)
    tokens = tokens_of(text[lead.end() :] if listed else text)
    kind, entries = _LineParser(tokens, symbols, strict, listed).line()
    return Line(kind, text, tuple(entries), number, 0, listed)


def is_label(text: str) -> bool:
    """Return whether a line in lower case contains only words such as "yes, the plan is as follows"."""
    return all(token in _LABELS or token in SEPARATING for token in tokens_of(text[:_LONGEST_LABEL]))


def is_heading(line: Line) -> bool:
    """Return whether a line is a heading of one step: "Step 2:", "2.", "Next:"."""
    words = [word for word in tokens_of(line.text[:_LONGEST_LABEL]) if word not in _HEADING_MARKS]
    is_of_heading = line.kind == PROSE and bool(words)
    return is_of_heading and all(
        word in _HEADING or (isinstance(word, str) and word.isdigit()) for word in words
    )


def is_claim(words: Iterable[Token]) -> bool:
    """Return whether words say that something is the case, without a reason: "the ferry is broken"."""
    claim = frozenset(words)
    return not _COPULAS.isdisjoint(claim) and _EXPLAINING.isdisjoint(claim)


def is_name_alone(token: Token) -> bool:
    """Return whether a token is one word in parentheses that may be an action: "(noop)", but not "(done)"."""
    is_word = isinstance(token, tuple) and len(token) == 1 and _NAME_ALONE.fullmatch(token[0]) is not None
    return is_word and token[0] not in _STATING


def is_statement(tokens: Iterable[Token]) -> bool:
    """Return whether tokens are a sentence about a state or a plan: "the goal is reached", "freeing b"."""
    words = [token for token in tokens if isinstance(token, str) and token[:1].isalpha()]
    first = next((word for word in words if word not in FILLERS), "")
    is_participle = first.endswith("ing") and first != "missing"  # a label
    return first in _STATING or is_participle or not _STATED.isdisjoint(words[:-1])


def is_remark_on(text: str, entries: Sequence[ReplyEntry], symbols: Symbols) -> bool:
    """Return whether a line in lower case tells the entries of the line above again, and nothing else.

    It begins with a word such as "this". It is the same entries in words, or names their objects, no others,
    and no word of another action.
    """
    text = " ".join(symbols.spelled(text).split())
    lead = _NUMBERING.match(text)
    tokens = tokens_of(text[lead.end() :] if lead and not lead[1] else text)
    if tokens[:1] == [] or tokens[0] not in _REFERRING:
        return False
    start = next((n for n in range(1, len(tokens)) if tokens[n] not in _REFERRED), len(tokens))
    return _LineParser(tokens[start:], symbols, False, False).tells_again(entries)


def _atom_of(match: re.Match[str] | None, symbols: Symbols) -> Atom:
    """Return the entry of a list item without other text, apart from a remark; empty if there is none."""
    atom = tuple(match[1].replace(",", " ").split()) if match else ()
    return atom if atom and atom[0] in symbols.types else ()


class _LineParser(EntryReader):
    """Parser of the tokens of one line, from left to right."""

    def line(self) -> tuple[str, list[ReplyEntry]]:
        """Return the kind of the line, and its entries."""
        entries: list[ReplyEntry] = []
        at, before = self._joints(self._label()), False
        while True:
            read_entry = self._entry(self._opening(at))
            if read_entry is None:
                break
            formal = isinstance(self._token(read_entry[1] - 1), tuple)
            # "Sail from l0 to l1 (sail l0 l1)" is one step in two notations.
            if not (entries and entries[-1] == read_entry[0] and formal != before):
                entries.append(read_entry[0])
            before = formal
            at = self._passed(self._told_again(read_entry[0], read_entry[1]), CLOSING)
            after_joints = self._joints(at)
            if after_joints == len(self._tokens):
                return ENTRIES, entries
            if self._token(after_joints) in _DOUBTS_BEHIND and not self._negates(after_joints):
                return DOUBTED, []
            at, end = after_joints, at
            if self._entry(self._opening(after_joints)) is None:
                return self._with_remark(entries, end)
        if entries:
            return ENTRIES, entries
        return (DOUBTED if self._doubted(at) else self.prose()), []

    def _told_again(self, entry: ReplyEntry, at: int) -> int:
        """Return the place after a remark in parentheses that tells an entry again: "(pick up block b)"."""
        place = at + 1 if self._token(at) in _REMARKING else at
        group = self._token(place)
        if not isinstance(group, tuple) or self._symbols.has_arity_of(group):
            return at
        tokens = tokens_of(" ".join(group))
        parser = _LineParser(tokens, self._symbols, False, False)
        is_told = parser.is_worded(entry.atom[0]) and parser.tells_again([entry])
        return place + 1 if is_told else at

    def is_worded(self, symbol: str) -> bool:
        """Return whether the line consists of objects and of words of wordings, some of this symbol's."""
        wordings = self._symbols.wordings
        tokens = [str(token) for token in self._tokens if str(token) not in self._symbols.objects]
        words = [word for word in tokens if word[0].isalnum()]
        stems = list(map(stem, words))
        is_of_words = words != [symbol] and all(word in wordings.vocabulary for word in stems)
        return is_of_words and any(symbol in wordings.telling.get(word, ()) for word in stems)

    def _label(self) -> int:
        """Return the place after words such as "the plan is:", or after a key of JSON."""
        label_end = 0
        for at, token in enumerate(self._tokens[:16]):
            if not self._is_label(token):
                break
            label_end = at + 1 if token == ":" else label_end
        return label_end

    def _is_label(self, token: Token) -> bool:
        return isinstance(token, str) and (token in _LABELS or token.isdigit() or token in _LABEL_MARKS)

    def _joints(self, at: int) -> int:
        """Return the place after marks, words and list numbers between two entries, such as "and then"."""
        while (following := self._joint(at)) is not None:
            at = following
        return self._passed(at, CLOSING)

    def _joint(self, at: int) -> int | None:
        """Return the place after one joint: a mark, a word, or a list number such as "step 2:" or "(2)"."""
        token = self._token(at)
        if token in SEPARATING or token in JOINING:
            return at + 1
        if isinstance(token, tuple):
            return at + 1 if len(token) == 1 and token[0].isdigit() else None
        number = at + 1 if token in ("step", "action") else at
        is_number = _NUMBER.fullmatch(str(self._token(number))) and self._token(number + 1) in _NUMBER_MARKS
        return number + 2 if is_number else None

    def _with_remark(self, entries: list[ReplyEntry], at: int) -> tuple[str, list[ReplyEntry]]:
        """Return the kind and the entries of a line with text after the entries; a remark is allowed."""
        first, second = self._token(at), self._token(at + 1)
        begins = [next(iter(_words(token)), "") for token in (first, second, self._token(at + 2))]
        if any(word in _DOUBTS_BEHIND for word in begins) or "?" in (first, second):
            return DOUBTED, []
        if self._goes_on(at):
            return UNREAD, []
        is_joined = len(entries) > 1 or first == "," or first in JOINING
        if first in self._symbols.objects or self._has_form_of_entry(at, is_joined):
            return MISREAD, []
        if self._symbols.negatable and not _FALSE.isdisjoint(begins):
            return DOUBTED, []
        if first not in (";", "#") and not self._listed and any(map(self._is_known, self._tokens[at:])):
            return PROSE, []
        return (ENTRIES, entries) if self._is_remark(at, entries) else (UNREAD, [])

    def _is_remark(self, at: int, entries: Sequence[ReplyEntry]) -> bool:
        """Return whether the tokens after entries are a remark."""
        first, second = self._token(at), self._token(at + 1)
        if self._leads_on(at):
            return False
        is_comment = first in _COMMENTING and self._begins_formally()
        if is_comment or first in _REMARK_WORDS or (first == "," and second in _REMARK_WORDS):
            return not self._is_strange(second)
        if first == "to" and second not in ARTICLES and second not in self._symbols.objects:
            return True
        is_set_apart = (
            isinstance(first, tuple)
            or first in _REMARKING
            or first in _COMMENTING
            or (first == "." and self._states(at + 1))
        )
        if first == "," or not (is_set_apart or self._listed or self._strict or self._begins_formally()):
            return False
        begin = at + (first in _COMMENTING)
        end = next((n for n in range(begin, len(self._tokens)) if self._ends_before(n)), len(self._tokens))
        # Words in parentheses count directly after the entries, or after a mark: ": (pick up b)".
        last = end + 1 if end == at or (end == at + 1 and first in _REMARKING) else end
        words = [word for token in self._tokens[at:last] for word in words_within(token)]
        arguments = {argument for entry in entries for argument in entry.atom[1:]}
        if any(map(self._is_strange, self._tokens[at : end + 1])) or self._tells(words, entries):
            return False
        group = tuple(word for word in words if word[0].isalnum())
        if last > end and self._is_entry_on_objects(group) and all(group != entry.atom for entry in entries):
            return False
        return is_set_apart or not any(word not in arguments and self._is_name(word) for word in words)

    def _has_form_of_entry(self, at: int, alone: bool = True) -> bool:
        """Return whether text that is no entry has the form of one: "(noop)", "and then fly x y".

        ``alone``: one word in parentheses is enough. Directly after an entry, it may be a remark.
        """
        start = self._passed(self._joints(at), _BETWEEN)
        token = self._token(start)
        if isinstance(token, tuple):
            return alone and is_name_alone(token)
        words = list(map(str, takewhile(is_word, self._tokens[start:])))
        return self._symbols.is_bare_form(words) and self._token(start + len(words)) != ":"

    def _leads_on(self, at: int) -> bool:
        """Return whether entries are followed by other text that may tell an entry: "and then paint c0".

        After entries in parentheses, words such as "and then" must precede it.
        """
        after = self._passed(self._joints(at), _COMMENTING)
        is_set_apart = after > at or self._token(at - 1) in CLOSING
        if self._begins_formally():
            is_set_apart = not JOINING.isdisjoint(map(str, self._tokens[at:after]))
        words = [word for token in self._tokens[after:] for word in _words(token)]
        if not is_set_apart or not is_word(self._token(after)):
            return False
        return self._is_unstated(words) or self._states_fact(words)

    def _states_fact(self, words: Sequence[str]) -> bool:
        """Return whether words state a fact, if facts are read: "the ferry is broken"."""
        is_sentence = bool(words) and words[0] not in _REFERRING and words[0] not in _REMARK_WORDS
        return self._symbols.negatable and is_sentence and is_claim(words)

    def _may_tell_entry(self) -> bool:
        """Return whether a line that is no list item may tell an entry, behind a label: "the plan is:"."""
        strangers, behind = self._symbols.strangers, self._tokens[self._label() :]
        own = [token for token in behind if isinstance(token, str) or {*token[:1]}.isdisjoint(strangers)]
        words = [word for token in own for word in _words(token) if word[0].isalnum()]
        return not self._listed and self._is_unstated(words)

    def _is_unstated(self, words: Sequence[str]) -> bool:
        """Return whether words name an object, and are no statement such as "b is clear" or "freeing b"."""
        return any(map(self._is_name, words)) and not is_statement(words)

    def _is_name(self, word: str) -> bool:
        return word in self._symbols.objects or self._symbols.is_like_an_object(word)

    def _is_entry_on_objects(self, words: Atom) -> bool:
        """Return whether words in parentheses are a name with objects, known or made up, but no stranger."""
        symbols = self._symbols
        is_on_objects = symbols.is_about_objects(words) and words[0] not in symbols.strangers
        return is_on_objects and symbols.is_well_formed(words)

    def _begins_formally(self) -> bool:
        return isinstance(self._tokens[0], tuple)

    def _states(self, at: int) -> bool:
        """Return whether a sentence that is no step begins at a place."""
        return self._token(at) in _STATING or isinstance(self._token(at), tuple)

    def _ends_before(self, at: int) -> bool:
        """Return whether text that is set apart for certain begins at a token."""
        token = self._tokens[at]
        return isinstance(token, tuple) or token in _COMMENTING or token in _REMARK_WORDS

    def _is_strange(self, token: Token) -> bool:
        return isinstance(token, tuple) and self._symbols.is_strange(token)

    def _tells(self, words: Sequence[str], entries: Sequence[ReplyEntry] = ()) -> bool:
        """Return whether words may tell an action besides ``entries``: on an object, and without a reason.

        If facts are read, they may tell a fact if they name an object; words on the objects of ``entries``
        tell these again.
        """
        objects = self._symbols.objects
        if not _EXPLAINING.isdisjoint(words) or not any(w in objects or w in _PRONOUNS for w in words):
            return False
        if self._symbols.negatable:
            own = {argument for entry in entries for argument in entry.atom[1:]}
            return not _LEADING_ON.isdisjoint(words) or any(w in objects and w not in own for w in words)
        names, telling = {entry.atom[0] for entry in entries}, self._symbols.wordings.telling
        is_next = not _NEXT.isdisjoint(words)
        return any(is_next or names.isdisjoint(telling[word]) for word in map(stem, words) if word in telling)

    def tells_again(self, entries: Sequence[ReplyEntry]) -> bool:
        """Return whether the line is the same entries in words, or a remark on their objects."""
        words = [str(token) for token in self._tokens]
        if any(isinstance(token, tuple) for token in self._tokens) or not _DENYING.isdisjoint(words):
            return False
        kind, entries_told = self.line()
        if entries_told and (kind != ENTRIES or entries_told != list(entries)):
            return False
        own = {argument for entry in entries for argument in entry.atom[1:]}
        named = {word for word in words if word in self._symbols.objects}
        is_plain = bool(entries_told) or (bool(named) and "and" not in words)
        return is_plain and named == own and not self._tells(words, entries)

    def prose(self) -> str:
        """Return the kind of a line without entries: it is unread if it may tell one."""
        tokens = self._tokens
        if self._has_form_of_entry(self._label()):
            return MISREAD
        if tokens and tokens != ["."] and all(token in (".", "\u2026") for token in tokens):
            return UNREAD  # steps are left out
        if self._goes_on(0):
            return UNREAD
        if tokens and self._passed(0, JOINING | _ARROWS) == len(tokens):
            return REMARK
        if self._symbols.negatable and any(map(self._is_known, tokens)):
            return UNREAD
        if tokens and self._is_strange(tokens[0]):
            return UNREAD
        words = [word for token in tokens for word in _words(token) if word[:1].isalnum()]
        telling = [word for word in words if word not in FILLERS]
        if not telling or (tokens[-1] == ":" and not self._listed):
            return PROSE
        begins = stem(telling[0]) in self._symbols.wordings.telling and not self._symbols.negatable
        summed = next((word for word in telling if word not in _SUMMING), "")
        is_sum = summed in SUMS and self._symbols.objects.keys().isdisjoint(telling)
        is_unstated = not (is_sum or is_statement(words)) if self._strict else self._may_tell_entry()
        is_unread = begins or is_unstated or self._tells(words) or self._states_fact(words)
        return UNREAD if is_unread else PROSE

    def _goes_on(self, at: int) -> bool:
        """Return whether the rest of the line says that more follows, which is not written."""
        return " ".join(str(token) for token in self._tokens[at:] if token != ".") in _AND_SO_ON

    def _doubted(self, at: int) -> bool:
        """Return whether the entry at a place follows words that doubt or deny it."""
        doubted = False
        for start in range(at, min(at + 8, len(self._tokens))):
            if self._tokens[start] in DOUBTS:
                at, doubted = start + 1, True
            elif self._tokens[start] in HEDGED_BY:
                at = start + 1 if doubted else at
            elif self._tokens[start] not in FILLERS:
                break
        return doubted and self._entry(self._opening(at)) is not None


_DOUBTS_BEHIND = word_set(
    "or not instead maybe perhaps wrong invalid impossible incorrect cannot alternatively"
)

# These words make a line no remark that tells the line above again.
_DENYING = (
    _DOUBTS_BEHIND
    | DOUBTS
    | _FALSE
    | _NEXT
    | word_set("but however wait again unfortunately fails fail ; ? :")
)


def words_within(token: Token) -> list[str]:
    """Return a word or mark, or the words and marks in parentheses."""
    return list(map(str, tokens_of(" ".join(token)))) if isinstance(token, tuple) else [token]


def is_word(token: Token) -> TypeGuard[str]:
    """Return whether a token is a word or a number."""
    return isinstance(token, str) and token[:1].isalnum()


def _words(token: Token) -> tuple[str, ...]:
    return token if isinstance(token, tuple) else (token,)
