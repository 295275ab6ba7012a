"""Error correction: what a user would name in a reply for a model to mend.

As in Text2World (section 4.1) it is what keeps the domain from being read, and nothing of the gold; there it
is the parser's message, here every fault with its place and how to mend it.
"""

from __future__ import annotations

from orrery.pddl.tolerant import read_actions, read_adl

MOST = 10  # faults reported at once


def faults_of(prediction: str, header: str = "") -> list[str]:
    """Return what keeps a domain, or actions under a header, from being read: a line each fault, in order."""
    domain = read_actions(prediction, header, "reply") if header else read_adl(prediction, "reply")
    return [f"{fault.kind}: {fault}" for fault in domain.faults]
