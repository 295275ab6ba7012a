"""The rules by which replies are read, as the documentation states them, with the cases that test each.

A case has the name of a row, a reply and its verdict. The first case of each verdict is an example in the
documentation.
"""

from __future__ import annotations

from typing import NamedTuple

from tests.grading.plans.rows import BLOCKS_PLAN
from tests.grading.test_mutations import FORMS, FRAMES

PLAN = "\n".join(BLOCKS_PLAN)
STATE = "(at c0 l1)\n(at c1 l1)\n(at-ferry l1)\n(empty-ferry)"


class Rule(NamedTuple):
    """A sentence of the documentation, the test file with more cases, and the cases: row, reply, verdict."""

    sentence: str
    tests: str
    cases: tuple[tuple[str, str, str], ...]


def numbered(heading: str, steps: list[str], joint: str = "\n") -> str:
    """Steps below numbered headings."""
    return joint.join(f"{heading.format(number)}\n{step}" for number, step in enumerate(steps, 1))


RULES = (
    Rule(
        "A thought (tags, tokens, channels) is no answer. A reply that ends within a thought is unparsed.",
        "test_thoughts.py",
        (
            ("app-one", "<think>(wave)</think> (pick-up b1)", "right"),
            ("app-one", "<think>(pick-up b1)", "unparsed"),
            ("bool-yes", "[THINK]no[/THINK]yes", "right"),
            ("app-one", "<think>(pick-up b1)</think> (wave)", "wrong"),
            ("blocks", f"<think>{PLAN}</think>\n[PLAN]\n(wave)\n[PLAN END]", "wrong"),
        ),
    ),
    Rule(
        "The last `ANSWER:`, `<answer>` or `[PLAN]` counts.",
        "test_reply.py",
        (
            ("app-one", "ANSWER: (wave)\nANSWER: (pick-up b1)", "right"),
            ("app-one", "ANSWER: (pick-up b1)\n<answer>(wave)</answer>", "wrong"),
            ("blocks", f"[PLAN]\n(pickup c)\n[PLAN END]\n[PLAN]\n{PLAN}\n[PLAN END]", "right"),
        ),
    ),
    Rule(
        "Without a mark, the last list counts. Of different answers in a text, none is chosen.",
        "test_golden_replies.py",
        (
            ("app-one", "I look at b1.\n\n(pick-up b1)", "right"),
            ("app-one", "It is (pick-up b1). It is (wave).", "unparsed"),
            ("blocks", f"(pickup c)\n(putdown c)\n\nBetter:\n\n{PLAN}", "right"),
        ),
    ),
    Rule(
        f"{len(FORMS)} ways of writing a list, in {len(FRAMES)} frames, are read.",
        "test_mutations.py",
        (
            ("app", '["(wave)", "(stack b1 b2)", "(stack b1 b10)"]', "right"),
            ("app", '["(wave)", "(stack b1 b2)"]', "wrong"),
            ("app", "wave_stack_b1_b2", "unparsed"),
        ),
    ),
    Rule(
        "Each item in parentheses counts, also with made-up names, and without `ANSWER:`.",
        "test_mutations.py",
        (
            ("app-one", "(pick-up b1)", "right"),
            ("app-one", "ANSWER: (pick-up b1), (fly x y)", "wrong"),
            ("blocks", f"{PLAN}\n(fly x y)", "wrong"),
            ("execution", f"{STATE}\n(not (broken c0))", "wrong"),
        ),
    ),
    Rule(
        'An item after "maybe" or another hedge below the answer makes the reply unparsed.',
        "test_mutations.py",
        (
            ("app-one", "ANSWER: (pick-up b1)\nMaybe it works.", "right"),
            ("app-one", "ANSWER: (pick-up b1)\nmaybe (fly x y)", "unparsed"),
            ("execution", f"{STATE}\nit might be that (fly x y)", "unparsed"),
        ),
    ),
    Rule(
        "Text that may belong to a step is not dropped: the reply is unparsed, and the detail quotes it.",
        "test_mutations.py",
        (
            ("blocks", f"{PLAN}; done", "right"),
            ("blocks", f"[PLAN]\n{PLAN} on top of a\n[PLAN END]", "unparsed"),
            ("blocks", f"[PLAN]\n{PLAN}\nand so on\n[PLAN END]", "unparsed"),
        ),
    ),
    Rule(
        "A remark may tell the step beside or above it again, in words or capitals, but no other one.",
        "test_remarks.py",
        (
            ("blocks", f"{PLAN} (STACK B C)", "right"),
            ("blocks", f"{PLAN} (pick up block b)", "wrong"),
            ("blocks", f"{PLAN}\nThis stacks block b on block c.", "right"),
            ("blocks", f"{PLAN}\nThis stacks block c on block b.", "unparsed"),
        ),
    ),
    Rule(
        "Steps may have headings. After `ANSWER:`, prose between two numbered steps is a remark.",
        "test_remarks.py",
        (
            ("land", "ANSWER:\nStep 1:\n(arm-empty)", "right"),
            ("blocks", f"ANSWER:\n{numbered('Step {}:', BLOCKS_PLAN)}", "right"),
            ("blocks", "ANSWER:\n" + numbered("{}.", BLOCKS_PLAN, "\nThat is allowed.\n\n"), "right"),
            ("blocks", f"ANSWER:\n{numbered('Step {}:', BLOCKS_PLAN[1:])}", "wrong"),
        ),
    ),
    Rule(
        "Of a long reply without a mark the last 100,000 characters count; after a mark, at most as many.",
        "test_time.py",
        (
            ("blocks", "a long line " * 10_000 + "\n" + PLAN, "right"),
            ("blocks", "ANSWER:\n" + PLAN + "\n" * 100_000, "unparsed"),
        ),
    ),
)  # fmt: skip

_LONGEST = 100  # characters of an example


def _example(rule: Rule, verdict: str) -> str:
    """The first reply with a verdict, as code; new lines, right plans and right states are abbreviated."""
    reply = next((reply for _, reply, case_verdict in rule.cases if case_verdict == verdict), "")
    reply = reply.replace(PLAN, "PLAN").replace(STATE, "STATE").replace("\n", "\\n")
    if len(reply) > _LONGEST:
        reply = f"{reply[: _LONGEST // 3]} ... {reply[-_LONGEST // 3 :]}"
    return f"`{reply}`" if reply else ""


def table() -> str:
    """The rules as a table of the documentation."""
    rows = [("rule", "right", "wrong", "unparsed", "tests"), ("---",) * 5]
    for rule in RULES:
        examples = (_example(rule, verdict) for verdict in ("right", "wrong", "unparsed"))
        rows.append((rule.sentence, *examples, f"`tests/grading/{rule.tests}`"))
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)
