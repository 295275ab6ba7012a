"""Decide whether a text says that there is no plan: "no plan exists", "we cannot reach the goal".

Only a clause about the plan, the goal or the problem as a whole counts. A clause that something else is
impossible, or that no plan is needed, is a remark. After the steps of a plan, only a plain statement counts.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..words import word_set

_SENTENCE = re.compile(r"[.;!\n]")
_JOINT = re.compile(r"([,:]|\b(?:but|however|because|since|so|therefore|hence|thus|and)\b)")
_ASIDE = re.compile(r"\((?![ ]?\))[^()]*\)")
_WORD = re.compile(r"[^\W_][\w-]*|\?|\[ ?\]|\( ?\)|\u2205")
_NONE = word_set("none null nil \u2205 [] () [\u00a0]")
_IMPOSSIBLE = word_set("impossible unsolvable infeasible unreachable unattainable unachievable insoluble")
_POSSIBLE = word_set(
    "solvable possible reachable achievable feasible attainable solved reached achieved satisfied"
    " attained exist exists met fulfilled accomplished soluble done"
)
_NOT = word_set("not cannot t never cant isnt unable")
_NO = word_set("no")
_DENIALS = _NOT | _NO | word_set("nothing without neither nor hardly nobody")
_PLAN = word_set("plan plans solution solutions sequence sequences way")
_KINDS = word_set("valid such possible feasible action correct working legal finite known")
_WHOLE = word_set(
    "goal goals problem problems task tasks plan plans planning instance solution solutions way state"
    " sequence answer conditions puzzle"
)
_REACHING = word_set(
    "reach achieve solve satisfy attain find get fulfil fulfill meet accomplish complete plan reaches"
    " achieves solves satisfies attains meets fulfils fulfills accomplishes reaching achieving solving"
    " satisfying finding attaining fulfilling completing leads lead"
)
# Words that make a clause hypothetical, or a statement about other plans.
_OTHERWISE = word_set(
    "maybe perhaps might may could would should if unless without whether seems seem seemed appears ?"
    " otherwise shorter cheaper better fewer less lower smaller other than longer likely probably first"
    " unlikely doubt reason optimal faster quicker false untrue further additional extra"
)
# Words that limit a statement to some steps, or to some time.
_LIMITS = word_set("once directly step steps move moves trip trips yet immediately now initially still alone")
_CONDITIONS = word_set("if unless otherwise assuming suppose")
# Verbs and subjects of unsolvability: "we cannot reach the goal".
_ACHIEVING = word_set("reach achieve solve satisfy attain fulfil fulfill meet accomplish complete")
_ANYONE = word_set("we you one can are is won will be able ever possibly")
_REPLYING = "i"  # "I cannot solve this problem" is not a statement about the problem
# The statement of a clause begins after these words: "this makes the goal unreachable".
_LEADS = word_set(
    "that which means mean makes make making renders rendering leaves leaving keeps implies shows proves"
    " conclude think believe say"
)
_THIS = word_set("this that my our above")
_THE_CASE = word_set("the case true")
_EXIST = word_set("exist exists")
_PLACED = word_set("where when")
_POLITE = word_set(
    "the answer final is so thus there a an s it this that therefore yes no result my reply conclusion"
    " plan i think that goal problem task in fact"
)
# Words that do not change a statement about the whole.
_FILLERS = word_set(
    "the a an any all every each both either given stated overall entire whole full original final such"
    " is are be been becomes become remains being was were do does did has have so can will then thus"
    " indeed also simply clearly strictly provably completely logically fundamentally actually just sadly"
    " unfortunately there here s we i see find know note it this that which as at of to for in from by"
    " with under and these those rules constraints domain initial current actions case true isn aren doesn"
    " result conclusion verdict status"
)
_HEADING = _FILLERS | _WHOLE | _POLITE
_AIMS = _WHOLE | word_set("it this that there")
_FOUND = word_set("exists exist existing found possible available works work")


def says_no_plan(text: str, marked: bool, beside_steps: bool = False) -> bool:
    """Return whether a text says that there is no plan, and does not also say that there is one.

    Args:
        text: Text in lower case.
        marked: Whether the text is marked as the answer. Then one word is enough.
        beside_steps: Whether steps of a plan precede the text. Then only plain statements count.
    """
    asides = _ASIDE.findall(text)
    if asides:
        text = "\n".join((_ASIDE.sub(" ", text), *(aside[1:-1] for aside in asides)))
    sentences = [clauses for sentence in _SENTENCE.split(text) if (clauses := _clauses(sentence))]
    if marked and sentences and _is_one_word(sentences[0][0][1]):
        return True
    if any(_affirms(words) for clauses in sentences for _, words in clauses):
        return False
    return any(_sentence_denies(clauses, beside_steps) for clauses in sentences)


def _clauses(sentence: str) -> list[tuple[str, list[str]]]:
    """Return the clauses of a sentence, each with the mark or word that joins it to the clause before."""
    pieces = ["", *_JOINT.split(sentence)]
    clauses: list[tuple[str, list[str]]] = []
    joint = ""
    for mark, clause in zip(pieces[::2], pieces[1::2], strict=True):
        joint = mark if mark not in ("", ",") or not joint else joint
        if words := _WORD.findall(clause):
            clauses.append((joint, words))
            joint = ""
    return clauses


def _is_one_word(words: list[str]) -> bool:
    """Return whether a clause is "none", or "no"."""
    content_words = [word for word in words if word not in _POLITE]
    return words == ["no"] or (
        bool(content_words) and all(word.replace(" ", "") in _NONE for word in content_words)
    )


def _sentence_denies(clauses: Sequence[tuple[str, list[str]]], beside_steps: bool) -> bool:
    """Return whether a sentence says, without a condition, that there is no plan."""
    conditional = supposed = False
    for place, (joint, words) in enumerate(clauses):
        clause_words = clauses[place - 1][1] + words if joint == ":" and place else words
        if not conditional and not beside_steps and "answer" in clause_words and _is_one_word(clause_words):
            return True
        # "Leave out a step, and the goal is unreachable" is a condition too.
        joined = place > 0 and joint in (",", "and")
        # In "flying: impossible" the subject is before the colon.
        if joint == ":" and _WHOLE.isdisjoint(words) and not _HEADING.issuperset(clauses[place - 1][1]):
            continue
        if not conditional and not (beside_steps and (joined or supposed)) and _denies(words, beside_steps):
            following = clauses[place + 1 : place + 2]
            if not any(mark == "," and clause_after[0] in _CONDITIONS for mark, clause_after in following):
                return True
        conditional = conditional or words[0] in _CONDITIONS
        supposed = supposed or not _OTHERWISE.isdisjoint(words)
    return False


def _denies(words: list[str], beside_steps: bool) -> bool:
    """Return whether a clause says that there is no plan. A double negation does not count."""
    if not _OTHERWISE.isdisjoint(words) or not _LIMITS.isdisjoint(words):
        return False
    denials = [place for place, word in enumerate(words) if word in _DENIALS]
    impossible = [place for place, word in enumerate(words) if word in _IMPOSSIBLE]
    if len(denials) != (0 if impossible else 1) or (beside_steps and not _is_plain(words)):
        return False
    if impossible:
        return _is_of_the_whole(words[: impossible[0]], words[impossible[0] + 1 :])
    at = denials[0]
    if words[at] in _NO:
        return _is_no_plan(words[at + 1 :])
    has = words[at + 1 : at + 2] == ["have"]
    if (has or "there" in words[:at]) and words[at + 1 + has : at + 2 + has] in (["a"], ["any"]):
        return _is_no_plan(words[at + 2 + has :])
    if _is_out_of_reach(words[:at], words[at + 1 :]):
        return True
    possible_place = next((place for place in range(at + 1, len(words)) if words[place] in _POSSIBLE), None)
    lead = next((place for place in range(at + 1, len(words)) if words[place] in _LEADS), at)
    if possible_place is None or not _THE_CASE.issuperset(words[at + 1 : lead]):
        return False
    after = words[possible_place + 1 :]
    if words[possible_place] in _EXIST and after and not _names_plan(after):
        return False
    return _is_of_the_whole(words[:at] + words[at + 1 : possible_place], after)


def _is_out_of_reach(before: list[str], after: list[str]) -> bool:
    """Return whether the words around "not" say that the goal is unreachable: "we cannot reach the goal"."""
    start = max((place + 1 for place, word in enumerate(before) if word in _LEADS), default=0)
    if _REPLYING in before[start:] or not (_ANYONE | _FILLERS).issuperset(before[start:]):
        return False
    verb = next((place for place, word in enumerate(after) if word not in _ANYONE | _FILLERS), None)
    if verb is None or after[verb] not in _ACHIEVING:
        return False
    aim = after[verb + 1 :]
    return not _WHOLE.isdisjoint(aim) and (_WHOLE | _FILLERS).issuperset(aim)


def _is_plain(words: list[str]) -> bool:
    """Return whether a clause names the plan, the goal or the problem, and contains no unknown words."""
    vocabularies = (_FILLERS, _WHOLE, _DENIALS, _IMPOSSIBLE, _POSSIBLE, _REACHING, _KINDS, _PLAN)
    return not _WHOLE.isdisjoint(words) and all(
        any(word in vocabulary for vocabulary in vocabularies) for word in words
    )


def _is_of_the_whole(before: list[str], after: list[str]) -> bool:
    """Return whether the subject of "is impossible" is the plan, the goal or the problem, or missing.

    Args:
        before: The words before "impossible".
        after: The words after "impossible".
    """
    start = max((place + 1 for place, word in enumerate(before) if word in _LEADS), default=0)
    named = next(
        (
            place
            for place in range(start, len(before))
            if before[place] not in _FILLERS and before[place] not in _KINDS
        ),
        None,
    )
    if named is None:
        return _is_aimed(after[after.index("to") + 1 :]) if "to" in after else after[:1] != ["for"]
    if before[named] in _REACHING:
        return not _WHOLE.isdisjoint(before)
    one_of_several = before[named] in _PLAN and not _THIS.isdisjoint(before[:named])
    return before[named] in _WHOLE and not one_of_several and _PLACED.isdisjoint(before)


def _is_aimed(words: list[str]) -> bool:
    """Return whether the words after "to" name the purpose of a plan: "reach the goal"."""
    aims = not words or words[0] in _REACHING
    return aims and (len(words) < 2 or not _AIMS.isdisjoint(words[1:]))


def _names_plan(words: list[str]) -> bool:
    return next((word for word in words if word not in _FILLERS and word not in _KINDS), "") in _PLAN


def _is_no_plan(words: list[str]) -> bool:
    """Return whether words after "no" are "plan exists", not "plan is needed" or "plan for the car"."""
    noun = next((place for place, word in enumerate(words) if word not in _KINDS), None)
    if noun is None or words[noun] not in _PLAN:
        return False
    content_words = [word for word in words[noun + 1 :] if word not in _FILLERS or word == "given"]
    if content_words[:1] and content_words[0] in _REACHING:
        return len(content_words) == 1 or not _AIMS.isdisjoint(content_words)
    return not content_words or content_words[0] in _FOUND or content_words[0] in _WHOLE


def _affirms(words: list[str]) -> bool:
    """Return whether a clause says that there is a plan."""
    if not _DENIALS.isdisjoint(words) or not _OTHERWISE.isdisjoint(words):
        return False
    sentence = " ".join(words)
    return (
        sentence.endswith(("is solvable", "is possible", "plan exists", "there is a plan", "there is one"))
        or words[0] == "yes"
    )
