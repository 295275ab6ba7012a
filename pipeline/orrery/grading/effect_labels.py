"""Labels of add effects (``pos``) and delete effects (``neg``), for example "positive effects:"."""

from __future__ import annotations

import re

from .tokens import ASIDE, ENDS, MARK, NEWLINE, WORD, Token, word_set

_ADD = word_set("pos positive positives add adds added additions true")
_DELETE = word_set("neg negative negatives del delete deletes deleted deletions remove removes removed false")
_NOUNS = word_set("effect effects list lists fact facts propositions literals fluents set are is")


def sections_of(tokens: list[Token]) -> list[tuple[str, list[Token]]]:
    """Return the tokens after each label ``pos`` or ``neg``.

    The first entry, "", has the tokens before any label.
    """
    sections: list[tuple[str, list[Token]]] = [("", [])]
    index = 0
    while index < len(tokens):
        label, start = _label_at(tokens, index)
        if label:
            sections.append((label, []))
            index = start
        else:
            sections[-1][1].append(tokens[index])
            index += 1
    return sections


def _label_at(tokens: list[Token], index: int) -> tuple[str, int]:
    """Return the label at ``index`` and the place after it; or ("", index) if there is no label."""
    kind, value = tokens[index]
    base, *endings = re.split("[-_]", value) if kind == WORD else ("",)
    label = "pos" if base in _ADD else "neg" if base in _DELETE else ""
    if not label or not _NOUNS.issuperset(endings):
        return "", index
    after = index + 1
    while after < len(tokens) and tokens[after][0] == WORD and tokens[after][1] in _NOUNS | {ASIDE}:
        after += 1
    kind, value = tokens[after] if after < len(tokens) else NEWLINE
    if (kind, value) in ((MARK, ":"), (MARK, "=")):
        return label, after + 1
    if base in ("true", "false") or kind == WORD or (value in ENDS and value != "\n"):
        return "", index
    return (label, after) if value != "\n" or after > index + 1 or endings else ("", index)
