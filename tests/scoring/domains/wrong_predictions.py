"""One wrong prediction of each class of error, made by hand, and what the scorer says of it.

``python -m tests.scoring.domains.wrong_predictions`` writes the golden file anew; read the difference before
committing it.
"""

import json
from pathlib import Path

from orrery.scoring.domains.evaluation import evaluate
from tests.scoring.domains.lamps import LAMPS

GOLDEN = Path(__file__).with_name("golden_findings.jsonl")

# The class, and what is replaced in LAMPS by what.
WRONG = {
    "unparsable": None,
    "missing precondition": ("(hangs-in ?l ?from) (dark)", "(hangs-in ?l ?from)"),
    "redundant precondition": ("(hangs-in ?l hall)\n", "(and (hangs-in ?l hall) (dark))\n"),
    "wrong precondition": ("(not (lit ?l)))\n", "(lit ?l))\n"),
    "missing effect": ("(not (hangs-in ?l ?from)) (hangs-in ?l ?to)", "(hangs-in ?l ?to)"),
    "redundant effect": ("(increase (total-cost) 1)", "(increase (total-cost) 1) (hangs-in ?l hall)"),
    "wrong effect": ("(hangs-in ?l ?to)", "(hangs-in ?l ?from)"),
    "missing predicate": ("(lit ?l - lamp) (dark)", "(dark)"),
    "extra predicate": ("(dark))\n", "(dark) (bright ?r - room))\n"),
    "missing action": ("(:action darken", "; (:action darken"),
    "extra action": ("(:action darken", "(:action idle :effect (dark)) (:action darken"),
    "missing parameter": ("?from ?to - room", "?from - room"),
    "extra parameter": ("(?l - lamp)\n", "(?l - lamp ?r - room)\n"),
    "missing type": ("lamp room - thing thing - object", "lamp room - object"),
    "extra type": ("thing - object", "thing tool - object"),
    "missing constant": ("(:constants hall - room)", ""),
    "extra constant": ("hall - room", "hall attic - room"),
    "missing function": ("(:functions (total-cost) - number)", ""),
    "extra function": ("(total-cost) - number", "(total-cost) (fuel) - number"),
    "surface divergence": ("lit", "shining"),
    "dropped cost": (" (increase (total-cost) 1)", ""),
    "changed type": ("?r - room)\n    :pre", "?r - thing)\n    :pre"),
    "unclosed": ("(not (lit ?l)))\n", "(not (lit ?l))\n"),
}


def prediction(name):
    change = WRONG[name]
    if change is None:
        return "I am sorry, I cannot write PDDL."
    text = LAMPS.replace(*change) if name == "surface divergence" else LAMPS.replace(*change, 1)
    if name == "missing action":
        text = text[: text.index("; (:action darken")] + ")"
    assert text != LAMPS, name
    return text


def said(name):
    """What the scorer says, as plain values."""
    evaluation = evaluate(prediction(name), {"gold_domain": LAMPS})
    scores = evaluation.components
    return {
        "prediction": name,
        "equal": evaluation.equal,
        "error": str(evaluation.predicted.error_class or ""),
        "findings": [f"{f.kind}: {f.action}: {f.detail}" for f in evaluation.findings],
        "f1": {
            figure: round(getattr(scores, figure).f1, 3)
            for figure in ("predicates", "actions", "parameters", "preconditions", "effects")
        },
        "faults": [str(fault) for fault in evaluation.predicted.faults],
    }


if __name__ == "__main__":
    GOLDEN.write_text("".join(json.dumps(said(name)) + "\n" for name in WRONG))
