"""Ways of writing a reply around an answer, each with the sentence of the documentation that says it."""

from __future__ import annotations

_THOUGHT = "Perhaps it is (wave), or B. ANSWER: no, 3."
THOUGHTS = {
    "`<think>`": "<think>{}</think>",
    "`<Thinking>`": "<Thinking>\n{}\n</Thinking>",
    "`<thought>`": "<thought>{}</thought>",
    "`<reasoning>`": "<reasoning>\n{}\n</reasoning>",
    "`<reflection>`": "<reflection>{}</reflection>",
    "`<scratchpad>`": "<scratchpad>{}</scratchpad>",
    "`<analysis>`": "<analysis>{}</analysis>",
    "`[THINK]`": "[THINK]{}[/THINK]",
    "`\u25c1think\u25b7`": "\u25c1think\u25b7{}\u25c1/think\u25b7",
    "`<seed:think>`": "<seed:think>{}</seed:think>",
    "`<|START_THINKING|>`": "<|START_THINKING|>{}<|END_THINKING|>",
    "a channel": "<|channel|>analysis<|message|>{}<|end|><|start|>assistant<|channel|>final<|message|>",
    "`<|begin_of_thought|>`": "<|begin_of_thought|>{}<|end_of_thought|>",
    '"Here is my thought process:"': "Here is my thought process:\n{}\nHere is my response:\n",
    "a tag with attributes": '<think budget="9">{}</think>',
    "a tag that the prompt opened": "{}</think>",
}


def lines(form):
    return lambda text: "\n".join(map(form.format, text.split("\n")))


# The sentence, and the reply around an answer.
WRAPS = {
    **{
        f"The thought before the answer stands in {name}.": lambda text, form=form: (
            f"{form.format(_THOUGHT)}\n\n{text}"
        )
        for name, form in THOUGHTS.items()
    },
    "The answer stands alone.": lambda text: text,
    "A sentence precedes it.": lambda text: f"Let us think about this step by step.\n\n{text}",
    "A polite phrase precedes it.": lambda text: f"Sure! Here is my answer:\n\n{text}",
    "A heading precedes it.": lambda text: f"## Solution\n\n{text}",
    "A sentence follows it.": lambda text: f"{text}\n\nI hope that this helps!",
    "A question follows it.": lambda text: f"{text}\n\nWould you like an explanation?",
    "It stands in a code fence.": lambda text: f"```\n{text}\n```",
    "It stands in a code fence with a language.": lambda text: f"```pddl\n{text}\n```",
    "It stands in a fence of tildes.": lambda text: f"~~~\n{text}\n~~~",
    "It stands in `<solution>`.": lambda text: f"<solution>\n{text}\n</solution>",
    "It stands in `<output>`.": lambda text: f"<output>\n{text}\n</output>",
    "It stands in `<response>`.": lambda text: f"<response>\n{text}\n</response>",
    "Its lines are indented.": lines("    {}"),
    "Its lines end with spaces.": lines("{}  "),
    "Its lines end as in Windows.": lambda text: text.replace("\n", "\r\n") + "\r\n",
    "Blank lines surround it.": lambda text: f"\n\n\n{text}\n\n\n",
    "A byte order mark precedes it.": lambda text: "\ufeff" + text,
    "Words are separated by two spaces.": lambda text: text.replace(" ", "  "),
    "Words are separated by spaces that do not break.": lambda text: text.replace(" ", "\u00a0"),
    "It is in capitals.": str.upper,
    "Parentheses are full-width.": lambda text: text.replace("(", "\uff08").replace(")", "\uff09"),
    "A token ends the turn: `<|im_end|>`.": lambda text: f"{text}<|im_end|>",
    "A token ends the turn: `</s>`.": lambda text: f"{text}</s>",
    "A token ends the turn: `<|eot_id|>`.": lambda text: f"{text}<|eot_id|>",
    "It is written twice.": lambda text: f"{text}\n\n{text}",
    "Comments of PDDL precede it.": lambda text: f"; the answer\n{text}",
}
