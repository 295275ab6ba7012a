"""Ways of writing a right answer are read, and no way of spoiling it passes in any of them."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest

from orrery.grading import grade
from tests.effort import by_day
from tests.grading.plans.rows import BLOCKS_PLAN, FERRY_PLAN
from tests.grading.plans.rows import ROWS as PLAN_ROWS
from tests.grading.spoils import spoilt_words
from tests.question_rows import ROWS

STATE = ["(at c0 l1)", "(at c1 l1)", "(at-ferry l1)", "(empty-ferry)"]
# A row, and the entries of a right answer in their order.
LISTS = {
    "app": (ROWS["app"], ["(stack b1 b2)", "(stack b1 b10)", "(wave)"]),
    "app-one": (ROWS["app-one"], ["(pick-up b1)"]),
    "land": (ROWS["land"], ["(holding b1)"]),
    "reach": (ROWS["reach"], ["(on b1 b1)"]),
    "areach": (ROWS["areach"], ["(carry ball2 room1)"]),
    "nexta": (ROWS["nexta"], ["(stack b1 b2)"]),
    "just": (ROWS["just"], ["(pick-up b1)", "(stack b1 b2)", "(pick-up b2)", "(stack b2 b10)"]),
    "blocks": (PLAN_ROWS["blocks"], BLOCKS_PLAN),
    "ferry": (PLAN_ROWS["ferry"], FERRY_PLAN),
    "optimal": (PLAN_ROWS["optimal"], FERRY_PLAN),
    "solvable": (PLAN_ROWS["solvable"], FERRY_PLAN),
    "execution": (PLAN_ROWS["execution"], STATE),
}
MADE_UP = ["none (fly x y)", "none, (at-robot)", "none\nmaybe (fly x y)", "none\nit could also be (at-robot)"]
# A row, the word that is right, and wrong ones besides those that spoil such a word.
WORDS = {
    "val": (ROWS["val"], "2", ["the second", "2,2"]),
    "mc": (ROWS["mc-app"], "B", []),
    "bool": ({"group": "validation_bool", "answer": "yes"}, "yes", ["never"]),
    "bool-no": ({"group": "validation_bool", "answer": "no"}, "no", ["n/a."]),
    "follows": (PLAN_ROWS["follows"], "3", ["2", "1 and 3", "3, 1", "any step except 3", "between 3 and 1"]),
    "valid": (PLAN_ROWS["valid"], "valid", []),
    "unsolvable": (PLAN_ROWS["unsolvable"], "none", ["(sail l1 l0)", "none or (sail l1 l0)", *MADE_UP]),
    **{
        f"{name}-none": (ROWS[f"{name}-none"], "None", MADE_UP) for name in ("app", "land", "reach", "areach")
    },
}


def each(form, separator="\n"):
    return lambda entries: separator.join(form.format(entry, n=n) for n, entry in enumerate(entries, 1))


FORMS = {
    "lines": each("{}"),
    "commas": each("{}", ", "),
    "spaces": each("{}", " "),
    "semicolons": each("{}", "; "),
    "bullets": each("- {}"),
    "stars": each("* {}"),
    "dots": each("\u2022 {}"),
    "numbers": each("{n}. {}"),
    "numbers in parentheses": each("({n}) {}"),
    "numbers with a parenthesis": each("{n}) {}"),
    "steps": each("Step {n}: {}"),
    "bold": each("**{}**"),
    "bold numbers": each("{n}. **{}**"),
    "code": each("`{}`"),
    "quotes": each('"{}"', ", "),
    "blank lines": each("{}", "\n\n"),
    "list of JSON": lambda entries: json.dumps(entries),
    "lines of JSON": lambda entries: json.dumps(entries, indent=1),
    "table": each("| {n} | {} |"),
    "check marks": each("\u2705 {}"),
    "breaks": each("{}<br>", ""),
    "items": lambda entries: "<ul>" + "".join(f"<li>{entry}</li>" for entry in entries) + "</ul>",
    "wide parentheses": lambda entries: "\n".join(entries).replace("(", "\uff08").replace(")", "\uff09"),
    "capitals": lambda entries: "\n".join(entries).upper(),
    "underscores": lambda entries: "\n".join(entry.replace("-", "_") for entry in entries),
    "functions": lambda entries: "\n".join(map(function, entries)),
    "outer parentheses": lambda entries: "(" + " ".join(entries) + ")",
    "brackets": lambda entries: "[" + ", ".join(entries) + "]",
}
FRAMES = {
    "plain": "{}",
    "answer": "ANSWER:\n{}",
    "answer in bold": "**ANSWER:**\n{}",
    "final answer": "Let us see.\n\nFinal answer:\n{}",
    "tag": "<answer>\n{}\n</answer>",
    "tag of the solution": "Done.\n\n<solution>\n{}\n</solution>",
    "fence": "```\n{}\n```",
    "fence with a language": "Here it is:\n\n```pddl\n{}\n```",
    "thought before": "<think>(wave) or 3? yes, no.</think>\n{}",
    "thought in other marks": "[THINK]ANSWER: (wave)[/THINK]\n\n{}",
    "channels": "<|channel|>analysis<|message|>(wave)<|end|><|start|>assistant<|channel|>final<|message|>{}",
    "end of turn": "{}<|im_end|>",
    "thanks after": "ANSWER:\n{}\n\nI hope that this helps!",
    "line ends of Windows": "ANSWER:\r\n{}\r\n",
    "two answers": "ANSWER: (wave)\n\nWait, that is wrong.\n\nANSWER:\n{}",
}


def function(entry):
    name, *arguments = entry.strip("()").split()
    return f"{name}({', '.join(arguments)})"


def spoiled(row, entries):
    """Answers that are wrong, or no answers, in any order of the entries and in any form."""
    other = {"app": "(pick-up b1)", "just": "(wave)"}.get(
        row, "(sail l0 l1)" if row != "blocks" else "(pickup b)"
    )
    yield "one less", entries[:-1]
    yield "the last twice renamed", [*entries[:-1], entries[-1].replace("(", "(re")]
    yield "an unknown object", [*entries, entries[0].split()[0].rstrip(")") + " zork0)"]
    yield "an unknown name", [*entries, "(fly x y)"]
    yield "a name without arguments", [*entries, "(at-robot)"]
    yield "too many arguments", [*entries, entries[0][:-1] + " " + entries[0][1:]]
    yield "something else", [*entries, other]
    yield "made up first", ["(fly x y)", *entries]
    if row in ("blocks", "ferry", "optimal", "solvable"):
        yield "the other order", entries[::-1]
        yield "a step left out", entries[1:]
        yield "steps left out", [entries[0], "...", entries[-1]]
        yield "a step that is denied", [*entries[:-1], "not " + entries[-1]]


@by_day(1)
@pytest.mark.parametrize("name", LISTS)
def test_a_right_list_is_right_in_every_form_and_a_spoiled_one_in_none(name):
    row, entries = LISTS[name]
    rejected, passed = [], []
    for form, write in FORMS.items():
        for frame, text in FRAMES.items():
            reply = text.format(write(entries))
            if grade(reply, row).verdict != "right":
                rejected.append((form, frame, grade(reply, row).detail))
            for spoil, changed in spoiled(name, entries):
                if changed and grade(text.format(write(changed)), row).verdict == "right":
                    passed.append((spoil, form, frame))
    assert passed == []
    assert len(rejected) <= len(FORMS) * len(FRAMES) // 50, rejected


HEDGES = ("maybe", "or perhaps", "possibly", "it might be that", "it could also be")
DENIED = [form.format(fact) for form in ("not {}", "(not {})") for fact in ("(broken c0)", "(at zork0 l0)")]


@pytest.mark.parametrize("frame", ["{}", "ANSWER: {}", "ANSWER:\n{}"])
@pytest.mark.parametrize("name", LISTS)
def test_an_item_that_is_made_up_is_not_ignored_because_it_is_hedged_or_denied(name, frame):
    row, entries = LISTS[name]
    items = ("(fly x y)", f"{entries[0][:-1]} zork0)", "(at-robot)")
    hedged = [f"{hedge} {item}" for hedge in HEDGES for item in items]
    for other in hedged + (DENIED if name == "execution" else []):
        reply = frame.format("\n".join([*entries, other]))
        assert grade(reply, row).verdict != "right", reply


JOINTS = (
    " ",
    ", ",
    " and ",
    ", then ",
    "; ",
    ". Then ",
    " -> ",
    " \u2192 ",
    " + ",
    " / ",
    "\n",
    "\nthen ",
    "\n\u2193\n",
)


@pytest.mark.parametrize("joint", JOINTS)
@pytest.mark.parametrize("name", LISTS)
def test_an_item_that_is_made_up_counts_behind_every_joint_with_and_without_parentheses(name, joint):
    row, entries = LISTS[name]
    for item in ("(fly x y)", f"{entries[0][:-1]} zork0)", "(do-nothing)"):
        for place in {0, len(entries) // 2, len(entries)}:
            changed = [*entries[:place], item, *entries[place:]]
            for text in (joint.join(changed), joint.join(entry.strip("()") for entry in changed)):
                for frame in ("{}", "ANSWER:\n{}", "The answer is: {}"):
                    assert grade(frame.format(text), row).verdict != "right", (frame, text)
    assert grade(joint.join(entries), row).verdict == "right"


@pytest.mark.parametrize("word", ["Wait", "No, wait", "Actually", "Correction", "Sorry", "Oops"])
@pytest.mark.parametrize("frame", ["{}", "ANSWER:\n{}"])
@pytest.mark.parametrize("name", LISTS)
def test_an_answer_that_is_corrected_below_is_not_right(name, frame, word):
    row, entries = LISTS[name]
    answer = frame.format("\n".join(entries))
    assert grade(f"{answer}\n\n{word}, (fly x y)", row).verdict != "right"


@pytest.mark.parametrize("name", ["wait", "edit"])
@pytest.mark.parametrize(
    "form", ["ANSWER: (wave)\n{}", "ANSWER: wave, {}", "ANSWER:\nwave\n{}", "(wave)\n{}"]
)
def test_an_action_may_have_the_name_of_a_correction(name, form):
    row = json.loads(json.dumps(ROWS["app"]).replace("wave", name))
    reply = form.format("(stack b1 b2)\n(stack b1 b10)").replace("wave", name)
    assert grade(reply, row).verdict == "right"


@pytest.mark.parametrize("name", ["edit", "wait", "first"])
@pytest.mark.parametrize(
    "form", ["{}\npaint", "ANSWER:\n{}\npaint", "ANSWER: {}\npaint", "ANSWER:\n- {}\n- paint"]
)
def test_steps_may_be_lone_words(name, form):
    domain = f"""(define (domain d) (:predicates (a) (b) (c))
        (:action {name} :parameters () :precondition (a) :effect (b))
        (:action paint :parameters () :precondition (b) :effect (c)))"""
    problem = "(define (problem p) (:domain d) (:init (a)) (:goal (c)))"
    row = {"group": "plan_generation", "domain_pddl": domain, "problem_pddl": problem, "nl_templates": {}}
    assert grade(form.format(name), row).verdict == "right"
    assert grade(form.format(name) + "\nnoop", row).verdict == "unparsed"


@by_day(5)
@pytest.mark.parametrize("name", WORDS)
def test_a_right_word_is_right_in_every_frame_and_a_wrong_one_in_none(name):
    row, word, wrong = WORDS[name]
    for frame, text in FRAMES.items():
        assert grade(text.format(word), row).verdict == "right", frame
        for other in (*dict(spoilt_words(word)), *wrong):
            assert grade(text.format(other), row).verdict != "right", (frame, other)


UNREAD_LINES = {
    "blocks": [
        "The arm then puts b down and stacks a on c",
        "Now the arm stacks a on b",
        "After that the hand unstacks b from c",
        "This puts a on top of c and picks up b",
        "In the next move stack a on b",
        "...",
    ],
    "execution": [
        "the car c0 sits somewhere near l0",
        "This leaves car c0 aboard at l0",
        "Now c0 stands upon l0",
    ],
}
UNREAD_ENDS = [
    " - then pick up b",
    " : then unstack b from c",
    " | then stack a on b",
    " - after this the arm unstacks b from c",
    " on top of a",
    ", then stack it on a",
]


@pytest.mark.parametrize("name", UNREAD_LINES)
def test_a_line_that_may_tell_an_entry_is_not_dropped(name):
    row, entries = LISTS[name]
    text = "\n".join(entries)
    for line in UNREAD_LINES[name]:
        for frame in ("[PLAN]\n{}\n[PLAN END]", "ANSWER:\n{}", "{}"):
            assert grade(frame.format(f"{text}\n{line}"), row).verdict != "right", (frame, line)


@pytest.mark.parametrize("end", UNREAD_ENDS)
def test_text_behind_a_step_that_may_tell_another_is_not_dropped(end):
    row, steps = LISTS["blocks"]
    numbered = "\n".join(f"{n}. {step}" for n, step in enumerate(steps, 1))
    for text in ("\n".join(["[PLAN]", *steps]) + f"{end}\n[PLAN END]", numbered + end):
        assert grade(text, row).verdict != "right", text


@pytest.mark.parametrize(
    "remark",
    [
        "; done",
        " - which clears a",
        " (now b is held)",
        ": b is in the hand now",
        ", so c is covered",
        " done",
    ],
)
def test_a_remark_behind_a_step_is_one(remark):
    row, steps = LISTS["blocks"]
    text = "\n".join(f"{n}. {step}{remark}" for n, step in enumerate(steps, 1))
    for reply in (text, f"[PLAN]\n{text}\n[PLAN END]"):
        assert grade(reply, row).verdict == "right", reply


def test_the_forms_differ():
    texts = [write(["(at-ferry l1)", *FERRY_PLAN]) for write in FORMS.values()]
    assert len(set(texts)) == len(texts)
    assert all(first != second for first, second in pairwise(sorted(FRAMES.values())))
